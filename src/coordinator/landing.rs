//! Taking one entry of the merge queue to its end, and telling everybody.

use super::CoordinatorError;
use super::learning;
use super::post::{self, SENDER, superior};
use super::progress::Progress;
use crate::config::Config;
use crate::db::merge_queue::QueueRow;
use crate::db::{EventStore, GroveStore, MergeQueueStore, SessionStore};
use crate::merge::{
    self, Conclusion, ConflictResolver, Gate, MergeContext, MergeError, MergeItem, MergeProgress,
    MergeReport, Review, Verdict,
};
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, fs};
use crate::types::event::{EventType, Level, NewEvent};
use crate::types::mail::{MailPriority, MailType, NewMail};
use crate::types::merge::MergeStatus;
use serde_json::json;
use std::time::Duration;

/// What became of an entry.
#[derive(Debug)]
pub enum Landed {
    Report(Box<MergeReport>),
    /// Another process merges into the same branch; the entry is pending again.
    Busy(MergeError),
    /// The merge could not be tried: the error, and the entry counts as failed.
    Error(MergeError),
}

/// The branch that merges go to.
pub fn target(
    paths: &ProjectPaths,
    config: &Config,
    into: Option<&str>,
) -> Result<String, CoordinatorError> {
    if let Some(into) = into {
        return Ok(into.to_owned());
    }
    let session = fs::read_optional(&paths.file("session-branch.txt"))?.unwrap_or_default();
    let session = session.trim();
    Ok(if session.is_empty() {
        config.project.canonical_branch.clone()
    } else {
        session.to_owned()
    })
}

/// Whether a stored attempt failed for a reason that lay around the branch: a target that was
/// missing, a checkout in the way, a locked repository.
pub(super) fn failed_in_passing(report: &serde_json::Value) -> bool {
    report.get("passing") == Some(&json!(true))
        || report.get("conclusion") == Some(&json!(Conclusion::Refused))
}

/// How this project merges into a branch.
pub fn context(paths: &ProjectPaths, config: &Config, target: &str) -> MergeContext {
    let gates = config.project.quality_gates.iter().map(|g| Gate {
        name: g.name.clone(),
        command: g.command.clone(),
        description: g.description.clone(),
    });
    MergeContext {
        root: paths.root.clone(),
        target_branch: target.to_owned(),
        gates: gates.collect(),
        gate_time_limit: Duration::from_millis(config.merge.gate_timeout_ms),
        gate_retries: config.merge.gate_retries,
        parallel: config.merge.parallel as usize,
        on_displaced: config.merge.on_displaced,
    }
}

