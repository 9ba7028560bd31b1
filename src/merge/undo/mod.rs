//! Taking a landed merge back: exactly while the target has not moved, by a revert when it has.

mod revert;
mod take_back;

pub use revert::land_revert;
pub use take_back::{UndoOutcome, UndoProspect, revert_by_hand, undo, undo_prospect};
