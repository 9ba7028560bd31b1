//! Taking one entry of the merge queue to its end, and telling everybody.

use super::decisions::AllDecided;
use super::merge_retry::{self, Retry};
use super::progress::Progress;
use super::{CoordinatorError, announce_merge, learning, own_branch, queue};
use crate::config::{self, Config};
use crate::db::merge_queue::QueueRow;
use crate::db::merge_retries::RetryRow;
use crate::db::{GroveStore, MergeQueueStore};
use crate::git::{DRIVERS_MAY_TAKE, GitError, Repo};
use crate::merge::{
    self, CallOff, Conclusion, ConflictResolver, Gate, MergeContext, MergeError, MergeLock,
    MergeProgress, MergeReport, OwnSettings, scratch_name,
};
use crate::platform::{ProjectPaths, clock};
use crate::types::merge::{MergeReceipt, MergeStatus};
use crate::worktree::target_branch;
use serde_json::json;
use std::time::Duration;

/// What became of an entry.
#[derive(Debug)]
pub enum Landed {
    Report(Box<MergeReport>),
    /// Another process merges into the same branch, or it was cancelled; the entry is as before.
    Busy(MergeError),
    /// The queue was paused before it could land; the entry waits as before.
    Paused,
    /// Others have landed, and then nothing more could: why. The entry waits as before.
    Stopped(String),
    /// The merge could not be tried: why, and what becomes of it. The entry counts as failed.
    Error(String),
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
pub fn failed_in_passing(report: &serde_json::Value) -> bool {
    report.get("passing") == Some(&json!(true))
        || report.get("conclusion") == Some(&json!(Conclusion::Refused))
}

/// Whether a stored attempt was cancelled: the branch is out of its turn, and nothing is wrong with it.
pub fn was_cancelled(report: &serde_json::Value) -> bool {
    report.get("cancelled") == Some(&json!(true))
}

/// Opens the project's repository for planning merges, with its limit for merge drivers.
pub fn repository(paths: &ProjectPaths, config: &Config) -> Result<Repo, GitError> {
    opened(paths, driver_limit(config))
}

/// As `repository`, for whoever has not read the configuration; what cannot be read sets no limit of its own.
pub(super) fn repository_of(paths: &ProjectPaths) -> Result<Repo, GitError> {
    opened(paths, limit_of(paths))
}

fn opened(paths: &ProjectPaths, limit: Duration) -> Result<Repo, GitError> {
    let repo = Repo::discover(&paths.root)?.with_driver_limit(limit);
    Ok(repo.with_driver_place(scratch_name(&paths.root), &paths.root))
}

/// How long hooks, filters and merge drivers may take in this project.
pub(super) fn limit_of(paths: &ProjectPaths) -> Duration {
    match config::load(&paths.root) {
        Ok(loaded) => driver_limit(&loaded.config),
        Err(error) => {
            tracing::debug!("merge.driverTimeoutMs is not known: {error}");
            DRIVERS_MAY_TAKE
        }
    }
}

pub(super) fn driver_limit(config: &Config) -> Duration {
    Duration::from_millis(config.merge.driver_timeout_ms)
}

/// How this project merges into a branch. Who knows that a person wants one that changes grove's own settings
/// says so in `own_settings`.
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
        driver_time_limit: driver_limit(config),
        gate_retries: config.merge.gate_retries,
        parallel: config.merge.parallel as usize,
        on_displaced: config.merge.on_displaced,
        call_off: CallOff::default(),
        own_settings: OwnSettings::Hold,
    }
}

/// Merges one entry. `None` when somebody else has taken it. The lock comes before the entry: who has to wait for another
/// merge keeps nothing from it.
pub fn land(
    paths: &ProjectPaths,
    context: &MergeContext,
    row: &QueueRow,
    resolver: Option<&dyn ConflictResolver>,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<Option<Landed>, CoordinatorError> {
    let lock = match MergeLock::acquire(&context.root, &context.target_branch) {
        Err(error @ MergeError::Locked { .. }) => {
            queue::asked(paths, row)?;
            return Ok(Some(Landed::Busy(error)));
        }
        taken => taken?,
    };
    let item = AllDecided::open(paths)?.item(row)?;
    let mut progress = Progress::begin(paths, context.gates.len())?;
    if !claim(paths, row, &mut progress)? {
        return Ok(None);
    }
    context.call_off.begin(&row.entry.branch_name);
    let noted = &mut |news: MergeProgress<'_>| {
        progress.note(row.id, &news);
        observer(news);
    };
    let result = merge::execute_with_lock(lock, (context, &item), resolver, noted);
    let result = result.map_err(|error| context.call_off.meant(&item.branch, error));
    // The entry is given back when its end is stored.
    conclude(paths, row, &context.target_branch, result).map(Some)
}

