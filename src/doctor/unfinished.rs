//! Merges that were broken off: by what they have left half written, and by entries of the queue that nobody is at.

use super::{Check, Patient};
use crate::db::merge_queue::QueueRow;
use crate::db::{DbError, GroveStore};
use crate::merge::{LeftCheckout, Step, Unfinished, unfinished};
use crate::platform::holders::Holder;
use crate::platform::liveness::{self, Liveness};
use crate::types::merge::MergeStatus;

const NAME: &str = "Merges that were broken off";
/// Who brings merges to their end that were broken off.
const NEXT_START: &str = "the next 'grove merge', or start of the coordinator or the screen,";

/// Says nothing where nothing is wrong: the list of all checks is read by other programs.
pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let found = match unfinished(&patient.paths.root) {
        Ok(found) => found,
        Err(error) => {
            let message = format!("Whether merges were broken off cannot be seen: {error}");
            return vec![Check::warn(NAME, message).not_fixable()];
        }
    };
    let mut checks = Vec::new();
    if !found.merges.is_empty() {
        let message = format!(
            "{} merge(s) were broken off; {NEXT_START} brings them to an end",
            found.merges.len()
        );
        let details = found.merges.iter().flat_map(lines).collect();
        let needs_somebody = found
            .merges
            .iter()
            .any(|merge| merge.checkouts.iter().any(is_held));
        let check = if needs_somebody {
            Check::fail(NAME, message)
        } else {
            Check::warn(NAME, message)
        };
        checks.push(check.details(details).not_fixable());
    }
    if !found.unreadable.is_empty() {
        let message = format!(
            "{} record(s) of merges under way cannot be read: see by 'git log' what has landed, then remove them",
            found.unreadable.len()
        );
        let details = found.unreadable.iter();
        let details = details.map(|path| path.display().to_string()).collect();
        let check = Check::warn("Unreadable records of merges", message);
        checks.push(check.details(details).not_fixable());
    }
    checks
}

/// Whether somebody has to do something before the checkout can be put right.
fn is_held(checkout: &LeftCheckout) -> bool {
    checkout
        .lock
        .as_ref()
        .is_some_and(|(_, by)| *by != Holder::Nobody)
}

fn lines(merge: &Unfinished) -> Vec<String> {
    let Unfinished { branch, target, .. } = merge;
    let landed = || format!("{branch} into {target}: it has landed, which is not recorded yet");
    let what = match merge.step {
        Step::Undoing if merge.has_moved => {
            return vec![format!(
                "{branch} into {target}: it was taken back, which is not recorded yet"
            )];
        }
        Step::Landing if merge.has_moved => {
            return vec![landed()];
        }
        Step::Planned | Step::Gated => {
            return vec![format!(
                "{branch} into {target}: stopped before it landed; {target} is as it was, and the branch waits again"
            )];
        }
        Step::Landed => {
            return vec![landed()];
        }
        Step::Landing => format!("{branch} into {target}: stopped while it landed"),
        Step::Undoing => {
            format!("{branch} into {target}: stopped while it was being taken back")
        }
    };
    if merge.checkouts.is_empty() {
        return vec![format!("{what}; no checkout is concerned")];
    }
    let of = |checkout| format!("{what}; {}", line(checkout));
    merge.checkouts.iter().map(of).collect()
}

fn line(checkout: &LeftCheckout) -> String {
    let half = format!(
        "{} may be half written and is put right then; what you have changed there since stays, and is named",
        checkout.path.display()
    );
    match &checkout.lock {
        None => half,
        Some((lock, Holder::Nobody)) => {
            format!(
                "{half}; {}, which a killed git has left, goes",
                lock.display()
            )
        }
        Some((lock, Holder::Process(pid))) => format!(
            "{half}; process {pid} may hold {}: let it end, or if it is no git at work, remove that file",
            lock.display()
        ),
        Some((lock, Holder::Unknown)) => format!(
            "{half}; if no git is running there, remove {}",
            lock.display()
        ),
    }
}

/// The entries that a process which is gone has left as `merging`.
pub(super) fn left_merging<'r>(
    patient: &Patient,
    rows: &'r [QueueRow],
) -> Result<Vec<&'r QueueRow>, DbError> {
    let is_merging = |row: &&QueueRow| row.entry.status == MergeStatus::Merging;
    if rows.iter().all(|row| !is_merging(&row)) {
        return Ok(Vec::new());
    }
    let progress = GroveStore::look(&patient.paths.grove_db())?.merge_progress()?;
    let is_left = |row: &&QueueRow| {
        // One that nobody of grove's has is ov's.
        let mut holders = progress.iter().filter(|held| held.queue_id == row.id);
        holders.any(|held| liveness::check(held.process) == Liveness::Dead)
    };
    Ok(rows.iter().filter(is_merging).filter(is_left).collect())
}

/// What to say about those.
pub(super) fn about_left(left: &[&QueueRow]) -> Option<Check> {
    if left.is_empty() {
        return None;
    }
    let message = format!(
        "{} queue entries are left as merging by a process that is gone; {NEXT_START} takes them up again",
        left.len()
    );
    let details = left.iter().map(|row| row.entry.branch_name.clone());
    let check = Check::warn("merge-queue.db broken off", message);
    Some(check.details(details.collect()).not_fixable())
}
