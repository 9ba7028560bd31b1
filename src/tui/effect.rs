//! What an update wants done outside of the state.
//!
//! Carried out by the loop, in order, after the update returned.

use crate::engine::command::Request;
use crate::tui::options::ExitReason;

/// A text for the person's own editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The file the text is of: editors go by its name.
    pub file: String,
    pub text: String,
}

/// Something to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    Send(Request),
    Quit(ExitReason),
    Suspend,
    /// Open the editor on a text; what it leaves goes to `update::edited`.
    Edit(Edit),
    /// Draw every cell again.
    Clear,
    CaptureMouse(bool),
    Bell,
    /// Text for the clipboard of whoever sits at the terminal.
    Copy(String),
}
