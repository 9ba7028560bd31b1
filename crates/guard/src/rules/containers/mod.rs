//! Programs that run containers.

mod compose;
mod flow;
mod judge;
mod names;
mod words;

pub(super) use judge::{is_here, judge};
pub(crate) use names::prints_number;
