//! Keys: what they are called, what they are bound to, and which one leaves an agent's pane.
//!
//! Hints, help and palette ask the live keymap, so they cannot name a key that does not work.

mod key;
mod leader;
mod load;
mod trie;

pub use key::Key;
pub use leader::{LeaderEnv, choose};
pub use load::{Keymap, KeymapError, Scope};
pub use trie::{Binding, Lookup};

#[cfg(test)]
mod tests;
