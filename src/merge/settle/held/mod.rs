//! What no rule may put together: two versions of one thing, one name, key or value given by both. Pure.

pub(super) mod asserted;
mod below;
mod bodies;
pub(super) mod calls;
pub(super) mod clashes;
pub(super) mod deepened;
#[cfg(test)]
mod entries;
pub(super) mod headed;
mod identified;
mod neighbours;
pub(super) mod placed;
mod renamed;
pub(super) mod rows;
pub(super) mod same_words;
mod taken_along;
