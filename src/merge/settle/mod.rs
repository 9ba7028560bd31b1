//! Settling the places of one text file where both sides changed: identical edits, union files,
//! insertions at the same place, changes in different parts of a line, changed white space. What none of
//! the rules covers stays contested. Pure: bytes in, pieces out; never guesses between two versions.

mod accounted;
mod added;
mod asking;
#[cfg(test)]
mod copies;
mod file;
mod further;
mod inline;
mod insertions;
mod lists;
mod meeting;
mod names;
mod rewrapped;
mod separated;
mod several;
mod sorted;
mod spacing;
mod text;
mod twice;
mod wrapped;

pub(crate) use added::settle_added;
#[cfg(test)]
pub(crate) use file::Piece;
pub(crate) use file::{Contest, Rules, Settlement, Woven, settle};
pub(crate) use several::without_marks;
