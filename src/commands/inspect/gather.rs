//! Collects what the stores and logs know about one agent.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

use super::stream_log::{self, StreamLog};
use crate::agents::{roster, tmux};
use crate::cli::{CliError, CliResult, Context, with_near_agent};
use crate::db::events::EventFilter;
use crate::db::tool_totals::ToolStats;
use crate::db::{EventStore, GroveStore, MetricsStore, SessionStore};
use crate::platform::{ProjectPaths, clock};
use crate::text::{format_number, read_json, truncate_utf16, utf16_len};
use crate::types::event::StoredEvent;
use crate::types::{AgentSession, Timestamp};

/// How many events, from the oldest on, are looked at.
const WINDOW: i64 = 200;
/// How much of a terminal is shown.
const TERMINAL_LINES: usize = 30;
/// How many calls the listing that stands in for a terminal shows.
const LISTED: usize = 15;

/// One call of a tool.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolCall {
    pub(super) tool_name: String,
    pub(super) args: String,
    pub(super) duration_ms: Option<i64>,
    pub(super) timestamp: String,
}

/// Tokens of the newest session.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenUsage {
    pub(super) input_tokens: i64,
    pub(super) output_tokens: i64,
    pub(super) cache_read_tokens: i64,
    pub(super) cache_creation_tokens: i64,
    pub(super) estimated_cost_usd: Option<f64>,
    pub(super) model_used: Option<String>,
}

/// Where a structured agent is in its conversation.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TurnInfo {
    pub(super) current_turn: i64,
    pub(super) context_utilization: Option<f64>,
    pub(super) is_mid_tool: bool,
}

/// Everything about one agent.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) session: AgentSession,
    pub(super) since_activity_ms: Option<i64>,
    pub(super) calls: Vec<ToolCall>,
    pub(super) current_file: Option<String>,
    pub(super) stats: Vec<ToolStats>,
    pub(super) tokens: Option<TokenUsage>,
    pub(super) output: Option<String>,
    pub(super) turn: Option<TurnInfo>,
    /// What is missing of guard and sandbox, and why.
    pub(super) walls: Option<String>,
}

/// Collects it; `terminal` says whether a terminal of the other program may be looked at.
pub(super) fn gather(
    ctx: &Context,
    agent: &str,
    limit: usize,
    terminal: bool,
) -> CliResult<Report> {
    let paths = ctx.paths()?;
    let mut session = SessionStore::look(&paths.sessions_db())?
        .get(agent)?
        .ok_or_else(|| {
            let error = CliError::validation(format!("Agent not found: {agent}"));
            with_near_agent(error, &paths, agent)
        })?;
    roster::mark_lost(&paths, std::slice::from_mut(&mut session))?;
    let (events, stats) = events(&paths, agent)?;
    let starts: Vec<&StoredEvent> = events
        .iter()
        .filter(|event| event.event_type == "tool_start")
        .collect();
    let mut calls: Vec<ToolCall> = starts.iter().take(limit).map(|event| call(event)).collect();
    let headless = session.tmux_session.is_empty();
    let log = if headless {
        stream_log::read(&paths.file("logs").join(agent))
    } else {
        StreamLog::default()
    };
    if calls.is_empty() {
        calls = log.calls.into_iter().take(limit).collect();
    }
    let output = if headless {
        (!calls.is_empty()).then(|| listing(&calls))
    } else if terminal {
        tmux::capture(&session.tmux_session, TERMINAL_LINES)
    } else {
        None
    };
    Ok(Report {
        since_activity_ms: Timestamp::parse(&session.last_activity)
            .map(|last| clock::now().0 - last.0),
        current_file: current_file(&starts),
        tokens: tokens(&paths, agent)?.or(log.tokens),
        turn: log.turn,
        walls: walls(&paths, &session)?,
        session,
        calls,
        stats,
        output,
    })
}

fn events(paths: &ProjectPaths, agent: &str) -> CliResult<(Vec<StoredEvent>, Vec<ToolStats>)> {
    if !paths.events_db().exists() {
        return Ok((Vec::new(), Vec::new()));
    }
    let store = EventStore::look(&paths.events_db())?;
    let filter = EventFilter {
        agent: Some(agent.to_owned()),
        limit: Some(WINDOW),
        ..EventFilter::default()
    };
    Ok((store.query(&filter)?, store.tool_stats(agent)?))
}

fn walls(paths: &ProjectPaths, session: &AgentSession) -> CliResult<Option<String>> {
    let host = GroveStore::look(&paths.grove_db())?.host(&session.agent_name)?;
    let host = host.filter(|host| host.session_id == session.id);
    Ok(host.and_then(|host| host.protection?.line()))
}

