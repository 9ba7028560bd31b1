//! Settling the places of one text file where both sides changed: identical edits, union files,
//! insertions at the same place, changes in different parts of a line, changed white space. What none of
//! the rules covers stays contested. Pure: bytes in, pieces out; never guesses between two versions.
//!
//! `file` lays the versions over one another and `meeting` tries the rules on each place. What a line says is read in
//! `reading`; `rules` put a place together, `order` says which of two comes first, `held` and `once` hold it back.
//! `docs/merging.md` tells users what comes of it.

mod accounted;
mod apart;
mod asking;
mod checked;
#[cfg(test)]
mod copies;
mod file;
mod held;
mod how;
mod meeting;
mod once;
mod order;
mod pieces;
mod reading;
mod rules;
mod sides;
#[cfg(test)]
mod tested;
mod too_large;

pub(crate) use apart::settle_unless_asked;
#[cfg(test)]
pub(crate) use checked::settle_file;
pub(crate) use file::Rules;
#[cfg(test)]
pub(crate) use file::settle;
pub(crate) use how::How;
#[cfg(test)]
pub(crate) use pieces::Piece;
pub(crate) use pieces::{Contest, Settlement, Woven};
pub use too_large::held_as_too_large;
pub(in crate::merge) use too_large::too_large;
