//! The log files of agents (L1): one folder per session, one line per event.

mod agent_log;
mod session_folder;

pub use agent_log::{AgentLog, LogEntry, console_line};
pub use session_folder::{close_session, session_folder};
