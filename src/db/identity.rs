//! The lasting memory of an agent name: `agents/<name>/identity.yaml`.
//!
//! A tiny format of its own, close to YAML but indented with tabs, read and written here only.

use std::fmt::Write as _;
use std::path::Path;

use thiserror::Error;

use crate::platform::clock;
use crate::platform::fs::{self, FsError};

/// How many finished tasks are remembered.
pub const RECENT_TASKS: usize = 20;

/// An identity that cannot be read or written.
#[derive(Debug, Error)]
pub enum IdentityError {
    /// The file system refused.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// A line is no `key: value`, and what it should have said is missing.
    #[error(
        "line {line} is not understood ({text}); repair the file, or delete it to start afresh"
    )]
    NotUnderstood {
        /// Number of the line, from 1.
        line: usize,
        /// Its beginning.
        text: String,
    },
    /// A required field is missing.
    #[error("identity has no \"{field}\"; delete the file to start it afresh")]
    Missing {
        /// The field.
        field: &'static str,
    },
}

/// A task an agent has finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentTask {
    /// Id of the task.
    pub task_id: String,
    /// What was done.
    pub summary: String,
    /// When, as ISO text.
    pub completed_at: String,
}

/// What is known about an agent name across its sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Agent name.
    pub name: String,
    /// Its capability.
    pub capability: String,
    /// When the name was first used, as ISO text.
    pub created: String,
    /// Sessions that ended.
    pub sessions_completed: u64,
    /// Fields it has worked in.
    pub expertise_domains: Vec<String>,
    /// Latest tasks, oldest first.
    pub recent_tasks: Vec<RecentTask>,
}

impl Identity {
    /// Starts an identity without history.
    pub fn new(name: &str, capability: &str, created: &str) -> Self {
        Self {
            name: name.to_owned(),
            capability: capability.to_owned(),
            created: created.to_owned(),
            sessions_completed: 0,
            expertise_domains: Vec::new(),
            recent_tasks: Vec::new(),
        }
    }

    /// Reads an identity; `None` when the file does not exist.
    pub fn load(path: &Path) -> Result<Option<Self>, IdentityError> {
        fs::read_optional(path)?
            .map(|text| Self::parse(&text))
            .transpose()
    }

    /// Writes the identity, replacing the file as a whole.
    pub fn save(&self, path: &Path) -> Result<(), IdentityError> {
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir)?;
        }
        Ok(fs::write_atomic(path, self.render())?)
    }

    /// Counts a finished session and remembers its task; the oldest task is forgotten when full.
    pub fn record_session(&mut self, task: Option<RecentTask>) {
        self.sessions_completed += 1;
        self.recent_tasks.extend(task);
        let surplus = self.recent_tasks.len().saturating_sub(RECENT_TASKS);
        self.recent_tasks.drain(..surplus);
    }

    /// Counts a session that has ended, with the task it was for; a name without an identity gets
    /// none.
    pub fn record_end(path: &Path, task: &str) -> Result<(), IdentityError> {
        let Some(mut identity) = Self::load(path)? else {
            return Ok(());
        };
        let finished = (!task.is_empty()).then(|| RecentTask {
            task_id: task.to_owned(),
            summary: format!("Completed task {task}"),
            completed_at: clock::now().iso(),
        });
        identity.record_session(finished);
        identity.save(path)
    }

    /// Parses the file's text.
    pub fn parse(text: &str) -> Result<Self, IdentityError> {
        let mut identity = Self::new("", "", "");
        let mut section = "";
        // The format is read leniently; an odd line matters only where something is missing.
        let mut odd = None;
        for (index, line) in text.lines().enumerate() {
            let content = line.trim();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let nested = line.starts_with([' ', '\t']);
            if let Some(item) = content.strip_prefix("- ").filter(|_| nested) {
                match (section, split(item)) {
                    ("recentTasks", Some(("taskId", value))) => {
                        identity.recent_tasks.push(RecentTask {
                            task_id: unquote(value),
                            summary: String::new(),
                            completed_at: String::new(),
                        });
                    }
                    ("expertiseDomains", _) => identity.expertise_domains.push(unquote(item)),
                    _ => {}
                }
                continue;
            }
            let Some((key, value)) = split(content).filter(|(key, _)| is_key(key)) else {
                odd.get_or_insert((index + 1, content));
                section = if nested { section } else { "" };
                continue;
            };
            if nested {
                let Some(task) = identity.recent_tasks.last_mut() else {
                    continue;
                };
                match key {
                    "summary" => task.summary = unquote(value),
                    "completedAt" => task.completed_at = unquote(value),
                    _ => {}
                }
                continue;
            }
            section = key;
            match key {
                "name" => identity.name = unquote(value),
                "capability" => identity.capability = unquote(value),
                "created" => identity.created = unquote(value),
                "sessionsCompleted" => {
                    identity.sessions_completed = unquote(value).parse().unwrap_or(0);
                }
                _ => {}
            }
        }
        for (field, value) in [
            ("name", &identity.name),
            ("capability", &identity.capability),
        ] {
            if value.is_empty() {
                if let Some((line, content)) = odd {
                    let text = format!("{:?}", content.chars().take(40).collect::<String>());
                    return Err(IdentityError::NotUnderstood { line, text });
                }
                return Err(IdentityError::Missing { field });
            }
        }
        Ok(identity)
    }

    /// Renders the file's text.
    pub fn render(&self) -> String {
        let mut out = format!(
            "name: {}\ncapability: {}\ncreated: {}\nsessionsCompleted: {}\n",
            quote(&self.name),
            quote(&self.capability),
            quote(&self.created),
            self.sessions_completed
        );
        if self.expertise_domains.is_empty() {
            out.push_str("expertiseDomains: []\n");
        } else {
            out.push_str("expertiseDomains:\n");
            for domain in &self.expertise_domains {
                writeln!(out, "\t- {}", quote(domain)).unwrap_or_default();
            }
        }
        if self.recent_tasks.is_empty() {
            out.push_str("recentTasks: []\n");
        } else {
            out.push_str("recentTasks:\n");
            for task in &self.recent_tasks {
                writeln!(
                    out,
                    "\t- taskId: {}\n\t\tsummary: {}\n\t\tcompletedAt: {}",
                    quote(&task.task_id),
                    quote(&task.summary),
                    quote(&task.completed_at)
                )
                .unwrap_or_default();
            }
        }
        out
    }
}

