//! Where programs keep what lets them act as the user. Agents may not read these.
//!
//! Names below the home folder and those that variables give, and which of them belong to the agent's own CLI.

use std::path::{Path, PathBuf};

use super::linked::{Linked, linked};

use crate::platform::env;

/// Files and folders below the home folder that hold keys, tokens or passwords.
const STORES: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/gcloud",
    ".config/op",
    ".config/doctl",
    ".config/heroku",
    ".config/rclone",
    ".config/sops",
    ".config/containers/auth.json",
    ".docker/config.json",
    ".docker/contexts",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".nuget/NuGet.Config",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".npmrc",
    ".yarnrc.yml",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".vault-token",
    ".oci",
    ".s3cfg",
    ".boto",
    ".huggingface/token",
    ".cache/huggingface/token",
    ".config/huggingface/token",
    ".Xauthority",
    ".ICEauthority",
    ".bash_history",
    ".zsh_history",
    ".local/share/fish/fish_history",
    ".python_history",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".thunderbird",
    "Library/Keychains",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
    // What other agent CLIs log in with; the agent's own state is given back to it.
    ".claude.json",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".codex/.credentials.json",
    ".gemini/.env",
    ".gemini/oauth_creds.json",
    ".gemini/google_accounts.json",
    ".gemini/gemini-credentials.json",
    ".gemini/mcp-oauth-tokens.json",
    ".local/share/opencode/auth.json",
    ".local/share/opencode/mcp-auth.json",
    ".pi/agent/auth.json",
    ".copilot",
    ".config/github-copilot",
    ".config/goose",
    ".config/amp",
    ".local/share/amp",
    ".config/cursor",
    ".cursor/cli-config.json",
    ".cursor/mcp.json",
    ".aider.conf.yml",
    ".aider/oauth-keys.env",
    ".env",
    ".sapling",
];

/// Where systems that run programs in containers put keys for them.
const OF_THE_SYSTEM: &[&str] = &["/run/secrets", "/var/run/secrets"];

/// Variables by which people keep stores elsewhere, and what is secret of what they name; an empty
/// name is all of it.
const MOVED: &[(&str, &[&str])] = &[
    ("AWS_CONFIG_FILE", &[""]),
    ("AWS_SHARED_CREDENTIALS_FILE", &[""]),
    ("AZURE_CONFIG_DIR", &[""]),
    ("BOTO_CONFIG", &[""]),
    ("CARGO_HOME", &["credentials", "credentials.toml"]),
    ("CLAUDE_CONFIG_DIR", &[".credentials.json", ".claude.json"]),
    ("CLOUDSDK_CONFIG", &[""]),
    ("CODEX_HOME", &["auth.json", ".credentials.json"]),
    ("COPILOT_HOME", &[""]),
    ("DOCKER_CONFIG", &["config.json", "contexts"]),
    ("GH_CONFIG_DIR", &[""]),
    ("GLAB_CONFIG_DIR", &[""]),
    ("GNUPGHOME", &[""]),
    ("HF_HOME", &["token"]),
    ("HF_TOKEN_PATH", &[""]),
    ("KUBECONFIG", &[""]),
    ("NETRC", &[""]),
    ("NPM_CONFIG_USERCONFIG", &[""]),
    ("PASSWORD_STORE_DIR", &[""]),
    ("PGPASSFILE", &[""]),
    ("RCLONE_CONFIG", &[""]),
    ("SOPS_AGE_KEY_FILE", &[""]),
    ("TF_CLI_CONFIG_FILE", &[""]),
    ("npm_config_userconfig", &[""]),
];

/// Folders of the home folder that have another place if these variables say so.
const MOVED_FOLDERS: &[(&str, &str)] = &[
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_CACHE_HOME", ".cache"),
];

/// Everything of the user at `home` that an agent must not read, whatever place the variables give it. `own` is what
/// the agent's CLI itself needs to log in.
pub fn credential_stores(home: &Path, own: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = stores(home, own, &env::var);
    // A folder that is looked into entry by entry hides what appears there later: only where it has to be.
    let present = OF_THE_SYSTEM.iter().map(PathBuf::from);
    all.extend(present.filter(|store| store.exists()));
    let behind = behind(home, &all).hidden;
    all.extend(behind);
    all
}

/// What a person should know about stores whose entries lead to places that stay readable.
pub fn exposed_note(home: &Path, own: &[PathBuf]) -> Option<String> {
    let exposed = behind(home, &stores(home, own, &env::var)).exposed;
    let (first, others) = exposed.split_first()?;
    let more = match others.len() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    Some(format!(
        "what {}{more} leads to stays readable: put the file itself there, or remove the link",
        first.display()
    ))
}

fn behind(home: &Path, stores: &[PathBuf]) -> Linked {
    let real = home.canonicalize().unwrap_or_else(|_| home.to_owned());
    linked(stores, &real)
}

fn stores(home: &Path, own: &[PathBuf], lookup: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let usual = STORES.iter().map(|name| home.join(name));
    let all = usual.chain(moved(home, lookup));
    all.filter(|store| !own.iter().any(|mine| store.starts_with(mine)))
        .collect()
}

fn moved(home: &Path, lookup: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let places = |variable: &str| -> Vec<PathBuf> {
        // `KUBECONFIG` may name several.
        let named = lookup(variable).unwrap_or_default();
        let paths = std::env::split_paths(&named).collect::<Vec<_>>();
        let usable = |path: &PathBuf| path.is_absolute() && !home.starts_with(path);
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
    fn a_cli_may_read_its_own_login_and_no_other() {
        let home = Path::new("/home/u");
        let own = [home.join(".claude/.credentials.json")];
        let hidden = credential_stores(home, &own);
        assert!(hidden.contains(&home.join(".ssh")));
        assert!(hidden.contains(&home.join(".codex/auth.json")));
        assert!(!hidden.contains(&home.join(".claude/.credentials.json")));
    }

    /// Those of `docs/runtimes.md`.
    #[test]
    fn every_agent_cli_has_its_login_hidden_from_the_others() {
        let home = Path::new("/home/u");
        let hidden = stores(home, &[], &|_| None);
        for (cli, store) in [
            ("aider", ".aider/oauth-keys.env"),
            ("amp", ".local/share/amp/secrets.json"),
            ("claude", ".claude/.credentials.json"),
            ("codex", ".codex/auth.json"),
            ("copilot", ".copilot/config.json"),
            ("cursor", ".config/cursor/auth.json"),
            ("gemini", ".gemini/oauth_creds.json"),
            ("goose", ".config/goose/secrets.yaml"),
            ("opencode", ".local/share/opencode/auth.json"),
            ("pi", ".pi/agent/auth.json"),
            ("sapling", ".sapling/config.json"),
        ] {
            let store = home.join(store);
            assert!(hidden.iter().any(|h| store.starts_with(h)), "{cli}");
        }
    }

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
                _ => return None,
            };
            Some(value.to_owned())
        };
        let hidden = stores(home, &[], &lookup);
        for store in ["/data/codex/auth.json", "/k/one", "/k/two", "/data/amp"] {
            assert!(hidden.contains(&PathBuf::from(store)), "{store}");
        }
        for store in ["/home", "netrc"] {
            assert!(!hidden.contains(&PathBuf::from(store)), "{store}");
        }
        let own = [PathBuf::from("/data/codex")];
        let hidden = stores(home, &own, &lookup);
        assert!(!hidden.contains(&PathBuf::from("/data/codex/auth.json")));
    }
}
