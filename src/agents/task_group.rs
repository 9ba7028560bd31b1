//! One task group, and how far its tasks are. Pure.

use serde::{Deserialize, Serialize};

/// Whether a group is still followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupStatus {
    /// Some task is not closed.
    Active,
    /// Every task is closed.
    Completed,
}

/// A named set of tasks; the stored and the printed shape are the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskGroup {
    /// `group-` and eight hex digits.
    pub id: String,
    /// Name, not necessarily unique.
    pub name: String,
    /// Tasks in the order added.
    pub member_issue_ids: Vec<String>,
    /// Whether it is still followed.
    pub status: GroupStatus,
    /// When it was made, as ISO text.
    pub created_at: String,
    /// When its last task was closed.
    pub completed_at: Option<String>,
}

/// How far a group is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// The group.
    pub group: TaskGroup,
    /// Number of tasks.
    pub total: usize,
    /// Closed.
    pub completed: usize,
    /// In progress.
    pub in_progress: usize,
    /// Blocked.
    pub blocked: usize,
    /// Everything else.
    pub open: usize,
}

impl Progress {
    /// Counts a group's tasks by the tracker's word; what it does not know counts as open.
    pub fn count(group: &TaskGroup, status: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut progress = Self {
            group: group.clone(),
            total: group.member_issue_ids.len(),
            completed: 0,
            in_progress: 0,
            blocked: 0,
            open: 0,
        };
        for issue in &group.member_issue_ids {
            match status(issue).as_deref() {
                Some("closed") => progress.completed += 1,
                Some("in_progress") => progress.in_progress += 1,
                Some("blocked") => progress.blocked += 1,
                Some(_) | None => progress.open += 1,
            }
        }
        progress
    }

    /// Whether nothing is left to do; a group without tasks never is.
    pub fn is_done(&self) -> bool {
        self.total > 0 && self.completed == self.total
    }
}
