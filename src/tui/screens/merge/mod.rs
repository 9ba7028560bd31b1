//! Merge: the queue, and for the selected branch what would happen to whose lines.
//!
//! Displaced lines are never summarised away: the review shows both sides in full.

mod detail;
mod landed;
mod lines;
mod preview;
mod queue;
mod row;

pub(super) use landed::landed;
pub(crate) use lines::folded;
pub(crate) use preview::preview_rows;
pub(super) use queue::render;
pub(crate) use row::progress;
