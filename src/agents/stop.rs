//! Stopping an agent; its worktree and branch stay unless asked otherwise.

use super::AgentError;
use super::processes::{self, EndedProcesses, has_host};
use crate::db::{GroveStore, SessionStore};
use crate::git::{Repo, worktrees as git_worktrees};
use crate::mail::{PendingNudge, queue_nudge};
use crate::merge;
use crate::platform::{ProjectPaths, clock};
use crate::types::{AgentSession, AgentState};
use crate::worktree;
use std::path::PathBuf;

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
    pub tmux_killed: bool,
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
    if was_completed && !options.clean_worktree && !has_host(paths, agent) {
        return Err(AgentError::Completed {
            name: agent.to_owned(),
        });
    }
    let ended = if was_completed && !has_host(paths, agent) {
        EndedProcesses::default()
    } else {
        processes::end(paths, &session, options.force)?
    };
    if !was_completed {
        sessions.transition_session(agent, &session.id, AgentState::Completed)?;
        sessions.touch(agent)?;
        if paths.grove_db().exists() {
            // The record of ov has no word for it: a stopped agent is a completed one.
            let key = stopped_key(&session.id);
            GroveStore::open(&paths.grove_db())?.claim_action(&key, agent)?;
        }
    }
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
        tmux_killed: ended.tmux,
        pid_killed: ended.process,
        worktree_removed: false,
        branch_deleted: false,
        kept: Vec::new(),
    };
    if options.clean_worktree {
        remove_worktree(paths, &mut stopped)?;
    }
    Ok(stopped)
}

/// The key under which it is noted that a session did not end by itself.
pub fn stopped_key(session_id: &str) -> String {
    format!("stopped:{session_id}")
}

fn remove_worktree(paths: &ProjectPaths, stopped: &mut Stopped) -> Result<(), AgentError> {
    let path = PathBuf::from(&stopped.session.worktree_path);
    if path == paths.root {
        return Ok(());
    }
    let repo = Repo::discover(&paths.root)?;
    let branch = stopped.session.branch_name.clone();
    let had_branch = repo.branch_exists(&branch);
    let known = git_worktrees(&paths.root)?
        .iter()
        .any(|w| w.path == path || path.canonicalize().is_ok_and(|real| real == w.path));
    if known {
        let own_commits = had_branch && !is_merged(&repo, &branch)?;
        let removed = worktree::remove(
            &repo,
            &worktree::Removal {
                path: &path,
                agent: &stopped.session.agent_name,
                with_branch: had_branch,
            },
        )?;
        stopped.worktree_removed = true;
        // As ov counts: the landed branch of an agent that is done goes with its worktree.
        let counts = own_commits || !stopped.was_completed;
        stopped.branch_deleted = counts && had_branch && !repo.branch_exists(&branch);
        stopped.kept.extend(removed.kept.filter(|_| own_commits));
        stopped
            .kept
            .extend(removed.saved.into_iter().map(|s| s.reference));
    } else if had_branch {
        stopped.kept.push(worktree::delete_branch(&repo, &branch)?);
        stopped.branch_deleted = true;
    }
    Ok(())
}

/// Whether the checked-out branch has everything that `branch` has.
fn is_merged(repo: &Repo, branch: &str) -> Result<bool, AgentError> {
    let tip = repo.branch_tip(branch)?;
    Ok(match repo.ref_target("HEAD") {
        Some(head) => merge::is_merged(repo, head, tip)?,
        None => false,
    })
}
