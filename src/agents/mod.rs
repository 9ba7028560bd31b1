//! Agents as the project knows them (L3): roles, instructions, identity, and the verbs that
//! start, stop and nudge them. Uses `worktree`, `mail`, `host`, `costs`, `tracker` and `mulch` of its own
//! layer.

mod assignment;
pub mod checkpoint;
pub mod clean;
pub mod close_gate;
pub mod current_run;
mod dispatch;
pub mod environment;
pub mod error;
pub mod expertise;
pub mod groups;
pub mod health;
pub mod hook_log;
mod launching;
pub mod limits;
pub mod manifest;
mod model;
pub mod nudge;
pub mod overlay;
pub mod persistent;
pub mod prime;
pub mod processes;
mod reserved;
pub mod roles;
pub mod roster;
pub mod sling;
mod stagger;
pub mod stop;
mod task_group;
pub mod tmux;
mod undo;

pub use crate::db::identity;
pub use error::AgentError;
