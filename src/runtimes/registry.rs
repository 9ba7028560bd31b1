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
    let available = names().join(", ");
    if KNOWN.contains(&name) {
        return Err(RuntimeError::NotYet {
            name: name.to_owned(),
            available,
        });
    }
    Err(RuntimeError::Unknown {
        name: name.to_owned(),
        available,
    })
}

/// Names of the runtimes that can be started.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|r| r.id()).collect()
}