/// Merges one entry. `None` when somebody else has taken it.
pub fn land(
    paths: &ProjectPaths,
    context: &MergeContext,
    row: &QueueRow,
    resolver: Option<&dyn ConflictResolver>,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<Option<Landed>, CoordinatorError> {
    let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
    if !claim(&queue, row)? {
        return Ok(None);
    }
    let item = item(row);
    attempt(paths, context, row, observer, |observer| match resolver {
        Some(resolver) => merge::execute_with_resolver(context, &item, resolver, observer),
        None => merge::execute(context, &item, observer),
    })
    .map(Some)
}

/// Runs an attempt on a claimed entry: its progress is written down while it runs, its end stored.
fn attempt(
    paths: &ProjectPaths,
    context: &MergeContext,
    row: &QueueRow,
    observer: &mut dyn FnMut(MergeProgress<'_>),
    run: impl FnOnce(&mut dyn FnMut(MergeProgress<'_>)) -> Result<MergeReport, MergeError>,
) -> Result<Landed, CoordinatorError> {
    let mut progress = Progress::begin(paths, &[row.id], context.gates.len());
    let result = run(&mut |news| {
        progress.note(row.id, &news);
        observer(news);
    });
    let landed = conclude(paths, row, &context.target_branch, result);
    progress.ended(row.id);
    landed
}

/// What became of an entry that was reviewed.
#[derive(Debug)]
pub enum Reviewed {
    Report(Box<MergeReport>),
    /// The target or the branch is not what was reviewed; nothing has changed.
    Outdated,
    /// Somebody else has the entry, or merges into the same branch; nothing has changed.
    Taken,
    Error(MergeError),
}

/// Lands one entry as a review decided.
pub fn land_reviewed(
    paths: &ProjectPaths,
    context: &MergeContext,
    row: &QueueRow,
    review: &Review,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<Reviewed, CoordinatorError> {
    let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
    if !claim(&queue, row)? {
        return Ok(Reviewed::Taken);
    }
    let back = || {
        let from = [MergeStatus::Merging];
        let tier = row.entry.resolved_tier;
        queue.change_status(row.id, &from, row.entry.status, tier)
    };
    let mut progress = Progress::begin(paths, &[row.id], context.gates.len());
    let result = merge::execute_reviewed(context, &item(row), review, &mut |news| {
        progress.note(row.id, &news);
        observer(news);
    });
    let reviewed = match result {
        Err(MergeError::ReviewOutdated { .. } | MergeError::ReviewIncomplete { .. }) => {
            back()?;
            Ok(Reviewed::Outdated)
        }
        Err(MergeError::Locked { .. }) => {
            back()?;
            Ok(Reviewed::Taken)
        }
        result => Ok(
            match conclude(paths, row, &context.target_branch, result)? {
                Landed::Report(report) => Reviewed::Report(report),
                Landed::Busy(_) => Reviewed::Taken,
                Landed::Error(error) => Reviewed::Error(error),
            },
        ),
    };
    progress.ended(row.id);
    reviewed
}

/// Takes an entry; `false` when somebody else has it.
pub(super) fn claim(queue: &MergeQueueStore, row: &QueueRow) -> Result<bool, CoordinatorError> {
    let claimable = [
        MergeStatus::Pending,
        MergeStatus::Conflict,
        MergeStatus::Failed,
    ];
    Ok(queue.change_status(row.id, &claimable, MergeStatus::Merging, None)?)
}

/// What is merged for an entry.
pub fn item(row: &QueueRow) -> MergeItem {
    MergeItem {
        branch: row.entry.branch_name.clone(),
        agent: row.entry.agent_name.clone(),
        task: row.entry.task_id.clone(),
    }
}

/// Stores how an attempt ended and tells everybody.
pub(super) fn conclude(
    paths: &ProjectPaths,
    row: &QueueRow,
    target: &str,
    result: Result<MergeReport, MergeError>,
) -> Result<Landed, CoordinatorError> {
    let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
    let back = |status| queue.change_status(row.id, &[MergeStatus::Merging], status, None);
    let report = match result {
        Ok(report) => report,
        Err(error @ MergeError::Locked { .. }) => {
            back(MergeStatus::Pending)?;
            return Ok(Landed::Busy(error));
        }
        Err(error) => {
            back(MergeStatus::Failed)?;
            store(
                paths,
                row,
                &json!({"conclusion": "failed", "errorMessage": error.to_string(),
                    "passing": error.is_passing()}),
            )?;
            tell(paths, row, target, &Err(error.to_string()))?;
            return Ok(Landed::Error(error));
        }
    };
    record(paths, row, &report)?;
    Ok(Landed::Report(Box::new(report)))
}

/// Stores a finished attempt, in an order in which being killed at any point loses nothing: the
/// receipt first, then the queue, and the journal is settled last.
fn record(
    paths: &ProjectPaths,
    row: &QueueRow,
    report: &MergeReport,
) -> Result<(), CoordinatorError> {
    let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
    store(paths, row, &json!(report))?;
    let tier = Some(report.tier);
    queue.change_status(row.id, &[MergeStatus::Merging], report.queue_status(), tier)?;
    learning::from_attempt(paths, row, report);
    tell(paths, row, &report.target, &Ok(report))?;
    if let Some(receipt) = &report.receipt {
        merge::settle_journal(&paths.root, &receipt.id)?;
    }
    Ok(())
}

fn store(
    paths: &ProjectPaths,
    row: &QueueRow,
    report: &serde_json::Value,
) -> Result<(), CoordinatorError> {
    GroveStore::open(&paths.grove_db())?.save_merge_report(
        row.id,
        &row.entry.branch_name,
        report,
    )?;
    Ok(())
}

/// Mails and records the outcome.
fn tell(
    paths: &ProjectPaths,
    row: &QueueRow,
    target: &str,
    outcome: &Result<&MergeReport, String>,
) -> Result<(), CoordinatorError> {
    let entry = &row.entry;
    let session = SessionStore::open(&paths.sessions_db())?.get(&entry.agent_name)?;
    let parent = session.as_ref().and_then(|s| s.parent_agent.clone());
    let mut to = vec![superior(&row.entry.agent_name, parent.as_deref())];
    if session.is_some_and(|s| s.state.is_active()) {
        to.push(entry.agent_name.clone());
    }
    let landed = outcome.as_ref().is_ok_and(|r| r.is_success());
    let (kind, subject, body, payload) = match outcome {
        Ok(report) if landed => (
            MailType::Merged,
            format!("Merged: {} into {target}", entry.branch_name),
            format!(
                "{} landed on {target} ({}){}.",
                entry.branch_name,
                report.tier,
                report
                    .merged_commit
                    .as_deref()
                    .map(|c| format!(" as {}", short(c)))
                    .unwrap_or_default()
            ),
            json!({"branch": entry.branch_name, "taskId": entry.task_id, "tier": report.tier}),
        ),
        Ok(report) => (
            MailType::MergeFailed,
            format!("Merge failed: {} into {target}", entry.branch_name),
            failure_text(report, target),
            json!({"branch": entry.branch_name, "taskId": entry.task_id,
                "conflictFiles": report.conflict_files, "errorMessage": report.error_message}),
        ),
        Err(message) => (
            MailType::MergeFailed,
            format!("Merge failed: {} into {target}", entry.branch_name),
            format!("{message}\n{target} is untouched."),
            json!({"branch": entry.branch_name, "taskId": entry.task_id,
                "conflictFiles": [], "errorMessage": message}),
        ),
    };
    for recipient in to {
        let mut mail = NewMail::new(SENDER, &recipient, kind, &subject, &body);
        mail.payload = Some(payload.to_string());
        if !landed {
            mail.priority = MailPriority::High;
        }
        post::post(paths, &mail)?;
        post::announce(paths, &recipient);
    }
    let mut event = NewEvent::new(&entry.agent_name, EventType::Custom);
    event.level = if landed { Level::Info } else { Level::Warn };
    let data = json!({"type": if landed { "merged" } else { "merge_failed" },
        "branch": entry.branch_name, "target": target, "detail": body});
    EventStore::open(&paths.events_db())?.insert(&event.data(&data))?;
    Ok(())
}

fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}

/// Says what went wrong, with what is needed to put it right.
fn failure_text(report: &MergeReport, target: &str) -> String {
    let mut lines = Vec::new();
    match report.conclusion {
        Conclusion::Held => {
            lines.push(format!(
                "The merge is held: {target} and the branch changed the same lines."
            ));
            for hunk in &report.displaced {
                lines.push(format!(
                    "{}:{} — {} by {} would be displaced",
                    hunk.file,
                    hunk.start_line,
                    crate::text::counted(hunk.line_count, "line"),
                    hunk.agent
                ));
            }
        }
        Conclusion::GatesRed => {
            lines.push("A quality gate is red on the merged tree.".to_owned());
            for gate in report.gates.iter().filter(|g| !g.passed) {
                let code = gate
                    .exit_code
                    .map_or_else(|| "no exit code".to_owned(), |c| format!("exit code {c}"));
                lines.push(format!(
                    "{} failed ({code}). The end of its output:",
                    gate.name
                ));
                lines.push(gate.output_tail.clone());
            }
        }
        Conclusion::Refused
        | Conclusion::Failed
        | Conclusion::Landed
        | Conclusion::AlreadyMerged => {
            lines.extend(report.error_message.clone());
        }
    }
    if !report.conflict_files.is_empty() {
        lines.push(format!(
            "Conflict files: {}",
            report.conflict_files.join(", ")
        ));
    }
    lines.extend(report.warnings.iter().cloned());
    lines.push(if report.conclusion == Conclusion::Refused {
        format!(
            "{target} is untouched. The branch lands once the checkout of {target} is out of the way: grove merge --branch {}",
            report.branch
        )
    } else {
        format!(
            "{target} is untouched. Merge {target} into the branch, resolve, commit and report worker_done again."
        )
    });
    lines.join("\n")
}

/// Brings merges that were killed to an end: landed ones are recorded, others queued again.
pub fn recover(paths: &ProjectPaths) -> Result<Vec<String>, CoordinatorError> {
    let mut told = Vec::new();
    let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
    for recovery in merge::recover(&paths.root)? {
        let row = queue.by_branch(&recovery.branch)?;
        match recovery.verdict {
            Verdict::Landed(receipt) => {
                if let Some(row) = row {
                    let report = json!({"conclusion": "landed", "branch": recovery.branch,
                        "target": recovery.target, "tier": receipt.tier, "receipt": receipt,
                        "mergedCommit": receipt.merged_commit});
                    store(paths, &row, &report)?;
                    let from = [
                        MergeStatus::Merging,
                        MergeStatus::Pending,
                        MergeStatus::Failed,
                    ];
                    queue.change_status(row.id, &from, MergeStatus::Merged, Some(receipt.tier))?;
                }
                merge::settle_journal(&paths.root, &recovery.id)?;
                told.push(format!(
                    "{} had landed on {}",
                    recovery.branch, recovery.target
                ));
            }
            Verdict::RolledBack { reason } => {
                told.push(format!(
                    "{} was taken back and is queued again: {reason}",
                    recovery.branch
                ));
            }
            Verdict::InProgress { .. } => {}
        }
    }
    let grove = GroveStore::open(&paths.grove_db())?;
    for gone in grove.merge_progress()? {
        if liveness::check(gone.process) == Liveness::Dead {
            grove.clear_merge_progress(gone.queue_id)?;
        }
    }
    // An entry of a process that is gone: nobody holds the lock of its target.
    for row in queue.with_status(MergeStatus::Merging)? {
        if no_merge_running(paths)?
            && queue.change_status(row.id, &[MergeStatus::Merging], MergeStatus::Pending, None)?
        {
            told.push(format!("{} is queued again", row.entry.branch_name));
        }
    }
    Ok(told)
}

fn no_merge_running(paths: &ProjectPaths) -> Result<bool, CoordinatorError> {
    let dir = paths.dir();
    let locks = std::fs::read_dir(&dir).map_err(|source| fs::FsError {
        op: "list",
        path: dir.clone(),
        source,
    })?;
    for entry in locks.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(branch) = name
            .strip_prefix("merge-")
            .and_then(|n| n.strip_suffix(".lock"))
        else {
            continue;
        };
        if merge::held_since(&paths.root, branch).is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}
