//! Cleaning up after one agent.

use super::project::Cleaned;
use crate::agents::stop::{StopOptions, stop};
use crate::agents::{AgentError, processes};
use crate::db::{EventStore, SessionStore};
use crate::platform::{ProjectPaths, fs};
use crate::types::event::{EventType, NewEvent};
use serde_json::json;

/// Stops an agent and removes its worktree, branch, logs and files. Its mail, its events and its
/// session, as completed, stay.
pub fn clean_agent(paths: &ProjectPaths, agent: &str) -> Result<Cleaned, AgentError> {
    let sessions = SessionStore::open(&paths.sessions_db())?;
    let session = sessions.get(agent)?.ok_or_else(|| AgentError::NotFound {
        name: agent.to_owned(),
    })?;
    let mut cleaned = Cleaned::default();
    let hosted = processes::has_host(paths, agent);
    let options = StopOptions {
        force: false,
        clean_worktree: true,
    };
    let stopped = stop(paths, agent, options)?;
    if session.state.is_active() {
        cleaned.session_end_events = 1;
        if !hosted {
            // A host says itself how its agent ended.
            EventStore::open(&paths.events_db())?.insert(&ended_by_cleaning(&session))?;
        }
    }
    cleaned.tmux_killed = usize::from(stopped.tmux_killed);
    cleaned.pids_reaped = usize::from(stopped.pid_killed);
    cleaned.worktrees = usize::from(stopped.worktree_removed);
    cleaned.branches = usize::from(stopped.branch_deleted);
    cleaned.kept = stopped.kept;
    let logs = fs::clear_dir(&paths.file("logs").join(agent))?;
    let casts = fs::clear_dir(&paths.casts(agent))?;
    cleaned.logs = logs || casts;
    cleaned.agents = fs::clear_dir(&paths.file("agents").join(agent))?;
    for folder in [
        paths.file("logs").join(agent),
        paths.casts(agent),
        paths.file("agents").join(agent),
        paths.host_dir(agent),
    ] {
        fs::remove_dir_all(&folder)?;
    }
    fs::remove_file(&paths.file("pending-nudges").join(format!("{agent}.json")))?;
    Ok(cleaned)
}

/// The event of a session that did not end by itself.
pub(super) fn ended_by_cleaning(session: &crate::types::AgentSession) -> NewEvent {
    let mut event = NewEvent::new(&session.agent_name, EventType::SessionEnd);
    event.run_id.clone_from(&session.run_id);
    event.session_id = Some(session.id.clone());
    event.data(&json!({"reason": "clean", "capability": session.capability}))
}
