//! Removing the worktrees of agents that have finished.

use std::path::Path;

use crate::agents::{AgentError, processes};
use crate::db::mail::PurgeFilter;
use crate::db::sessions::foreign_pids;
use crate::db::{GroveStore, MailStore, SessionStore};
use crate::git::Repo;
use crate::merge;
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, fs};
use crate::types::host::ProcessId;
use crate::types::{AgentSession, AgentState};
use crate::worktree::{self, AgentWorktree, Seeds, WorktreeError};

/// Which worktrees to remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// Only those whose agent has finished.
    pub completed_only: bool,
    /// Also unmerged branches, and worktrees in which others still work.
    pub force: bool,
}

/// What happened on the way, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// An unmerged branch goes; this ref keeps its commits.
    Forced {
        branch: String,
    },
    SeedsPreserved {
        agent: String,
    },
    SeedsRefused {
        branch: String,
        why: String,
    },
    Removed {
        branch: String,
    },
    /// Work that no other branch has is kept here.
    Kept {
        reference: String,
    },
    Failed {
        branch: String,
        why: String,
    },
}

/// What a sweep has done; names are branches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Swept {
    pub cleaned: Vec<String>,
    pub failed: Vec<String>,
    /// Unmerged.
    pub skipped: Vec<String>,
    /// Other agents work in a project inside the worktree.
    pub blocked: Vec<String>,
    pub pruned: usize,
    pub mail_purged: usize,
    pub seeds_preserved: Vec<String>,
    pub steps: Vec<Step>,
}

/// Removes worktrees and their branches, the mail of their agents and the sessions of which
/// nothing is left.
pub fn sweep(paths: &ProjectPaths, canonical: &str, choice: Sweep) -> Result<Swept, AgentError> {
    let repo = Repo::discover(&paths.root)?;
    let mut swept = Swept::default();
    for found in worktree::agent_worktrees(&repo)? {
        let session = session_in(paths, &found)?;
        let finished = session.as_ref().is_none_or(|s| s.state.is_terminal());
        if choice.completed_only && !finished {
            continue;
        }
        let is_lead = session.as_ref().is_some_and(|s| s.capability == "lead");
        let merged = is_merged(&repo, &found.branch, canonical);
        if !choice.force && !is_lead && !merged {
            swept.skipped.push(found.branch);
            continue;
        }
        if !choice.force && others_work_in(&found.path) {
            swept.blocked.push(found.branch);
            continue;
        }
        let of = Of {
            found: &found,
            merged,
            force: choice.force,
        };
        if let Err(error) = remove_one(paths, &repo, canonical, &of, session, &mut swept) {
            swept.failed.push(found.branch.clone());
            swept.steps.push(Step::Failed {
                branch: found.branch,
                why: error.to_string(),
            });
        }
    }
    forget(paths, &repo, &mut swept)?;
    Ok(swept)
}

/// The session whose worktree this is.
fn session_in(
    paths: &ProjectPaths,
    found: &AgentWorktree,
) -> Result<Option<AgentSession>, AgentError> {
    let path = found.path.display().to_string();
    Ok(sessions(paths)?
        .into_iter()
        .find(|session| session.worktree_path == path))
}

fn sessions(paths: &ProjectPaths) -> Result<Vec<AgentSession>, AgentError> {
    if !paths.sessions_db().exists() && !paths.file("sessions.json").exists() {
        return Ok(Vec::new());
    }
    Ok(SessionStore::open(&paths.sessions_db())?.all()?)
}

/// Whether everything a branch has is also in the canonical branch; when git cannot tell, no.
fn is_merged(repo: &Repo, branch: &str, canonical: &str) -> bool {
    let answer = repo
        .branch_tip(branch)
        .and_then(|tip| merge::is_merged(repo, repo.commit_of(canonical)?, tip));
    answer.unwrap_or(false)
}

