//! One task as it is stored. Fields that grove does not know stay where they are.

use serde_json::{Map, Value};

use super::error::TrackerError;
use crate::text::{JsonLine, WrittenTime};
use crate::types::Timestamp;

/// The states of a task.
pub const STATUSES: &[&str] = &["open", "in_progress", "closed"];
/// The kinds of task.
pub const TYPES: &[&str] = &["task", "bug", "feature", "epic"];
/// The priorities of a task, the most pressing first.
pub const PRIORITIES: std::ops::RangeInclusive<i64> = 0..=4;

/// The priority of a task that says nothing.
const MEDIUM: i64 = 2;

/// A task.
#[derive(Debug, Clone, PartialEq)]
pub struct Issue(Map<String, Value>);

impl Issue {
    /// Takes the fields as they are.
    pub fn new(fields: Map<String, Value>) -> Self {
        Self(fields)
    }

    /// The task in a line of the file; `None` for a line without an id.
    pub(super) fn of_line(line: &JsonLine) -> Option<Self> {
        line.text_of("id")?;
        line.object().cloned().map(Self)
    }

    /// All fields, in their order.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0
    }

    pub(super) fn into_fields(self) -> Map<String, Value> {
        self.0
    }

    /// A text field; empty when there is none.
    pub fn text(&self, field: &str) -> &str {
        self.0.get(field).and_then(Value::as_str).unwrap_or("")
    }

    /// The id.
    pub fn id(&self) -> &str {
        self.text("id")
    }

    /// The title.
    pub fn title(&self) -> &str {
        self.text("title")
    }

    /// The state.
    pub fn status(&self) -> &str {
        self.text("status")
    }

    /// The kind of task; beads calls it otherwise.
    pub fn kind(&self) -> &str {
        match self.text("type") {
            "" => self.text("issue_type"),
            kind => kind,
        }
    }

    /// The priority, 0 is the most urgent.
    pub fn priority(&self) -> i64 {
        self.0
            .get("priority")
            .and_then(Value::as_i64)
            .unwrap_or(MEDIUM)
    }

    /// A list of texts; empty when there is none.
    pub fn list(&self, field: &str) -> Vec<&str> {
        self.0
            .get(field)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    pub(super) fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.0.insert(field.to_owned(), value.into());
    }

    /// An empty list is no field.
    pub(super) fn set_list(&mut self, field: &str, items: Vec<String>) {
        if items.is_empty() {
            self.remove(field);
        } else {
            self.set(field, items);
        }
    }

    pub(super) fn remove(&mut self, field: &str) {
        self.0.shift_remove(field);
    }

    /// Whether its author has put it off: it is parked, or its day has not come. `ahead`: how many
    /// milliseconds local clocks are ahead of UTC at a moment.
    pub fn is_put_off(&self, now: Timestamp, ahead: impl Fn(Timestamp) -> i64) -> bool {
        let Some(extensions) = self.0.get("extensions") else {
            return false;
        };
        extensions.get("queued") == Some(&Value::Bool(true))
            || extensions
                .get("scheduledFor")
                .and_then(Value::as_str)
                .and_then(WrittenTime::parse)
                .and_then(|day| day.at(ahead))
                .is_some_and(|day| day > now)
    }
}

/// Reads `2` or `P2`.
pub fn parse_priority(text: &str) -> Result<i64, TrackerError> {
    let digits = text.strip_prefix(['p', 'P']).unwrap_or(text);
    match digits {
        "0" | "1" | "2" | "3" | "4" => Ok(digits.parse().unwrap_or(MEDIUM)),
        _ => Err(TrackerError::Invalid {
            what: "priority",
            value: text.to_owned(),
            valid: "0 (critical) to 4 (backlog), or P0 to P4".to_owned(),
        }),
    }
}

/// The word for a priority.
pub fn priority_name(priority: i64) -> &'static str {
    match priority {
        0 => "critical",
        1 => "high",
        2 => "medium",
        3 => "low",
        4 => "backlog",
        _ => "other",
    }
}

pub(super) fn one_of(
    what: &'static str,
    value: &str,
    valid: &[&'static str],
) -> Result<(), TrackerError> {
    if valid.contains(&value) {
        return Ok(());
    }
    Err(TrackerError::Invalid {
        what,
        value: value.to_owned(),
        valid: valid.join(", "),
    })
}
