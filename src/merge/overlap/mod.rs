//! Which agents change the same files, or the same lines of them, right now.

mod map;
mod region;
mod shifted;

pub use map::{
    AgentChanges, FileChanges, Overlap, OverlapKind, changes_between, changes_of, overlaps,
};
pub use region::Region;
pub use shifted::{Hunk, shifted};
