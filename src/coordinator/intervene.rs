//! What the watchdog does to agents: note, nudge, ask about, give up, report.

use super::CoordinatorError;
use crate::agents::{AgentError, nudge, processes};
use crate::config::Config;
use crate::db::sessions::Transition;
use crate::db::{EventStore, GroveStore, SessionStore};
use crate::host::obituary::{self, Death};
use crate::host::{client, screen};
use crate::platform::ProjectPaths;
use crate::platform::liveness::{self, Liveness};
use crate::process::tree;
use crate::types::AgentState;
use crate::types::event::{EventType, Level, NewEvent};
use crate::watchdog::triage::{self, Opinion};
use serde_json::{Value, json};
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

/// Ends an agent through its host. Its uncommitted work is saved first; where it cannot be, it stays in the worktree,
/// and the report of the death says why: an agent must not be able to keep itself from being ended. That it is dead
/// is then seen, and reported, like any other death.
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
    if let Err(error) = obituary::salvage(paths, &session) {
        tracing::warn!("the uncommitted work of {agent} stays in its worktree: {error}");
    }
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

/// Does what follows a death that nobody has dealt with: the agent's host was killed, or the agent is
/// the other program's. What a killed host has left running is ended after the work is saved.
pub(super) fn declare_dead(
    paths: &ProjectPaths,
    death: &Death<'_>,
) -> Result<Option<String>, CoordinatorError> {
    let end_orphans = || {
        if let Some(host) = GroveStore::open(&paths.grove_db())?.host(death.agent)?
            && host.session_id == death.session_id
            && liveness::check(host.host) == Liveness::Dead
        {
            processes::end_orphans(&host);
        }
        Ok(())
    };
    Ok(obituary::publish(paths, death, end_orphans).map_err(AgentError::from)?)
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
