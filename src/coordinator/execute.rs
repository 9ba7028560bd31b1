//! Carrying out what was decided. Merges are not done here: they are long, see `work`.

use super::CoordinatorError;
use super::decide::Action;
use super::post::{self, SENDER, superior};
use crate::agents::nudge;
use crate::db::sessions::Transition;
use crate::db::{EventStore, GroveStore, MailStore, MergeQueueStore, SessionStore};
use crate::git::Repo;
use crate::host::client;
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, clock};
use crate::types::AgentState;
use crate::types::event::{EventType, Level, NewEvent};
use crate::types::mail::{MailPriority, MailType, NewMail};
use crate::worktree;
use serde_json::json;
use std::path::Path;

/// Does one action; the line says what happened, for the log.
pub fn execute(paths: &ProjectPaths, action: &Action) -> Result<Option<String>, CoordinatorError> {
    match action {
        Action::Enqueue {
            key,
            branch,
            task,
            agent,
        } => {
            let line = once(paths, key, || enqueue(paths, branch, task, agent))?;
            mark_handled(paths, key)?;
            Ok(line)
        }
        Action::Acknowledge { key } => {
            GroveStore::open(&paths.grove_db())?.claim_action(key, "nothing to do")?;
            mark_handled(paths, key)?;
            Ok(None)
        }
        Action::DeclareDead {
            key,
            agent,
            session_id,
            cause,
        } => once(paths, key, || declare_dead(paths, agent, session_id, cause)),
        Action::MarkStalled {
            agent,
            session_id,
            since,
            level,
        } => {
            let sessions = SessionStore::open(&paths.sessions_db())?;
            let moved = sessions.transition_session(agent, session_id, AgentState::Stalled)?;
            if moved == Transition::Done {
                sessions.set_escalation(agent, *level, Some(since))?;
                let data =
                    json!({"type": "escalation", "escalationLevel": level, "action": "warn"});
                event(paths, agent, Level::Warn, &data)?;
            }
            Ok(Some(format!("{agent} stalled (level {level})")))
        }
        Action::MarkActive { agent, session_id } => {
            let sessions = SessionStore::open(&paths.sessions_db())?;
            sessions.transition_session(agent, session_id, AgentState::Working)?;
            sessions.set_escalation(agent, 0, None)?;
            Ok(Some(format!("{agent} goes on")))
        }
        Action::Nudge {
            key,
            agent,
            text,
            level,
        } => once(paths, key, || {
            let nudged = nudge::nudge(paths, agent, "watchdog", Some(text), true)?;
            let data =
                json!({"type": "nudge", "escalationLevel": level, "delivered": nudged.delivered});
            event(paths, agent, Level::Warn, &data)?;
            Ok(format!("{agent} nudged (level {level})"))
        }),
        Action::Poke { agent, .. } => {
            let host = client::running(paths, agent).map_err(crate::agents::AgentError::from)?;
            client::poke(&host).map_err(crate::agents::AgentError::from)?;
            Ok(None)
        }
        Action::Retire { key, agent } => once(paths, key, || {
            let host = client::running(paths, agent).map_err(crate::agents::AgentError::from)?;
            client::stop(&host, false).map_err(crate::agents::AgentError::from)?;
            Ok(format!("{agent} retired"))
        }),
        Action::Merge { .. } => Ok(None),
    }
}

/// Runs an action that must happen once; a failed one is given back and tried again.
fn once(
    paths: &ProjectPaths,
    key: &str,
    f: impl FnOnce() -> Result<String, CoordinatorError>,
) -> Result<Option<String>, CoordinatorError> {
    let grove = GroveStore::open(&paths.grove_db())?;
    if !grove.claim_action(key, "")? {
        return Ok(None);
    }
    match f() {
        Ok(line) => Ok(Some(line)),
        Err(e) => {
            grove.release_action(key)?;
            Err(e)
        }
    }
}

