//! The shell language as the guard reads it: text to syntax tree, words to values, and the walk over
//! everything a command line would run.
//!
//! The grammar is parsed here and not by a library because the text is hostile: a general parser recurses
//! without a limit and a stack overflow cannot be caught. This one is linear and refuses deep nesting.

pub(crate) mod ast;
pub(crate) mod braces;
pub(crate) mod builtins;
pub(crate) mod expand;
pub(crate) mod glob;
pub(crate) mod output;
pub(crate) mod parser;
pub(crate) mod state;
pub(crate) mod text;
pub(crate) mod walk;
mod words;
pub use text::UNKNOWN;
