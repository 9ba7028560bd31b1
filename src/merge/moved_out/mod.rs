//! A block that one side moved to another file while the other side edited it where it was: the edit
//! belongs to the block, wherever it is now. Proven by the text itself: the block is gone from the one
//! file, has come to exactly one other that only the mover changed, and is in no other file of the base or of either
//! side, not even with a few changes. What is not
//! proven is left alone, and so is everything of a file in which anything else stays contested.

mod blocks;
mod candidates;
mod elsewhere;
mod files;

pub(super) use candidates::Places;
pub(super) use files::followed_out;
