//! Removing the runtime state of a project, all of it or by kind.

use std::path::Path;

use super::one::ended_by_cleaning;
use crate::agents::processes::{self, EndedProcesses};
use crate::agents::{AgentError, current_run};
use crate::db::{
    DbError, EventStore, GroveStore, MailStore, MergeQueueStore, MetricsStore, SessionStore, wipe,
};
use crate::git::{GitError, Repo, worktrees};
use crate::merge;
use crate::platform::lease::{self, Lease, Taken};
use crate::platform::liveness::{self, Liveness};
use crate::platform::paths::socket_dir;
use crate::platform::{ProjectPaths, fs, sockets};
use crate::types::AgentSession;
use crate::worktree;

/// What to remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Targets {
    /// Everything below, the merge queue, nudges and the current run.
    pub all: bool,
    pub mail: bool,
    pub sessions: bool,
    pub metrics: bool,
    pub logs: bool,
    pub worktrees: bool,
    pub branches: bool,
    pub agents: bool,
    pub specs: bool,
}

impl Targets {
    /// Everything that `--all` stands for.
    #[must_use]
    pub fn expanded(self) -> Self {
        if !self.all {
            return self;
        }
        Self {
            all: true,
            mail: true,
            sessions: true,
            metrics: true,
            logs: true,
            worktrees: true,
            branches: true,
            agents: true,
            specs: true,
        }
    }

    /// Whether databases go that a running coordinator or full screen has open.
    fn removes_stores(self) -> bool {
        self.mail || self.sessions || self.metrics
    }
}

/// What was removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cleaned {
    pub session_end_events: usize,
    pub tmux_killed: usize,
    pub pids_reaped: usize,
    pub worktrees: usize,
    pub branches: usize,
    pub mail: bool,
    pub sessions: bool,
    pub merge_queue: bool,
    pub metrics: bool,
    pub logs: bool,
    pub agents: bool,
    pub specs: bool,
    pub nudge_state: bool,
    pub current_run: bool,
    /// Refs that keep what was removed.
    pub kept: Vec<String>,
    /// What could not be removed, and why.
    pub problems: Vec<String>,
}

/// Removes what is asked for. Nothing is removed before every agent concerned has stopped.
pub fn clean(paths: &ProjectPaths, targets: Targets) -> Result<Cleaned, AgentError> {
    let targets = targets.expanded();
    refuse_newer_stores(paths, targets)?;
    let _lease = if targets.removes_stores() {
        Some(alone(paths)?)
    } else {
        None
    };
    if targets.sessions && !targets.worktrees {
        refuse_running(paths)?;
    }
    // Before anything is ended or removed: without the repository no work can be kept.
    let repo = (targets.worktrees || targets.branches)
        .then(|| Repo::discover(&paths.root))
        .transpose()?;
    let mut cleaned = Cleaned::default();
    if let Some(repo) = repo.as_ref().filter(|_| targets.worktrees) {
        end_agents(paths, &mut cleaned)?;
        sockets::sweep(&socket_dir()?);
        if let Err(error) = merge::sweep(repo, &paths.root) {
            cleaned
                .problems
                .push(format!("checkouts of killed merges: {error}"));
        }
        remove_worktrees(repo, &mut cleaned);
    }
    if let Some(repo) = repo.as_ref().filter(|_| targets.branches) {
        remove_branches(repo, &mut cleaned);
    }
    if targets.mail {
        cleaned.mail = remove_store(&paths.mail_db())?;
    }
    if targets.metrics {
        cleaned.metrics = remove_store(&paths.metrics_db())?;
    }
    if targets.sessions {
        cleaned.sessions = remove_store(&paths.sessions_db())?;
        let legacy = paths.file("sessions.json");
        if legacy.exists() {
            fs::write_atomic(&legacy, "[]\n")?;
        }
        if paths.grove_db().exists() {
            GroveStore::open(&paths.grove_db())?.forget_ended()?;
        }
    }
    if targets.all {
        cleaned.merge_queue = remove_store(&paths.merge_queue_db())?;
        if paths.grove_db().exists() {
            GroveStore::open(&paths.grove_db())?.forget_queue()?;
        }
    }
    clear_folders(paths, targets, &mut cleaned)?;
    Ok(cleaned)
}

