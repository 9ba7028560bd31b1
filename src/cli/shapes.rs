//! The JSON shapes that several commands share, and the aligned columns of text tables.
//!
//! Separate from the domain types on purpose: renaming a field there must not change a byte here.

use serde::Serialize;

use crate::db::mail::MailView;
use crate::db::metrics::SessionMetrics;
use crate::text::{format_usd, pad_end_utf16, pad_start_utf16};
use crate::types::AgentSession;
use crate::types::event::StoredEvent;
use crate::types::mail::MailMessage;
use crate::types::merge::{MergeEntry, Prediction};
use crate::types::run::Run;

/// An agent session.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionJson<'a> {
    id: &'a str,
    agent_name: &'a str,
    capability: &'a str,
    worktree_path: &'a str,
    branch_name: &'a str,
    task_id: &'a str,
    tmux_session: &'a str,
    state: &'static str,
    pid: Option<i64>,
    parent_agent: Option<&'a str>,
    depth: i64,
    run_id: Option<&'a str>,
    started_at: &'a str,
    last_activity: &'a str,
    escalation_level: i64,
    stalled_since: Option<&'a str>,
    transcript_path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claude_session_id: Option<&'a str>,
}

impl<'a> From<&'a AgentSession> for SessionJson<'a> {
    fn from(session: &'a AgentSession) -> Self {
        Self {
            id: &session.id,
            agent_name: &session.agent_name,
            capability: &session.capability,
            worktree_path: &session.worktree_path,
            branch_name: &session.branch_name,
            task_id: &session.task_id,
            tmux_session: &session.tmux_session,
            state: session.state.as_str(),
            pid: session.pid,
            parent_agent: session.parent_agent.as_deref(),
            depth: session.depth,
            run_id: session.run_id.as_deref(),
            started_at: &session.started_at,
            last_activity: &session.last_activity,
            escalation_level: session.escalation_level,
            stalled_since: session.stalled_since.as_deref(),
            transcript_path: session.transcript_path.as_deref(),
            prompt_version: session.prompt_version.as_deref(),
            claude_session_id: session.claude_session_id.as_deref(),
        }
    }
}

/// A message.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MailJson<'a> {
    pub id: &'a str,
    pub from: &'a str,
    pub to: &'a str,
    pub subject: &'a str,
    pub body: &'a str,
    #[serde(rename = "type")]
    pub kind: &'a str,
    pub priority: &'a str,
    thread_id: Option<&'a str>,
    pub payload: Option<&'a str>,
    pub read: bool,
    pub created_at: &'a str,
}

impl<'a> From<&'a MailMessage> for MailJson<'a> {
    fn from(message: &'a MailMessage) -> Self {
        Self {
            id: &message.id,
            from: &message.from,
            to: &message.to,
            subject: &message.subject,
            body: &message.body,
            kind: message.kind_text(),
            priority: message.priority_text(),
            thread_id: message.thread_id.as_deref(),
            payload: message.payload.as_deref(),
            read: message.read,
            created_at: &message.created_at,
        }
    }
}

impl<'a> From<&'a MailView<'a>> for MailJson<'a> {
    fn from(message: &'a MailView<'a>) -> Self {
        Self {
            id: &message.id,
            from: &message.from,
            to: &message.to,
            subject: &message.subject,
            body: &message.body,
            kind: message.kind_text(),
            priority: message.priority_text(),
            thread_id: message.thread_id.as_deref(),
            payload: message.payload.as_deref(),
            read: message.read,
            created_at: &message.created_at,
        }
    }
}

/// An event.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventJson<'a> {
    id: i64,
    run_id: Option<&'a str>,
    agent_name: &'a str,
    session_id: Option<&'a str>,
    event_type: &'a str,
    tool_name: Option<&'a str>,
    tool_args: Option<&'a str>,
    tool_duration_ms: Option<i64>,
    level: &'static str,
    data: Option<&'a str>,
    created_at: &'a str,
}

impl<'a> From<&'a StoredEvent> for EventJson<'a> {
    fn from(event: &'a StoredEvent) -> Self {
        Self {
            id: event.id,
            run_id: event.run_id.as_deref(),
            agent_name: &event.agent_name,
            session_id: event.session_id.as_deref(),
            event_type: &event.event_type,
            tool_name: event.tool_name.as_deref(),
            tool_args: event.tool_args.as_deref(),
            tool_duration_ms: event.tool_duration_ms,
            level: event.level.as_str(),
            data: event.data.as_deref(),
            created_at: &event.created_at,
        }
    }
}

