//! The guard from outside: cases over real worktrees, forbidden and harmless commands in other spellings,
//! payloads of every shape, and time.
//!
//! Commands here are inputs only; nothing is ever run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should say where"
)]

mod cases;
mod payloads;
mod place;
mod spellings;
