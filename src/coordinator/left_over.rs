//! Entries that a dead process has left as `merging`, for those who only look: they have landed, or they wait and whoever
//! merges next takes them. Writes nothing; `recovery` does.

use std::collections::HashMap;

use super::CoordinatorError;
use crate::db::GroveStore;
use crate::db::merge_queue::QueueRow;
use crate::db::merging::MergeProgressRow;
use crate::merge;
use crate::platform::ProjectPaths;
use crate::platform::liveness::{self, Liveness};
use crate::types::merge::{MergeReceipt, MergeStatus};

/// Shows entries as they are whose merger is gone; returns the receipts of those that have landed, by their numbers.
pub fn show_as_they_are(
    paths: &ProjectPaths,
    rows: &mut [QueueRow],
) -> Result<HashMap<i64, MergeReceipt>, CoordinatorError> {
    if rows.iter().all(|row| !is_merging(row)) {
        return Ok(HashMap::new());
    }
    let progress = GroveStore::look(&paths.grove_db())?.merge_progress()?;
    let mut left: Vec<&mut QueueRow> = rows
        .iter_mut()
        .filter(|row| is_of_the_dead(row, &progress))
        .collect();
    if left.is_empty() {
        return Ok(HashMap::new());
    }
    let moved = merge::moved(&paths.root)?.into_iter();
    let landed = moved.filter(|entry| entry.undo.is_none());
    let landed: Vec<MergeReceipt> = landed.map(|entry| entry.receipt).collect();
    Ok(end(&mut left, &landed))
}

/// Whether the process that has an entry is gone. One that nobody of grove's has is ov's, and is shown as ov shows it.
fn is_of_the_dead(row: &QueueRow, progress: &[MergeProgressRow]) -> bool {
    let holder = progress.iter().find(|held| held.queue_id == row.id);
    is_merging(row) && holder.is_some_and(|held| liveness::check(held.process) == Liveness::Dead)
}

/// Gives entries that nobody is at the state that they have.
fn end(left: &mut [&mut QueueRow], landed: &[MergeReceipt]) -> HashMap<i64, MergeReceipt> {
    let mut receipts = HashMap::new();
    for row in left {
        let branch = &row.entry.branch_name;
        match landed.iter().find(|receipt| receipt.branch == *branch) {
            Some(receipt) => {
                row.entry.status = MergeStatus::Merged;
                row.entry.resolved_tier = Some(receipt.tier);
                receipts.insert(row.id, receipt.clone());
            }
            None => row.entry.status = MergeStatus::Pending,
        }
    }
    receipts
}

fn is_merging(row: &QueueRow) -> bool {
    row.entry.status == MergeStatus::Merging
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::MergeQueueStore;
    use crate::types::host::ProcessId;

    #[test]
    fn what_a_dead_merge_has_left_waits_for_those_who_look() {
        let dir = tempfile::tempdir().unwrap();
        let queue = MergeQueueStore::open(&dir.path().join("q.db")).unwrap();
        let held = |branch: &str, process: Option<ProcessId>| {
            let row = queue.enqueue(branch, "t", "a", &[]).unwrap();
            let from = [MergeStatus::Pending];
            let to = MergeStatus::Merging;
            assert!(queue.change_status(row.id, &from, to, None).unwrap());
            process.map(|process| MergeProgressRow {
                queue_id: row.id,
                process,
                began_at: String::new(),
                step: "gates".to_owned(),
                gate: None,
                done: 0,
                total: 1,
                since: String::new(),
            })
        };
        let mine = liveness::own_identity();
        let dead = ProcessId {
            start: mine.start + 1,
            ..mine
        };
        let progress = [
            held("dead", Some(dead)),
            held("mine", Some(mine)),
            held("ov", None),
        ];
        let progress: Vec<_> = progress.into_iter().flatten().collect();
        let mut rows = queue.all().unwrap();
        let left = rows.iter_mut().filter(|row| is_of_the_dead(row, &progress));
        end(&mut left.collect::<Vec<_>>(), &[]);
        let pending = rows.into_iter().filter(|row| !is_merging(row));
        let pending: Vec<_> = pending.map(|row| row.entry.branch_name).collect();
        assert_eq!(pending, ["dead"]);
    }
}
