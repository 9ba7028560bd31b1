//! Judging an answer by its form, before anything is counted: whether it is the file, and whether what it
//! keeps is still in effect. Pure.

mod disabled;
mod frame;
mod indents;
pub(super) mod joined_base;
mod keys;
mod markers;
mod syntax;

pub(super) use disabled::disabled;
pub(super) use frame::disturbed;
pub(super) use markers::marker_behind_a_sign;
pub use markers::stray_marker;
pub(super) use syntax::{is_data, syntax_problem};
