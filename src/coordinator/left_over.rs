//! Entries that a dead process has left as `merging`, for those who only look: they wait, and whoever merges next takes
//! them. Writes nothing; `recovery` does.

use super::CoordinatorError;
use crate::db::GroveStore;
use crate::db::merge_queue::QueueRow;
use crate::db::merging::MergeProgressRow;
use crate::platform::ProjectPaths;
use crate::platform::liveness::{self, Liveness};
use crate::types::merge::MergeStatus;

/// Shows entries as pending whose merger is gone.
pub fn show_as_pending(
    paths: &ProjectPaths,
    rows: &mut [QueueRow],
) -> Result<(), CoordinatorError> {
    if rows.iter().all(|row| !is_merging(row)) {
        return Ok(());
    }
    let progress = GroveStore::look(&paths.grove_db())?.merge_progress()?;
    show_those_of_the_dead(rows, &progress);
    Ok(())
}

/// The same, given who has which entry. One that nobody of grove's has is ov's, and is shown as ov shows it.
pub fn show_those_of_the_dead(rows: &mut [QueueRow], progress: &[MergeProgressRow]) {
    for row in rows.iter_mut().filter(|row| is_merging(row)) {
        let holder = progress.iter().find(|held| held.queue_id == row.id);
        if holder.is_some_and(|held| liveness::check(held.process) == Liveness::Dead) {
            row.entry.status = MergeStatus::Pending;
        }
    }
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
        show_those_of_the_dead(&mut rows, &progress);
        let pending = rows.into_iter().filter(|row| !is_merging(row));
        let pending: Vec<_> = pending.map(|row| row.entry.branch_name).collect();
        assert_eq!(pending, ["dead"]);
    }
}
