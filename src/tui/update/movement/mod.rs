//! Moving: cursors in lists, focus between panes, scrolling, sizes, pages, and the way back.

mod back;
mod lists;
mod motion;
mod work;

pub(super) use back::back;
pub(super) use lists::select_row;
pub(crate) use motion::Motion;
pub(super) use motion::go;
pub(super) use work::{focus, page_of, resize, scroll_pane, turn_page};
