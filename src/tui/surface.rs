//! What the loop needs of a terminal: something to draw on, and a few operations besides.
//!
//! The real terminal is one implementation, a buffer in memory another, so that tests run the loop
//! that users run.

use ratatui::Terminal;
use ratatui::backend::Backend;

use crate::tui::effect::Edit;
use crate::tui::options::TuiError;

/// Something a terminal does besides showing cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SurfaceOp {
    /// Hold the picture until `EndFrame`.
    BeginFrame,
    EndFrame,
    Title(String),
    Bell,
    CaptureMouse(bool),
    /// Text for the terminal's clipboard.
    Copy(String),
    /// The cursor marks text being typed rather than a row.
    CursorBar(bool),
    /// Give the terminal back, stop this process, and take the terminal again afterwards.
    Suspend,
}

/// A terminal.
pub trait Surface {
    type Backend: Backend;

    /// Gives the terminal to draw on.
    fn terminal(&mut self) -> &mut Terminal<Self::Backend>;

    /// Carries out an operation.
    fn perform(&mut self, op: SurfaceOp) -> Result<(), TuiError>;

    /// Gives the terminal to an editor with a text and takes it again when the editor has ended. The
    /// inner error says why there is no text.
    fn edit(&mut self, editor: &str, edit: &Edit) -> Result<Result<String, String>, TuiError>;
}
