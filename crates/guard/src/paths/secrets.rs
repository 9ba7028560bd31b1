//! Where credentials are kept.

use super::spelling::normal;
use super::stores::STORES;
use crate::shell::{glob, text};

/// Folders (with a closing slash) and files that hold credentials in whatever folder they are, by the end of their
/// path. Those that only mean something in a home are in [`STORES`].
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

/// Folders from the root on where services are handed their passwords.
const HANDED: &[&str] = &[
    "run/secrets",
    "var/run/secrets",
    "run/secrets.d",
    "run/credentials",
    "var/run/credentials",
    "run/agenix",
    "run/agenix.d",
];

/// Whether a path is one of those folders or in one, also by a pattern that says enough of its name.
fn is_handed(path: &str) -> bool {
    // Most paths are elsewhere.
    let near = path.starts_with("/run/") || path.starts_with("/var/run/");
    near && HANDED.iter().any(|folder| {
        let mut have = path.split('/').filter(|part| !part.is_empty());
        folder.split('/').all(|name| {
            have.next()
                .is_some_and(|part| part == name || tells(part) && glob::matches(part, name, false))
        })
    })
}

/// Whether a folder holds somebody's whole home, or all of them.
pub(super) fn home(path: &str) -> bool {
    // Most paths are longer.
    if path
        .split('/')
        .filter(|part| !part.is_empty())
        .nth(2)
        .is_some()
    {
        return false;
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [] => true,
        [only] => matches!(*only, "~home" | "root" | "home" | "Users"),
        ["home" | "Users", _] => true,
        [_, _, ..] => false,
    }
}

/// What is left of a path that goes through the root or the folder of a process.
fn behind_process(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("/proc/")?;
    let (_, rest) = rest.split_once('/')?;
    let rest = match rest.strip_prefix("task/") {
        Some(rest) => rest.split_once('/')?.1,
        None => rest,
    };
    let rest = rest
        .strip_prefix("root")
        .or_else(|| rest.strip_prefix("cwd"))?;
    rest.starts_with('/').then_some(rest)
}

pub(super) fn secret(path: &str) -> bool {
    // The whole disk once more.
    let mut path = path;
    while let Some(behind) = behind_process(path) {
        path = behind;
    }
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
    if is_handed(&lower) || of_a_home(&lower).is_some_and(is_store) {
        return true;
    }
    if text::has_glob(&lower) {
        let have: Vec<&str> = lower
            .split('/')
            .filter(|part| !part.is_empty() && *part != DEEP)
            .collect();
        return SECRETS.iter().any(|pattern| reaches(&have, pattern))
            || STORES.iter().any(|store| reaches_store(&have, store));
    }
    // Most paths have no part that begins like one of them.
    ["/.", "/_", "/etc/", "/library/"]
        .iter()
        .any(|start| lower.contains(start))
        && SECRETS.iter().any(|pattern| names(&lower, pattern))
}

/// Whether a path names this store, or something in it, from the beginning of one of its parts.
fn names(path: &str, pattern: &str) -> bool {
    let starts_part = |at: usize| at > 0 && path.as_bytes().get(at - 1) == Some(&b'/');
    let folder = pattern.strip_suffix('/');
    match folder {
        None if !pattern.ends_with('_') => path
            .strip_suffix(pattern)
            .is_some_and(|before| before.ends_with('/')),
        None => path.match_indices(pattern).any(|(at, _)| starts_part(at)),
        Some(name) => path.match_indices(name).any(|(at, _)| {
            starts_part(at) && matches!(path.as_bytes().get(at + name.len()), None | Some(b'/'))
        }),
    }
}

/// What is left of a path below somebody's home.
fn of_a_home(path: &str) -> Option<&str> {
    let path = path.trim_start_matches('/');
    let (first, rest) = path.split_once('/')?;
    match first {
        "~home" | "root" => Some(rest),
        "home" | "users" => Some(rest.split_once('/')?.1),
        _ => None,
    }
}

/// Whether a path below a home is a store or in one.
fn is_store(path: &str) -> bool {
    STORES.iter().any(|store| {
        let begins = path.get(..store.len());
        begins.is_some_and(|start| start.eq_ignore_ascii_case(store))
            && matches!(path.as_bytes().get(store.len()), None | Some(b'/'))
    })
}

