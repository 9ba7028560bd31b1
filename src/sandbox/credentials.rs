//! Where programs keep what lets them act as the user. Agents may not read these.
//!
//! Pure: names below the home folder, and which of them belong to the agent's own CLI.

use std::path::{Path, PathBuf};

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
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".gemini/google_accounts.json",
    ".local/share/opencode/auth.json",
    ".pi/agent/auth.json",
    ".copilot",
    ".config/github-copilot",
    ".config/goose",
    ".config/amp",
    ".local/share/amp",
];

/// Everything below `home` that an agent must not read. `own` is what the agent's CLI itself
/// needs to log in.
pub fn credential_stores(home: &Path, own: &[PathBuf]) -> Vec<PathBuf> {
    STORES
        .iter()
        .map(|name| home.join(name))
        .filter(|store| !own.iter().any(|mine| store.starts_with(mine)))
        .collect()
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
}
