//! Landing: moving the target branch to a merged commit, and whether anything is in the way of that.

mod ahead;
pub(super) mod hung;
mod run;

pub(super) use ahead::in_the_way;
pub use run::{InTheWay, LandOutcome, RefusalReason, land};
pub(super) use run::{OTHERS_MAY_TAKE, files_in_the_way, not_moved, operation_under_way};
