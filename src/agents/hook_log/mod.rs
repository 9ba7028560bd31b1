//! What hooks of a CLI report about an agent that has no host of grove: tool calls and the end of
//! its session, into log files, events, session, identity and metrics.
//!
//! Everything but the log file is best effort: a hook must not stop the agent. What could not be
//! stored is written to the agent's `errors.log`.

mod call;
mod gates;
mod session_end;
mod tool;
mod transcript;

pub use call::Call;
pub use gates::GateOutcome;
pub use session_end::{Ended, session_end};
pub use tool::{tool_end, tool_start};
