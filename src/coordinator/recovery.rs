//! Bringing merges that were killed to an end: the journal says which have landed, and the queue is told.

use super::CoordinatorError;
use super::announce_merge;
use super::landing::{limit_of, store};
use super::progress::Progress;
use super::receipts;
use crate::db::{GroveStore, MergeQueueStore};
use crate::merge::{self, MergeReport, Verdict};
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, fs};
use crate::types::merge::{MergeReceipt, MergeStatus};
use serde_json::json;

/// What was done about a killed merge, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub line: String,
    /// Whether it is about the user's checkout or a merge that was being taken back: then whoever
    /// starts the next merge has to hear of it.
    pub is_for_user: bool,
}

impl Told {
    fn of_queue(line: String) -> Self {
        let is_for_user = false;
        Self { line, is_for_user }
    }

    fn for_user(line: String) -> Self {
        let is_for_user = true;
        Self { line, is_for_user }
    }
}

/// Brings merges that were killed to an end: landed ones are recorded, others queued again; the same
/// for merges that were being taken back.
pub fn recover(paths: &ProjectPaths) -> Result<Vec<Told>, CoordinatorError> {
    let mut told = Vec::new();
    let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
    for recovery in merge::recover_within(&paths.root, limit_of(paths))? {
        for lock in &recovery.removed_locks {
            told.push(Told::for_user(format!(
                "removed {}, which a killed git had left while it updated {}",
                lock.display(),
                recovery.target
            )));
        }
        match recovery.verdict {
            Verdict::Landed(receipt) => {
                match record_landed(paths, &queue, &receipt)? {
                    Recorded::ByItself => continue,
                    // The journal keeps it for the next start, and nobody else's merge waits for that.
                    Recorded::Untold(error) => {
                        told.push(Told::for_user(format!(
                            "{} has landed on {}, but the mail about it could not be sent yet: {}",
                            recovery.branch,
                            recovery.target,
                            error.without_advice()
                        )));
                        continue;
                    }
                    Recorded::Now => {}
                }
                merge::settle_journal(&paths.root, &recovery.id)?;
                told.push(Told::for_user(format!(
                    "the merge of {}, which was broken off, has landed on {}",
                    recovery.branch, recovery.target
                )));
            }
            Verdict::RolledBack { reason } => {
                told.push(Told::for_user(format!(
                    "the merge of {}, which was broken off, was taken back and is queued again: {reason}",
                    recovery.branch
                )));
            }
            Verdict::SetBack => {
                let said = format!(
                    "it had landed on {target} before that was stored, and {target} was set back by hand since: \
                     `grove merge --branch {branch}` lands it again",
                    target = recovery.target,
                    branch = recovery.branch
                );
                if record_failed(paths, &queue, &recovery.branch, &said)? {
                    told.push(Told::for_user(format!(
                        "the merge of {}, which was broken off, is not queued again: {said}",
                        recovery.branch
                    )));
                }
            }
            Verdict::Undone { receipt, undo } => {
                let line = format!(
                    "the merge of {} had been taken back from {}",
                    recovery.branch, recovery.target
                );
                let noted = receipts::note_found_undone(paths, &receipt, &undo);
                told.push(Told::for_user(match noted {
                    Ok(()) => line,
                    // The journal keeps it for the next start, and nobody else's merge waits for that.
                    Err(error) => format!(
                        "{line}, but that could not be stored yet: {}",
                        error.without_advice()
                    ),
                }));
            }
            Verdict::UndoRolledBack { reason } => told.push(Told::for_user(format!(
                "the merge of {} is still on {}, taking it back did not come to its end: {reason}",
                recovery.branch, recovery.target
            ))),
            Verdict::Waits { reason } => told.push(Told::for_user(format!(
                "the merge of {} into {} is neither landed nor taken back: {reason}",
                recovery.branch, recovery.target
            ))),
            Verdict::InProgress { .. } => {}
        }
    }
    let grove = GroveStore::open(&paths.grove_db())?;
    for gone in grove.merge_progress()? {
        if liveness::check(gone.process) == Liveness::Dead {
            grove.clear_merge_progress(gone.queue_id, gone.process)?;
        }
    }
    // An entry that nobody has, of a process that is gone: nobody holds the lock of its target either.
    for row in queue.with_status(MergeStatus::Merging)? {
        let mut mine = Progress::begin(paths, 0)?;
        if mine.take(row.id)?
            && no_merge_running(paths)?
            && queue.change_status(row.id, &[MergeStatus::Merging], MergeStatus::Pending, None)?
        {
            told.push(Told::of_queue(format!(
                "{} is queued again",
                row.entry.branch_name
            )));
        }
    }
    Ok(told)
}

/// What became of the news that a merge has landed.
enum Recorded {
    Now,
    /// Whoever merges still has the entry.
    ByItself,
    /// It is stored, and somebody could not be told.
    Untold(CoordinatorError),
}

/// Stores that a merge has landed whose process could not say so, and tells whom it has not told.
fn record_landed(
    paths: &ProjectPaths,
    queue: &MergeQueueStore,
    receipt: &MergeReceipt,
) -> Result<Recorded, CoordinatorError> {
    let mut rows = queue.all()?;
    rows.retain(|row| row.entry.branch_name == receipt.branch);
    // A branch may have come again while it was merged.
    let merging = rows
        .iter()
        .find(|row| row.entry.status == MergeStatus::Merging);
    let Some(row) = merging.or(rows.last()) else {
        return Ok(Recorded::Now);
    };
    let mut mine = Progress::begin(paths, 0)?;
    if !mine.take(row.id)? {
        return Ok(Recorded::ByItself);
    }
    let stored = receipts::find_stored(paths, &receipt.id)?;
    let report = match stored.and_then(|stored| stored.landing()) {
        Some(report) => report,
        None => {
            let report = MergeReport::landed(receipt);
            store(paths, row, &json!(report))?;
            report
        }
    };
    let from = [
        MergeStatus::Merging,
        MergeStatus::Pending,
        MergeStatus::Failed,
    ];
    queue.change_status(row.id, &from, MergeStatus::Merged, Some(receipt.tier))?;
    Ok(
        match announce_merge::tell_again(paths, row, receipt, &report) {
            Ok(()) => Recorded::Now,
            Err(error) => Recorded::Untold(error),
        },
    )
}

/// Stores why a branch waits for somebody to merge it again; `false` when whoever merges still has the entry.
fn record_failed(
    paths: &ProjectPaths,
    queue: &MergeQueueStore,
    branch: &str,
    why: &str,
) -> Result<bool, CoordinatorError> {
    let waiting = [MergeStatus::Merging, MergeStatus::Pending];
    for row in queue.all()? {
        let is_it = row.entry.branch_name == branch && waiting.contains(&row.entry.status);
        if !is_it {
            continue;
        }
        let mut mine = Progress::begin(paths, 0)?;
        if !mine.take(row.id)? {
            return Ok(false);
        }
        let report = json!({"conclusion": "failed", "errorMessage": why, "passing": false});
        store(paths, &row, &report)?;
        queue.change_status(row.id, &waiting, MergeStatus::Failed, None)?;
    }
    Ok(true)
}

pub(super) fn no_merge_running(paths: &ProjectPaths) -> Result<bool, CoordinatorError> {
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
        if merge::lock_held_since(&paths.root, branch).is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}
