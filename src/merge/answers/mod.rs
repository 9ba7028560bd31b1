//! Answers to the contested places of a merge, by a person or by an agent: for the plan that was looked at, and as they
//! are kept for whoever merges the branch later.

mod kept;
mod review;
mod tree;

pub use kept::{Decided, Naming, tier_of};
pub(super) use kept::{Kept, half_decided, kept};
pub(crate) use review::Answers;
pub(super) use review::mark;
pub use review::{Choices, Decision, Review};
pub use tree::{branch_with, tree_of};
