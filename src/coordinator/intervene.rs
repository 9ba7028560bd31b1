//! What the watchdog does to agents: note, nudge, ask about, give up, report.

use super::CoordinatorError;
use super::learning;
use super::post::{self, superior};
use crate::agents::{AgentError, nudge, processes};
use crate::config::Config;
use crate::db::sessions::Transition;
use crate::db::{EventStore, GroveStore, MailStore, SessionStore};
use crate::git::Repo;
use crate::host::{client, screen};
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, clock};
use crate::process::tree;
use crate::types::event::{EventType, Level, NewEvent};
use crate::types::mail::{MailPriority, MailType, NewMail};
use crate::types::{AgentSession, AgentState};
use crate::watchdog::triage::{self, Opinion};
use crate::worktree;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// How much of the screen a second opinion is formed on.
const SCREEN_LINES: usize = 60;

/// Records something about an agent.
pub(super) fn event(
    paths: &ProjectPaths,
    agent: &str,
    level: Level,
    data: &Value,
) -> Result<(), CoordinatorError> {
    let event = NewEvent::new(agent, EventType::Custom)
        .level(level)
        .data(data);
    EventStore::open(&paths.events_db())?.insert(&event)?;
    Ok(())
}

pub(super) fn mark_stalled(
    paths: &ProjectPaths,
    agent: &str,
    session_id: &str,
    since: &str,
    level: i64,
) -> Result<String, CoordinatorError> {
    let sessions = SessionStore::open(&paths.sessions_db())?;
    let moved = sessions.transition_session(agent, session_id, AgentState::Stalled)?;
    if moved == Transition::Done {
        sessions.set_escalation(agent, level, Some(since))?;
        if level == 0 {
            let data = json!({"type": "escalation", "escalationLevel": level, "action": "warn"});
            event(paths, agent, Level::Warn, &data)?;
        }
    }
    Ok(format!("{agent} stalled (level {level})"))
}

pub(super) fn mark_active(
    paths: &ProjectPaths,
    agent: &str,
    session_id: &str,
) -> Result<String, CoordinatorError> {
    let sessions = SessionStore::open(&paths.sessions_db())?;
    sessions.transition_session(agent, session_id, AgentState::Working)?;
    sessions.set_escalation(agent, 0, None)?;
    Ok(format!("{agent} goes on"))
}

pub(super) fn remind(
    paths: &ProjectPaths,
    agent: &str,
    text: &str,
    level: i64,
) -> Result<String, CoordinatorError> {
    let nudged = nudge::nudge(paths, agent, "watchdog", Some(text), true)?;
    let data = json!({"type": "nudge", "escalationLevel": level, "delivered": nudged.delivered});
    event(paths, agent, Level::Warn, &data)?;
    Ok(format!("{agent} nudged (level {level})"))
}

/// Asks a model about a silent agent and does what it advises.
pub(super) fn second_opinion(
    paths: &ProjectPaths,
    config: &Config,
    agent: &str,
    session_id: &str,
) -> Result<String, CoordinatorError> {
    let host = client::running(paths, agent).map_err(AgentError::from)?;
    let shown = screen::tail(&host, SCREEN_LINES).map_err(AgentError::from)?;
    let (opinion, failed) = triage::ask(paths, config, agent, &shown.join("\n"));
    let data = json!({"type": "triage", "escalationLevel": 2, "verdict": opinion.as_str(), "triageFailed": failed});
    event(paths, agent, Level::Warn, &data)?;
    let line = format!("{agent}: second opinion says {}", opinion.as_str());
    match opinion {
        Opinion::Extend => {}
        Opinion::Retry => {
            let text = "You have been silent for a while. Go on with your task, or say by mail what blocks you.";
            remind(paths, agent, text, 2)?;
        }
        Opinion::Terminate => {
            let cause = "given up: a second opinion says that it cannot go on";
            give_up(paths, agent, session_id, cause)?;
        }
    }
    Ok(line)
}

/// Ends an agent through its host. Its uncommitted work is saved first; if it cannot be saved,
/// nothing is ended. That it is dead is then seen, and reported, like any other death.
pub(super) fn give_up(
    paths: &ProjectPaths,
    agent: &str,
    session_id: &str,
    cause: &str,
) -> Result<String, CoordinatorError> {
    let sessions = SessionStore::open(&paths.sessions_db())?;
    let session = sessions.get(agent)?.filter(|s| s.id == session_id);
    let Some(session) = session.filter(|s| s.state == AgentState::Stalled) else {
        return Ok(format!("{agent} has moved on"));
    };
    let host = client::running(paths, agent).map_err(AgentError::from)?;
    salvage(paths, &session)?;
    let data =
        json!({"type": "escalation", "escalationLevel": 3, "action": "terminate", "reason": cause});
    event(paths, agent, Level::Error, &data)?;
    let ended = client::give_up(&host, cause).map_err(AgentError::from)?;
    if !ended.done {
        return Err(AgentError::NotStopped {
            name: agent.to_owned(),
            detail: ended.detail,
        }
        .into());
    }
    // The host stores the exit before it leaves.
    tree::wait_gone(&[host.host], Duration::from_secs(5));
    Ok(format!("{agent} {cause}"))
}

