//! The shell language as the guard reads it: text to syntax tree, words to values, and the walk over
//! everything a command line would run.
//!
//! The grammar is parsed here and not by a library because the text is hostile: a general parser recurses
//! without a limit and a stack overflow cannot be caught. This one is linear and refuses deep nesting.

mod aliases;
mod alternatives;
mod arithmetic;
pub(crate) mod ast;
mod braces;
mod builtins;
mod calls;
mod chains;
mod compound;
mod constant;
pub(crate) mod contents;
mod control;
pub(crate) mod cursor;
mod dash;
mod decided;
mod decode;
mod definitions;
mod digests;
mod directories;
mod dollar;
mod earlier;
pub(crate) mod endless;
pub(crate) mod expand;
mod exported;
mod fields;
mod filters;
pub(crate) mod glob;
mod input;
mod lent;
pub(crate) mod listings;
mod lists;
mod lookups;
mod mentions;
mod naming;
mod outcome;
pub(crate) mod output;
mod params;
pub(crate) mod parser;
mod programs;
mod readings;
pub(crate) mod recursion;
mod redirections;
mod replace;
mod scopes;
mod simple;
mod sourced;
mod spans;
pub(crate) mod state;
pub(crate) mod text;
mod traps;
mod turns;
mod variables;
pub(crate) mod walk;
mod words;

pub use text::UNKNOWN;
