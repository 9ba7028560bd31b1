//! Lines that are said to have become part of others: whether the four texts show it. Nobody's word is taken for it, and
//! nothing of what wove them is asked. Pure.
//!
//! `claims` finds in the sides what a claim speaks of; `words` counts what either side put in and took out, `spaces`
//! compares what stands between words, `whole` looks at what models wrote, and `elsewhere` is for claims about two files.

mod believed;
mod claims;
mod elsewhere;
mod sides;
mod spaces;
#[cfg(test)]
mod tested;
mod visible;
mod whole;
mod words;

pub(super) use believed::believed;
pub(crate) use claims::Claim;
pub(super) use claims::shown;
