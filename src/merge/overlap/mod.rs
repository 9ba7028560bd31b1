//! Which agents change the same files, or the same lines of them, right now.

mod map;
mod shifted;

pub use map::{
    AgentChanges, FileChanges, Overlap, OverlapKind, Region, changes_between, changes_of, overlaps,
};
pub use shifted::{Hunk, shifted};
