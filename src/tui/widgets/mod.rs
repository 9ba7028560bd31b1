//! Things that more than one screen draws.
//!
//! Everything here draws into a [`Canvas`] and changes nothing else.

mod canvas;
mod field;
mod frame;
mod list;
mod pane;

pub(crate) use canvas::{Canvas, Drawn};
pub(crate) use field::{draw_field, draw_text_area};
pub(crate) use frame::{Frame, FrameKind};
pub(crate) use list::{Column, ListView, draw_list};
pub(crate) use pane::{PaneView, draw_pane, status_line};
