//! Keys: what they are called, what they are bound to, and which one leaves an agent's pane.
//!
//! Hints, help and palette ask the live keymap, so they cannot name a key that does not work.

mod key;
mod leader;
mod load;
mod trie;

pub(crate) use key::Key;
pub use leader::LeaderEnv;
pub(crate) use leader::choose;
pub(crate) use load::Scope;
pub use load::{Keymap, KeymapError};
pub(crate) use trie::Lookup;

#[cfg(test)]
mod tests;
