//! Events as text lines, and the JSON list of events.

use std::fmt::Write as _;

use serde::Serialize;

use crate::cli::{CliResult, Context, EventJson};
use crate::db::EventStore;
use crate::platform::{ProjectPaths, clock};
use crate::text::{format_age, pad_end_utf16, pad_start_utf16, truncate_utf16, utf16_len};
use crate::types::Timestamp;
use crate::types::event::StoredEvent;

/// How the time of an event is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    Age,
    Absolute,
}

#[derive(Serialize)]
struct EventsJson<'a> {
    events: Vec<EventJson<'a>>,
}

/// Opens the event store, or says that there is none yet.
pub(super) fn open(
    ctx: &Context,
    paths: &ProjectPaths,
    command: &str,
) -> CliResult<Option<EventStore>> {
    if paths.events_db().exists() {
        return Ok(Some(EventStore::look(&paths.events_db())?));
    }
    none_yet(ctx, command)?;
    Ok(None)
}

/// Says that nothing has happened yet.
pub(super) fn none_yet(ctx: &Context, command: &str) -> CliResult<()> {
    if ctx.is_json() {
        return json(ctx, command, &[]);
    }
    ctx.out.line("No events data yet.")
}

/// Prints events as JSON.
pub(super) fn json(ctx: &Context, command: &str, events: &[StoredEvent]) -> CliResult<()> {
    ctx.out.json(
        command,
        &EventsJson {
            events: events.iter().map(EventJson::from).collect(),
        },
    )
}

/// Prints a timeline with a heading per day.
pub(super) fn timeline(
    ctx: &Context,
    title: &str,
    events: &[StoredEvent],
    clock: Clock,
    with_agent: bool,
) -> CliResult<()> {
    ctx.out.header(title)?;
    if events.is_empty() {
        return ctx.out.line("No events found.");
    }
    ctx.out.line(counted(events.len(), "event"))?;
    let mut day = "";
    let now = clock::now();
    for event in events {
        let this_day = event.created_at.get(..10).unwrap_or("");
        if this_day != day {
            day = this_day;
            ctx.out.line(format!("\n--- {day} ---"))?;
        }
        let time = match clock {
            Clock::Age => pad_start_utf16(&age(event, now), 10),
            Clock::Absolute => format!("  {}", time_of_day(event)),
        };
        let agent = if with_agent {
            format!(" [{}]", event.agent_name)
        } else {
            String::new()
        };
        let line = format!(
            "{time} {}{agent}{}",
            pad_end_utf16(label(event), 10),
            details(event, 80)
        );
        ctx.out.line(line)?;
    }
    Ok(())
}

/// One line of a feed.
pub(super) fn feed_line(event: &StoredEvent) -> String {
    let agent = pad_end_utf16(&event.agent_name, 15);
    format!(
        "{} {} {agent}{}",
        time_of_day(event),
        pad_end_utf16(short_label(event), 5),
        details(event, 60)
    )
}

/// The facts of an event as ` key=value` pairs.
pub(super) fn details(event: &StoredEvent, width: usize) -> String {
    let mut text = String::new();
    let mut add = |key: &str, value: &str| write!(text, " {key}={value}").unwrap_or_default();
    if let Some(tool) = &event.tool_name {
        add("tool", tool);
    }
    if let Some(args) = &event.tool_args {
        add("args", &cut(args, width));
    }
    if let Some(duration) = event.tool_duration_ms {
        add("dur", &format!("{duration}ms"));
    }
    if let Some(data) = &event.data {
        add("data", &cut(data, width));
    }
    text
}

/// Returns `1 event`, `2 events`.
pub(super) fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

fn cut(text: &str, width: usize) -> String {
    if utf16_len(text) <= width {
        return text.to_owned();
    }
    format!("{}…", truncate_utf16(text, width))
}

fn age(event: &StoredEvent, now: Timestamp) -> String {
    let at = Timestamp::parse(&event.created_at).unwrap_or(now);
    format!("{} ago", format_age(now.0 - at.0))
}

fn time_of_day(event: &StoredEvent) -> &str {
    event.created_at.get(11..19).unwrap_or("--:--:--")
}

fn label(event: &StoredEvent) -> &str {
    match event.event_type.as_str() {
        "tool_start" => "TOOL START",
        "tool_end" => "TOOL END",
        "session_start" => "SESSION  +",
        "session_end" => "SESSION  -",
        "mail_sent" => "MAIL SENT",
        "mail_received" => "MAIL RECV",
        "spawn" => "SPAWN",
        "error" => "ERROR",
        "custom" => "CUSTOM",
        "turn_start" => "TURN START",
        "turn_end" => "TURN END",
        "progress" => "PROGRESS",
        "result" => "RESULT",
        other => other,
    }
}

fn short_label(event: &StoredEvent) -> &str {
    match event.event_type.as_str() {
        "tool_start" => "TOOL+",
        "tool_end" => "TOOL-",
        "session_start" => "SESS+",
        "session_end" => "SESS-",
        "mail_sent" => "MAIL>",
        "mail_received" => "MAIL<",
        "spawn" => "SPAWN",
        "error" => "ERROR",
        "custom" => "CUSTM",
        "turn_start" => "TURN+",
        "turn_end" => "TURN-",
        "progress" => "PROG",
        "result" => "RSULT",
        other => other,
    }
}