/// Totals of a finished or running session.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricsJson<'a> {
    agent_name: &'a str,
    task_id: &'a str,
    capability: &'a str,
    started_at: &'a str,
    completed_at: Option<&'a str>,
    duration_ms: i64,
    exit_code: Option<i64>,
    merge_result: Option<&'a str>,
    parent_agent: Option<&'a str>,
    input_tokens: i64,
    output_tokens: i64,
    cache_read_tokens: i64,
    cache_creation_tokens: i64,
    estimated_cost_usd: Option<f64>,
    model_used: Option<&'a str>,
    run_id: Option<&'a str>,
}

impl<'a> From<&'a SessionMetrics> for MetricsJson<'a> {
    fn from(metrics: &'a SessionMetrics) -> Self {
        Self {
            agent_name: &metrics.agent_name,
            task_id: &metrics.task_id,
            capability: &metrics.capability,
            started_at: &metrics.started_at,
            completed_at: metrics.completed_at.as_deref(),
            duration_ms: metrics.duration_ms,
            exit_code: metrics.exit_code,
            merge_result: metrics.merge_result.as_deref(),
            parent_agent: metrics.parent_agent.as_deref(),
            input_tokens: metrics.input_tokens,
            output_tokens: metrics.output_tokens,
            cache_read_tokens: metrics.cache_read_tokens,
            cache_creation_tokens: metrics.cache_creation_tokens,
            estimated_cost_usd: metrics.estimated_cost_usd,
            model_used: metrics.model_used.as_deref(),
            run_id: metrics.run_id.as_deref(),
        }
    }
}

/// A run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunJson<'a> {
    id: &'a str,
    started_at: &'a str,
    completed_at: Option<&'a str>,
    agent_count: i64,
    coordinator_session_id: Option<&'a str>,
    coordinator_name: Option<&'a str>,
    status: &'static str,
}

impl<'a> From<&'a Run> for RunJson<'a> {
    fn from(run: &'a Run) -> Self {
        Self {
            id: &run.id,
            started_at: &run.started_at,
            completed_at: run.completed_at.as_deref(),
            agent_count: run.agent_count,
            coordinator_session_id: run.coordinator_session_id.as_deref(),
            coordinator_name: run.coordinator_name.as_deref(),
            status: run.status.as_str(),
        }
    }
}

/// An entry of the merge queue.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MergeEntryJson<'a> {
    branch_name: &'a str,
    task_id: &'a str,
    agent_name: &'a str,
    files_modified: &'a [String],
    enqueued_at: &'a str,
    status: &'static str,
    resolved_tier: Option<&'static str>,
}

impl<'a> From<&'a MergeEntry> for MergeEntryJson<'a> {
    fn from(entry: &'a MergeEntry) -> Self {
        Self {
            branch_name: &entry.branch_name,
            task_id: &entry.task_id,
            agent_name: &entry.agent_name,
            files_modified: &entry.files_modified,
            enqueued_at: &entry.enqueued_at,
            status: entry.status.as_str(),
            resolved_tier: entry
                .resolved_tier
                .map(crate::types::merge::MergeTier::as_str),
        }
    }
}

/// What a merge is expected to need.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PredictionJson<'a> {
    predicted_tier: &'static str,
    conflict_files: &'a [String],
    would_require_agent: bool,
    reason: &'a str,
    /// Said only where there is something to say: the contract's object does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<&'a str>,
}

impl<'a> From<&'a Prediction> for PredictionJson<'a> {
    fn from(prediction: &'a Prediction) -> Self {
        Self {
            predicted_tier: prediction.predicted_tier.as_str(),
            conflict_files: &prediction.conflict_files,
            would_require_agent: prediction.would_require_agent,
            reason: &prediction.reason,
            held: prediction.held.as_deref(),
        }
    }
}

/// One line of a table: text columns padded right, numbers padded left, in UTF-16 units.
#[derive(Debug, Default)]
pub struct TextTable(String);

impl TextTable {
    /// Starts an empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a text column.
    #[must_use]
    pub fn left(mut self, text: &str, width: usize) -> Self {
        self.0.push_str(&pad_end_utf16(text, width));
        self
    }

    /// Appends a number column.
    #[must_use]
    pub fn right(mut self, text: &str, width: usize) -> Self {
        self.0.push_str(&pad_start_utf16(text, width));
        self
    }

    /// Appends an amount of money.
    #[must_use]
    pub fn usd(self, amount: Option<f64>, width: usize) -> Self {
        self.right(&format_usd(amount, 2), width)
    }

    /// Returns the line.
    pub fn line(self) -> String {
        self.0
    }
}
