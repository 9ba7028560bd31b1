//! Where files, folders and links land that a command copies, moves, links and makes, and what it takes away.

pub(super) mod copies;
pub(super) mod linking;
pub(super) mod taken;

pub(crate) use copies::carry_links;
