//! Agents as the project knows them (L3): roles, instructions, identity, and the verbs that
//! start, stop and nudge them. Uses `worktree`, `mail` and `host` of its own layer.

pub mod checkpoint;
pub mod current_run;
pub mod environment;
pub mod error;
pub mod file_scope;
pub mod groups;
pub mod health;
pub mod identity;
pub mod limits;
pub mod manifest;
pub mod nudge;
pub mod overlay;
pub mod persistent;
pub mod prime;
pub mod roles;
pub mod roster;
pub mod scaffold;
pub mod sling;
pub mod stop;
pub mod tmux;
pub mod tracker;
mod undo;

pub use error::AgentError;
