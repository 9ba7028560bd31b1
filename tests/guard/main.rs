//! The guard from outside: cases over real worktrees, forbidden and harmless commands in other spellings,
//! payloads of every shape, and time.
//!
//! Commands here are inputs only; nothing is ever run.

mod cases;
mod place;
