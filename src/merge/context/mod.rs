//! What a merge is given and what it tells while it runs. Data only.

mod call_off;
mod cli_settings;
mod linked;
pub mod own_settings;
mod stopping;

use std::path::PathBuf;
use std::time::Duration;

use crate::config::SandboxConfig;

pub use crate::config::OnDisplaced;
pub use call_off::CallOff;
pub use stopping::Stops;
pub(super) use stopping::until_stopped;

use crate::merge::answers::Decided;
use crate::merge::gates::{Gate, GateProgress};
use crate::merge::journal::Step;

/// Where and how to merge.
#[derive(Debug, Clone)]
pub struct MergeContext {
    /// The project's root, which holds `.overstory/`.
    pub root: PathBuf,
    pub target_branch: String,
    pub gates: Vec<Gate>,
    /// How gates are confined.
    pub sandbox: SandboxConfig,
    pub gate_time_limit: Duration,
    /// How long merge drivers of the user's git settings may take for one merge, all its files together.
    pub driver_time_limit: Duration,
    /// How often a red gate is run again before it counts as red.
    pub gate_retries: u32,
    /// How many branches are tested at the same time.
    pub parallel: usize,
    pub on_displaced: OnDisplaced,
    /// Through which the merge can be cancelled.
    pub call_off: CallOff,
    pub own_settings: OwnSettings,
}

/// What becomes of a branch that changes grove's own settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnSettings {
    /// It waits for a person.
    Hold,
    /// A person wants it.
    Land,
}

/// What to merge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergeItem {
    pub branch: String,
    pub agent: String,
    pub task: String,
    pub decided: Decided,
}

/// What an observer of a merge is told.
#[derive(Debug, Clone, Copy)]
pub enum MergeProgress<'a> {
    /// The step has been journalled and begins now.
    Entered(Step),
    Gate(GateProgress<'a>),
    /// A model is asked about a contested file.
    Asking {
        file: &'a str,
    },
    /// It comes after other branches of its train.
    Waiting,
    /// The target moved meanwhile, or the branch was rewritten; planning starts again.
    PlanningAgain {
        attempt: u32,
    },
}