/// Looks at every store that is going to be written or removed, before the first one is: what a newer
/// version has stored is not for this one to delete.
fn refuse_newer_stores(paths: &ProjectPaths, targets: Targets) -> Result<(), AgentError> {
    let mut looked = Vec::new();
    if targets.mail {
        looked.push(MailStore::refuse_newer(&paths.mail_db()));
    }
    if targets.metrics {
        looked.push(MetricsStore::refuse_newer(&paths.metrics_db()));
    }
    if targets.sessions {
        looked.push(SessionStore::refuse_newer(&paths.sessions_db()));
    }
    if targets.all {
        looked.push(MergeQueueStore::refuse_newer(&paths.merge_queue_db()));
    }
    if targets.all || targets.sessions {
        looked.push(GroveStore::refuse_newer(&paths.grove_db()));
    }
    // The ends of agents that are still at work go into the events.
    if targets.worktrees && paths.events_db().exists() {
        let events = EventStore::refuse_newer(&paths.events_db());
        if events.is_err() && recorded(paths)?.iter().any(|s| s.state.is_active()) {
            looked.push(events);
        }
    }
    for found in looked {
        match found {
            Err(
                error @ (DbError::Newer { .. } | DbError::Folder { .. } | DbError::Foreign { .. }),
            ) => {
                return Err(error.into());
            }
            // What is damaged may be removed; what is busy or cannot be written says so later.
            Ok(())
            | Err(
                DbError::Busy { .. }
                | DbError::ReadOnly { .. }
                | DbError::Full { .. }
                | DbError::Corrupt { .. }
                | DbError::Open { .. }
                | DbError::Sql { .. },
            ) => {}
        }
    }
    Ok(())
}

fn clear_folders(
    paths: &ProjectPaths,
    targets: Targets,
    cleaned: &mut Cleaned,
) -> Result<(), AgentError> {
    if targets.logs {
        let logs = fs::clear_dir(&paths.file("logs"))?;
        let casts = fs::clear_dir(&paths.file("casts"))?;
        cleaned.logs = logs || casts;
    }
    if targets.agents {
        cleaned.agents = fs::clear_dir(&paths.file("agents"))?;
    }
    if targets.specs {
        cleaned.specs = fs::clear_dir(&paths.file("specs"))?;
    }
    if targets.all {
        cleaned.nudge_state = fs::remove_existing(&paths.file("nudge-state.json"))?;
        fs::clear_dir(&paths.file("pending-nudges"))?;
        fs::clear_dir(&paths.file("hosts"))?;
        cleaned.current_run = paths.current_run().exists();
        current_run::clear_current_run(paths)?;
    }
    Ok(())
}

/// Makes sure that no coordinator and no full screen works on the stores, now and until the
/// lease is dropped. Nothing is created in a folder that is no project.
fn alone(paths: &ProjectPaths) -> Result<Option<Lease>, AgentError> {
    if !paths.dir().is_dir() {
        return Ok(None);
    }
    let path = paths.coordinator_lease();
    match lease::try_take_to(&path, CLEANING)? {
        Taken::Mine(lease) => Ok(Some(lease)),
        Taken::HeldBy(holder) => {
            // Between taking the lease and saying so, a text of somebody who is gone may be read.
            let holder = holder.filter(|holder| liveness::check(*holder) != Liveness::Dead);
            Err(match (holder, lease::purpose(&path).as_deref()) {
                (Some(holder), Some(CLEANING)) => AgentError::CleaningRuns { pid: holder.pid },
                (Some(holder), _) => AgentError::CoordinatorRuns { pid: holder.pid },
                (None, _) => AgentError::SomethingRuns { path },
            })
        }
    }
}

/// What the lease says while a project is cleaned.
const CLEANING: &str = "clean";

/// Without its session nobody would find a running agent again.
fn refuse_running(paths: &ProjectPaths) -> Result<(), AgentError> {
    let running: Vec<String> = processes::live_hosts(paths)?
        .into_iter()
        .map(|host| host.agent)
        .collect();
    if running.is_empty() {
        return Ok(());
    }
    Err(AgentError::AgentsRun {
        names: running.join(", "),
    })
}