/// Whether agents of a project inside this worktree are running.
fn others_work_in(worktree: &Path) -> bool {
    let inner = ProjectPaths::new(worktree);
    let database = inner.sessions_db();
    if !database.exists() {
        return false;
    }
    match foreign_pids(&database) {
        Ok(pids) => pids.into_iter().any(is_running),
        Err(error) => {
            // Not to know is no reason to remove.
            tracing::warn!("sessions inside {} : {error}", worktree.display());
            true
        }
    }
}

fn is_running(pid: i64) -> bool {
    i32::try_from(pid)
        .is_ok_and(|pid| pid > 0 && liveness::check(ProcessId { pid, start: 0 }) == Liveness::Alive)
}

/// A worktree that is to be removed.
struct Of<'a> {
    found: &'a AgentWorktree,
    merged: bool,
    /// Even if it is locked.
    force: bool,
}

fn remove_one(
    paths: &ProjectPaths,
    repo: &Repo,
    canonical: &str,
    of: &Of<'_>,
    session: Option<AgentSession>,
    swept: &mut Swept,
) -> Result<(), AgentError> {
    let Of {
        found,
        merged,
        force,
    } = *of;
    if found.locked && !force {
        let path = found.path.clone();
        return Err(WorktreeError::Locked { path }.into());
    }
    if let Some(session) = &session {
        processes::end(paths, session, false)?;
    }
    let is_lead = session.as_ref().is_some_and(|s| s.capability == "lead");
    if !merged && !is_lead {
        swept.steps.push(Step::Forced {
            branch: found.branch.clone(),
        });
    }
    let agent = session.map_or_else(|| found.agent.clone(), |session| session.agent_name);
    if is_lead {
        match worktree::preserve_seeds(&paths.root, &found.branch, canonical, &agent)? {
            Seeds::None => {}
            Seeds::Preserved => {
                swept.seeds_preserved.push(found.branch.clone());
                swept.steps.push(Step::SeedsPreserved {
                    agent: agent.clone(),
                });
            }
            Seeds::Refused(why) => swept.steps.push(Step::SeedsRefused {
                branch: found.branch.clone(),
                why,
            }),
        }
    }
    let removal = worktree::Removal {
        path: &found.path,
        agent: &agent,
        with_branch: true,
    };
    let removed = if force {
        worktree::remove_even_locked(repo, &removal)?
    } else {
        worktree::remove(repo, &removal)?
    };
    swept.cleaned.push(found.branch.clone());
    swept.steps.push(Step::Removed {
        branch: found.branch.clone(),
    });
    let kept = removed.kept.filter(|_| !merged);
    let saved = removed.saved.into_iter().map(|saved| saved.reference);
    swept.steps.extend(
        kept.into_iter()
            .chain(saved)
            .map(|reference| Step::Kept { reference }),
    );
    Ok(())
}

/// Mail and sessions of agents whose worktrees are gone.
fn forget(paths: &ProjectPaths, repo: &Repo, swept: &mut Swept) -> Result<(), AgentError> {
    let all = sessions(paths)?;
    if all.is_empty() {
        return Ok(());
    }
    let store = SessionStore::open(&paths.sessions_db())?;
    let cleaned = all
        .iter()
        .filter(|session| swept.cleaned.contains(&session.branch_name));
    let mail = paths.mail_db();
    let mail = if mail.exists() && !swept.cleaned.is_empty() {
        Some(MailStore::open(&mail)?)
    } else {
        None
    };
    for session in cleaned {
        if let Some(mail) = &mail {
            swept.mail_purged += mail.purge(&PurgeFilter {
                agent: Some(session.agent_name.clone()),
                ..PurgeFilter::default()
            })?;
        }
        store.set_observed_state(session, AgentState::Zombie)?;
    }
    let left = crate::git::worktrees(repo.path())?;
    for session in store.all()? {
        let path = Path::new(&session.worktree_path);
        if session.state != AgentState::Zombie || left.iter().any(|w| w.path == path) {
            continue;
        }
        store.delete(&session.agent_name, &session.id)?;
        if paths.grove_db().exists() {
            GroveStore::open(&paths.grove_db())?.delete_launch(&session.id)?;
        }
        fs::remove_dir_all(&paths.host_dir(&session.agent_name))?;
        swept.pruned += 1;
    }
    Ok(())
}
