//! Asking for an agent's attention.

use super::AgentError;
use crate::db::{EventStore, SessionStore};
use crate::host::client;
use crate::platform::{FsError, ProjectPaths, clock, fs};
use crate::types::event::{EventType, NewEvent};
use serde_json::{Map, Value, json};

/// Two nudges of one agent within this time count as one; milliseconds.
const DEBOUNCE_MS: i64 = 500;

/// What is said when nobody says anything else.
pub const DEFAULT_TEXT: &str = "Check your mail inbox for new messages: grove mail check";

/// What became of a nudge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nudged {
    pub delivered: bool,
    /// It waits for the agent's next step.
    pub queued: bool,
    pub reason: Option<String>,
}

fn refused(reason: String) -> Nudged {
    Nudged {
        delivered: false,
        queued: false,
        reason: Some(reason),
    }
}

/// Nudges an agent through its host. A nudge never starts a second process.
pub fn nudge(
    paths: &ProjectPaths,
    agent: &str,
    from: &str,
    text: Option<&str>,
    force: bool,
) -> Result<Nudged, AgentError> {
    let session = SessionStore::open(&paths.sessions_db())?.get(agent)?;
    let Some(session) = session else {
        return Ok(refused(format!("No active session for agent \"{agent}\"")));
    };
    if session.state.is_terminal() && session.task_id.is_empty() {
        return Ok(refused(format!(
            "No active session for agent \"{agent}\" (state: {}). It works on no task; start it again with 'grove {agent} start'.",
            session.state.as_str(),
        )));
    }
    if session.state.is_terminal() {
        return Ok(refused(format!(
            "No active session for agent \"{agent}\" (state: {}). The agent has exited; re-dispatch with 'grove sling {} --capability {} --recover'.",
            session.state.as_str(),
            session.task_id,
            session.capability
        )));
    }
    if !force && debounced(paths, agent)? {
        return Ok(refused("Debounced: nudge sent too recently".to_owned()));
    }
    let text = text.unwrap_or(DEFAULT_TEXT);
    let result = match client::running(paths, agent) {
        Ok(host) => match client::nudge(&host, from, text) {
            Ok(outcome) => Nudged {
                delivered: outcome.done,
                queued: outcome.queued,
                reason: (!outcome.done).then_some(outcome.detail),
            },
            Err(e) => refused(e.to_string()),
        },
        Err(e) => refused(e.to_string()),
    };
    let mut event = NewEvent::new(agent, EventType::Custom);
    event.run_id.clone_from(&session.run_id);
    let data =
        json!({"type": "nudge", "from": from, "message": text, "delivered": result.delivered});
    EventStore::open(&paths.events_db())?.insert(&event.data(&data))?;
    Ok(result)
}

/// Whether the agent was nudged a moment ago; notes the present nudge if not.
fn debounced(paths: &ProjectPaths, agent: &str) -> Result<bool, FsError> {
    let path = paths.file("nudge-state.json");
    let mut state = match fs::read_optional(&path)?.map(|t| serde_json::from_str::<Value>(&t)) {
        Some(Ok(Value::Object(map))) => map,
        // An unreadable state only costs one debounce.
        Some(Ok(_) | Err(_)) | None => Map::new(),
    };
    let now = clock::now().0;
    let last = state.get(agent).and_then(Value::as_i64).unwrap_or(0);
    if (0..DEBOUNCE_MS).contains(&(now - last)) {
        return Ok(true);
    }
    state.insert(agent.to_owned(), json!(now));
    let mut text = crate::text::to_tabbed_json(&state).unwrap_or_default();
    text.push('\n');
    fs::write_atomic(&path, text)?;
    Ok(false)
}