fn split(content: &str) -> Option<(&str, &str)> {
    let (key, value) = content.split_once(':')?;
    Some((key.trim(), value.trim()))
}

fn is_key(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_alphanumeric() || "_-".contains(c))
}

fn quote(value: &str) -> String {
    let needs = value.is_empty()
        || value.contains(": ")
        || value.contains(['#', '\n'])
        || value.trim() != value
        || value.starts_with(|c: char| c == '"' || c == '\'' || c.is_ascii_digit())
        || matches!(value, "true" | "false" | "null" | "~" | "[]");
    if !needs {
        return value.to_owned();
    }
    let escaped = value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace(['\r', '\n'], " ");
    format!("\"{escaped}\"")
}

fn unquote(value: &str) -> String {
    let Some(inner) = value
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    else {
        return value.to_owned();
    };
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' {
            chars.next().unwrap_or('\\')
        } else {
            c
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SAMPLE: &str = "name: builder-login\ncapability: builder\ncreated: \"2026-03-01T09:00:00.000Z\"\nsessionsCompleted: 3\nexpertiseDomains:\n\t- auth\n\t- cli\nrecentTasks:\n\t- taskId: demo-prev2\n\t\tsummary: \"Fixed: login \\\"quotes\\\" # hash\"\n\t\tcompletedAt: \"2026-03-01T08:30:00.000Z\"\n";

    #[test]
    fn a_stored_identity_is_reproduced_byte_for_byte() {
        let identity = Identity::parse(SAMPLE).unwrap();
        assert_eq!(identity.expertise_domains, ["auth", "cli"]);
        assert_eq!(
            identity.recent_tasks[0].summary,
            "Fixed: login \"quotes\" # hash"
        );
        assert_eq!(identity.render(), SAMPLE);
    }

    #[test]
    fn only_the_latest_tasks_are_kept() {
        let mut identity = Identity::new("a", "builder", "now");
        for number in 0..25 {
            identity.record_session(Some(RecentTask {
                task_id: format!("t-{number}"),
                summary: String::new(),
                completed_at: String::new(),
            }));
        }
        assert_eq!(identity.sessions_completed, 25);
        assert_eq!(identity.recent_tasks.len(), RECENT_TASKS);
        assert_eq!(identity.recent_tasks[0].task_id, "t-5");
    }

    #[test]
    fn an_identity_without_name_is_refused() {
        assert!(Identity::parse("capability: builder\n").is_err());
    }

    proptest! {
        #[test]
        fn any_summary_on_one_line_survives(summary in "[ -~]{0,40}") {
            let mut identity = Identity::new("a", "builder", "2026");
            identity.record_session(Some(RecentTask { task_id: "t".into(), summary, completed_at: "x".into() }));
            prop_assert_eq!(Identity::parse(&identity.render()).unwrap(), identity);
        }
    }
}