/// A report to the coordinator that was dealt with needs nobody's attention any more.
fn mark_handled(paths: &ProjectPaths, key: &str) -> Result<(), CoordinatorError> {
    let Some(id) = key.strip_prefix("report:") else {
        return Ok(());
    };
    let store = MailStore::open(&paths.mail_db())?;
    if store.get(id)?.is_some_and(|m| m.to == SENDER) {
        store.mark_read(&[id])?;
    }
    Ok(())
}

fn event(
    paths: &ProjectPaths,
    agent: &str,
    level: Level,
    data: &serde_json::Value,
) -> Result<(), CoordinatorError> {
    let event = NewEvent::new(agent, EventType::Custom)
        .level(level)
        .data(data);
    EventStore::open(&paths.events_db())?.insert(&event)?;
    Ok(())
}

fn enqueue(
    paths: &ProjectPaths,
    branch: &str,
    task: &str,
    agent: &str,
) -> Result<String, CoordinatorError> {
    let repo = Repo::discover(&paths.root)?;
    let files = changed_files(&repo, branch).unwrap_or_default();
    MergeQueueStore::open(&paths.merge_queue_db())?.enqueue(branch, task, agent, &files)?;
    Ok(format!("{branch} queued ({} files)", files.len()))
}

/// Files the branch has changed since it left the checked-out branch; for display only.
pub fn changed_files(repo: &Repo, branch: &str) -> Option<Vec<String>> {
    let head = repo.current_branch().ok()??;
    let tip = repo.branch_tip(branch).ok()?;
    let base = repo.merge_base(repo.branch_tip(&head).ok()?, tip).ok()??;
    repo.changed_files(base, tip).ok()
}

/// Saves what the agent left in its worktree, then says that it is gone.
fn declare_dead(
    paths: &ProjectPaths,
    agent: &str,
    session_id: &str,
    cause: &str,
) -> Result<String, CoordinatorError> {
    let sessions = SessionStore::open(&paths.sessions_db())?;
    let Some(session) = sessions.get(agent)? else {
        return Ok(format!("{agent} is unknown"));
    };
    let saved = if Path::new(&session.worktree_path).exists() {
        match worktree::salvage(Path::new(&session.worktree_path), agent) {
            Ok(saved) => saved.map(|s| s.reference),
            Err(e) => {
                tracing::warn!("what {agent} left could not be saved: {e}");
                None
            }
        }
    } else {
        None
    };
    if let Some(host) = GroveStore::open(&paths.grove_db())?.host(agent)?
        && liveness::check(host.host) == Liveness::Dead
    {
        crate::agents::processes::end_orphans(&host);
    }
    sessions.transition_session(agent, session_id, AgentState::Zombie)?;
    let last = session.last_activity.clone();
    let kept = match &saved {
        Some(reference) => format!(" Its uncommitted work is saved at {reference}."),
        None => String::new(),
    };
    let mut mail = NewMail::new(
        agent,
        &superior(session.parent_agent.as_deref()),
        MailType::WorkerDied,
        &format!("[WATCHDOG] worker_died: {agent}"),
        &format!(
            "{agent} ({}, task {}) is gone: {cause}. Worktree and branch {} are kept.{kept}",
            session.capability, session.task_id, session.branch_name
        ),
    );
    mail.priority = MailPriority::High;
    let payload = json!({"agentName": agent, "capability": session.capability,
        "taskId": session.task_id, "reason": cause, "lastActivity": last, "terminatedBy": "tier0"});
    mail.payload = Some(payload.to_string());
    post::post(paths, &mail)?;
    post::announce(paths, &mail.to);
    let data =
        json!({"type": "worker_died", "reason": cause, "saved": saved, "at": clock::now().iso()});
    event(paths, agent, Level::Error, &data)?;
    tracing::info!("{SENDER}: {agent} declared dead: {cause}");
    Ok(format!("{agent} died: {cause}"))
}
