//! What a start is asked for, and what came of it.

use std::path::PathBuf;

use crate::types::AgentState;
use crate::types::host::Mode;

/// What to start.
#[derive(Debug, Clone, Default)]
pub struct SlingRequest {
    pub task: String,
    pub capability: String,
    pub name: Option<String>,
    pub spec: Option<PathBuf>,
    pub files: Vec<String>,
    pub siblings: Vec<String>,
    pub parent: Option<String>,
    /// An agent asks, not a person or the coordinator's loop.
    pub for_agent: bool,
    pub depth: i64,
    pub skip_scout: bool,
    /// Do not look the task up in the tracker.
    pub skip_task_check: bool,
    /// Take a task whatever its state.
    pub recover: bool,
    pub skip_review: bool,
    /// Say nothing about a lead that has sent no scout.
    pub no_scout_check: bool,
    pub force_hierarchy: bool,
    pub max_agents: Option<u64>,
    pub dispatch_max_agents: Option<u64>,
    pub runtime: Option<String>,
    pub base_branch: Option<String>,
    pub profile: Option<String>,
    /// `None`: as the project is configured.
    pub mode: Option<Mode>,
    /// Who sends the dispatch mail.
    pub sender: Option<String>,
}

/// A started agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slung {
    pub agent: String,
    pub capability: String,
    pub task: String,
    pub branch: String,
    pub worktree: PathBuf,
    pub pid: i32,
    pub mode: Mode,
    pub runtime: &'static str,
    pub conversation: Option<String>,
    /// Its recorded state when its CLI runs.
    pub state: AgentState,
    /// Things the user should know, one line each.
    pub warnings: Vec<String>,
}
