//! Where credentials are kept.

use crate::shell::{glob, text};

/// Folders (with a closing slash) and files that hold credentials, by the end of their path.
const SECRETS: &[&str] = &[
    ".ssh/",
    ".aws/",
    ".azure/",
    ".gnupg/",
    ".kube/",
    ".password-store/",
    ".config/gcloud/",
    ".config/gh/",
    ".config/glab-cli/",
    ".config/hub",
    ".config/op/",
    ".local/share/keyrings/",
    ".mozilla/",
    ".config/google-chrome/",
    "library/keychains/",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".docker/config.json",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".terraformrc",
    ".terraform.d/credentials.tfrc.json",
    ".claude/.credentials.json",
    ".claude.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".gemini/google_accounts.json",
    ".local/share/opencode/auth.json",
    ".pi/agent/auth.json",
    ".config/github-copilot/",
    ".copilot/config.json",
    ".config/goose/",
    ".aider.conf.yml",
    ".bash_history",
    ".zsh_history",
    "etc/shadow",
    "etc/gshadow",
    "etc/sudoers",
    "etc/sudoers.d/",
    "etc/ssh/ssh_host_",
    ".config/rclone/",
];

/// Whether a folder holds somebody's whole home, or all of them.
pub(super) fn home(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [] => true,
        [only] => matches!(*only, "~home" | "root" | "home" | "Users"),
        ["home" | "Users", _] => true,
        [_, _, ..] => false,
    }
}

pub(super) fn secret(path: &str) -> bool {
    let lower = path.to_lowercase();
    if let Some(rest) = lower.strip_prefix("/proc/") {
        return rest.ends_with("/environ") || rest.ends_with("/mem");
    }
    // Any file of a home may be one of them.
    if let Some(base) = path.strip_suffix(text::PATH)
        && home(base)
    {
        return true;
    }
    if text::has_glob(&lower) {
        return SECRETS.iter().any(|pattern| {
            let wanted: Vec<&str> = pattern.trim_end_matches('/').split('/').collect();
            let have: Vec<&str> = lower.split('/').filter(|part| !part.is_empty()).collect();
            have.windows(wanted.len()).any(|window| {
                window
                    .iter()
                    .zip(&wanted)
                    .all(|(part, name)| glob::matches(part, name, false))
            })
        });
    }
    let with_slash = format!("{lower}/");
    SECRETS.iter().any(|pattern| {
        let anchored = format!("/{pattern}");
        if pattern.ends_with('/') || pattern.ends_with('_') {
            with_slash.contains(&anchored)
        } else {
            lower.ends_with(&anchored)
        }
    })
}

/// Names of credentials inside the folders above.
const NAMES: &[&str] = &[
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "id_dsa",
    "config",
    "hosts.yml",
    "key.pem",
    "logins.json",
    "key4.db",
    "application_default_credentials.json",
    "access_tokens.db",
    "private-keys-v1.d",
    "secring.gpg",
];

/// Whether a file of this name, or matching this pattern, may be a credential.
pub(crate) fn may_be_secret(name: &str) -> bool {
    let lower = name.to_lowercase();
    let last = |path: &&'static str| path.trim_end_matches('/').rsplit('/').next();
    NAMES
        .iter()
        .copied()
        .chain(SECRETS.iter().filter_map(last))
        .any(|file| glob::matches(&lower, file, true))
        || ["key", "secret", "token", "cred", "pass", "auth"]
            .iter()
            .any(|word| lower.contains(word))
}
