//! Asking for an agent's attention.

use super::{AgentError, roster, tmux};
use crate::db::{EventStore, SessionStore};
use crate::host::{HostError, client};
use crate::platform::{FsError, ProjectPaths, clock, fs};
use crate::types::AgentSession;
use crate::types::event::{EventType, NewEvent};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

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
    let session = SessionStore::look(&paths.sessions_db())?.get(agent)?;
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
    let mut attempts = Attempts::read(paths)?;
    if !force && attempts.was_nudged(agent) {
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
        Err(HostError::NotRunning { .. }) if lives_elsewhere(&session) => refused(format!(
            "agent '{agent}' was started by the other orchestrator and has no host of grove; \
             it reads mail: 'grove mail send --to {agent} ...'"
        )),
        Err(e) => refused(e.to_string()),
    };
    if result.delivered {
        attempts.note(paths, agent)?;
    }
    let mut event = NewEvent::new(agent, EventType::Custom);
    event.run_id.clone_from(&session.run_id);
    let data =
        json!({"type": "nudge", "from": from, "message": text, "delivered": result.delivered});
    EventStore::open(&paths.events_db())?.insert(&event.data(&data))?;
    Ok(result)
}

/// Whether an agent without a host runs: the other program knows none.
fn lives_elsewhere(session: &AgentSession) -> bool {
    session.pid.and_then(roster::is_alive) == Some(true)
        || (!session.tmux_session.is_empty()
            && tmux::sessions()
                .iter()
                .any(|known| known.name == session.tmux_session))
}

/// When each agent was nudged last, as `nudge-state.json` has it.
struct Attempts {
    at: Map<String, Value>,
}

impl Attempts {
    fn read(paths: &ProjectPaths) -> Result<Self, FsError> {
        let text = fs::read_optional(&file(paths))?;
        let at = match text.map(|text| crate::text::read_json::<Value>(&text)) {
            Some(Ok(Value::Object(map))) => map,
            // An unreadable state only costs one debounce.
            Some(Ok(_) | Err(_)) | None => Map::new(),
        };
        Ok(Self { at })
    }

    fn was_nudged(&self, agent: &str) -> bool {
        let last = self.at.get(agent).and_then(Value::as_i64).unwrap_or(0);
        (0..DEBOUNCE_MS).contains(&(clock::now().0 - last))
    }

    /// Only what has arrived is noted: after a failure nobody has to wait before trying again.
    fn note(&mut self, paths: &ProjectPaths, agent: &str) -> Result<(), FsError> {
        self.at.insert(agent.to_owned(), json!(clock::now().0));
        let mut text = crate::text::to_tabbed_json(&self.at).unwrap_or_default();
        text.push('\n');
        fs::write_atomic(&file(paths), text)
    }
}

fn file(paths: &ProjectPaths) -> PathBuf {
    paths.file("nudge-state.json")
}
