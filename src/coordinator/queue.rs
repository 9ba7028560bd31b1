//! The merge queue as a person arranges it: the order in which entries land, the pause, and taking
//! an entry out and putting it back. ov's table is not touched by order and pause.

use super::landing::failed_in_passing;
use super::{CoordinatorError, left_over, progress};
use crate::db::merge_queue::QueueRow;
use crate::db::merging::LookedAt;
use crate::db::{GroveStore, MergeQueueStore};
use crate::platform::ProjectPaths;
use crate::types::Timestamp;
use crate::types::merge::{MergeEntry, MergeStatus};
use serde_json::json;
use std::collections::HashMap;

/// Sorts entries as they land: those with a place by it, then the others by their id.
pub fn in_order(mut rows: Vec<QueueRow>, places: &HashMap<i64, i64>) -> Vec<QueueRow> {
    rows.sort_by_key(|row| {
        let place = places.get(&row.id);
        (place.is_none(), place.copied(), row.id)
    });
    rows
}

/// The entries that wait, in landing order, without those that nobody has asked for.
pub fn pending(paths: &ProjectPaths) -> Result<Vec<QueueRow>, CoordinatorError> {
    let mut rows =
        MergeQueueStore::look(&paths.merge_queue_db())?.with_status(MergeStatus::Pending)?;
    if !rows.is_empty() {
        let looked = looked_at(paths)?;
        rows.retain(|row| !looked.has(row));
    }
    ordered(paths, rows)
}

/// The entries that failed and are tried again by themselves, in landing order, with when that is.
pub fn retrying(paths: &ProjectPaths) -> Result<Vec<(QueueRow, Timestamp)>, CoordinatorError> {
    let retries = GroveStore::look(&paths.grove_db())?.merge_retries()?;
    if retries.is_empty() {
        return Ok(Vec::new());
    }
    let mut rows =
        MergeQueueStore::look(&paths.merge_queue_db())?.with_status(MergeStatus::Failed)?;
    rows.retain(|row| retries.contains_key(&row.id));
    let due = |row: QueueRow| {
        let due = retries.get(&row.id)?.due_ms;
        Some((row, Timestamp(due)))
    };
    Ok(ordered(paths, rows)?.into_iter().filter_map(due).collect())
}

/// The entries that nobody lands by himself.
pub fn looked_at(paths: &ProjectPaths) -> Result<LookedAt, CoordinatorError> {
    Ok(GroveStore::look(&paths.grove_db())?.looked_at(progress::is_gone)?)
}

/// Somebody wants this entry to be merged, if only a dry run had wanted to know of it.
pub fn asked(paths: &ProjectPaths, row: &QueueRow) -> Result<(), CoordinatorError> {
    let grove = GroveStore::open(&paths.grove_db())?;
    Ok(grove.forget_looked_at(&row.entry.branch_name)?)
}

/// The agent has reported its branch: entries of it from a dry run give way to the one that comes.
pub fn give_way(paths: &ProjectPaths, branch: &str) -> Result<(), CoordinatorError> {
    let grove = GroveStore::open(&paths.grove_db())?;
    let looked = grove.looked_at(progress::is_gone)?;
    let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
    for old in queue.with_status(MergeStatus::Pending)? {
        if old.entry.branch_name == branch && looked.is_only_looked_at(&old) {
            queue.remove_idle(old.id)?;
        }
    }
    Ok(grove.forget_looked_at(branch)?)
}

/// The entries that wait, and those that failed for a reason that was none of theirs, in landing
/// order: what a person means by everything. What nobody has asked for is among them, and what a dead merge has left:
/// whoever merges brings that to its end first (`recovery`).
pub fn to_land(paths: &ProjectPaths) -> Result<Vec<QueueRow>, CoordinatorError> {
    let all = all_seen(paths)?;
    let (mut rows, others): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|row| row.entry.status == MergeStatus::Pending);
    let mut failed = others;
    failed.retain(|row| row.entry.status == MergeStatus::Failed);
    if !failed.is_empty() {
        let reports = GroveStore::look(&paths.grove_db())?.merge_reports()?;
        let in_passing = |row: &QueueRow| {
            let mut of_row = reports.iter().filter(|(id, _, _)| *id == row.id);
            of_row.any(|(_, _, report)| failed_in_passing(report))
        };
        rows.extend(failed.into_iter().filter(in_passing));
    }
    ordered(paths, rows)
}

/// All entries as those see them who only look.
pub fn all_seen(paths: &ProjectPaths) -> Result<Vec<QueueRow>, CoordinatorError> {
    let mut rows = MergeQueueStore::look(&paths.merge_queue_db())?.all()?;
    left_over::show_as_they_are(paths, &mut rows)?;
    Ok(rows)
}

