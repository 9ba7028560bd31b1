//! The log files of agents (L1): one folder per session, one line per event.

mod agent_log;
mod audit;
mod secrets;
mod session_folder;
mod utf16;

pub use agent_log::{AgentLog, LogEntry, console_line};
pub use audit::{Cleaned, InFile, clean_cast, clean_file};
pub use secrets::{RedactingWriter, learn_secrets, secrets, storable, storable_json};
pub use session_folder::{close_session, session_folder};
