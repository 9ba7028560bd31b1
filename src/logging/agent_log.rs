//! Writing one event into the files of an agent's session: `events.ndjson` for programs,
//! `tools.ndjson` for tool calls only, `session.log` for people, `errors.log` for errors in full.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::secrets::secrets_of_logs;
use crate::platform::{FsError, clock, fs};
use crate::text::{Redactor, format_number, redact_json, to_compact_json};
use crate::types::Timestamp;
use crate::types::event::Level;

/// Width of the frame around an error.
const FRAME: usize = 72;

/// The files of one session of one agent.
#[derive(Debug)]
pub struct AgentLog {
    folder: PathBuf,
    agent: String,
    /// `None` when the project does not want it.
    redactor: Option<Arc<Redactor>>,
}

/// One event, with the time it was noted.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEntry {
    pub at: Timestamp,
    pub level: Level,
    pub event: String,
    pub data: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    timestamp: String,
    level: &'a str,
    event: &'a str,
    agent_name: &'a str,
    data: &'a Map<String, Value>,
}

impl AgentLog {
    pub fn new(folder: PathBuf, agent: &str, redacts: bool) -> Self {
        Self {
            folder,
            agent: agent.to_owned(),
            redactor: redacts.then(secrets_of_logs),
        }
    }

    /// Writes an event without an error; returns it as it was written.
    pub fn note(
        &self,
        level: Level,
        event: &str,
        data: Map<String, Value>,
    ) -> Result<LogEntry, FsError> {
        let entry = LogEntry {
            at: clock::now(),
            level,
            event: event.to_owned(),
            data: self.clean(data),
        };
        let line = self.line(&entry);
        fs::append(&self.folder.join("events.ndjson"), &line)?;
        if event.starts_with("tool.") {
            fs::append(&self.folder.join("tools.ndjson"), &line)?;
        }
        let text = format!(
            "[{}] {} {event}{}\n",
            entry.at.iso(),
            level.as_str().to_uppercase(),
            pairs(&entry.data)
        );
        fs::append(&self.folder.join("session.log"), &text)?;
        Ok(entry)
    }

    /// Writes an error with what caused it, also into `errors.log`.
    pub fn error(
        &self,
        event: &str,
        data: Map<String, Value>,
        error: &dyn std::error::Error,
    ) -> Result<LogEntry, FsError> {
        let entry = self.note(Level::Error, event, data)?;
        let frame = "=".repeat(FRAME);
        let mut block = format!(
            "{frame}\nTimestamp: {}\nEvent: {event}\nAgent: {}\n",
            entry.at.iso(),
            self.agent
        );
        if !entry.data.is_empty() {
            let data = to_compact_json(&entry.data).unwrap_or_default();
            writeln!(block, "Data: {data}").unwrap_or_default();
        }
        writeln!(block, "Error: {}", self.clean_text(&error.to_string())).unwrap_or_default();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let text = self.clean_text(&inner.to_string()).into_owned();
            writeln!(block, "Caused by: {text}").unwrap_or_default();
            cause = inner.source();
        }
        writeln!(block, "{frame}").unwrap_or_default();
        fs::append(&self.folder.join("errors.log"), &block)?;
        Ok(entry)
    }

    fn line(&self, entry: &LogEntry) -> String {
        let line = Line {
            timestamp: entry.at.iso(),
            level: entry.level.as_str(),
            event: &entry.event,
            agent_name: &self.agent,
            data: &entry.data,
        };
        // A map of plain values always has a JSON text.
        format!("{}\n", to_compact_json(&line).unwrap_or_default())
    }

    fn clean(&self, data: Map<String, Value>) -> Map<String, Value> {
        let Some(redactor) = &self.redactor else {
            return data;
        };
        data.into_iter()
            .map(|(key, value)| (key, redact_json(redactor, &value)))
            .collect()
    }

    fn clean_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.redactor {
            Some(redactor) => redactor.redact(text),
            None => Cow::Borrowed(text),
        }
    }
}

/// The line a person sees: `[12:00:00] INF agent | tool.start toolName=Bash args={}`.
pub fn console_line(agent: &str, entry: &LogEntry) -> String {
    let level = match entry.level {
        Level::Debug => "DBG",
        Level::Info => "INF",
        Level::Warn => "WRN",
        Level::Error => "ERR",
    };
    let iso = entry.at.iso();
    let time = iso.get(11..19).unwrap_or_default();
    format!(
        "[{time}] {level} {agent} | {}{}",
        entry.event,
        pairs(&entry.data)
    )
}

/// ` key=value` for every field; texts with spaces in quotes, anything nested as JSON.
fn pairs(data: &Map<String, Value>) -> String {
    let mut out = String::new();
    for (key, value) in data {
        let shown = match value {
            Value::String(text) if text.contains(' ') => format!("\"{text}\""),
            Value::String(text) => text.clone(),
            Value::Number(number) => number
                .as_f64()
                .map_or_else(|| number.to_string(), format_number),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                to_compact_json(value).unwrap_or_default()
            }
        };
        write!(out, " {key}={}", shown.replace(['\n', '\r'], " ")).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn a_tool_call_is_in_three_files_and_its_secrets_in_none() {
        let dir = tempfile::tempdir().unwrap();
        let log = AgentLog::new(dir.path().to_owned(), "ann", true);
        let data = json!({"toolName": "Bash", "args": {"command": "curl -H ghp_abc123"}});
        let entry = log.note(Level::Info, "tool.start", fields(data)).unwrap();
        log.note(
            Level::Info,
            "session.end",
            fields(json!({"agentName": "ann"})),
        )
        .unwrap();
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!(read("events.ndjson").lines().count(), 2);
        assert_eq!(read("tools.ndjson").lines().count(), 1);
        let line: Value = serde_json::from_str(read("tools.ndjson").trim()).unwrap();
        assert_eq!(line["agentName"], "ann");
        assert_eq!(line["data"]["args"]["command"], "curl -H [REDACTED]");
        assert_eq!(
            read("session.log").lines().next().unwrap(),
            format!(
                "[{}] INFO tool.start toolName=Bash args={{\"command\":\"curl -H [REDACTED]\"}}",
                entry.at.iso()
            )
        );
        assert!(!dir.path().join("errors.log").exists());
    }

    #[test]
    fn an_error_is_framed_with_its_causes() {
        let dir = tempfile::tempdir().unwrap();
        let log = AgentLog::new(dir.path().to_owned(), "ann", true);
        let error = crate::platform::fs::read(&dir.path().join("nothing")).unwrap_err();
        log.error("store.failed", fields(json!({"what": "x y"})), &error)
            .unwrap();
        let text = std::fs::read_to_string(dir.path().join("errors.log")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.first().map(|l| l.len()), Some(FRAME));
        assert_eq!(lines.last().map(|l| l.len()), Some(FRAME));
        for start in [
            "Timestamp: ",
            "Event: store.failed",
            "Agent: ann",
            "Data: {",
            "Error: ",
            "Caused by: ",
        ] {
            assert!(
                lines.iter().any(|l| l.starts_with(start)),
                "{start}: {text}"
            );
        }
    }

    #[test]
    fn the_console_line_is_short() {
        let entry = LogEntry {
            at: Timestamp(0),
            level: Level::Info,
            event: "tool.start".into(),
            data: fields(json!({"toolName": "Bash", "args": {}, "n": 2.0, "t": "a b"})),
        };
        assert_eq!(
            console_line("ag1", &entry),
            "[00:00:00] INF ag1 | tool.start toolName=Bash args={} n=2 t=\"a b\""
        );
    }
}
