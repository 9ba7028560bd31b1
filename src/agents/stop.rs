//! Stopping an agent; its worktree and branch stay unless asked otherwise.

use super::AgentError;
use crate::db::grove::HostRow;
use crate::db::{GroveStore, SessionStore};
use crate::git::Repo;
use crate::host::client;
use crate::mail::{PendingNudge, queue_nudge};
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, clock, env, fs};
use crate::process::tree;
use crate::types::host::ProcessId;
use crate::types::{AgentSession, AgentState};
use crate::worktree;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How to stop.
#[derive(Debug, Clone, Copy, Default)]
pub struct StopOptions {
    /// Kill at once; with `clean_worktree` also remove one with uncommitted work.
    pub force: bool,
    pub clean_worktree: bool,
}

/// What stopping did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    pub session: AgentSession,
    pub pid_killed: bool,
    pub worktree_removed: bool,
    pub branch_deleted: bool,
    pub was_zombie: bool,
    pub was_completed: bool,
    /// Where removed work can be found.
    pub kept: Vec<String>,
}

/// Ends an agent and records it as completed.
pub fn stop(
    paths: &ProjectPaths,
    agent: &str,
    options: StopOptions,
) -> Result<Stopped, AgentError> {
    let sessions = SessionStore::open(&paths.sessions_db())?;
    let session = sessions.get(agent)?.ok_or_else(|| AgentError::NotFound {
        name: agent.to_owned(),
    })?;
    let was_completed = session.state == AgentState::Completed;
    if was_completed && !options.clean_worktree && !has_host(paths, agent)? {
        return Err(AgentError::Completed {
            name: agent.to_owned(),
        });
    }
    let pid_killed = end_processes(paths, &session, options.force)?;
    sessions.transition_session(agent, &session.id, AgentState::Completed)?;
    sessions.touch(agent)?;
    if session.capability == "lead" && !was_completed {
        let nudge = PendingNudge {
            from: agent.to_owned(),
            reason: "lead_completed".to_owned(),
            subject: format!("Lead {agent} was stopped"),
            message_id: format!("auto-nudge-{agent}-{}", clock::now().0),
            created_at: clock::now().iso(),
        };
        if let Err(e) = queue_nudge(paths, "coordinator", &nudge) {
            tracing::warn!("the coordinator was not told: {e}");
        }
    }
    let mut stopped = Stopped {
        was_zombie: session.state == AgentState::Zombie,
        was_completed,
        session,
        pid_killed,
        worktree_removed: false,
        branch_deleted: false,
        kept: Vec::new(),
    };
    if options.clean_worktree {
        remove_worktree(paths, &mut stopped)?;
    }
    Ok(stopped)
}

fn has_host(paths: &ProjectPaths, agent: &str) -> Result<bool, AgentError> {
    if !paths.grove_db().exists() {
        return Ok(false);
    }
    Ok(client::running(paths, agent).is_ok())
}

/// Ends what runs for a session: through its host, or, without one, the process that ov or a
/// dead host has left, if it still is that process.
fn end_processes(
    paths: &ProjectPaths,
    session: &AgentSession,
    force: bool,
) -> Result<bool, AgentError> {
    let agent = session.agent_name.as_str();
    if has_host(paths, agent)? {
        let host = client::running(paths, agent)?;
        let outcome = client::stop(&host, force)?;
        if !outcome.done {
            return Err(AgentError::NotStopped {
                name: agent.to_owned(),
                detail: outcome.detail,
            });
        }
        // The host stores the exit before it leaves.
        tree::wait_gone(&[host.host], Duration::from_secs(5));
        return Ok(true);
    }
    let row = if paths.grove_db().exists() {
        GroveStore::open(&paths.grove_db())?.host(agent)?
    } else {
        None
    };
    if let Some(row) = &row {
        end_orphans(row);
    }
    let known = row.and_then(|h| h.cli);
    let turn_pid = paths.file("agents").join(agent).join("turn.pid");
    let from_turn = fs::read_optional(&turn_pid)?.and_then(|t| t.trim().parse::<i32>().ok());
    let Some(target) = known
        .or_else(|| in_worktree(from_turn, session))
        .or_else(|| in_worktree(session.pid.and_then(|p| i32::try_from(p).ok()), session))
    else {
        return Ok(false);
    };
    if liveness::check(target) != Liveness::Alive {
        return Ok(false);
    }
    let mut targets = tree::descendants(target.pid);
    targets.push(target);
    let grace = if force {
        Duration::from_millis(200)
    } else {
        Duration::from_secs(3)
    };
    Ok(tree::end(&targets, grace).is_empty())
}

/// Ends what a killed host has left running: nobody owns it any more.
pub fn end_orphans(host: &HostRow) -> Vec<ProcessId> {
    let mut targets = host
        .cli
        .map(|cli| tree::descendants(cli.pid))
        .unwrap_or_default();
    targets.extend(host.cli);
    targets.extend(tree::carrying(
        env::HOST_SOCKET,
        &host.socket.to_string_lossy(),
    ));
    targets.retain(|t| liveness::check(*t) == Liveness::Alive);
    if targets.is_empty() {
        return targets;
    }
    tree::end(&targets, Duration::from_secs(1))
}

/// A bare pid may have been reused: it is only signalled when the process works where the
/// session does.
fn in_worktree(pid: Option<i32>, session: &AgentSession) -> Option<ProcessId> {
    let pid = pid.filter(|p| *p > 1)?;
    let cwd = std::fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
    cwd.starts_with(Path::new(&session.worktree_path))
        .then(|| liveness::identify(pid))
}

fn remove_worktree(paths: &ProjectPaths, stopped: &mut Stopped) -> Result<(), AgentError> {
    let path = PathBuf::from(&stopped.session.worktree_path);
    if path == paths.root {
        return Ok(());
    }
    let repo = Repo::discover(&paths.root)?;
    let branch = stopped.session.branch_name.clone();
    let had_branch = repo.branch_exists(&branch);
    if path.exists() {
        let removed = worktree::remove(
            &repo,
            &worktree::Removal {
                path: &path,
                agent: &stopped.session.agent_name,
                with_branch: had_branch,
            },
        )?;
        stopped.worktree_removed = true;
        stopped.branch_deleted = had_branch;
        stopped.kept.extend(removed.kept);
        stopped.kept.extend(removed.saved.map(|s| s.reference));
    } else {
        stopped.worktree_removed = true;
        if had_branch {
            stopped.kept.push(worktree::delete_branch(&repo, &branch)?);
            stopped.branch_deleted = true;
        }
    }
    Ok(())
}
