//! One name bound twice in one scope: an import, a field, a column, a variable. Each side may add it, and git may see no
//! reason to keep the two apart, but nobody wants both: the file does not compile, or one of them silently wins. What
//! binds a name in which kind of file is in `defined`, `members`, `imported`, `told` and `prose`; how far a name goes, in
//! `scopes`; which places are to be decided, in `doubled`. Pure.

#[cfg(test)]
mod apart;
mod bound;
mod defined;
mod doubled;
#[cfg(test)]
mod held;
mod imported;
mod language;
mod members;
mod nginx;
mod prose;
mod routes;
mod scopes;
mod told;
mod whole;
mod words;
mod woven;

pub(super) use doubled::{Line, Origin, bound_twice};
pub(crate) use language::Language;
pub(super) use words::has_word;
pub(super) use woven::says_one_twice;
