//! The guard from outside: cases over real worktrees, forbidden and harmless commands in other spellings,
//! payloads of every shape, hostile sizes, the project's own rules.
//!
//! Commands are inputs only and never run, except in `differential`: there only harmless ones of its own
//! making, in a tree that is thrown away.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should say where"
)]

mod budget;
mod cases;
mod code_on_input;
mod code_options;
mod differential;
mod fuzz;
mod generator;
mod idioms;
mod linked;
mod links_ran;
mod lists;
mod own_work;
mod payloads;
mod place;
mod project;
mod ran;
mod respelled;
mod spellings;
mod symptoms;
mod synonyms;