/// How many entries wait, for those who only look.
pub fn count_pending(paths: &ProjectPaths) -> Result<i64, CoordinatorError> {
    let rows = all_seen(paths)?;
    let pending = rows
        .iter()
        .filter(|row| row.entry.status == MergeStatus::Pending);
    Ok(pending.count() as i64)
}

fn ordered(paths: &ProjectPaths, rows: Vec<QueueRow>) -> Result<Vec<QueueRow>, CoordinatorError> {
    if rows.len() < 2 {
        return Ok(rows);
    }
    let places = GroveStore::look(&paths.grove_db())?.merge_places()?;
    Ok(in_order(rows, &places))
}

/// Moves an entry before the one that waits in front of it, or behind the one after it; `false`
/// when there is none.
pub fn step(paths: &ProjectPaths, id: i64, earlier: bool) -> Result<bool, CoordinatorError> {
    rearrange(paths, |order, waits| {
        let from = order.iter().position(|o| *o == id)?;
        let mut others = order.iter().enumerate().filter(|(_, o)| waits.contains(o));
        let to = if earlier {
            others.rfind(|(at, _)| *at < from)?.0
        } else {
            others.find(|(at, _)| *at > from)?.0
        };
        order.remove(from);
        order.insert(to, id);
        Some(())
    })
}

/// Moves an entry before all others.
pub fn put_first(paths: &ProjectPaths, id: i64) -> Result<(), CoordinatorError> {
    rearrange(paths, |order, _| {
        let from = order.iter().position(|o| *o == id)?;
        order.remove(from);
        order.insert(0, id);
        Some(())
    })?;
    Ok(())
}

/// Changes the order of all entries that have not landed; the change is given them and those that
/// wait.
fn rearrange(
    paths: &ProjectPaths,
    change: impl FnOnce(&mut Vec<i64>, &[i64]) -> Option<()>,
) -> Result<bool, CoordinatorError> {
    let grove = GroveStore::open(&paths.grove_db())?;
    let rows = MergeQueueStore::open(&paths.merge_queue_db())?.all()?;
    let open = rows
        .into_iter()
        .filter(|row| row.entry.status != MergeStatus::Merged);
    let rows = in_order(open.collect(), &grove.merge_places()?);
    let waits: Vec<i64> = rows
        .iter()
        .filter(|row| row.entry.status == MergeStatus::Pending)
        .map(|row| row.id)
        .collect();
    let mut order: Vec<i64> = rows.iter().map(|row| row.id).collect();
    if change(&mut order, &waits).is_none() {
        return Ok(false);
    }
    grove.set_merge_places(&order)?;
    Ok(true)
}

/// Pauses the queue, or lets it go on. What lands already is finished, and so is what a person has asked for by name;
/// whoever tests the rest ends its gates (`train`).
pub fn set_paused(paths: &ProjectPaths, paused: bool) -> Result<(), CoordinatorError> {
    GroveStore::open(&paths.grove_db())?.set_merge_pause(paused)?;
    Ok(())
}

/// Whether the queue is paused.
pub fn is_paused(paths: &ProjectPaths) -> Result<bool, CoordinatorError> {
    Ok(GroveStore::look(&paths.grove_db())?
        .merge_pause()?
        .is_some())
}

/// Takes an entry out of the queue and keeps it; `false` when it is being merged.
pub fn drop_entry(paths: &ProjectPaths, row: &QueueRow) -> Result<bool, CoordinatorError> {
    let grove = GroveStore::open(&paths.grove_db())?;
    grove.keep_dropped(row.id, &json!(row.entry))?;
    if MergeQueueStore::open(&paths.merge_queue_db())?.remove_idle(row.id)? {
        return Ok(true);
    }
    grove.forget_dropped(row.id)?;
    Ok(false)
}

