//! The account of a merge: an independent check, by counting lines, that a merged tree lost nothing
//! unreported and made nothing up. It shares no code path with the settling of conflicts; only which places of a
//! file were contested, when somebody was asked about them, it takes from there.

mod check;
mod counts;
mod most;
#[cfg(test)]
mod netting;
mod places;
mod spare;
mod stretches;
mod tally;
mod written;

pub use check::{Account, Declared, MergeTrees, Source, account};
