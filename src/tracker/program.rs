//! A tracker that is used through its own program: beads, and seeds where the project's files are
//! somewhere grove does not see. Both speak JSON.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::change::{NewTask, Selection, TaskChange};
use super::error::TrackerError;
use super::issue::Issue;
use crate::platform::landed;
use crate::text::{first_value, read_json};

/// Which program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Seeds,
    Beads,
}

impl Kind {
    /// The tracker's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Seeds => "seeds",
            Self::Beads => "beads",
        }
    }
}

/// More tasks than anybody has.
const ALL: &str = "100000";

/// The program of one project's tracker.
#[derive(Debug, Clone)]
pub struct Program {
    pub(super) kind: Kind,
    root: PathBuf,
}

impl Program {
    pub(super) fn new(kind: Kind, root: &Path) -> Self {
        Self {
            kind,
            root: root.to_owned(),
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Seeds => "sd",
            Kind::Beads => "bd",
        }
    }

    fn run(&self, args: &[&str]) -> Result<Value, TrackerError> {
        let failed = |message: String| TrackerError::Program {
            program: self.name(),
            message,
        };
        let folder = self.root.join(match self.kind {
            Kind::Seeds => ".seeds",
            Kind::Beads => ".beads",
        });
        landed::may_enter(&self.root, &folder)?;
        let output = Command::new(self.name())
            .args(args)
            .arg("--json")
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| {
                if e.kind() == std::io::ErrorKind::NotFound {
                    TrackerError::NotInstalled {
                        tracker: self.kind.name(),
                        program: self.name(),
                    }
                } else {
                    failed(format!("cannot be started: {e}"))
                }
            })?;
        let answer = parse(&String::from_utf8_lossy(&output.stdout));
        let refused = answer
            .as_ref()
            .and_then(|a| a.get("error"))
            .and_then(Value::as_str)
            .map(str::to_owned);
        if !output.status.success() || refused.is_some() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            let line = stderr.lines().find(|l| !l.trim().is_empty());
            let message = refused.unwrap_or_else(|| {
                line.map_or_else(|| output.status.to_string(), |l| l.trim().to_owned())
            });
            // The program is installed for other projects, and this one does not use it.
            if self.kind == Kind::Seeds && message.contains("Not in a seeds project") {
                return Err(TrackerError::NoTracker);
            }
            return Err(failed(message));
        }
        answer.ok_or_else(|| failed("its answer is no JSON".to_owned()))
    }

    pub(super) fn get(&self, id: &str) -> Result<Issue, TrackerError> {
        issues(self.run(&["show", id])?)
            .into_iter()
            .next()
            .ok_or_else(|| TrackerError::NotFound { id: id.to_owned() })
    }

    pub(super) fn list(&self, selection: &Selection) -> Result<Vec<Issue>, TrackerError> {
        selection.check()?;
        let mut args = vec!["list", "--limit", ALL];
        if let Some(status) = &selection.status {
            args.extend(["--status", status]);
        } else if selection.all {
            args.push("--all");
        }
        Ok(selection.cut(self.chosen(&args, selection)?))
    }

    pub(super) fn ready(&self, selection: &Selection) -> Result<Vec<Issue>, TrackerError> {
        selection.check()?;
        // Left to themselves `bd` stops after ten and `sd` after fifty.
        let args = ["ready", "--limit", ALL];
        Ok(selection.cut(self.chosen(&args, selection)?))
    }

    fn chosen(&self, args: &[&str], selection: &Selection) -> Result<Vec<Issue>, TrackerError> {
        let mut found = issues(self.run(args)?);
        found.retain(|issue| selection.takes(issue));
        Ok(found)
    }

    pub(super) fn add(&self, task: &NewTask) -> Result<Issue, TrackerError> {
        task.check()?;
        let priority = task.priority.map(|p| p.to_string());
        let labels = task.labels.join(",");
        // A title may begin with a dash.
        let title = format!("--title={}", task.title);
        let mut args = match self.kind {
            Kind::Beads if !task.title.starts_with('-') => vec!["create", &task.title],
            Kind::Beads | Kind::Seeds => vec!["create", &title],
        };
        let option = |name: &'static str, value: Option<&str>| {
            // One word, so that a value cannot be taken for an option.
            value
                .filter(|v| !v.is_empty())
                .map(|v| format!("--{name}={v}"))
        };
        let options: Vec<String> = [
            option("type", task.kind.as_deref()),
            option("priority", priority.as_deref()),
            option("assignee", task.assignee.as_deref()),
            option("description", task.description.as_deref()),
            option("labels", Some(&labels)),
        ]
        .into_iter()
        .flatten()
        .collect();
        args.extend(options.iter().map(String::as_str));
        let answer = self.run(&args)?;
        let id = match &answer {
            Value::Object(fields) => fields.get("id").and_then(Value::as_str),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => None,
        };
        let id = match id {
            Some(id) => id.to_owned(),
            None => issues(answer)
                .first()
                .map(|issue| issue.id().to_owned())
                .unwrap_or_default(),
        };
        for on in &task.depends_on {
            self.depend(&id, on)?;
        }
        self.get(&id)
    }

    pub(super) fn update(&self, id: &str, change: &TaskChange) -> Result<Issue, TrackerError> {
        change.check()?;
        if change.status.as_deref() == Some("closed") {
            self.close(&[id.to_owned()], None)?;
        }
        let mut options = Vec::new();
        let mut option = |name: &str, value: Option<&str>| {
            options.extend(value.map(|v| format!("--{name}={v}")));
        };
        option(
            "status",
            change.status.as_deref().filter(|s| *s != "closed"),
        );
        option("title", change.title.as_deref());
        option("type", change.kind.as_deref());
        let priority = change.priority.map(|p| p.to_string());
        option("priority", priority.as_deref());
        option("assignee", change.assignee.as_deref());
        option("description", change.description.as_deref());
        for label in &change.add_labels {
            option("add-label", Some(label));
        }
        for label in &change.remove_labels {
            option("remove-label", Some(label));
        }
        if !options.is_empty() {
            let mut args = vec!["update", id];
            args.extend(options.iter().map(String::as_str));
            self.run(&args)?;
        }
        self.get(id)
    }

    pub(super) fn close(
        &self,
        ids: &[String],
        reason: Option<&str>,
    ) -> Result<Vec<Issue>, TrackerError> {
        let reason = reason.map(|reason| format!("--reason={reason}"));
        for id in ids {
            let mut args = vec!["close", id.as_str()];
            args.extend(reason.as_deref());
            self.run(&args)?;
        }
        ids.iter().map(|id| self.get(id)).collect()
    }

    pub(super) fn depend(&self, id: &str, on: &str) -> Result<(), TrackerError> {
        self.run(&["dep", "add", id, on]).map(|_| ())
    }

    pub(super) fn release(&self, id: &str, on: &str) -> Result<(), TrackerError> {
        self.run(&["dep", "remove", id, on]).map(|_| ())
    }
}

