//! grove: a terminal workspace for a team of coding agents.
//!
//! Layers, top to bottom. A module uses those below it; which ones it may use of its own layer is listed in
//! `tests/architecture.rs` (`WITHIN_LAYER`), which fails for every other edge:
//!
//! | layer | modules |
//! |---|---|
//! | L5 | `cli`, `commands`, `git_front`, `hook`, `serve`, `tui` |
//! | L4 | `coordinator`, `engine` |
//! | L3 | `agents`, `worktree`, `mail`, `merge`, `watchdog`, `doctor`, `host`, `setup`, `tracker`, `mulch`, `costs` |
//! | L2 | `db`, `git`, `process`, `sandbox`, `term`, `runtimes` |
//! | L1 | `text`, `config`, `platform`, `guard`, `logging` |
//! | L0 | `types` |
//!
//! `guard`, `term` and `seccomp` (L2, the system calls that the sandbox asks about) need nothing of the others and are
//! crates of their own, in `crates/`.

pub mod agents;
pub mod cli;
pub mod commands;
pub mod config;
pub mod coordinator;
pub mod costs;
pub mod db;
pub mod doctor;
pub mod engine;
pub mod git;
pub mod git_front;
pub mod hook;
pub mod host;
pub mod logging;
pub mod mail;
pub mod merge;
pub mod mulch;
pub mod platform;
pub mod process;
pub mod runtimes;
pub mod sandbox;
pub mod serve;
pub mod setup;
pub mod text;
pub mod tracker;
pub mod tui;
pub mod types;
pub mod watchdog;
pub mod worktree;

pub use grove_guard as guard;
pub use grove_term as term;