/// Takes an entry; `false` when somebody else has it. It is had before it says `merging`, so that
/// whoever sees that can tell whose it is.
pub(super) fn claim(
    paths: &ProjectPaths,
    row: &QueueRow,
    progress: &mut Progress,
) -> Result<bool, CoordinatorError> {
    if !progress.take(row.id)? {
        return Ok(false);
    }
    let claimable = [
        MergeStatus::Pending,
        MergeStatus::Conflict,
        MergeStatus::Failed,
    ];
    let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
    let claimed = queue.change_status(row.id, &claimable, MergeStatus::Merging, None)?;
    if claimed {
        queue::asked(paths, row)?;
        if let Err(error) = own_branch::make_own(paths, row) {
            tracing::error!("{} was not looked at: {error}", row.entry.branch_name);
        }
    } else {
        progress.ended(row.id);
    }
    Ok(claimed)
}

/// The state of an entry that was taken and could not be tried: what a person has to look at does
/// not become something that lands by itself.
pub(super) fn untried(row: &QueueRow) -> MergeStatus {
    match row.entry.status {
        status @ (MergeStatus::Conflict | MergeStatus::Failed) => status,
        MergeStatus::Pending | MergeStatus::Merging | MergeStatus::Merged => MergeStatus::Pending,
    }
}

/// Stores how an attempt ended and tells everybody.
pub(super) fn conclude(
    paths: &ProjectPaths,
    row: &QueueRow,
    target: &str,
    result: Result<MergeReport, MergeError>,
) -> Result<Landed, CoordinatorError> {
    let back = |status| -> Result<bool, CoordinatorError> {
        let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
        Ok(queue.change_status(row.id, &[MergeStatus::Merging], status, None)?)
    };
    match result {
        Ok(mut report) => {
            match (record(paths, row, &report), &report.receipt) {
                (Ok(()), _) => {}
                // The target has moved, whoever can be told of it now. The journal still has it.
                (Err(error), Some(receipt)) => {
                    let said = not_told(receipt, &error);
                    report.warnings.push(said);
                }
                (Err(error), None) => return Err(error),
            }
            Ok(Landed::Report(Box::new(report)))
        }
        Err(
            error @ (MergeError::Locked { .. }
            | MergeError::CalledOff { waits: true, .. }
            | MergeError::BrokenOff { .. }),
        ) => {
            back(untried(row))?;
            Ok(Landed::Busy(error))
        }
        Err(error) => {
            let (why, is_news) = why_untried(paths, row, &error)?;
            let mut attempt = json!({"conclusion": "failed", "errorMessage": why,
                "passing": error.is_passing()});
            if let (MergeError::CalledOff { .. }, Some(fields)) = (&error, attempt.as_object_mut())
            {
                fields.insert("cancelled".to_owned(), json!(true));
            }
            store(paths, row, &attempt)?;
            back(MergeStatus::Failed)?;
            if is_news {
                announce_merge::tell(paths, row, target, &Err(why.clone()))?;
            }
            Ok(Landed::Error(why))
        }
    }
}

/// Says of a merge that has landed why nobody could be told, and who will be.
fn not_told(receipt: &MergeReceipt, error: &CoordinatorError) -> String {
    format!(
        "it has landed (receipt {}), but not everything about it could be stored and mailed: {}; the next start of \
         `grove merge` or of a coordinator makes up for it",
        receipt.id,
        error.without_advice()
    )
}

/// Says why a merge could not be tried and stores whether it is tried again by itself; tells whether
/// that is news: nobody wants to hear of every try.
fn why_untried(
    paths: &ProjectPaths,
    row: &QueueRow,
    error: &MergeError,
) -> Result<(String, bool), CoordinatorError> {
    if !error.is_out_of_room() {
        retry_at(paths, row, None)?;
        // Whoever has cancelled it knows.
        let is_news = !matches!(error, MergeError::CalledOff { .. });
        return Ok((error.to_string(), is_news));
    }
    let tried = GroveStore::look(&paths.grove_db())?.merge_retries()?;
    let tried = tried.get(&row.id).map_or(0, |retry| retry.number);
    let next = Retry::after(tried, clock::now());
    retry_at(paths, row, next)?;
    let is_news = next.is_none_or(|next| next.is_first());
    Ok((
        format!("{error}; {}", merge_retry::told(next.as_ref())),
        is_news,
    ))
}

fn retry_at(
    paths: &ProjectPaths,
    row: &QueueRow,
    next: Option<Retry>,
) -> Result<(), CoordinatorError> {
    let grove = GroveStore::open(&paths.grove_db())?;
    let known = grove.merge_retries()?.contains_key(&row.id);
    if known || next.is_some() {
        let next = next.map(|next| RetryRow {
            number: next.number,
            due_ms: next.due.0,
        });
        grove.set_merge_retry(row.id, next)?;
    }
    Ok(())
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
    let landed = [
        MergeStatus::Merging,
        MergeStatus::Pending,
        MergeStatus::Conflict,
        MergeStatus::Failed,
    ];
    // What has landed is merged, whatever somebody else has made of the entry meanwhile.
    let from: &[MergeStatus] = if report.is_success() {
        &landed
    } else {
        &[MergeStatus::Merging]
    };
    queue.change_status(row.id, from, report.queue_status(), Some(report.tier))?;
    learning::from_attempt(paths, row, report);
    announce_merge::tell(paths, row, &report.target, &Ok(report))?;
    retry_at(paths, row, None)?;
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

#[cfg(test)]
#[path = "landing_tests.rs"]
mod tests;
