//! The review of a held merge: both sides on top, below them what would stand there.

mod code;
mod layout;
mod result;
mod sides;
mod words;

pub(crate) use layout::{fits_two_sides, hidden_columns, longest_line, render};