/// Puts a dropped entry back where and as it was; `None` when nothing is kept of it, or its place
/// has been taken.
pub fn restore(paths: &ProjectPaths, id: i64) -> Result<Option<QueueRow>, CoordinatorError> {
    let grove = GroveStore::open(&paths.grove_db())?;
    let Some(entry) = grove
        .dropped(id)?
        .and_then(|entry| serde_json::from_value::<MergeEntry>(entry).ok())
    else {
        return Ok(None);
    };
    let row = QueueRow { id, entry };
    if !MergeQueueStore::open(&paths.merge_queue_db())?.restore(&row)? {
        return Ok(None);
    }
    grove.forget_dropped(id)?;
    Ok(Some(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::liveness;
    use crate::types::host::ProcessId;

    fn project() -> (tempfile::TempDir, ProjectPaths, Vec<i64>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".overstory")).unwrap();
        let paths = ProjectPaths::new(dir.path());
        let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
        let add = |name: &str| queue.enqueue(name, "t", "a", &[]).unwrap().id;
        let ids = ["one", "two", "three"].map(add).to_vec();
        (dir, paths, ids)
    }

    fn order(paths: &ProjectPaths) -> Vec<String> {
        let rows = pending(paths).unwrap();
        rows.into_iter().map(|r| r.entry.branch_name).collect()
    }

    #[test]
    fn entries_land_by_id_until_somebody_moves_one_and_new_ones_come_last() {
        let (_dir, paths, ids) = project();
        assert_eq!(order(&paths), ["one", "two", "three"]);
        assert!(step(&paths, ids[2], true).unwrap());
        assert_eq!(order(&paths), ["one", "three", "two"]);
        assert!(!step(&paths, ids[0], true).unwrap());
        put_first(&paths, ids[1]).unwrap();
        let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
        queue.enqueue("four", "t", "a", &[]).unwrap();
        assert_eq!(order(&paths), ["two", "one", "three", "four"]);
    }

    #[test]
    fn what_only_a_dry_run_has_queued_waits_until_somebody_asks() {
        let (_dir, paths, _) = project();
        let grove = GroveStore::open(&paths.grove_db()).unwrap();
        let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
        let look = |branch: &str| {
            grove.note_looked_at(branch, "then").unwrap();
            let at = "then".to_owned();
            queue.enqueue_once(branch, "t", "a", &[], at).unwrap()
        };
        let (four, _) = (look("four"), look("five"));
        assert_eq!(order(&paths), ["one", "two", "three"]);
        assert_eq!(to_land(&paths).unwrap().len(), 5);
        asked(&paths, &four).unwrap();
        assert_eq!(order(&paths), ["one", "two", "three", "four"]);
        give_way(&paths, "five").unwrap();
        queue.enqueue("five", "t", "a", &[]).unwrap();
        assert_eq!(order(&paths), ["one", "two", "three", "four", "five"]);
        assert_eq!(queue.all().unwrap().len(), 5, "the old entry has given way");
    }

    #[test]
    fn what_somebody_is_about_to_take_waits_for_him_and_for_nobody_who_is_gone() {
        let (_dir, paths, _) = project();
        let grove = GroveStore::open(&paths.grove_db()).unwrap();
        let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
        let own = liveness::own_identity();
        let gone = ProcessId {
            start: own.start + 1,
            ..own
        };
        for (branch, by) in [("four", own), ("five", gone)] {
            grove.note_wanted(branch, "then", by).unwrap();
            let at = "then".to_owned();
            queue.enqueue_once(branch, "t", "a", &[], at).unwrap();
        }
        assert_eq!(order(&paths), ["one", "two", "three", "five"]);
        // Its own entry is not taken from him.
        give_way(&paths, "four").unwrap();
        assert_eq!(queue.all().unwrap().len(), 5);
        grove.forget_looked_at("four").unwrap();
        assert_eq!(order(&paths), ["one", "two", "three", "four", "five"]);
    }

    #[test]
    fn a_dry_runs_entry_that_somebody_asks_for_and_does_not_come_to_take_waits_like_any_other() {
        let (_dir, paths, _) = project();
        let grove = GroveStore::open(&paths.grove_db()).unwrap();
        let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
        grove.note_looked_at("four", "then").unwrap();
        let at = "then".to_owned();
        let four = queue.enqueue_once("four", "t", "a", &[], at).unwrap();
        let own = liveness::own_identity();
        let gone = ProcessId {
            start: own.start + 1,
            ..own
        };
        grove.note_wanted("four", "then", own).unwrap();
        let looked = looked_at(&paths).unwrap();
        assert!(looked.has(&four) && !looked.is_only_looked_at(&four));
        grove.note_wanted("four", "then", gone).unwrap();
        assert_eq!(order(&paths), ["one", "two", "three", "four"]);
    }

    #[test]
    fn moving_skips_what_does_not_wait() {
        let (_dir, paths, ids) = project();
        let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
        let from = [MergeStatus::Pending];
        queue
            .change_status(ids[1], &from, MergeStatus::Conflict, None)
            .unwrap();
        assert!(step(&paths, ids[2], true).unwrap());
        assert_eq!(order(&paths), ["three", "one"]);
    }

    #[test]
    fn a_dropped_entry_comes_back_as_it_was() {
        let (_dir, paths, ids) = project();
        let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
        let before = queue.all().unwrap();
        assert!(drop_entry(&paths, &before[1]).unwrap());
        assert_eq!(order(&paths), ["one", "three"]);
        assert!(restore(&paths, ids[1]).unwrap().is_some());
        assert_eq!(queue.all().unwrap(), before);
        assert!(restore(&paths, ids[1]).unwrap().is_none());
    }
}
