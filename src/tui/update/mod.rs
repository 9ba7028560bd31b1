//! What happens when something happens: functions from state and event to state and effects.
//!
//! Nothing here draws, waits or sends; what has to be done outside comes back as effects.

mod agents;
mod applies;
mod copy;
mod engine;
mod input;
mod leave;
mod mail;
mod merge;
mod mouse;
mod movement;
mod panes;
mod queue_rules;
mod review;
mod run;
mod tick;
mod typing;

pub(crate) use applies::{answerable, applies};
pub(crate) use engine::engine;
pub(crate) use input::input;
pub(crate) use merge::{confirmed_both, confirmed_undo};
pub(crate) use panes::sync_panes;
pub(crate) use queue_rules::landing_entry;
pub(crate) use review::{edited, left as left_undecided, written};
pub(crate) use run::{go_to_agent, run};
pub(crate) use tick::{deadline, tick};
