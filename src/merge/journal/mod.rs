//! The journal of a merge under way: one small file per merge, replaced in one step before each step
//! that matters, so that a process killed at any point leaves behind how far it got.
//! Stores, lists and looks; what to do about an unfinished one is `recover`.

mod entries;
mod unfinished;

pub use entries::{JournalEntry, Step, TakingBack, journal_dir};
pub(super) use entries::{Moving, hold, mover, taken_back_by, write, write_landing, write_undo};
pub use entries::{settle_journal, settle_undo, unsettled};
pub use unfinished::{LeftCheckout, Unfinished, moved, unfinished};
