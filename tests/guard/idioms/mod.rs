//! Idioms for random commands: `%A` and `%B` are paths, `%D` and `%E` folders, `%L` and `%M` paths without any
//! sign of a language.
//!
//! Bounded, and what they make, change or delete outside of the worktree starts with `zz`.

mod files;
mod newer;
mod programs;
mod words;

pub(crate) const IDIOMS: [&[&str]; 4] = [words::ALL, programs::ALL, files::ALL, newer::ALL];
