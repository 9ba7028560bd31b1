//! One file per command. Adding one is a file with `Args` and `run`, a `mod` line here and a line in
//! `list`.

pub mod agents;
mod app;
pub mod attach;
pub mod completions;
pub mod conflicts;
pub mod coordinator;
pub mod costs;
pub mod demo;
pub mod doctor;
pub mod group;
pub mod guard;
pub mod hooks;
pub mod host;
pub mod init;
pub mod inspect;
mod list;
pub mod logs;
pub mod mail;
pub mod merge;
mod merge_receipts;
pub mod metrics;
pub mod nudge;
pub mod observe;
pub mod open;
pub mod pr;
pub mod prime;
pub mod run;
pub mod sandbox_exec;
pub mod script_agent;
pub mod sling;
pub mod spec;
pub mod status;
pub mod stop;
pub mod worktree;

pub use app::{build, run};
pub use list::Command;
