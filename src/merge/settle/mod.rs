//! Settling the places of one text file where both sides changed: identical edits, union files,
//! insertions at the same place, changes in different parts of a line, changed white space. What none of
//! the rules covers stays contested. Pure: bytes in, pieces out; never guesses between two versions.

mod accounted;
mod added;
mod apart;
mod arguments;
mod arms;
mod asking;
mod asserted;
mod beside;
mod bullets;
mod calls;
mod checked;
mod clashes;
mod columns;
mod continued;
#[cfg(test)]
mod copies;
#[cfg(test)]
mod entries;
mod file;
mod first;
mod further;
mod imports;
mod inline;
mod insertions;
mod kind;
mod labels;
mod leaning;
mod lists;
mod meeting;
mod names;
mod once;
mod opened;
mod paired;
mod paths;
mod pieces;
mod placed;
mod precedence;
mod rewrapped;
mod rows;
mod ruling;
mod same_words;
mod sections;
mod separated;
mod several;
mod sides;
mod sorted;
mod spacing;
#[cfg(test)]
mod tested;
mod text;
mod turned;
mod twice;
mod units;
mod wording;
mod wrapped;

pub(crate) use apart::settle_unless_asked;
#[cfg(test)]
pub(crate) use checked::settle_file;
pub(crate) use file::{Rules, settle};
#[cfg(test)]
pub(crate) use pieces::Piece;
pub(crate) use pieces::{Contest, Settlement, Woven};
pub(crate) use several::without_marks;
pub(crate) use wording::are_too_many;
