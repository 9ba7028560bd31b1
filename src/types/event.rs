//! What happened, as stored in `events.db`.

use super::mail::text_enum;

text_enum!(
    /// How serious an event is.
    Level { Debug = "debug", Info = "info", Warn = "warn", Error = "error" }
);

text_enum!(
    /// What kind of thing happened.
    EventType {
        ToolStart = "tool_start",
        ToolEnd = "tool_end",
        SessionStart = "session_start",
        SessionEnd = "session_end",
        MailSent = "mail_sent",
        MailReceived = "mail_received",
        Spawn = "spawn",
        Error = "error",
        Custom = "custom",
        TurnStart = "turn_start",
        TurnEnd = "turn_end",
        Progress = "progress",
        Result = "result",
    }
);

/// One row of `events`. The type stays text: other programs may write types of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    pub id: i64,
    pub run_id: Option<String>,
    pub agent_name: String,
    pub session_id: Option<String>,
    pub event_type: String,
    pub tool_name: Option<String>,
    /// JSON text.
    pub tool_args: Option<String>,
    pub tool_duration_ms: Option<i64>,
    pub level: Level,
    pub data: Option<String>,
    /// UTC without a trailing `Z`.
    pub created_at: String,
}

/// An event that is about to be stored; the store gives id and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    pub run_id: Option<String>,
    pub agent_name: String,
    pub session_id: Option<String>,
    pub event_type: EventType,
    pub tool_name: Option<String>,
    pub tool_args: Option<String>,
    pub tool_duration_ms: Option<i64>,
    pub level: Level,
    pub data: Option<String>,
}

impl NewEvent {
    pub fn new(agent: &str, event_type: EventType) -> Self {
        Self {
            run_id: None,
            agent_name: agent.to_owned(),
            session_id: None,
            event_type,
            tool_name: None,
            tool_args: None,
            tool_duration_ms: None,
            level: Level::Info,
            data: None,
        }
    }

    #[must_use]
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    #[must_use]
    pub fn data(mut self, data: &serde_json::Value) -> Self {
        self.data = Some(data.to_string());
        self
    }
}
