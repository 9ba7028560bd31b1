//! Trying again, by itself, what failed only because there was no room on the disk: how often and when.
//! The tries of an entry are stored and outlive the process; the rest after a round that could not even be
//! stored does not. Pure, apart from the clock's atomics.

use crate::types::Timestamp;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

/// Minutes before each further try. After the last one a person has to ask.
const MINUTES: [i64; 8] = [1, 2, 4, 8, 15, 30, 60, 60];
/// The rest after the first round that failed, and the longest one; milliseconds.
const REST_MS: i64 = 1_000;
const LONGEST_REST_MS: i64 = 5 * 60_000;

/// The next try of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// From 1.
    pub number: u32,
    pub due: Timestamp,
}

impl Retry {
    /// The try after so many; `None` when those were enough.
    pub fn after(tried: u32, now: Timestamp) -> Option<Self> {
        let minutes = MINUTES.get(tried as usize)?;
        Some(Self {
            number: tried + 1,
            due: Timestamp(now.0 + minutes * 60_000),
        })
    }

    /// Whether nobody has been told yet that this entry failed.
    pub fn is_first(&self) -> bool {
        self.number == 1
    }
}

/// Says what becomes of an entry that found no room.
pub fn told(next: Option<&Retry>) -> String {
    match next {
        Some(retry) => {
            let minutes = MINUTES
                .get(retry.number as usize - 1)
                .copied()
                .unwrap_or_default();
            format!(
                "make room: a running coordinator tries it again after {minutes} min (try {} of {})",
                retry.number,
                MINUTES.len()
            )
        }
        None => format!(
            "tried again {} times: make room, then run `grove merge --all`",
            MINUTES.len()
        ),
    }
}

/// Keeps a loop from spinning while nothing can be stored, not even that a merge has failed.
#[derive(Debug, Default)]
pub(super) struct Rest {
    failures: AtomicU32,
    until_ms: AtomicI64,
}

impl Rest {
    /// A round could not be stored: the next one comes later, each time twice as late.
    pub(super) fn failed(&self, now: Timestamp) {
        let before = self.failures.fetch_add(1, Ordering::AcqRel);
        let rest = REST_MS << before.min(10);
        let until = now.0 + rest.min(LONGEST_REST_MS);
        self.until_ms.store(until, Ordering::Release);
    }

    pub(super) fn went_well(&self) {
        self.failures.store(0, Ordering::Release);
        self.until_ms.store(0, Ordering::Release);
    }

    /// Until when nothing is begun.
    pub(super) fn until(&self) -> Timestamp {
        Timestamp(self.until_ms.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_come_ever_later_and_end() {
        let mut tried = 0;
        let mut waits = Vec::new();
        while let Some(retry) = Retry::after(tried, Timestamp(0)) {
            assert_eq!(retry.number, tried + 1);
            waits.push(retry.due.0);
            tried = retry.number;
        }
        assert!(waits.is_sorted() && waits[0] == 60_000, "{waits:?}");
        assert_eq!(tried, 8);
        assert!(told(None).contains("merge --all"));
        let second = Retry::after(1, Timestamp(0));
        let words = told(second.as_ref());
        assert!(words.contains("after 2 min (try 2 of 8)"), "{words}");
    }

    #[test]
    fn a_round_that_cannot_be_stored_is_not_repeated_at_once() {
        let rest = Rest::default();
        assert_eq!(rest.until(), Timestamp(0));
        rest.failed(Timestamp(10));
        assert_eq!(rest.until(), Timestamp(1_010));
        rest.failed(Timestamp(1_010));
        assert_eq!(rest.until(), Timestamp(3_010));
        for _ in 0..40 {
            rest.failed(Timestamp(0));
        }
        assert_eq!(rest.until(), Timestamp(300_000));
        rest.went_well();
        assert_eq!(rest.until(), Timestamp(0));
    }
}