/// The programs may print remarks before their answer.
fn parse(text: &str) -> Option<Value> {
    let start = text.find(['{', '['])?;
    read_json(first_value(text.get(start..)?.as_bytes())).ok()
}

/// Understands what both print: an issue, `issue`, `issues`, or a list.
fn issues(answer: Value) -> Vec<Issue> {
    match answer {
        Value::Array(items) => items.into_iter().flat_map(issues).collect(),
        Value::Object(mut fields) => match (fields.remove("issue"), fields.remove("issues")) {
            (Some(one), _) => issues(one),
            (None, Some(many)) => issues(many),
            (None, None) if fields.contains_key("status") || fields.contains_key("id") => {
                vec![Issue::new(fields)]
            }
            (None, None) => Vec::new(),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_status(text: &str) -> Option<String> {
        let found = issues(parse(text)?);
        Some(found.first()?.status().to_owned())
    }

    #[test]
    fn both_trackers_answers_are_understood() {
        assert_eq!(
            first_status("note\n{\"success\":true,\"issue\":{\"status\":\"open\"}}").as_deref(),
            Some("open")
        );
        assert_eq!(
            first_status("[{\"id\":\"x\",\"status\":\"closed\"}]\ntrailing").as_deref(),
            Some("closed")
        );
        assert_eq!(first_status("nothing"), None);
        let many = parse("{\"success\":true,\"issues\":[{\"id\":\"a\"},{\"id\":\"b\"}]}").unwrap();
        assert_eq!(issues(many).len(), 2);
    }
}
