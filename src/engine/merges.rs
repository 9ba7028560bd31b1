//! How the merge queue is seen. Pure.

use super::review;
use super::view::{
    DisplacedView, GateProgress, GateView, LookedOver, MergeState, MergeStep, MergeView,
    ReceiptView, RedGateView,
};
use crate::coordinator::{landing, queue};
use crate::db::merge_queue::QueueRow;
use crate::db::merging::{LookedAt, MergeProgressRow};
use crate::platform::liveness::Liveness;
use crate::types::Timestamp;
use crate::types::merge::{
    DisplacedHunk, GateResult, MergeReceipt, MergeStatus, MergeTier, SettledBy,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Entries that are shown of those that have landed or were taken back.
const LANDED_SHOWN: usize = 200;
/// Lines of a red gate's output that are shown.
const TAIL_LINES: usize = 40;

/// The stored report of an entry: when it was made and what it says.
pub(super) type Reports = HashMap<i64, (String, Value)>;

/// What the queue is made of besides its rows.
#[derive(Debug, Default)]
pub(super) struct Desk {
    pub(super) reports: Reports,
    pub(super) places: HashMap<i64, i64>,
    pub(super) progress: HashMap<i64, GateProgress>,
    pub(super) looked_at: LookedAt,
    /// The places that are decided, by the number of the entry; `None`: that is accepted.
    pub(super) decided: Vec<(i64, Option<String>)>,
}

/// Reads the progress of merges whose process is not gone. `me` is this process.
pub(super) fn progress(
    rows: Vec<MergeProgressRow>,
    me: u32,
    alive: impl Fn(&MergeProgressRow) -> Liveness,
) -> HashMap<i64, GateProgress> {
    let rows = rows.into_iter().filter(|row| alive(row) != Liveness::Dead);
    rows.map(|row| {
        let pid = row.process.pid.unsigned_abs();
        let view = GateProgress {
            step: match row.step.as_str() {
                "gates" => MergeStep::Gates,
                "ask" => MergeStep::Asking,
                "land" => MergeStep::Landing,
                "revert" => MergeStep::Reverting,
                "turn" => MergeStep::Waiting,
                "wait" => MergeStep::Behind,
                _ => MergeStep::Planning,
            },
            done: row.done,
            total: row.total,
            current: row.gate,
            began_ms: ms(&row.began_at),
            since_ms: ms(&row.since),
            elsewhere: (pid != me).then_some(pid),
        };
        (row.queue_id, view)
    })
    .collect()
}

/// Makes the views in landing order, landed entries last and newest first.
pub(super) fn views(rows: &[QueueRow], desk: &Desk) -> Vec<MergeView> {
    // What was taken back does not wait for anything either.
    let is_over = |row: &QueueRow| {
        row.entry.status == MergeStatus::Merged || view(row, desk).undone_ms.is_some()
    };
    let (landed, open): (Vec<_>, Vec<_>) = rows.iter().cloned().partition(is_over);
    let mut landed: Vec<MergeView> = landed.iter().map(|row| view(row, desk)).collect();
    landed.sort_by_key(|view| std::cmp::Reverse((view.undone_ms.or(view.merged_ms), view.id)));
    landed.truncate(LANDED_SHOWN);
    let open = queue::in_order(open, &desk.places);
    let standing: HashSet<&str> = rows
        .iter()
        .filter(|row| stands(row.entry.status))
        .map(|row| row.entry.branch_name.as_str())
        .collect();
    for view in &mut landed {
        // What was decided otherwise and did not land, or was taken back, is not decided.
        if let LookedOver::Decided { branch, .. } = &view.looked_over
            && !standing.contains(branch.as_str())
        {
            view.looked_over = LookedOver::Waits;
        }
    }
    let mut views: Vec<MergeView> = open.iter().map(|row| view(row, desk)).collect();
    views.extend(landed);
    let kept = decided(rows, desk);
    for view in &mut views {
        if let Some((places, is_accepted)) = kept.get(view.branch.as_str()) {
            view.decided = places.len() as u32;
            view.is_accepted = *is_accepted;
        }
    }
    views
}

/// What is decided about each branch, whichever of its entries that was for: the places, and whether that is accepted.
fn decided<'d>(rows: &'d [QueueRow], desk: &'d Desk) -> HashMap<&'d str, (HashSet<&'d str>, bool)> {
    let branches: HashMap<i64, &str> = rows
        .iter()
        .map(|row| (row.id, row.entry.branch_name.as_str()))
        .collect();
    let mut found: HashMap<&str, (HashSet<&str>, bool)> = HashMap::new();
    for (id, place) in &desk.decided {
        let Some(branch) = branches.get(id) else {
            continue;
        };
        let (places, is_accepted) = found.entry(*branch).or_default();
        match place {
            Some(place) => {
                places.insert(place.as_str());
            }
            None => *is_accepted = true,
        }
    }
    found
}

/// Whether a branch has landed, or is about to.
fn stands(status: MergeStatus) -> bool {
    match status {
        MergeStatus::Pending | MergeStatus::Merging | MergeStatus::Merged => true,
        MergeStatus::Conflict | MergeStatus::Failed => false,
    }
}

fn view(row: &QueueRow, desk: &Desk) -> MergeView {
    let entry = &row.entry;
    // A report of an earlier attempt says nothing about one that is pending or going on.
    let settled = !matches!(entry.status, MergeStatus::Pending | MergeStatus::Merging);
    let report = desk.reports.get(&row.id).filter(|_| settled);
    let value = report.map(|(_, v)| v);
    let field = |name: &str| value.and_then(|v| v.get(name));
    let conflict_files: Vec<String> = read(field("conflictFiles")).unwrap_or_default();
    let hunks: Vec<DisplacedHunk> = read(field("displaced")).unwrap_or_default();
    let gates: Vec<GateResult> = read(field("gates")).unwrap_or_default();
    let undone = |name: &str| field("undone")?.get(name)?.as_str();
    let receipt: Option<MergeReceipt> = read(field("receipt"));
    let landed = entry.status == MergeStatus::Merged;
    let looked_over = looked_over(receipt.as_ref().filter(|_| landed), field("reviewed"));
    let error = field("errorMessage").and_then(Value::as_str);
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
        conflict_files,
        displaced: hunks.into_iter().map(displaced).collect(),
        gates: desk.progress.get(&row.id).cloned(),
        error: error.map(str::to_owned),
        in_passing: value.is_some_and(landing::failed_in_passing),
        is_cancelled: value.is_some_and(landing::was_cancelled),
        red_gate: gates.iter().find(|gate| !gate.passed).map(red_gate),
        undone_ms: undone("at").map(ms),
        revert: undone("revert").map(str::to_owned),
        merged_ms: report
            .filter(|_| landed)
            .map(|(at, _)| receipt.as_ref().map_or(ms(at), |r| ms(&r.landed_at))),
        receipt: receipt.filter(|_| landed).map(receipt_view),
        warnings: read(field("warnings")).unwrap_or_default(),
        forecast: None,
        overlaps: Vec::new(),
        looked_over,
        decided: 0,
        is_accepted: false,
        follow_up: review::follow_up(&entry.agent_name, row.id),
        looked_at: entry.status == MergeStatus::Pending && desk.looked_at.is_only_looked_at(row),
        enqueued_ms: ms(&entry.enqueued_at),
    }
}

