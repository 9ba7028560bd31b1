//! Plain data and state machines shared by every layer (L0).
//!
//! Nothing here does I/O or reads a clock. Text forms (`as_str`, `parse`) are those of
//! the databases and of `--json`.

pub mod agent;
pub mod event;
pub mod host;
pub mod ids;
pub mod mail;
pub mod merge;
pub mod run;
pub mod time;

pub use agent::{AgentSession, AgentState};
pub use time::Timestamp;
