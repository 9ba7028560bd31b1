//! Tool servers (MCP): calls named `mcp__server__verb` and tools of unknown name, judged by what they do.

mod credentials;
mod field_kinds;
mod fields;
mod git;
mod judge;
mod names;
mod outputs;
mod pages;
mod paths;
mod places;
mod programs;
mod runs;
mod verbs;

pub(crate) use judge::judge;

/// Whether a field of this name says in which folder a call works.
pub(crate) fn says_a_place(field: &str) -> bool {
    names::is_place(&names::words(field))
}
