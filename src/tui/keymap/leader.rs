//! Choosing the one key that leaves an agent's pane.
//!
//! Terminals, multiplexers and input methods swallow some chords before any program sees them;
//! the choice skips what is known to be swallowed here. It reads no environment itself.

use crossterm::event::{KeyCode, KeyModifiers};

use super::Key;

/// What is known about the surroundings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeaderEnv {
    pub zellij: bool,
    pub wsl: bool,
    /// The terminal inside VS Code, Cursor and their relatives.
    pub editor_terminal: bool,
    pub macos: bool,
    /// A Chinese, Japanese or Korean locale: ctrl-space switches the input method.
    pub cjk: bool,
}

const CTRL_Q: Key = Key {
    code: KeyCode::Char('q'),
    mods: KeyModifiers::CONTROL,
};
const CTRL_SPACE: Key = Key {
    code: KeyCode::Char(' '),
    mods: KeyModifiers::CONTROL,
};
const F12: Key = Key {
    code: KeyCode::F(12),
    mods: KeyModifiers::NONE,
};

/// Picks the first candidate that is not known to be swallowed; no candidates means the usual ones.
pub(crate) fn choose(candidates: &[Key], env: &LeaderEnv) -> Key {
    match candidates {
        // One key is a decision, not a proposal.
        [only] => *only,
        [] => first_free(&[CTRL_Q, CTRL_SPACE, F12], env),
        some => first_free(some, env),
    }
}

fn first_free(candidates: &[Key], env: &LeaderEnv) -> Key {
    candidates
        .iter()
        .copied()
        .find(|key| !swallowed(*key, env))
        .unwrap_or(F12)
}

fn swallowed(key: Key, env: &LeaderEnv) -> bool {
    (key == CTRL_Q && (env.zellij || env.wsl || env.editor_terminal))
        || (key == CTRL_SPACE && (env.macos || env.cjk))
}