/// What a person has made of what a landed merge displaced as the policy has it.
fn looked_over(receipt: Option<&MergeReceipt>, reviewed: Option<&Value>) -> LookedOver {
    let by_policy = receipt.is_some_and(|it| it.settled_by == Some(SettledBy::Policy));
    if !by_policy {
        return LookedOver::NotNeeded;
    }
    let Some(reviewed) = reviewed else {
        return LookedOver::Waits;
    };
    let text = |name: &str| reviewed.get(name).and_then(Value::as_str);
    let at_ms = text("at").map_or(0, ms);
    match text("branch") {
        Some(branch) => LookedOver::Decided {
            at_ms,
            branch: branch.to_owned(),
        },
        None => LookedOver::Kept { at_ms },
    }
}

fn read<T: serde::de::DeserializeOwned>(value: Option<&Value>) -> Option<T> {
    serde_json::from_value(value?.clone()).ok()
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

/// Shows lines that a merge displaces.
pub(super) fn displaced(hunk: DisplacedHunk) -> DisplacedView {
    DisplacedView {
        file: hunk.file_name(),
        kind: review::kind(&hunk),
        line: u32::try_from(hunk.start_line).ok().filter(|l| *l > 0),
        agent: Some(hunk.whose()).filter(|a| !a.is_empty()),
        merged_ms: Timestamp::parse(&hunk.committed_at).map(|t| t.0),
        lines: hunk.line_count as u32,
        ours: hunk.text,
        theirs: hunk.incoming,
    }
}

fn red_gate(gate: &GateResult) -> RedGateView {
    let tail: Vec<&str> = gate.output_tail.lines().collect();
    let first = tail.len().saturating_sub(TAIL_LINES);
    RedGateView {
        name: gate.name.clone(),
        how: match (gate.timed_out, gate.exit_code) {
            (true, _) => format!("did not finish within {} s", gate.duration_ms / 1000),
            (false, Some(code)) => format!("exit code {code}"),
            (false, None) => "ended by a signal or not started".to_owned(),
        },
        tail: tail.into_iter().skip(first).map(str::to_owned).collect(),
    }
}

fn receipt_view(receipt: MergeReceipt) -> ReceiptView {
    let account = receipt.account;
    ReceiptView {
        id: receipt.id,
        commit: receipt.merged_commit,
        before: receipt.target_before,
        undo_ref: receipt.undo_ref,
        kept: account.kept,
        removed: account.removed,
        woven: account.woven,
        displaced: account.displaced,
        compared: account.compared,
        taken_whole: account.taken_whole,
        kept_twice: receipt
            .kept_twice
            .into_iter()
            // Those are named with the place that has them.
            .filter(|twice| !twice.moved)
            .map(|twice| (twice.file, twice.count))
            .collect(),
        gates: receipt
            .gates
            .into_iter()
            .map(|gate| GateView {
                name: gate.name,
                passed: gate.passed,
                duration_ms: gate.duration_ms,
                attempts: gate.attempts,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::host::ProcessId;

    #[test]
    fn progress_of_a_dead_process_is_not_shown() {
        let row = |queue_id: i64, pid: i32| MergeProgressRow {
            queue_id,
            process: ProcessId { pid, start: 1 },
            began_at: "2026-01-01T10:00:00.000Z".to_owned(),
            step: "gates".to_owned(),
            gate: Some("test".to_owned()),
            done: 1,
            total: 3,
            since: "2026-01-01T10:00:05.000Z".to_owned(),
        };
        let alive = |row: &MergeProgressRow| match row.process.pid {
            1 => Liveness::Dead,
            2 => Liveness::Unknown,
            _ => Liveness::Alive,
        };
        let shown = progress(vec![row(10, 1), row(20, 2), row(30, 3)], 3, alive);
        assert!(!shown.contains_key(&10));
        assert_eq!(shown[&20].elsewhere, Some(2));
        assert_eq!(shown[&30].elsewhere, None);
        assert_eq!(shown[&30].since_ms - shown[&30].began_ms, 5000);
    }
    #[test]
    fn a_displaced_line_of_a_file_whose_name_is_not_utf8_says_which_file_it_is_of() {
        let hunk = serde_json::json!({
            "file": "\u{fffd}.txt", "fileBytes": "6S50eHQ=", "kind": "text", "startLine": 1, "agent": "eve",
            "commit": "0123", "committedAt": "", "lineCount": 1, "base": "", "text": "one\n", "incoming": ""
        });
        let view = displaced(serde_json::from_value(hunk).unwrap());
        assert_eq!(view.file, "\\xe9.txt");
    }
}
