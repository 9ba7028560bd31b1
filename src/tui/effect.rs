//! What an update wants done outside of the state.
//!
//! Carried out by the loop, in order, after the update returned.

use crate::engine::command::Request;
use crate::tui::options::ExitReason;

/// Something to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    Send(Request),
    Quit(ExitReason),
    Suspend,
    /// Draw every cell again.
    Clear,
    CaptureMouse(bool),
    Bell,
    /// Text for the clipboard of whoever sits at the terminal.
    Copy(String),
}
