//! Landing one entry as a review decided, when its turn has come.

use super::CoordinatorError;
use super::decisions::undecided;
use super::landing::{self, Landed};
use super::progress::Progress;
use crate::db::MergeQueueStore;
use crate::db::merge_queue::QueueRow;
use crate::merge::{self, MergeContext, MergeError, MergeProgress, MergeReport, Review};
use crate::platform::ProjectPaths;
use crate::types::merge::MergeStatus;
use std::time::Duration;

/// How often it is looked whether another merge has ended.
const LOOKS_EVERY: Duration = Duration::from_millis(100);

/// What became of an entry that was reviewed.
#[derive(Debug)]
pub enum Reviewed {
    Report(Box<MergeReport>),
    /// The target or the branch is not what was reviewed; nothing has changed.
    Outdated,
    /// Somebody else has the entry; nothing has changed.
    Taken,
    /// Somebody else merges into the same branch, and was not waited for to the end; nothing has changed.
    Busy(MergeError),
    Error(String),
}

/// What is landed, and how.
pub struct Decided<'a> {
    pub context: &'a MergeContext,
    pub row: &'a QueueRow,
    pub review: &'a Review,
    /// Asked again and again while another merge goes into the same branch: whether to go on waiting for its end.
    pub waits: &'a dyn Fn() -> bool,
}

/// Lands one entry as a review decided. While it waits for its turn, the loop begins no other merge.
pub fn land_reviewed(
    paths: &ProjectPaths,
    decided: &Decided<'_>,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<Reviewed, CoordinatorError> {
    let Decided {
        context,
        row,
        review,
        waits,
    } = decided;
    let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
    let mut progress = Progress::begin(paths, context.gates.len())?;
    if !landing::claim(paths, row, &mut progress)? {
        return Ok(Reviewed::Taken);
    }
    context.call_off.begin(&row.entry.branch_name);
    let back = || {
        let from = [MergeStatus::Merging];
        let tier = row.entry.resolved_tier;
        queue.change_status(row.id, &from, row.entry.status, tier)
    };
    // What it says is what counts, whatever was kept before.
    let item = undecided(row);
    let result = loop {
        let tried = merge::execute_reviewed(context, &item, review, &mut |news| {
            progress.note(row.id, &news);
            observer(news);
        });
        match tried {
            Err(MergeError::Locked { .. }) if waits() => {
                progress.waits_for_its_turn(row.id);
                std::thread::sleep(LOOKS_EVERY);
                let target = &context.target_branch;
                while merge::held_since(&paths.root, target).is_some() && waits() {
                    std::thread::sleep(LOOKS_EVERY);
                }
            }
            tried => break tried,
        }
    };
    match result {
        Err(MergeError::ReviewOutdated { .. } | MergeError::ReviewIncomplete { .. }) => {
            back()?;
            Ok(Reviewed::Outdated)
        }
        Err(error @ MergeError::Locked { .. }) => {
            back()?;
            Ok(Reviewed::Busy(error))
        }
        // It still is to be decided, in one case about what the driver makes now.
        Err(error @ (MergeError::DriverDiffers { .. } | MergeError::CalledOff { .. })) => {
            back()?;
            Ok(Reviewed::Error(error.to_string()))
        }
        result => Ok(
            match landing::conclude(paths, row, &context.target_branch, result)? {
                Landed::Report(report) => Reviewed::Report(report),
                Landed::Busy(error) => Reviewed::Busy(error),
                Landed::Paused => Reviewed::Taken,
                Landed::Stopped(error) | Landed::Error(error) => Reviewed::Error(error),
            },
        ),
    }
}
