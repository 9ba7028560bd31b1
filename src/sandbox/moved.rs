//! Stores of keys and logins that people keep elsewhere, by variables. Pure.

use std::path::{Path, PathBuf};

use crate::guard::STORES;

/// Variables by which people keep stores elsewhere, and what is secret of what they name; an empty
/// name is all of it.
const MOVED: &[(&str, &[&str])] = &[
    ("ANSIBLE_VAULT_PASSWORD_FILE", &[""]),
    ("ARGOCD_CONFIG_DIR", &[""]),
    ("AWS_CONFIG_FILE", &[""]),
    ("AWS_SHARED_CREDENTIALS_FILE", &[""]),
    ("AWS_WEB_IDENTITY_TOKEN_FILE", &[""]),
    ("AZURE_CLIENT_CERTIFICATE_PATH", &[""]),
    ("AZURE_CONFIG_DIR", &[""]),
    ("AZURE_FEDERATED_TOKEN_FILE", &[""]),
    ("BITWARDENCLI_APPDATA_DIR", &[""]),
    ("BOTO_CONFIG", &[""]),
    ("CARGO_HOME", &["credentials", "credentials.toml"]),
    ("CLAUDE_CONFIG_DIR", &[".credentials.json", ".claude.json"]),
    ("CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE", &[""]),
    ("CLOUDSDK_CONFIG", &[""]),
    ("CODEX_HOME", &["auth.json", ".credentials.json"]),
    ("COMPOSER_HOME", &["auth.json"]),
    ("CONTINUE_GLOBAL_DIR", &[""]),
    ("COPILOT_HOME", &[""]),
    ("DATABRICKS_CONFIG_FILE", &[""]),
    ("DBT_PROFILES_DIR", &["profiles.yml"]),
    ("DOCKER_CERT_PATH", &[""]),
    ("DOCKER_CONFIG", &["config.json", "contexts"]),
    ("FLY_CONFIG_DIR", &[""]),
    ("GH_CONFIG_DIR", &[""]),
    ("GLAB_CONFIG_DIR", &[""]),
    ("GNUPGHOME", &[""]),
    ("GOOGLE_APPLICATION_CREDENTIALS", &[""]),
    ("GRADLE_USER_HOME", &["gradle.properties"]),
    ("HCLOUD_CONFIG", &[""]),
    ("HELM_REGISTRY_CONFIG", &[""]),
    ("HEX_HOME", &["hex.config"]),
    ("HF_HOME", &["token"]),
    ("HF_TOKEN_PATH", &[""]),
    ("HISTFILE", &[""]),
    ("KAGGLE_CONFIG_DIR", &["kaggle.json"]),
    ("KRB5_CLIENT_KTNAME", &[""]),
    ("KRB5_KTNAME", &[""]),
    ("KUBECONFIG", &[""]),
    ("MINIKUBE_HOME", &["profiles", "machines", "ca.key"]),
    ("MYSQL_HISTFILE", &[""]),
    ("MYSQL_TEST_LOGIN_FILE", &[""]),
    ("NETRC", &[""]),
    ("NGROK_CONFIG", &[""]),
    ("NODE_REPL_HISTORY", &[""]),
    ("NPM_CONFIG_USERCONFIG", &[""]),
    ("npm_config_userconfig", &[""]),
    ("OCI_CLI_CONFIG_FILE", &[""]),
    ("PASSWORD_STORE_DIR", &[""]),
    ("PGPASSFILE", &[""]),
    ("PGSERVICEFILE", &[""]),
    ("PGSSLKEY", &[""]),
    ("PSQL_HISTORY", &[""]),
    ("PULUMI_CREDENTIALS_PATH", &[""]),
    ("PULUMI_HOME", &["credentials.json"]),
    ("PYTHON_HISTORY", &[""]),
    ("PYTHONHISTFILE", &[""]),
    ("RCLONE_CONFIG", &[""]),
    ("REGISTRY_AUTH_FILE", &[""]),
    ("SENTRY_PROPERTIES", &[""]),
    ("SNOWFLAKE_HOME", &[""]),
    ("SOPS_AGE_KEY_FILE", &[""]),
    ("SOPS_AGE_SSH_PRIVATE_KEY_FILE", &[""]),
    ("STACK_ROOT", &["upload"]),
    ("TF_CLI_CONFIG_FILE", &[""]),
];

/// Folders of the home folder that have another place if these variables say so.
const MOVED_FOLDERS: &[(&str, &str)] = &[
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_CACHE_HOME", ".cache"),
];

/// The stores that have another place by these variables.
pub(super) fn moved(home: &Path, lookup: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let places = |variable: &str| -> Vec<PathBuf> {
        // `KUBECONFIG` may name several.
        let named = lookup(variable).unwrap_or_default();
        let paths = std::env::split_paths(&named).collect::<Vec<_>>();
        // Histories are sent to `/dev/null` by those who want none.
        let is_device = |path: &PathBuf| path.starts_with("/dev");
        let usable =
            |path: &PathBuf| path.is_absolute() && !home.starts_with(path) && !is_device(path);
        paths.into_iter().filter(usable).collect()
    };
    let mut found = Vec::new();
    for (variable, names) in MOVED {
        for place in places(variable) {
            found.extend(names.iter().map(|name| match *name {
                "" => place.clone(),
                name => place.join(name),
            }));
        }
    }
    for (variable, folder) in MOVED_FOLDERS {
        for place in places(variable) {
            let below = STORES.iter().filter_map(|store| {
                let rest = Path::new(store).strip_prefix(folder).ok()?;
                Some(place.join(rest))
            });
            found.extend(below);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_was_moved_is_hidden_where_it_is() {
        let home = Path::new("/home/u");
        let lookup = |name: &str| {
            let value = match name {
                "CODEX_HOME" => "/data/codex",
                "KUBECONFIG" => "/k/one:/k/two",
                "XDG_DATA_HOME" => "/data",
                // Nothing sensible is hidden by this.
                "GNUPGHOME" => "/home",
                "NETRC" => "netrc",
                "HISTFILE" => "/dev/null",
                _ => return None,
            };
            Some(value.to_owned())
        };
        let hidden = moved(home, &lookup);
        for store in ["/data/codex/auth.json", "/k/one", "/k/two", "/data/amp"] {
            assert!(hidden.contains(&PathBuf::from(store)), "{store}");
        }
        for store in ["/home", "netrc", "/dev/null"] {
            assert!(!hidden.contains(&PathBuf::from(store)), "{store}");
        }
    }
}
