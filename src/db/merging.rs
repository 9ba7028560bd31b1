//! Merging in `grove.db`: who has which entry and how far it is, in which order the queue lands, whether
//! it is paused, what was dropped from it, which entries only a dry run has put there, and who is about to take one.
//!
//! ov's own table stays as it is: an entry without a place here lands in the order of its id.

use super::GroveStore;
use super::cells::{number, optional_text, process, text};
use super::connection::DbError;
use super::merge_queue::QueueRow;
use crate::platform::clock;
use crate::types::host::ProcessId;
use rusqlite::{OptionalExtension, params};
use std::collections::{HashMap, HashSet};

pub(super) const CREATE: &str = "
CREATE TABLE IF NOT EXISTS merge_progress (
  queue_id INTEGER PRIMARY KEY,
  pid INTEGER NOT NULL,
  pid_start INTEGER NOT NULL,
  began_at TEXT NOT NULL,
  step TEXT NOT NULL,
  gate TEXT,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  since TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS merge_places (
  queue_id INTEGER PRIMARY KEY,
  place INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS merge_pause (
  one INTEGER PRIMARY KEY CHECK(one = 1),
  since TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS merge_dropped (
  queue_id INTEGER PRIMARY KEY,
  entry TEXT NOT NULL,
  dropped_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS merge_looked (
  branch TEXT NOT NULL,
  enqueued_at TEXT NOT NULL,
  PRIMARY KEY (branch, enqueued_at)
);
CREATE TABLE IF NOT EXISTS merge_wanted (
  branch TEXT NOT NULL,
  enqueued_at TEXT NOT NULL,
  pid INTEGER NOT NULL,
  pid_start INTEGER NOT NULL,
  PRIMARY KEY (branch, enqueued_at)
);";

/// Entries that nobody lands by himself, because only a dry run has put them into the queue or somebody is about to take
/// them, by their branch and when they came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookedAt {
    by_dry_runs: HashSet<(String, String)>,
    about_to_be_taken: HashSet<(String, String)>,
}

impl FromIterator<(String, String)> for LookedAt {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(keys: I) -> Self {
        Self {
            by_dry_runs: keys.into_iter().collect(),
            ..Self::default()
        }
    }
}

impl LookedAt {
    /// Whether nobody lands this entry by himself.
    pub fn has(&self, row: &QueueRow) -> bool {
        self.is_only_looked_at(row) || is_in(&self.about_to_be_taken, row)
    }

    /// Whether nobody has asked for this entry to be merged: only a dry run has put it into the queue.
    pub fn is_only_looked_at(&self, row: &QueueRow) -> bool {
        is_in(&self.by_dry_runs, row)
    }
}

fn is_in(keys: &HashSet<(String, String)>, row: &QueueRow) -> bool {
    let entry = &row.entry;
    !keys.is_empty() && keys.contains(&(entry.branch_name.clone(), entry.enqueued_at.clone()))
}

/// How far one merge is, as the process that does it has written it down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeProgressRow {
    pub queue_id: i64,
    /// Who merges: a row of a process that is gone says nothing.
    pub process: ProcessId,
    pub began_at: String,
    /// What is being done: `plan`, `gates`, `land`, `revert`, or `turn` while another merge is waited for.
    pub step: String,
    /// The gate that runs.
    pub gate: Option<String>,
    pub done: u32,
    pub total: u32,
    /// Since when this holds.
    pub since: String,
}

impl GroveStore {
    /// Takes an entry for the process of this row; `false` when another merge has it. Whose process
    /// is gone has nothing.
    pub fn take_merge(
        &self,
        row: &MergeProgressRow,
        is_gone: impl Fn(ProcessId) -> bool,
    ) -> Result<bool, DbError> {
        self.db().write(|tx| {
            let holder = tx
                .prepare_cached("SELECT pid, pid_start FROM merge_progress WHERE queue_id = ?1")?
                .query_row([row.queue_id], |r| {
                    Ok(ProcessId {
                        pid: r.get(0)?,
                        start: r.get::<_, i64>(1)? as u64,
                    })
                })
                .optional()?;
            if holder.is_some_and(|holder| !is_gone(holder)) {
                return Ok(false);
            }
            tx.execute(
                "INSERT OR REPLACE INTO merge_progress
                 (queue_id, pid, pid_start, began_at, step, gate, done, total, since)
                 VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)",
                params![
                    row.queue_id,
                    row.process.pid,
                    row.process.start as i64,
                    row.began_at,
                    row.step,
                    row.gate,
                    row.done,
                    row.total,
                    row.since
                ],
            )?;
            Ok(true)
        })
    }

    /// Writes down how far a merge is, if its process still has the entry.
    pub fn save_merge_progress(&self, row: &MergeProgressRow) -> Result<(), DbError> {
        self.db().write(|tx| {
            tx.execute(
                "UPDATE merge_progress SET step = ?4, gate = ?5, done = ?6, total = ?7, since = ?8
                 WHERE queue_id = ?1 AND pid = ?2 AND pid_start = ?3",
                params![
                    row.queue_id,
                    row.process.pid,
                    row.process.start as i64,
                    row.step,
                    row.gate,
                    row.done,
                    row.total,
                    row.since
                ],
            )
            .map(|_| ())
        })
    }

    /// Gives back an entry that this process has.
    pub fn clear_merge_progress(&self, queue_id: i64, process: ProcessId) -> Result<(), DbError> {
        self.db().write(|tx| {
            tx.execute(
                "DELETE FROM merge_progress WHERE queue_id = ?1 AND pid = ?2 AND pid_start = ?3",
                params![queue_id, process.pid, process.start as i64],
            )
            .map(|_| ())
        })
    }

    /// The progress of all merges, also of those whose process is gone.
    pub fn merge_progress(&self) -> Result<Vec<MergeProgressRow>, DbError> {
        self.db().read(|c| {
            c.prepare_cached(
                "SELECT queue_id, pid, pid_start, began_at, step, gate, done, total, since
                 FROM merge_progress ORDER BY queue_id",
            )?
            .query_map([], |r| {
                // A row of nobody says nothing.
                let Some(process) = process(r, 1, 2)? else {
                    return Ok(None);
                };
                Ok(Some(MergeProgressRow {
                    queue_id: r.get(0)?,
                    process,
                    began_at: text(r, 3)?,
                    step: text(r, 4)?,
                    gate: optional_text(r, 5)?,
                    done: u32::try_from(number(r, 6)?).unwrap_or(0),
                    total: u32::try_from(number(r, 7)?).unwrap_or(0),
                    since: text(r, 8)?,
                }))
            })?
            .filter_map(Result::transpose)
            .collect()
        })
    }

    /// The places that a person gave to entries; the others come after them by id.
    pub fn merge_places(&self) -> Result<HashMap<i64, i64>, DbError> {
        self.db().read(|c| {
            c.prepare_cached("SELECT queue_id, place FROM merge_places")?
                .query_map([], |r| Ok((r.get(0)?, number(r, 1)?)))?
                .collect()
        })
    }

    /// Gives these entries their places, in this order; all others lose theirs.
    pub fn set_merge_places(&self, order: &[i64]) -> Result<(), DbError> {
        self.db().write(|tx| {
            tx.execute("DELETE FROM merge_places", [])?;
            for (place, queue_id) in order.iter().enumerate() {
                tx.execute(
                    "INSERT OR REPLACE INTO merge_places (queue_id, place) VALUES (?1, ?2)",
                    params![queue_id, place as i64 + 1],
                )?;
            }
            Ok(())
        })
    }

    /// Remembers that an entry comes from a dry run. To be called before it is in the queue, so that
    /// nobody takes it in between.
    pub fn note_looked_at(&self, branch: &str, enqueued_at: &str) -> Result<(), DbError> {
        self.db().write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO merge_looked (branch, enqueued_at) VALUES (?1, ?2)",
                [branch, enqueued_at],
            )
            .map(|_| ())
        })
    }

    /// Remembers that a process has asked for an entry and is about to take it: until then nobody else lands it, and a dry
    /// run before that does not count any more. To be called before a new one is in the queue.
    pub fn note_wanted(
        &self,
        branch: &str,
        enqueued_at: &str,
        by: ProcessId,
    ) -> Result<(), DbError> {
        self.db().write(|tx| {
            tx.execute("DELETE FROM merge_looked WHERE branch = ?1", [branch])?;
            tx.execute(
                "INSERT OR REPLACE INTO merge_wanted (branch, enqueued_at, pid, pid_start) VALUES (?1, ?2, ?3, ?4)",
                params![branch, enqueued_at, by.pid, by.start as i64],
            )
            .map(|_| ())
        })
    }

    /// The entries that nobody lands by himself: those that only a dry run has queued, and those that a living process
    /// is about to take. Who has asked and is gone has asked all the same.
    pub fn looked_at(&self, is_gone: impl Fn(ProcessId) -> bool) -> Result<LookedAt, DbError> {
        self.db().read(|c| {
            let by_dry_runs: HashSet<(String, String)> = c
                .prepare_cached("SELECT branch, enqueued_at FROM merge_looked")?
                .query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?
                .collect::<Result<_, _>>()?;
            let mut wanted =
                c.prepare_cached("SELECT branch, enqueued_at, pid, pid_start FROM merge_wanted")?;
            let wanted = wanted.query_map([], |r| {
                let by = ProcessId {
                    pid: r.get(2)?,
                    start: r.get::<_, i64>(3)? as u64,
                };
                Ok(((r.get(0)?, r.get(1)?), by))
            })?;
            let mut about_to_be_taken = HashSet::new();
            for row in wanted {
                let (entry, by) = row?;
                if !is_gone(by) {
                    about_to_be_taken.insert(entry);
                }
            }
            Ok(LookedAt {
                by_dry_runs,
                about_to_be_taken,
            })
        })
    }

    /// Somebody has asked for this branch to be merged.
    pub fn forget_looked_at(&self, branch: &str) -> Result<(), DbError> {
        self.db().write(|tx| {
            tx.execute("DELETE FROM merge_looked WHERE branch = ?1", [branch])?;
            tx.execute("DELETE FROM merge_wanted WHERE branch = ?1", [branch])
                .map(|_| ())
        })
    }

    /// Since when the queue is paused; `None` while it is not.
    pub fn merge_pause(&self) -> Result<Option<String>, DbError> {
        self.db().read(|c| {
            c.prepare_cached("SELECT since FROM merge_pause")?
                .query_row([], |r| text(r, 0))
                .optional()
        })
    }

    /// Pauses the queue, or lets it go on.
    pub fn set_merge_pause(&self, paused: bool) -> Result<(), DbError> {
        self.db().write(|tx| {
            if paused {
                tx.execute(
                    "INSERT OR IGNORE INTO merge_pause (one, since) VALUES (1, ?1)",
                    [clock::now().iso()],
                )
            } else {
                tx.execute("DELETE FROM merge_pause", [])
            }
            .map(|_| ())
        })
    }

    /// Keeps an entry that is taken out of the queue, so that it can come back.
    pub fn keep_dropped(&self, queue_id: i64, entry: &serde_json::Value) -> Result<(), DbError> {
        self.db().write(|tx| {
            tx.execute(
                "INSERT OR REPLACE INTO merge_dropped (queue_id, entry, dropped_at) VALUES (?1, ?2, ?3)",
                params![queue_id, entry.to_string(), clock::now().iso()],
            )
            .map(|_| ())
        })
    }

    /// An entry that was dropped.
    pub fn dropped(&self, queue_id: i64) -> Result<Option<serde_json::Value>, DbError> {
        let text: Option<String> = self.db().read(|c| {
            c.prepare_cached("SELECT entry FROM merge_dropped WHERE queue_id = ?1")?
                .query_row([queue_id], |r| text(r, 0))
                .optional()
        })?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Forgets an entry that has come back.
    pub fn forget_dropped(&self, queue_id: i64) -> Result<(), DbError> {
        self.db().write(|tx| {
            tx.execute("DELETE FROM merge_dropped WHERE queue_id = ?1", [queue_id])
                .map(|_| ())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_had_by_one_merge_until_that_gives_it_back_or_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let store = GroveStore::open(&dir.path().join("grove.db")).unwrap();
        let row = |pid: i32| MergeProgressRow {
            queue_id: 1,
            process: ProcessId { pid, start: 9 },
            began_at: "then".to_owned(),
            step: "plan".to_owned(),
            gate: None,
            done: 0,
            total: 1,
            since: "then".to_owned(),
        };
        let take = |pid, gone| store.take_merge(&row(pid), |_| gone).unwrap();
        let step = || store.merge_progress().unwrap()[0].step.clone();
        assert!(take(1, false));
        assert!(!take(2, false));
        assert!(!take(1, false), "another thread of the same process");
        let mut later = row(2);
        later.step = "land".to_owned();
        store.save_merge_progress(&later).unwrap();
        store.clear_merge_progress(1, later.process).unwrap();
        assert_eq!(step(), "plan", "the loser changes nothing");
        assert!(take(2, true));
        store.save_merge_progress(&later).unwrap();
        assert_eq!(step(), "land");
        store.clear_merge_progress(1, later.process).unwrap();
        assert!(take(1, false));
    }

    #[test]
    fn pause_and_places_are_kept_until_they_are_changed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("grove.db");
        let store = GroveStore::open(&path).unwrap();
        store.set_merge_pause(true).unwrap();
        let since = store.merge_pause().unwrap().unwrap();
        store.set_merge_pause(true).unwrap();
        store.set_merge_places(&[7, 3]).unwrap();
        let other = GroveStore::open(&path).unwrap();
        assert_eq!(other.merge_pause().unwrap(), Some(since));
        assert_eq!(other.merge_places().unwrap(), [(7, 1), (3, 2)].into());
        other.set_merge_pause(false).unwrap();
        other.set_merge_places(&[3]).unwrap();
        assert_eq!(store.merge_pause().unwrap(), None);
        assert_eq!(store.merge_places().unwrap(), [(3, 1)].into());
    }
}
