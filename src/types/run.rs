//! A run: the group of agents started for one objective.

use super::mail::text_enum;

text_enum!(
    /// How far a run is.
    RunStatus { Active = "active", Completed = "completed", Failed = "failed" }
);

/// One row of `runs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub id: String,
    pub started_at: String,
    pub completed_at: Option<String>,
    /// Counted from sessions; the stored column is never maintained.
    pub agent_count: i64,
    pub coordinator_session_id: Option<String>,
    pub coordinator_name: Option<String>,
    pub status: RunStatus,
}
