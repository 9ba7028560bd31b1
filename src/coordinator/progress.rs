//! Who has which entry of the queue, and how far it is, for everybody who merges or looks: the screen,
//! another screen, a command line. Nobody changes an entry that somebody else has. Only taking one may
//! fail: a merge never ends because its next step cannot be written down.

use crate::db::merging::MergeProgressRow;
use crate::db::{DbError, GroveStore, MergeQueueStore};
use crate::merge::{GateProgress, MergeProgress, Step};
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, clock};
use crate::types::host::ProcessId;
use std::collections::HashMap;

/// The step of an entry whose merge waits for the end of another one.
const TURN: &str = "turn";

/// Whether somebody who lives waits for a turn to merge: nobody who can choose begins before that.
pub(super) fn somebody_waits(grove: &GroveStore) -> Result<bool, DbError> {
    let rows = grove.merge_progress()?;
    let waits =
        |row: &MergeProgressRow| row.step == TURN && liveness::check(row.process) != Liveness::Dead;
    Ok(rows.iter().any(waits))
}

/// Whether a process is known to have ended.
pub fn is_gone(process: ProcessId) -> bool {
    liveness::check(process) == Liveness::Dead
}

/// The entries that this process has taken; dropping it gives them back.
#[derive(Debug)]
pub struct Progress {
    store: GroveStore,
    process: ProcessId,
    gates: usize,
    rows: HashMap<i64, MergeProgressRow>,
}

impl Progress {
    /// Begins with nothing taken.
    pub fn begin(paths: &ProjectPaths, gates: usize) -> Result<Self, DbError> {
        Ok(Self {
            store: GroveStore::open(&paths.grove_db())?,
            process: liveness::own_identity(),
            gates,
            rows: HashMap::new(),
        })
    }

    /// Takes an entry; `false` when another merge has it, also one of this process.
    pub fn take(&mut self, queue_id: i64) -> Result<bool, DbError> {
        let now = clock::now().iso();
        let row = MergeProgressRow {
            queue_id,
            process: self.process,
            began_at: now.clone(),
            step: "plan".to_owned(),
            gate: None,
            done: 0,
            total: self.gates as u32,
            since: now,
        };
        let taken = self.store.take_merge(&row, is_gone)?;
        if taken {
            self.rows.insert(queue_id, row);
        }
        Ok(taken)
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
            MergeProgress::Asking { file } => {
                self.set(queue_id, "ask", Some((*file).to_owned()), 0);
            }
            MergeProgress::Waiting => self.set(queue_id, "wait", None, 0),
            MergeProgress::PlanningAgain { .. } => self.set(queue_id, "plan", None, 0),
        }
    }

    /// Notes that an entry waits until no other merge goes into its target.
    pub fn waits_for_its_turn(&mut self, queue_id: i64) {
        self.set(queue_id, TURN, None, 0);
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
            let process = self.process;
            self.told(|store| store.clear_merge_progress(queue_id, process));
        }
    }

    fn save(&self, row: &MergeProgressRow) {
        self.told(|store| store.save_merge_progress(row));
    }

    fn told(&self, write: impl FnOnce(&GroveStore) -> Result<(), DbError>) {
        if let Err(error) = write(&self.store) {
            tracing::warn!("the progress of a merge is not shown: {error}");
        }
    }
}

/// The merges of this process, each as its branch and the gate it is at.
pub fn of_this_process(paths: &ProjectPaths) -> Result<Vec<String>, DbError> {
    let me = liveness::own_identity();
    let rows = GroveStore::look(&paths.grove_db())?.merge_progress()?;
    let mut mine = rows.into_iter().filter(|row| row.process == me).peekable();
    if mine.peek().is_none() {
        return Ok(Vec::new());
    }
    let entries = MergeQueueStore::look(&paths.merge_queue_db())?.all()?;
    let told = mine.filter_map(|row| {
        let entry = entries.iter().find(|entry| entry.id == row.queue_id)?;
        let branch = &entry.entry.branch_name;
        Some(match row.gate {
            Some(gate) => format!("{branch} (gate {gate}, {} of {})", row.done + 1, row.total),
            None => branch.clone(),
        })
    });
    Ok(told.collect())
}

impl Drop for Progress {
    fn drop(&mut self) {
        let left: Vec<i64> = self.rows.keys().copied().collect();
        for id in left {
            self.ended(id);
        }
    }
}
