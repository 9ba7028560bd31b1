//! How the merge queue is seen. Pure.

use super::view::{DisplacedView, GateProgress, MergeState, MergeView};
use crate::db::merge_queue::QueueRow;
use crate::types::Timestamp;
use crate::types::merge::{DisplacedHunk, MergeStatus, MergeTier};
use serde_json::Value;
use std::collections::HashMap;

/// The stored report of an entry: when it was made and what it says.
pub(super) type Reports = HashMap<i64, (String, Value)>;

/// Makes the views in landing order, landed entries last and newest first.
pub(super) fn views(
    rows: &[QueueRow],
    reports: &Reports,
    gates: &HashMap<i64, GateProgress>,
) -> Vec<MergeView> {
    let (landed, open): (Vec<_>, Vec<_>) = rows
        .iter()
        .partition(|r| r.entry.status == MergeStatus::Merged);
    open.into_iter()
        .chain(landed.into_iter().rev().take(50))
        .map(|row| view(row, reports.get(&row.id), gates.get(&row.id)))
        .collect()
}

fn view(
    row: &QueueRow,
    report: Option<&(String, Value)>,
    gates: Option<&GateProgress>,
) -> MergeView {
    let entry = &row.entry;
    // A report of an earlier attempt says nothing about one that is pending or going on.
    let settled = !matches!(entry.status, MergeStatus::Pending | MergeStatus::Merging);
    let report = report.filter(|_| settled);
    let value = report.map(|(_, v)| v);
    let list = |name: &str| -> Vec<String> {
        value
            .and_then(|v| v.get(name))
            .and_then(|v| serde_json::from_value(v.clone()).ok())
            .unwrap_or_default()
    };
    let hunks: Vec<DisplacedHunk> = value
        .and_then(|v| v.get("displaced"))
        .and_then(|v| serde_json::from_value(v.clone()).ok())
        .unwrap_or_default();
    let error = value
        .and_then(|v| v.get("errorMessage"))
        .and_then(Value::as_str)
        .map(str::to_owned);
    let red_gate = value
        .and_then(|v| v.get("gates"))
        .and_then(Value::as_array)
        .and_then(|g| {
            g.iter()
                .find(|g| g.get("passed") == Some(&Value::Bool(false)))
        })
        .map(|g| {
            let text = |name: &str| g.get(name).and_then(Value::as_str).unwrap_or_default();
            let tail: Vec<&str> = text("outputTail").lines().rev().take(8).collect();
            let tail: Vec<&str> = tail.into_iter().rev().collect();
            format!("gate {} is red\n{}", text("name"), tail.join("\n"))
        });
    MergeView {
        id: row.id,
        branch: entry.branch_name.clone(),
        agent: entry.agent_name.clone(),
        task: (entry.task_id != "unknown").then(|| entry.task_id.clone()),
        state: state(entry.status, !hunks.is_empty()),
        tier: entry
            .resolved_tier
            .map(|t: MergeTier| t.as_str().to_owned()),
        files: entry.files_modified.clone(),
        conflict_files: list("conflictFiles"),
        displaced: hunks.into_iter().map(displaced).collect(),
        gates: gates.cloned(),
        error: red_gate.or(error),
        enqueued_ms: ms(&entry.enqueued_at),
        merged_ms: report
            .filter(|_| entry.status == MergeStatus::Merged)
            .map(|(at, _)| ms(at)),
    }
}

fn ms(text: &str) -> i64 {
    Timestamp::parse(text).map_or(0, |t| t.0)
}

fn state(status: MergeStatus, displaced: bool) -> MergeState {
    match status {
        MergeStatus::Pending => MergeState::Pending,
        MergeStatus::Merging => MergeState::Merging,
        MergeStatus::Merged => MergeState::Merged,
        MergeStatus::Conflict if displaced => MergeState::Review,
        MergeStatus::Conflict => MergeState::Conflict,
        MergeStatus::Failed => MergeState::Failed,
    }
}

fn displaced(hunk: DisplacedHunk) -> DisplacedView {
    DisplacedView {
        file: hunk.file,
        line: u32::try_from(hunk.start_line).ok().filter(|l| *l > 0),
        agent: Some(hunk.agent).filter(|a| !a.is_empty()),
        merged_ms: Timestamp::parse(&hunk.committed_at).map(|t| t.0),
        lines: hunk.line_count as u32,
        ours: hunk.text,
        theirs: hunk.incoming,
    }
}
