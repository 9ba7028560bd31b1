//! Logins to a cloud that an agent CLI goes through to its model; the variables by which it does say so. Pure.

use std::path::{Path, PathBuf};

/// A cloud, by the variables that lead a CLI through it.
struct Cloud {
    chosen_by: &'static [&'static str],
    /// Variables that name the login.
    named_by: &'static [&'static str],
    /// Where it lies in the home folder.
    usual: &'static [&'static str],
}

const CLOUDS: &[Cloud] = &[
    Cloud {
        chosen_by: &["CLAUDE_CODE_USE_VERTEX", "GOOGLE_GENAI_USE_VERTEXAI"],
        named_by: &["GOOGLE_APPLICATION_CREDENTIALS"],
        usual: &[".config/gcloud/application_default_credentials.json"],
    },
    Cloud {
        chosen_by: &["CLAUDE_CODE_USE_BEDROCK"],
        named_by: &[
            "AWS_CONFIG_FILE",
            "AWS_SHARED_CREDENTIALS_FILE",
            "AWS_WEB_IDENTITY_TOKEN_FILE",
        ],
        usual: &[".aws"],
    },
    Cloud {
        chosen_by: &["CLAUDE_CODE_USE_FOUNDRY"],
        named_by: &["AZURE_CONFIG_DIR", "AZURE_FEDERATED_TOKEN_FILE"],
        usual: &[".azure"],
    },
];

/// What the CLI of an agent with these variables reads to log in.
pub fn cloud_logins(home: &Path, lookup: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let is_on = |name: &&str| {
        let value = lookup(name).unwrap_or_default().to_lowercase();
        !["", "0", "false", "no", "off"].contains(&value.as_str())
    };
    let chosen = CLOUDS
        .iter()
        .filter(|cloud| cloud.chosen_by.iter().any(is_on));
    let mut logins = Vec::new();
    for cloud in chosen {
        let named = cloud.named_by.iter().filter_map(|name| lookup(name));
        logins.extend(named.map(PathBuf::from).filter(|path| path.is_absolute()));
        logins.extend(cloud.usual.iter().map(|name| home.join(name)));
    }
    logins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_to_a_cloud_is_for_the_cli_that_goes_through_it_and_no_other() {
        let home = Path::new("/home/u");
        let with = |chosen: &str, value: &str| {
            let lookup = |name: &str| match name {
                "GOOGLE_APPLICATION_CREDENTIALS" => Some("/keys/google.json".to_owned()),
                name => (name == chosen).then(|| value.to_owned()),
            };
            cloud_logins(home, &lookup)
        };
        assert!(with("", "").is_empty());
        assert!(with("CLAUDE_CODE_USE_VERTEX", "0").is_empty());
        let vertex = with("CLAUDE_CODE_USE_VERTEX", "1");
        assert!(vertex.contains(&PathBuf::from("/keys/google.json")));
        assert!(!vertex.contains(&home.join(".aws")));
        assert_eq!(with("CLAUDE_CODE_USE_BEDROCK", "true"), [home.join(".aws")]);
    }
}
