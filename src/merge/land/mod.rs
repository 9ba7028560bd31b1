//! Landing: moving the target branch to a merged commit, and whether anything is in the way of that.

mod ahead;
mod elsewhere;
pub(super) mod hung;
mod refused;
mod room;
mod run;
mod unlisted;
mod users_files;

pub(super) use ahead::in_the_way;
pub(super) use elsewhere::elsewhere;
pub(super) use refused::{not_kept, not_moved};
pub(super) use room::no_room;
pub use run::{LandOutcome, RefusalReason, land};
pub(super) use run::{OTHERS_MAY_TAKE, operation_under_way};
pub use users_files::InTheWay;
pub(super) use users_files::files_in_the_way;
