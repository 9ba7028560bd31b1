//! The lines of the "Now" feed: what has happened, from the event store.

use super::event::{Level, LogLine};
use crate::db::EventStore;
use crate::db::events::EventFilter;
use crate::text::sanitize_line;
use crate::types::Timestamp;
use crate::types::event::{self, StoredEvent};
use serde_json::Value;

/// How many old events are shown at the start.
const BACKLOG: i64 = 40;

/// Remembers up to where the events were read.
#[derive(Debug, Default)]
pub(super) struct Feed {
    last_id: Option<i64>,
}

impl Feed {
    /// Events since the last call, oldest first. A store that cannot be read gives none now and
    /// all of them later.
    pub(super) fn news(&mut self, store: &EventStore) -> Vec<LogLine> {
        let filter = EventFilter {
            after_id: self.last_id,
            limit: Some(if self.last_id.is_some() { 200 } else { BACKLOG }),
            newest_first: self.last_id.is_none(),
            ..EventFilter::default()
        };
        let Ok(mut events) = store.query(&filter) else {
            return Vec::new();
        };
        if filter.newest_first {
            events.reverse();
        }
        self.last_id = events
            .iter()
            .map(|e| e.id)
            .max()
            .or(self.last_id)
            .or(Some(0));
        events.iter().filter_map(line).collect()
    }
}

fn line(event: &StoredEvent) -> Option<LogLine> {
    let data: Value = event
        .data
        .as_deref()
        .and_then(|d| crate::text::read_json(d).ok())
        .unwrap_or(Value::Null);
    let field = |name: &str| {
        data.get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let text = match event.event_type.as_str() {
        "spawn" => format!("spawned ({})", field("capability")),
        "tool_start" => field("summary"),
        "mail_sent" => format!("mail to {}: {}", field("to"), field("subject")),
        "session_end" => format!("ended: {}", field("cause")),
        "error" => format!("error: {}", field("message")),
        "result" => "turn ended".to_owned(),
        "custom" => match field("type").as_str() {
            "guard_refused" => format!("refused: {}", field("reason")),
            "worker_died" => format!("died: {}", field("reason")),
            "nudge" if data.get("message").is_some() => format!("nudged by {}", field("from")),
            "rate_limit" => format!("rate limited: {}", field("error")),
            kind @ ("merged" | "merge_failed") => format!("{kind}: {}", field("branch")),
            _ => return None,
        },
        _ => return None,
    };
    let level = match event.level {
        event::Level::Debug | event::Level::Info => Level::Info,
        event::Level::Warn => Level::Warn,
        event::Level::Error => Level::Error,
    };
    Some(LogLine {
        at_ms: Timestamp::parse(&event.created_at).map_or(0, |t| t.0),
        level,
        agent: Some(event.agent_name.clone()),
        text: sanitize_line(&text).into_owned(),
    })
}
