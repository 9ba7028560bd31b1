//! The coordinator (L4): an event loop without a model.
//!
//! Level-triggered: [`decide`] looks at a snapshot of all stores and says what should happen
//! next; [`execute`] does it. Doing an action twice is harmless: each has a key that is recorded
//! when it is done. Whoever holds the lease runs the loop, in the full screen or without one.

mod announce_merge;
mod announce_run;
pub mod attempts;
pub mod completion;
pub mod decide;
pub mod decisions;
mod ends;
mod error;
mod evidence;
pub mod execute;
pub mod headless;
mod intervene;
pub mod journal;
pub mod landing;
mod learning;
pub mod left_over;
mod merge_due;
pub mod merge_retry;
pub mod overlap;
mod own_branch;
mod pacing;
pub mod patrol;
pub mod post;
pub mod progress;
pub mod pull_request;
pub mod queue;
pub mod receipts;
pub mod recovery;
mod retries;
pub mod reviewed;
pub mod snapshot;
pub mod train;
pub mod triggers;
pub mod watch;
pub mod work;

pub use decide::{Action, Plan, decide};
pub use error::CoordinatorError;
pub use snapshot::Snapshot;
pub use work::Coordinator;
