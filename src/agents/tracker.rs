//! The state of tasks in the project's tracker, as far as agents need it.
//!
//! Seeds files are read directly; where the project has none, the tracker's own program is asked.
//! A tracker that is missing or broken means "not known", never an error.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::config::TrackerBackend;

/// Looks up tasks of one project.
#[derive(Debug)]
pub struct Tracker<'a> {
    root: &'a Path,
    backend: TrackerBackend,
}

impl<'a> Tracker<'a> {
    /// Settles which tracker is meant.
    pub fn new(root: &'a Path, configured: TrackerBackend) -> Self {
        let backend = match configured {
            TrackerBackend::Auto if root.join(".beads").is_dir() => TrackerBackend::Beads,
            TrackerBackend::Auto | TrackerBackend::Seeds => TrackerBackend::Seeds,
            TrackerBackend::Beads => TrackerBackend::Beads,
        };
        Self { root, backend }
    }

    /// Returns the command line program of the tracker.
    pub fn program(&self) -> &'static str {
        match self.backend {
            TrackerBackend::Beads => "bd",
            TrackerBackend::Auto | TrackerBackend::Seeds => "sd",
        }
    }

    /// Returns the tracker's name.
    pub fn name(&self) -> &'static str {
        self.backend.name()
    }

    /// Returns the status of a task, `None` when it is not known.
    pub fn status(&self, id: &str) -> Option<String> {
        let native = match self.backend {
            TrackerBackend::Seeds | TrackerBackend::Auto => self.seeds_file_status(id),
            TrackerBackend::Beads => None,
        };
        native.or_else(|| self.asked_status(id))
    }

    /// How many tasks are open and wait for no other; the reason when the tracker does not say.
    pub fn ready_count(&self) -> Result<usize, String> {
        let program = self.program();
        let output = Command::new(program)
            .args(["ready", "--json"])
            .current_dir(self.root)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .map_err(|e| format!("Tracker error: {program}: {e}"))?;
        if !output.status.success() {
            let code = output.status.code().unwrap_or(1);
            return Err(format!("Tracker command failed (exit {code})"));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        parse_ready(&text).ok_or_else(|| format!("Tracker error: {program} gave no list"))
    }

    /// The file is a log: the last line about a task counts.
    fn seeds_file_status(&self, id: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.root.join(".seeds/issues.jsonl")).ok()?;
        let line = text
            .lines()
            .rev()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .find(|issue| issue.get("id").and_then(Value::as_str) == Some(id))?;
        line.get("status")?.as_str().map(str::to_owned)
    }

    fn asked_status(&self, id: &str) -> Option<String> {
        let output = Command::new(self.program())
            .args(["show", id, "--json"])
            .current_dir(self.root)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        parse_show(&String::from_utf8_lossy(&output.stdout))
    }
}

/// Understands both trackers: an object with `issue`, or a list of issues.
fn parse_show(text: &str) -> Option<String> {
    let start = text.find(['{', '['])?;
    let value: Value = serde_json::from_str(text.get(start..)?).ok()?;
    let issue = match &value {
        Value::Array(items) => items.first()?,
        Value::Object(map) => map.get("issue").unwrap_or(&value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    };
    issue.get("status")?.as_str().map(str::to_owned)
}

/// Understands both trackers: a list of issues, or an object that holds one.
fn parse_ready(text: &str) -> Option<usize> {
    if text.trim().is_empty() {
        return Some(0);
    }
    let value: Value = serde_json::from_str(text.get(text.find(['{', '['])?..)?.trim()).ok()?;
    let list = value.get("issues").unwrap_or(&value);
    list.as_array().map(Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_trackers_answers_are_understood() {
        assert_eq!(
            parse_show("note\n{\"success\":true,\"issue\":{\"status\":\"open\"}}").as_deref(),
            Some("open")
        );
        assert_eq!(
            parse_show("[{\"status\":\"closed\"}]").as_deref(),
            Some("closed")
        );
        assert_eq!(parse_show("nothing"), None);
    }

    #[test]
    fn both_trackers_lists_are_counted() {
        let seeds = r#"{"success":true,"issues":[{"id":"a"},{"id":"b"}]}"#;
        assert_eq!(parse_ready(seeds), Some(2));
        assert_eq!(parse_ready(r#"{"success":true,"issues":[]}"#), Some(0));
        assert_eq!(parse_ready("[]"), Some(0));
        assert_eq!(parse_ready("hm"), None);
    }

    #[test]
    fn the_last_line_of_a_seeds_file_counts() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".seeds")).unwrap();
        let lines = "{\"id\":\"a-1\",\"status\":\"open\"}\nbroken\n{\"id\":\"a-1\",\"status\":\"closed\"}\n";
        std::fs::write(dir.path().join(".seeds/issues.jsonl"), lines).unwrap();
        let tracker = Tracker::new(dir.path(), TrackerBackend::Auto);
        assert_eq!(tracker.name(), "seeds");
        assert_eq!(tracker.seeds_file_status("a-1").as_deref(), Some("closed"));
        assert_eq!(tracker.seeds_file_status("a-2"), None);
    }
}
