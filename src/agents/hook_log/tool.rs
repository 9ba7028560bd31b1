//! A tool call begins or ends.

use serde_json::{Value, json};

use super::call::{Call, attempt, fields};
use super::transcript::snapshot_if_due;
use crate::db::DbError;
use crate::logging::{AgentLog, LogEntry, storable};
use crate::platform::FsError;
use crate::text::{recorded_args, tool_summary};
use crate::types::AgentState;
use crate::types::event::{EventType, Level, NewEvent};

/// A tool call begins.
pub fn tool_start(call: &Call<'_>) -> Result<LogEntry, FsError> {
    let log = call.log()?;
    let args = call.input.clone().unwrap_or_else(|| json!({}));
    let data = fields(&json!({"toolName": call.tool, "args": args}));
    let entry = log.note(Level::Info, "tool.start", data)?;
    note_activity(call, &log);
    let event = tool_event(call, EventType::ToolStart);
    attempt(&log, "store the event", call.store_event(&event));
    Ok(entry)
}

/// A tool call has ended; the second line, if any, has the time it took.
pub fn tool_end(call: &Call<'_>) -> Result<Vec<LogEntry>, FsError> {
    let log = call.log()?;
    let ended = |ms: i64| fields(&json!({"toolName": call.tool, "durationMs": ms}));
    let mut entries = vec![log.note(Level::Info, "tool.end", ended(0))?];
    note_activity(call, &log);
    let event = tool_event(call, EventType::ToolEnd);
    let took = call
        .store_event(&event)
        .and_then(|store| store.close_tool(call.agent, &call.tool));
    if let Some(ms) = attempt(&log, "store the event", took).flatten() {
        entries.push(log.note(Level::Info, "tool.end", ended(ms))?);
    }
    if !call.hosted {
        snapshot_if_due(call, &log);
    }
    Ok(entries)
}

fn tool_event(call: &Call<'_>, kind: EventType) -> NewEvent {
    let args = call
        .input
        .as_ref()
        .map_or_else(|| json!({}), |input| recorded_args(&call.tool, Some(input)));
    let summary = tool_summary(&call.tool, call.input.as_ref(), storable);
    let mut event = call.event(kind).data(&json!({ "summary": summary }));
    event.tool_name = Some(call.tool.clone());
    event.tool_args = Some(Value::to_string(&args));
    event
}

/// An agent that uses tools is at work. A session somebody has ended stays ended.
fn note_activity(call: &Call<'_>, log: &AgentLog) {
    if call.hosted {
        return;
    }
    let note = || -> Result<(), DbError> {
        let sessions = call.sessions()?;
        let Some(session) = sessions.get(call.agent)? else {
            return Ok(());
        };
        sessions.touch(call.agent)?;
        if session.state == AgentState::Booting {
            sessions.transition_session(call.agent, &session.id, AgentState::Working)?;
        }
        Ok(())
    };
    attempt(log, "note the agent's activity", note());
}
