//! The account of a merge: an independent check, by counting lines, that a merged tree lost nothing
//! unreported and made nothing up. It shares no code path with the settling of conflicts.

mod check;
mod counts;
mod spare;
mod stretches;
mod tally;

pub use check::{Account, Declared, MergeTrees, Source, account};
