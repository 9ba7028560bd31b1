//! What agents may not read of what lets programs act as the user.
//!
//! The names are in [`STORES`] and [`super::moved`]; here is which of them there are, and which belong to the agent's
//! own CLI.

use std::path::{Path, PathBuf};

use super::homes::homes;
use super::linked::{Linked, linked};
use super::{moved, named, sometimes};

use crate::guard::STORES;
use crate::platform::env;

/// Where systems that run programs in containers put keys for them.
const OF_THE_SYSTEM: &[&str] = &["/run/secrets", "/var/run/secrets"];

/// Everything of the user at `home` that an agent must not read, whatever place variables and settings give it. `own`
/// is what the agent's CLI itself needs to log in.
pub fn credential_stores(home: &Path, own: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for home in homes(home) {
        let stores = all_stores(&home, own);
        all.extend(behind(&home, &stores).hidden);
        all.extend(stores);
    }
    // A folder that is looked into entry by entry hides what appears there later: only where it has to be.
    let present = OF_THE_SYSTEM.iter().map(PathBuf::from);
    all.extend(present.filter(|store| store.exists()));
    all
}

/// What a person should know about stores whose entries lead to places that stay readable.
pub fn exposed_note(home: &Path, own: &[PathBuf]) -> Option<String> {
    let of_each = homes(home)
        .into_iter()
        .flat_map(|home| behind(&home, &all_stores(&home, own)).exposed);
    let exposed: Vec<PathBuf> = of_each.collect();
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

/// The stores by name, and those that only what is in files tells.
fn all_stores(home: &Path, own: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = stores(home, &env::var);
    all.extend(sometimes::with_logins(home, &env::var));
    all.extend(named::by_settings(home));
    all.retain(|store| !is_own(store, own));
    all
}

fn stores(home: &Path, lookup: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let usual = STORES.iter().map(|name| home.join(name));
    usual.chain(moved::moved(home, lookup)).collect()
}

fn is_own(store: &Path, own: &[PathBuf]) -> bool {
    own.iter().any(|mine| store.starts_with(mine))
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
        let hidden = stores(home, &|_| None);
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
            ("qwen", ".qwen/oauth_creds.json"),
        ] {
            let store = home.join(store);
            assert!(hidden.iter().any(|h| store.starts_with(h)), "{cli}");
        }
    }
}
