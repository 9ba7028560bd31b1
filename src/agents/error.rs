//! Why an agent could not be started, stopped or reached.

use super::manifest::ManifestError;
use crate::db::DbError;
use crate::git::GitError;
use crate::host::HostError;
use crate::mail::MailError;
use crate::platform::FsError;
use crate::runtimes::RuntimeError;
use crate::types::ids::NameError;
use crate::worktree::WorktreeError;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("\"{name}\" is one of grove's own names; choose another with --name")]
    Reserved { name: String },
    #[error("Spec file not found: {}", path.display())]
    NoSpec { path: PathBuf },
    #[error(
        "no profile \"{name}\": write {}, or use ov-co-creation or ov-discovery",
        folder.join(format!("{name}.md")).display()
    )]
    NoProfile { name: String, folder: PathBuf },
    #[error("--depth must be a number >= 0, not {depth}")]
    NegativeDepth { depth: i64 },
    #[error("Depth limit exceeded: depth {depth} is greater than agents.maxDepth {max}")]
    Depth { depth: i64, max: i64 },
    #[error(
        "'{capability}' cannot be started without a parent; use a lead, scout or builder, pass --parent, or --force-hierarchy"
    )]
    Hierarchy { capability: String },
    #[error(
        "an agent cannot start a {capability}, which is there for the whole team; a person does with 'grove {capability} start'"
    )]
    OverTheTeam { capability: String },
    #[error(
        "a {capability} at depth {depth} could not start any agents (agents.maxDepth {max}); start a scout, builder or reviewer"
    )]
    LeadsNobody {
        capability: String,
        depth: i64,
        max: i64,
    },
    #[error("Unknown capability \"{capability}\". Available: {available}")]
    Capability {
        capability: String,
        available: String,
    },
    #[error(
        "agents are started one after the other, and somebody has held {} for {minutes} minutes; `fuser` tells which process, end it and try again",
        path.display()
    )]
    StartsBusy { path: PathBuf, minutes: u64 },
    #[error("run {run} has reached agents.maxSessionsPerRun ({max})")]
    RunLimit { run: String, max: u64 },
    #[error(
        "{active} agents are active and agents.maxConcurrent is {max}; stop one or raise the limit"
    )]
    Concurrency { active: usize, max: u64 },
    #[error("Agent name \"{name}\" is already in use (state: {state}); choose another with --name")]
    NameTaken { name: String, state: &'static str },
    #[error("Task \"{task}\" is already being worked on by agent \"{by}\"; stop it first")]
    TaskTaken { task: String, by: String },
    #[error(
        "Task \"{task}\" not found in {tracker}; make it with `grove task create`, or pass --skip-task-check"
    )]
    UnknownTask { task: String, tracker: &'static str },
    #[error("Task \"{task}\" could not be looked up ({reason}); --skip-task-check goes on without")]
    TaskLookup { task: String, reason: String },
    #[error(
        "Task \"{task}\" is not workable (status: {status}). Only open or in_progress tasks can be started; --recover takes any"
    )]
    NotWorkable { task: String, status: String },
    #[error("Lead \"{lead}\" has {active} active agents, its limit is {max}")]
    LeadLimit {
        lead: String,
        active: usize,
        max: u64,
    },
    #[error("branch '{branch}' already exists; merge or delete it, or choose another --name")]
    BranchExists { branch: String },
    #[error("the agent did not start: {reason}")]
    NotStarted { reason: String, screen: String },
    #[error("Agent \"{name}\" not found")]
    NotFound { name: String },
    #[error("Agent \"{name}\" is already completed. Use --clean-worktree to remove its worktree.")]
    Completed { name: String },
    #[error("Agent \"{name}\" could not be stopped: {detail}")]
    NotStopped { name: String, detail: String },
    #[error(
        "a coordinator or the full screen works on this project (PID {pid}); leave it, or run 'grove coordinator stop', then clean again"
    )]
    CoordinatorRuns { pid: i32 },
    #[error("another 'grove clean' works on this project (PID {pid}); try again when it is done")]
    CleaningRuns { pid: i32 },
    #[error(
        "another process has just taken {} and has not said who it is; try again in a moment",
        path.display()
    )]
    SomethingRuns { path: std::path::PathBuf },
    #[error("agents are running: {names}; stop them first, or clean with --worktrees or --all")]
    AgentsRun { names: String },
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Host(#[from] HostError),
    #[error(transparent)]
    Mail(#[from] MailError),
    #[error(transparent)]
    Db(#[from] DbError),
    #[error(transparent)]
    File(#[from] FsError),
}

impl AgentError {
    /// The word ov prints in brackets for this kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Name(_)
            | Self::Reserved { .. }
            | Self::NoSpec { .. }
            | Self::Capability { .. }
            | Self::NotWorkable { .. }
            | Self::NoProfile { .. }
            | Self::NegativeDepth { .. }
            | Self::Runtime(_) => "VALIDATION_ERROR",
            Self::Hierarchy { .. } | Self::OverTheTeam { .. } | Self::LeadsNobody { .. } => {
                "HIERARCHY_VIOLATION"
            }
            Self::Worktree(_) | Self::Git(_) | Self::BranchExists { .. } => "WORKTREE_ERROR",
            Self::Mail(_) => "MAIL_ERROR",
            Self::Depth { .. }
            | Self::StartsBusy { .. }
            | Self::RunLimit { .. }
            | Self::Concurrency { .. }
            | Self::NameTaken { .. }
            | Self::TaskTaken { .. }
            | Self::UnknownTask { .. }
            | Self::TaskLookup { .. }
            | Self::LeadLimit { .. }
            | Self::NotStarted { .. }
            | Self::NotFound { .. }
            | Self::Completed { .. }
            | Self::NotStopped { .. }
            | Self::CoordinatorRuns { .. }
            | Self::CleaningRuns { .. }
            | Self::SomethingRuns { .. }
            | Self::AgentsRun { .. }
            | Self::Manifest(_)
            | Self::Host(_)
            | Self::Db(_)
            | Self::File(_) => "AGENT_ERROR",
        }
    }
}
