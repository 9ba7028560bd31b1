//! Reading a stream agent's lines: events to the stores, a transcript to the screen.

use super::hooks;
use super::shared::Shared;
use super::writer::Record;
use crate::runtimes::{Runtime, StreamEvent, stream};
use crate::types::AgentState;
use crate::types::event::{EventType, Level, NewEvent};
use serde_json::json;
use std::io::{BufRead, BufReader, Read};

/// Reads lines until the stream ends.
pub fn read_lines(shared: &Shared, runtime: &dyn Runtime, reader: impl Read) {
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => {}
            Err(e) => {
                tracing::warn!("the agent's output cannot be read: {e}");
                return;
            }
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if text.is_empty() {
            continue;
        }
        for event in runtime.parse_line(text) {
            drop(shared.terminal.output(stream::render(&event).as_bytes()));
            take_in(shared, &event);
        }
        shared.store.record(Record::Activity);
    }
}

/// Shows what the agent prints on standard error.
pub fn read_errors(shared: &Shared, reader: impl Read) {
    for line in BufReader::new(reader).lines().map_while(Result::ok) {
        let event = StreamEvent::Error(line);
        drop(shared.terminal.output(stream::render(&event).as_bytes()));
    }
}

fn take_in(shared: &Shared, event: &StreamEvent) {
    let note = |kind: EventType, level: Level, data: serde_json::Value| {
        let mut event = NewEvent::new(shared.agent(), kind).level(level).data(&data);
        event.run_id.clone_from(&shared.launch.run_id);
        event.session_id = Some(shared.launch.session_id.clone());
        shared.store.event(event);
    };
    match event {
        StreamEvent::SessionStart { id, model } => {
            if let Some(model) = model {
                shared.store.record(Record::Model(model.clone()));
            }
            shared.store.record(Record::State(AgentState::Working));
            hooks::conversation_seen(shared, Some(id));
            shared.store.record(Record::Conversation {
                id: Some(id.clone()),
                transcript: None,
            });
            note(EventType::TurnStart, Level::Info, json!({"model": model}));
        }
        // Tool events come from the hooks, with the guard's decision.
        StreamEvent::ToolStart { .. } | StreamEvent::ToolEnd { .. } | StreamEvent::Ignored => {}
        StreamEvent::Text(text) => {
            note(
                EventType::Progress,
                Level::Info,
                json!({"type": "progress", "text": text}),
            );
        }
        StreamEvent::Result {
            failed,
            text,
            usage,
            turns,
            duration_ms,
        } => {
            shared.store.record(Record::Turn(Box::new(usage.clone())));
            shared.store.record(Record::Snapshot);
            let level = if *failed { Level::Error } else { Level::Info };
            let data = json!({"type": "result", "isError": failed, "result": text, "turns": turns,
                "durationMs": duration_ms});
            note(EventType::Result, level, data);
            hooks::end_turn(shared);
            // Mail that came during the turn's last step has had no hook to travel with.
            super::deliver::poke(shared);
        }
        StreamEvent::RateLimited {
            attempt,
            retry_ms,
            error,
        } => {
            let data = json!({"type": "rate_limit", "attempt": attempt, "retryMs": retry_ms, "error": error});
            note(EventType::Custom, Level::Warn, data);
        }
        StreamEvent::Error(text) => note(EventType::Error, Level::Error, json!({"message": text})),
        StreamEvent::Unknown(line) => tracing::debug!("line not understood: {line}"),
    }
}