/// Whether the parts of a path with patterns can name this store of a home, or what is in it.
fn reaches_store(have: &[&str], store: &str) -> bool {
    let depth = match have {
        ["~home" | "root", ..] => 1,
        ["home" | "users", _, ..] => 2,
        _ => return false,
    };
    let below = have.get(depth..).unwrap_or_default();
    let mut parts = store.split('/');
    let count = parts.clone().count();
    below.len() >= count
        && below.iter().all(|part| {
            let name = parts.next();
            name.is_none_or(|name| glob::matches(part, &name.to_lowercase(), false))
        })
}

/// `**`: any number of folders.
const DEEP: &str = "\u{10FF03}\u{10FF03}";

/// Whether the parts of a path with patterns can name this store. A part that matches nearly anything only
/// counts where the store really is: in a home, or below the root.
fn reaches(have: &[&str], pattern: &str) -> bool {
    let folder = pattern.ends_with('/');
    let wanted: Vec<&str> = pattern.trim_end_matches('/').split('/').collect();
    let hidden = pattern.starts_with('.');
    have.windows(wanted.len()).enumerate().any(|(at, window)| {
        let pairs = || window.iter().copied().zip(wanted.iter().copied());
        let (before, rest) = have.split_at(at);
        let placed = || {
            if pattern.starts_with("etc/") {
                before.is_empty()
            } else {
                is_home_pattern(before)
            }
        };
        let told = || {
            pairs().all(|(part, name)| part == name)
                || hidden && window.first().is_some_and(|part| tells(part))
        };
        pairs().all(|(part, name)| {
            glob::matches(part, name, false) || name.ends_with('_') && part.starts_with(name)
        }) && (folder || rest.len() == wanted.len())
            && (told() || placed())
    })
}

/// Whether a part says enough of a name by itself.
fn tells(part: &str) -> bool {
    part.chars().filter(char::is_ascii).count() > 1
}

/// Whether the folders before a store can be a home.
fn is_home_pattern(parts: &[&str]) -> bool {
    let one =
        |part: &str, names: &[&str]| names.iter().any(|name| glob::matches(part, name, false));
    match parts {
        [] => true,
        [only] => one(only, &["~home", "root"]),
        [all, _] => one(all, &["home", "users"]),
        [_, _, _, ..] => false,
    }
}

/// Names of keys, under whatever folder they are.
const KEYS: &[&str] = &[
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "id_dsa",
    ".netrc",
    ".git-credentials",
    ".pgpass",
    "logins.json",
    "key4.db",
    "application_default_credentials.json",
    "secring.gpg",
];

/// Whether the last part of a pattern is made to find a key.
pub(crate) fn names_key(pattern: &str) -> bool {
    let last = pattern.rsplit('/').next().unwrap_or(pattern).to_lowercase();
    last.chars().filter(char::is_ascii).count() > 3
        && KEYS.iter().any(|name| glob::matches(&last, name, true))
}

/// Files of these names are ordinary ones in the folder of a project.
const OF_PROJECTS: &[&str] = &[".npmrc", ".yarnrc.yml", ".aider.conf.yml"];

/// Whether a path in a folder that cannot be told is one of credentials by what it says itself. What means something
/// in a home only may as well be a file of a project: `.env`.
pub(super) fn told_by_name(path: &str) -> bool {
    if text::has_glob(path) || !text::is_known(path) {
        return false;
    }
    let last = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let somewhere = || normal(&std::path::Path::new("/~somewhere").join(path));
    names_key(path)
        || !OF_PROJECTS.contains(&last.as_str()) && secret(&somewhere().to_string_lossy())
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

#[cfg(test)]
mod tests {
    use super::{SECRETS, secret};

    #[test]
    fn every_store_begins_with_a_part_that_is_looked_for() {
        for pattern in SECRETS {
            let path = format!("/x/{pattern}");
            assert!(secret(&path), "{path}");
            let near = format!("/x/a{pattern}");
            assert!(!secret(&near), "{near}");
        }
    }
}
