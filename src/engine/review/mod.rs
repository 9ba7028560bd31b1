//! Reviewing a held merge: what is contested, what was decided, and landing what was decided.
//!
//! `view` is the plain data that front ends get and send; the rest reads repositories and stores, and
//! runs beside the engine's loop. A decision is stored when it is made.

mod ask;
mod desk;
mod exact;
mod land;
mod landed;
mod load;
mod shown;
mod view;

pub use view::{CodeLine, Decision, Driven, Place, PlaceKind, Proposal, ReviewView, Row, Side};

pub use crate::merge::{lines_without, stray_marker};
pub use crate::text::{Ink, Run};

pub(super) use ask::ask;
pub(super) use desk::{Desk, Job};
pub(super) use land::{Accepted, Offer, accept};
pub(super) use landed::follow_up;
pub(super) use shown::kind;