/// Saves the uncommitted files of an agent's worktree; where they can be found. The user's own
/// checkout, where persistent agents live, is nobody's work to save.
fn salvage(
    paths: &ProjectPaths,
    session: &AgentSession,
) -> Result<Option<String>, CoordinatorError> {
    let worktree = Path::new(&session.worktree_path);
    if worktree == paths.root || !worktree.exists() {
        return Ok(None);
    }
    let repo = Repo::discover(&paths.root).map_err(AgentError::from)?;
    let saved =
        worktree::salvage(&repo, worktree, &session.agent_name).map_err(AgentError::from)?;
    Ok(saved.map(|s| s.reference))
}

/// Saves what the agent left in its worktree, ends what a killed host has left running, then says
/// that it is gone.
pub(super) fn declare_dead(
    paths: &ProjectPaths,
    agent: &str,
    session_id: &str,
    cause: &str,
    tell: bool,
) -> Result<String, CoordinatorError> {
    let sessions = SessionStore::open(&paths.sessions_db())?;
    let Some(session) = sessions.get(agent)?.filter(|s| s.id == session_id) else {
        return Ok(format!("{agent} lives again"));
    };
    let saved = salvage(paths, &session).unwrap_or_else(|e| {
        tracing::warn!("what {agent} left could not be saved: {e}");
        None
    });
    if let Some(host) = GroveStore::open(&paths.grove_db())?.host(agent)?
        && liveness::check(host.host) == Liveness::Dead
    {
        processes::end_orphans(&host);
    }
    sessions.transition_session(agent, session_id, AgentState::Zombie)?;
    sessions.set_escalation(agent, 0, None)?;
    if !is_reported(paths, &session)? {
        if tell {
            report(paths, &session, cause, saved.as_deref())?;
        }
        learning::from_death(paths, &session, cause);
    }
    let data =
        json!({"type": "worker_died", "reason": cause, "saved": saved, "at": clock::now().iso()});
    event(paths, agent, Level::Error, &data)?;
    tracing::info!("{agent} declared dead: {cause}");
    Ok(format!("{agent} died: {cause}"))
}

/// Whether the other program's watchdog was faster.
fn is_reported(paths: &ProjectPaths, session: &AgentSession) -> Result<bool, CoordinatorError> {
    let died = MailStore::open(&paths.mail_db())?.list(&crate::db::mail::MailFilter {
        from: Some(session.agent_name.clone()),
        kind: Some(MailType::WorkerDied),
        ..Default::default()
    })?;
    Ok(died.iter().any(|m| m.created_at >= session.started_at))
}

fn report(
    paths: &ProjectPaths,
    session: &AgentSession,
    cause: &str,
    saved: Option<&str>,
) -> Result<(), CoordinatorError> {
    let agent = &session.agent_name;
    let kept = match saved {
        Some(reference) => format!(" Its uncommitted work is saved at {reference}."),
        None => String::new(),
    };
    let body = if Path::new(&session.worktree_path) == paths.root {
        format!("{agent} ({}) is gone: {cause}.", session.capability)
    } else {
        format!(
            "{agent} ({}, task {}) is gone: {cause}. Worktree and branch {} are kept.{kept}",
            session.capability, session.task_id, session.branch_name
        )
    };
    let mut mail = NewMail::new(
        agent,
        &superior(agent, session.parent_agent.as_deref()),
        MailType::WorkerDied,
        &format!("[WATCHDOG] worker_died: {agent}"),
        &body,
    );
    mail.priority = MailPriority::High;
    let payload = json!({"agentName": agent, "capability": session.capability,
        "taskId": session.task_id, "reason": cause, "lastActivity": session.last_activity,
        "terminatedBy": "tier0"});
    mail.payload = Some(payload.to_string());
    post::post(paths, &mail)?;
    post::announce(paths, &mail.to);
    Ok(())
}

/// Moves the record of an agent of the other program on.
pub(super) fn correct(
    paths: &ProjectPaths,
    agent: &str,
    session_id: &str,
    state: AgentState,
) -> Result<String, CoordinatorError> {
    let sessions = SessionStore::open(&paths.sessions_db())?;
    sessions.transition_session(agent, session_id, state)?;
    Ok(format!("{agent} is {}", state.as_str()))
}
