//! Every runtime by ov's name for it. Adding one is one line in [`ALL`].

use super::runtime::{Runtime, RuntimeError};
use super::{claude, script};

/// Every runtime grove can start.
pub const ALL: &[&dyn Runtime] = &[&claude::Claude, &script::Script];

/// Runtimes of ov's list that this version cannot start yet.
const KNOWN: &[&str] = &[
    "aider", "amp", "codex", "copilot", "cursor", "gemini", "goose", "opencode", "pi", "sapling",
];

/// Finds a runtime by ov's name for it.
pub fn find(name: &str) -> Result<&'static dyn Runtime, RuntimeError> {
    if let Some(runtime) = ALL.iter().find(|r| r.id() == name) {
        return Ok(*runtime);
    }
    if KNOWN.contains(&name) {
        return Err(RuntimeError::NotYet {
            name: name.to_owned(),
            available: names().join(", "),
        });
    }
    Err(unknown(name))
}

/// The error for a name that no runtime has, in the contract's words. They list every runtime of ov's,
/// also those that cannot be started yet; `script` is for demos and tests, and who uses it knows it.
pub(super) fn unknown(name: &str) -> RuntimeError {
    let mut all: Vec<&str> = KNOWN.to_vec();
    all.extend(names().into_iter().filter(|id| *id != script::Script.id()));
    all.sort_unstable();
    RuntimeError::Unknown {
        name: name.to_owned(),
        available: all.join(", "),
    }
}

/// Names of the runtimes that can be started.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|r| r.id()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_runtime_is_told_every_name() {
        let said = find("gpt").map(|_| ()).unwrap_err().to_string();
        assert_eq!(
            said,
            "Unknown runtime: \"gpt\". Available: aider, amp, claude, codex, copilot, cursor, gemini, goose, \
             opencode, pi, sapling"
        );
        let said = find("amp").map(|_| ()).unwrap_err().to_string();
        assert!(said.ends_with("use one of: claude, script"), "{said}");
    }
}
