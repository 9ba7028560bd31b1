//! The way of records to the thread that stores them. While a hook is being answered they are kept:
//! storing would take the processor from the agent, which waits. Nobody ever waits here for room: what there is none for
//! goes ([`Backlog`]).

use super::backlog::Backlog;
use super::writer::Record;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many records are kept at most; then they go, whoever waits.
const MOST_KEPT: usize = 1000;

/// Records in their order; shared by all threads.
#[derive(Debug)]
pub(super) struct Outbox {
    state: Mutex<State>,
    backlog: Arc<Backlog>,
}

#[derive(Debug)]
struct State {
    /// `None` once nothing more is taken.
    sender: Option<Sender<Record>>,
    kept: Vec<Record>,
    holders: usize,
}

impl State {
    fn release(&mut self) {
        for record in std::mem::take(&mut self.kept) {
            if let Some(sender) = &self.sender {
                // The receiver lives until the outbox is closed; after that the host is leaving.
                drop(sender.send(record));
            }
        }
    }
}

impl Outbox {
    pub(super) fn new(sender: Sender<Record>, backlog: Arc<Backlog>) -> Self {
        let state = Mutex::new(State {
            sender: Some(sender),
            kept: Vec::new(),
            holders: 0,
        });
        Self { state, backlog }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn put(&self, record: Record) {
        // The order of the records is that of their admission.
        let mut state = self.lock();
        if state.sender.is_none() || !self.backlog.admit(&record) {
            return;
        }
        state.kept.push(record);
        if state.holders == 0 || state.kept.len() >= MOST_KEPT {
            state.release();
        }
    }

    /// Keeps what comes until the last of those who hold it lets go.
    pub(super) fn hold(&self) -> Held<'_> {
        self.lock().holders += 1;
        Held(self)
    }

    /// Lets everything go and takes nothing more.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.release();
        state.sender = None;
    }
}

/// Records are kept for as long as this lives.
#[derive(Debug)]
pub struct Held<'a>(&'a Outbox);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.holders -= 1;
        if state.holders == 0 {
            state.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::backlog::LIMITS;
    use std::sync::mpsc::channel;

    fn outbox(sender: Sender<Record>) -> Outbox {
        Outbox::new(sender, Arc::new(Backlog::new(LIMITS)))
    }

    fn names(records: impl Iterator<Item = Record>) -> Vec<String> {
        records.map(|record| format!("{record:?}")).collect()
    }

    #[test]
    fn records_of_a_hook_are_stored_after_its_answer_and_in_their_order() {
        let (sender, receiver) = channel();
        let outbox = outbox(sender);
        let (one, other) = (outbox.hold(), outbox.hold());
        outbox.put(Record::FirstHook);
        drop(one);
        outbox.put(Record::Activity);
        assert_eq!(receiver.try_iter().count(), 0);
        drop(other);
        outbox.put(Record::Snapshot);
        assert_eq!(
            names(receiver.try_iter()),
            ["FirstHook", "Activity", "Snapshot"]
        );
    }

    #[test]
    fn nothing_that_is_kept_is_lost_at_the_end() {
        let (sender, receiver) = channel();
        let outbox = outbox(sender);
        let held = outbox.hold();
        outbox.put(Record::Activity);
        outbox.close();
        drop(held);
        outbox.put(Record::Snapshot);
        assert_eq!(names(receiver.iter()), ["Activity"]);
    }

    #[test]
    fn a_hook_that_hangs_keeps_only_so_much() {
        let (sender, receiver) = channel();
        let outbox = outbox(sender);
        let held = outbox.hold();
        for _ in 0..MOST_KEPT {
            outbox.put(Record::Activity);
        }
        assert_eq!(receiver.try_iter().count(), MOST_KEPT);
        drop(held);
    }
}
