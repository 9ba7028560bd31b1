//! What callers ask of a tracker. Data only.

use super::error::TrackerError;
use super::issue::{Issue, STATUSES, TYPES, one_of};
use crate::logging::storable;

/// A task to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewTask {
    /// What is to be done, in one line.
    pub title: String,
    /// Kind of task; `task` when not said.
    pub kind: Option<String>,
    /// 0 to 4; 2 when not said.
    pub priority: Option<i64>,
    /// Who does it.
    pub assignee: Option<String>,
    /// Everything else there is to say.
    pub description: Option<String>,
    /// Labels.
    pub labels: Vec<String>,
    /// Tasks that have to be closed before.
    pub depends_on: Vec<String>,
}

impl NewTask {
    /// As it may be stored: what people commit and push holds no secret.
    pub(super) fn storable(&self) -> Self {
        Self {
            title: storable(&self.title).into_owned(),
            assignee: maybe(self.assignee.as_deref()),
            description: maybe(self.description.as_deref()),
            labels: all(&self.labels),
            ..self.clone()
        }
    }

    /// Refuses what no tracker would take, without asking one.
    pub fn check(&self) -> Result<(), TrackerError> {
        title(&self.title)?;
        self.kind
            .as_deref()
            .map_or(Ok(()), |kind| one_of("type", kind, TYPES))
    }
}

/// What is to be different; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskChange {
    /// State.
    pub status: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Kind of task.
    pub kind: Option<String>,
    /// Priority.
    pub priority: Option<i64>,
    /// Who does it.
    pub assignee: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// Labels to add.
    pub add_labels: Vec<String>,
    /// Labels to remove.
    pub remove_labels: Vec<String>,
}

impl TaskChange {
    /// Only another state.
    pub fn status(status: &str) -> Self {
        Self {
            status: Some(status.to_owned()),
            ..Self::default()
        }
    }

    /// As it may be stored. Labels that go are named as they are.
    pub(super) fn storable(&self) -> Self {
        Self {
            title: maybe(self.title.as_deref()),
            assignee: maybe(self.assignee.as_deref()),
            description: maybe(self.description.as_deref()),
            add_labels: all(&self.add_labels),
            ..self.clone()
        }
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn check(&self) -> Result<(), TrackerError> {
        if let Some(status) = &self.status {
            one_of("status", status, STATUSES)?;
        }
        if let Some(kind) = &self.kind {
            one_of("type", kind, TYPES)?;
        }
        self.title.as_deref().map_or(Ok(()), title)
    }
}

/// Which tasks to list; the default is all that are not closed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Closed ones too.
    pub all: bool,
    /// Only of this state.
    pub status: Option<String>,
    /// Only of this kind.
    pub kind: Option<String>,
    /// Only of this person or agent.
    pub assignee: Option<String>,
    /// Only with all of these labels, separated by commas.
    pub label: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
}

impl Selection {
    pub(super) fn check(&self) -> Result<(), TrackerError> {
        if let Some(status) = &self.status {
            one_of("status", status, STATUSES)?;
        }
        self.kind
            .as_deref()
            .map_or(Ok(()), |kind| one_of("type", kind, TYPES))
    }

    pub(super) fn takes(&self, issue: &Issue) -> bool {
        let state = match &self.status {
            Some(status) => issue.status() == status,
            None => self.all || issue.status() != "closed",
        };
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == found)
        };
        state
            && is(&self.kind, issue.kind())
            && is(&self.assignee, issue.text("assignee"))
            && self.label.as_deref().is_none_or(|wanted| {
                let labels = issue.list("labels");
                wanted
                    .split(',')
                    .map(|wanted| wanted.trim().to_lowercase())
                    .filter(|wanted| !wanted.is_empty())
                    .all(|wanted| labels.contains(&wanted.as_str()))
            })
    }

    pub(super) fn cut(&self, mut issues: Vec<Issue>) -> Vec<Issue> {
        issues.truncate(self.limit.unwrap_or(usize::MAX));
        issues
    }
}

fn maybe(text: Option<&str>) -> Option<String> {
    text.map(|text| storable(text).into_owned())
}

fn all(texts: &[String]) -> Vec<String> {
    let texts = texts.iter();
    texts.map(|text| storable(text).into_owned()).collect()
}

fn title(text: &str) -> Result<(), TrackerError> {
    if text.trim().is_empty() {
        return Err(TrackerError::Invalid {
            what: "title",
            value: text.to_owned(),
            valid: "a line that says what is to be done".to_owned(),
        });
    }
    Ok(())
}
