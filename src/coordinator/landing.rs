//! Taking one entry of the merge queue to its end, and telling everybody.

use super::progress::Progress;
use super::{CoordinatorError, announce_merge, learning};
use crate::config::Config;
use crate::db::merge_queue::QueueRow;
use crate::db::{GroveStore, MergeQueueStore};
use crate::merge::{
    self, Conclusion, ConflictResolver, Gate, MergeContext, MergeError, MergeItem, MergeProgress,
    MergeReport, Review,
};
use crate::platform::ProjectPaths;
use crate::types::merge::MergeStatus;
use crate::worktree::target_branch;
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
    Ok(target_branch(paths, &config.project.canonical_branch)?)
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
        sandbox: config.sandbox.clone(),
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
            store(
                paths,
                row,
                &json!({"conclusion": "failed", "errorMessage": error.to_string(),
                    "passing": error.is_passing()}),
            )?;
            back(MergeStatus::Failed)?;
            announce_merge::tell(paths, row, target, &Err(error.to_string()))?;
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
    announce_merge::tell(paths, row, &report.target, &Ok(report))?;
    if let Some(receipt) = &report.receipt {
        merge::settle_journal(&paths.root, &receipt.id)?;
    }
    Ok(())
}

pub(super) fn store(
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
