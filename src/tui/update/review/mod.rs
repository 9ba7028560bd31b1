//! The review of a held merge: its verbs, and what the engine says about it.

mod decide;
mod look;
mod news;
mod rules;
mod verbs;

pub(crate) use decide::{edited, written};
pub(super) use look::{close, look_up, open, scroll, step};
pub(super) use news::{Before, accepted, loaded, looked_up, proposed, queue_changed};
pub(crate) use rules::left;
pub(super) use rules::{applies, has_others};
pub(super) use verbs::run;
