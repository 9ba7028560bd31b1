//! One report of a hook, and what every kind of report needs.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::db::{DbError, EventStore, SessionStore, notices};
use crate::logging::{AgentLog, session_folder};
use crate::platform::{FsError, ProjectPaths};
use crate::runtimes::{self, Runtime};
use crate::types::event::{EventType, NewEvent};

/// What a hook says.
#[derive(Debug)]
pub struct Call<'a> {
    pub paths: &'a ProjectPaths,
    pub config: &'a Config,
    pub agent: &'a str,
    pub tool: String,
    pub input: Option<Value>,
    /// The CLI's id of the conversation.
    pub conversation: Option<String>,
    pub transcript: Option<PathBuf>,
    /// The agent has a host, which keeps its state and counts its tokens itself.
    pub hosted: bool,
}

impl Call<'_> {
    pub(super) fn logs(&self) -> PathBuf {
        self.paths.file("logs")
    }

    /// Opens the log of the agent's present session.
    pub(super) fn log(&self) -> Result<AgentLog, FsError> {
        let folder = session_folder(&self.logs(), self.agent)?;
        let redacts = self.config.logging.redact_secrets;
        Ok(AgentLog::new(folder, self.agent, redacts))
    }

    /// The runtime whose transcripts are read.
    pub(super) fn runtime(&self) -> Option<&'static dyn Runtime> {
        runtimes::find(&self.config.runtime.default).ok()
    }

    pub(super) fn sessions(&self) -> Result<SessionStore, DbError> {
        SessionStore::open(&self.paths.sessions_db())
    }

    pub(super) fn event(&self, kind: EventType) -> NewEvent {
        let mut event = NewEvent::new(self.agent, kind);
        event.session_id.clone_from(&self.conversation);
        event
    }

    pub(super) fn store_event(&self, event: &NewEvent) -> Result<EventStore, DbError> {
        let store = EventStore::open(&self.paths.events_db())?;
        store.insert(event)?;
        Ok(store)
    }
}

/// Writes down and says what could not be done; the hook goes on.
pub(super) fn attempt<T, E: std::error::Error>(
    log: &AgentLog,
    what: &str,
    result: Result<T, E>,
) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            notices::keep(format!("! could not {what}: {error}"));
            let data = fields(&json!({ "what": what }));
            if let Err(second) = log.error("hook.failed", data, &error) {
                tracing::warn!("{what}: {error}; not logged either: {second}");
            }
            None
        }
    }
}

pub(super) fn fields(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}
