//! The merge lock of a target branch: one merge at a time into one branch, also between programs, and whichever of its
//! names the branch is given by. A file that names its owner. Nothing here knows what is merged.

mod hold;
mod names;
#[cfg(test)]
mod tests;

pub use hold::{MergeLock, held_since, lock_held_since};
pub use names::lock_path;
