//! Things that more than one screen draws.
//!
//! Everything here draws into a [`Canvas`] and changes nothing else.

mod canvas;
mod field;
mod frame;
mod list;
mod pane;

pub use canvas::{Canvas, Drawn};
pub use field::{draw_field, draw_text_area};
pub use frame::{Frame, FrameKind};
pub use list::{Column, ListView, draw_list};
pub use pane::{PaneView, draw_pane, status_line};
