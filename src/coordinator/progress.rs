//! Writing down how far a merge is, for everybody who looks at the queue: the screen, another
//! screen, a command line. A merge never fails because this cannot be written.

use crate::db::merging::MergeProgressRow;
use crate::db::{DbError, GroveStore};
use crate::merge::{GateProgress, MergeProgress, Step};
use crate::platform::{ProjectPaths, clock, liveness};
use crate::types::host::ProcessId;
use std::collections::HashMap;

/// The progress of the merges that this process does.
#[derive(Debug)]
pub struct Progress {
    store: Option<GroveStore>,
    rows: HashMap<i64, MergeProgressRow>,
}

impl Progress {
    /// Begins with entries that this process has taken.
    pub fn begin(paths: &ProjectPaths, queue_ids: &[i64], gates: usize) -> Self {
        let store = match GroveStore::open(&paths.grove_db()) {
            Ok(store) => Some(store),
            Err(error) => {
                tracing::warn!("the progress of merges is not shown: {error}");
                None
            }
        };
        let pid = std::process::id() as i32;
        let process = ProcessId {
            pid,
            start: liveness::start_time(pid).unwrap_or(0),
        };
        let now = clock::now().iso();
        let rows = queue_ids.iter().map(|id| {
            let row = MergeProgressRow {
                queue_id: *id,
                process,
                began_at: now.clone(),
                step: "plan".to_owned(),
                gate: None,
                done: 0,
                total: gates as u32,
                since: now.clone(),
            };
            (*id, row)
        });
        let progress = Self {
            rows: rows.collect(),
            store,
        };
        progress.rows.values().for_each(|row| progress.save(row));
        progress
    }

    /// Notes one step of one entry.
    pub fn note(&mut self, queue_id: i64, news: &MergeProgress<'_>) {
        match news {
            MergeProgress::Gate(gate) => self.gate(queue_id, "gates", gate),
            MergeProgress::Entered(Step::Planned) => self.set(queue_id, "gates", None, 0),
            MergeProgress::Entered(Step::Gated | Step::Landing | Step::Landed | Step::Undoing) => {
                let total = self.rows.get(&queue_id).map_or(0, |row| row.total);
                self.set(queue_id, "land", None, total);
            }
            MergeProgress::PlanningAgain { .. } => self.set(queue_id, "plan", None, 0),
        }
    }

    /// Notes a gate of a revert.
    pub fn note_revert(&mut self, queue_id: i64, news: &GateProgress<'_>) {
        self.gate(queue_id, "revert", news);
    }

    fn gate(&mut self, queue_id: i64, step: &str, news: &GateProgress<'_>) {
        match news {
            GateProgress::Started { index, gate, .. } => {
                self.set(queue_id, step, Some(gate.name.clone()), *index);
            }
            GateProgress::Finished { index, .. } => self.set(queue_id, step, None, index + 1),
        }
    }

    fn set(&mut self, queue_id: i64, step: &str, gate: Option<String>, done: impl TryInto<u32>) {
        let Some(row) = self.rows.get_mut(&queue_id) else {
            return;
        };
        step.clone_into(&mut row.step);
        row.gate = gate;
        row.done = done.try_into().unwrap_or(row.total);
        row.since = clock::now().iso();
        let row = row.clone();
        self.save(&row);
    }

    /// One entry has come to its end.
    pub fn ended(&mut self, queue_id: i64) {
        if self.rows.remove(&queue_id).is_some() {
            self.told(|store| store.clear_merge_progress(queue_id));
        }
    }

    fn save(&self, row: &MergeProgressRow) {
        self.told(|store| store.save_merge_progress(row));
    }

    fn told(&self, write: impl FnOnce(&GroveStore) -> Result<(), DbError>) {
        if let Some(Err(error)) = self.store.as_ref().map(write) {
            tracing::warn!("the progress of a merge is not shown: {error}");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let left: Vec<i64> = self.rows.keys().copied().collect();
        for id in left {
            self.ended(id);
        }
    }
}