/// Ends everything that runs for any session, and every host.
fn end_agents(paths: &ProjectPaths, cleaned: &mut Cleaned) -> Result<(), AgentError> {
    let sessions = recorded(paths)?;
    let hosts = processes::live_hosts(paths)?;
    let ended: Vec<Result<EndedProcesses, AgentError>> = std::thread::scope(|scope| {
        let handles: Vec<_> = sessions
            .iter()
            .map(|session| scope.spawn(|| processes::end(paths, session, false)))
            .collect();
        handles.into_iter().filter_map(|h| h.join().ok()).collect()
    });
    for result in ended {
        let ended = result?;
        cleaned.tmux_killed += usize::from(ended.tmux);
        cleaned.pids_reaped += usize::from(ended.process);
    }
    for host in processes::live_hosts(paths)? {
        processes::end_host(&host, false)?;
        cleaned.pids_reaped += 1;
    }
    let active: Vec<&AgentSession> = sessions.iter().filter(|s| s.state.is_active()).collect();
    // A host says itself how its agent ended.
    let events: Vec<_> = active
        .iter()
        .filter(|session| !hosts.iter().any(|host| host.session_id == session.id))
        .map(|session| ended_by_cleaning(session))
        .collect();
    if !events.is_empty() {
        EventStore::open(&paths.events_db())?.insert_all(&events)?;
    }
    cleaned.session_end_events = active.len();
    Ok(())
}

/// Every session, without making a store where there is none.
fn recorded(paths: &ProjectPaths) -> Result<Vec<AgentSession>, AgentError> {
    if !paths.sessions_db().exists() && !paths.file("sessions.json").exists() {
        return Ok(Vec::new());
    }
    Ok(SessionStore::look(&paths.sessions_db())?.all()?)
}

fn remove_worktrees(repo: &Repo, cleaned: &mut Cleaned) {
    let found = match worktree::agent_worktrees(repo) {
        Ok(found) => found,
        Err(error) => {
            cleaned.problems.push(format!("worktrees: {error}"));
            return;
        }
    };
    for one in found {
        let removal = worktree::Removal {
            path: &one.path,
            agent: &one.agent,
            with_branch: true,
        };
        match worktree::remove(repo, &removal) {
            Ok(removed) => {
                cleaned.worktrees += 1;
                cleaned.kept.extend(removed.kept);
                cleaned
                    .kept
                    .extend(removed.saved.into_iter().map(|s| s.reference));
            }
            Err(error) => cleaned.problems.push(format!("{}: {error}", one.branch)),
        }
    }
}

/// Deletes agents' branches that no worktree has checked out.
fn remove_branches(repo: &Repo, cleaned: &mut Cleaned) {
    let orphaned = || -> Result<Vec<String>, GitError> {
        let used = worktrees(repo.path())?;
        let mut branches = repo.branches_with_prefix(worktree::AGENT_BRANCH_PREFIX)?;
        branches.retain(|branch| !used.iter().any(|w| w.branch == *branch));
        Ok(branches)
    };
    let branches = match orphaned() {
        Ok(found) => found,
        Err(error) => {
            cleaned.problems.push(format!("branches: {error}"));
            return;
        }
    };
    for branch in branches {
        match worktree::delete_branch(repo, &branch) {
            Ok(kept) => {
                cleaned.branches += 1;
                cleaned.kept.push(kept);
            }
            Err(error) => cleaned.problems.push(format!("{branch}: {error}")),
        }
    }
}

/// Removes a database with its companions; whether it was there. Its rows go first: a program
/// that still has it open must not go on with what is no longer there.
fn remove_store(path: &Path) -> Result<bool, AgentError> {
    if let Err(error) = wipe::empty(path) {
        match error {
            // Somebody writes to it right now.
            DbError::Busy { .. }
            | DbError::ReadOnly { .. }
            | DbError::Folder { .. }
            | DbError::Foreign { .. }
            | DbError::Newer { .. } => return Err(error.into()),
            // Emptying needs room for a moment; removing makes it.
            DbError::Full { .. }
            | DbError::Corrupt { .. }
            | DbError::Open { .. }
            | DbError::Sql { .. } => {
                tracing::debug!("removed without being emptied: {error}");
            }
        }
    }
    let there = fs::remove_existing(path)?;
    for end in ["-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        fs::remove_file(Path::new(&name))?;
    }
    Ok(there)
}
