//! Two versions of a text as the edits that turn the base into each, and the places where edits of both
//! sides meet. Pure.

mod between;
mod cuts;
mod numbered;
mod over;
mod shared;

pub(crate) use between::{Edit, alike, edits};
pub(crate) use numbered::Numbered;
pub(crate) use over::{Stretch, lay_over};
pub(crate) use shared::put_in_by_both;