fn tokens(paths: &ProjectPaths, agent: &str) -> CliResult<Option<TokenUsage>> {
    if !paths.metrics_db().exists() {
        return Ok(None);
    }
    let rows = MetricsStore::look(&paths.metrics_db())?.sessions(Some(("agent_name", agent)), 1)?;
    Ok(rows.into_iter().next().map(|row| TokenUsage {
        input_tokens: row.input_tokens,
        output_tokens: row.output_tokens,
        cache_read_tokens: row.cache_read_tokens,
        cache_creation_tokens: row.cache_creation_tokens,
        estimated_cost_usd: row.estimated_cost_usd,
        model_used: row.model_used,
    }))
}

fn call(event: &StoredEvent) -> ToolCall {
    ToolCall {
        tool_name: event
            .tool_name
            .clone()
            .unwrap_or_else(|| "unknown".to_owned()),
        args: event
            .tool_args
            .as_deref()
            .map_or_else(String::new, summarise),
        duration_ms: event.tool_duration_ms,
        timestamp: event.created_at.clone(),
    }
}

/// Arguments as `key=value` pairs, each and all of them cut.
fn summarise(args: &str) -> String {
    let Ok(Value::Object(map)) = read_json(args) else {
        return cut(args, 100);
    };
    let pairs: Vec<String> = map
        .iter()
        .map(|(key, value)| format!("{key}={}", cut(&plain(value), 40)))
        .collect();
    cut(&pairs.join(", "), 100)
}

fn cut(text: &str, width: usize) -> String {
    if utf16_len(text) <= width {
        return text.to_owned();
    }
    format!("{}...", truncate_utf16(text, width - 3))
}

/// A value the way JavaScript turns it into a string.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number
            .as_f64()
            .map_or_else(|| number.to_string(), format_number),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| {
                    if item.is_null() {
                        String::new()
                    } else {
                        plain(item)
                    }
                })
                .collect();
            items.join(",")
        }
        Value::Object(_) => "[object Object]".to_owned(),
    }
}

/// The file of the last call that touched one.
fn current_file(starts: &[&StoredEvent]) -> Option<String> {
    let last = starts
        .iter()
        .rev()
        .find(|event| matches!(event.tool_name.as_deref(), Some("Edit" | "Write" | "Read")))?;
    let args: Value = read_json(last.tool_args.as_deref()?).ok()?;
    let path = args
        .get("file_path")
        .and_then(Value::as_str)
        .or_else(|| args.get("path").and_then(Value::as_str))?;
    Some(path.to_owned())
}

/// Stands in for the terminal of an agent that has none.
fn listing(calls: &[ToolCall]) -> String {
    let mut text = "[Headless agent — showing recent tool events]\n".to_owned();
    for call in calls.iter().take(LISTED) {
        let name = crate::text::pad_end_utf16(&call.tool_name, 15);
        write!(
            text,
            "\n  [{}] {name} {}",
            clock_12(&call.timestamp),
            took(call)
        )
        .unwrap_or_default();
    }
    text
}

/// How long a call took.
pub(super) fn took(call: &ToolCall) -> String {
    call.duration_ms
        .map_or_else(|| "pending".to_owned(), |duration| format!("{duration}ms"))
}

/// The time of day on a twelve-hour clock.
pub(super) fn clock_12(timestamp: &str) -> String {
    let Some(at) = Timestamp::parse(timestamp) else {
        return "Invalid Date".to_owned();
    };
    let seconds = at.0.div_euclid(1000).rem_euclid(86_400);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let half = if hour < 12 { "AM" } else { "PM" };
    let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
    format!("{hour}:{minute:02}:{second:02} {half}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_read_as_pairs() {
        let args =
            r#"{"path":"a","x":null,"n":12345678901234567890,"f":0.1,"arr":[1,null,{"a":2}]}"#;
        assert_eq!(
            summarise(args),
            "path=a, x=null, n=12345678901234567000, f=0.1, arr=1,,[object Object]"
        );
        assert_eq!(summarise("{broken"), "{broken");
        let long = format!("{{\"a\":\"{}\"}}", "w".repeat(60));
        assert_eq!(summarise(&long), format!("a={}...", "w".repeat(37)));
    }

    #[test]
    fn noon_and_midnight_are_twelve() {
        assert_eq!(clock_12("2026-01-01T00:05:09.000Z"), "12:05:09 AM");
        assert_eq!(clock_12("2026-01-01T12:00:00.000"), "12:00:00 PM");
        assert_eq!(clock_12("2026-01-01T18:17:06.000Z"), "6:17:06 PM");
    }
}
