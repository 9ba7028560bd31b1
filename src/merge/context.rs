//! What a merge is given and what it tells while it runs. Data only.

use std::path::PathBuf;
use std::time::Duration;

use crate::config::SandboxConfig;

pub use crate::config::OnDisplaced;

use super::gates::{Gate, GateProgress};
use super::journal::Step;

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
    /// How often a red gate is run again before it counts as red.
    pub gate_retries: u32,
    /// How many branches are tested at the same time.
    pub parallel: usize,
    pub on_displaced: OnDisplaced,
}

/// What to merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeItem {
    pub branch: String,
    pub agent: String,
    pub task: String,
}

/// What an observer of a merge is told.
#[derive(Debug, Clone, Copy)]
pub enum MergeProgress<'a> {
    /// The step has been journalled and begins now.
    Entered(Step),
    Gate(GateProgress<'a>),
    /// The target moved meanwhile; planning starts again.
    PlanningAgain {
        attempt: u32,
    },
}
