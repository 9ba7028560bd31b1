//! Cleaning up after agents: worktrees of those that have finished, one agent as a whole, or the
//! runtime state of the project.
//!
//! Agents are stopped before anything of theirs is removed, and no commit and no uncommitted file
//! is removed that is not kept under `refs/grove/` first.

mod one;
mod project;
mod sweep;

pub use one::clean_agent;
pub use project::{Cleaned, Targets, clean};
pub use sweep::{Step, Sweep, Swept, sweep};
