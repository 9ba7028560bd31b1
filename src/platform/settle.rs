//! When to ask a store again after a change was noticed. Pure.
//!
//! The system tells of a write to the log before its commit can be seen: SQLite writes the pages,
//! syncs them if it was told to, and makes them visible last. Nothing tells of that last step.

use std::time::Duration;

/// How long after the last notice a store is asked once more, and how long after that for the last
/// time: the first is enough for a writer that does not sync, the second for one on a slow disk.
const AGAIN: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// What a watcher of a store remembers of the changes it was told of.
#[derive(Debug, Default)]
pub struct Settle {
    /// Which of the further looks comes next; none when the store is quiet.
    next: Option<usize>,
}

impl Settle {
    /// A change was noticed; the store is asked now, and again later.
    pub fn noticed(&mut self) {
        self.next = Some(0);
    }

    /// How long to sleep until the next further look, 100 ms or 1 s; `None` when none is owed.
    pub fn wait(&self) -> Option<Duration> {
        self.next.and_then(|next| AGAIN.get(next)).copied()
    }

    /// The sleep is over; whether a further look was owed, which is made now.
    pub fn is_due(&mut self) -> bool {
        let owed = self.wait().is_some();
        self.next = self
            .next
            .map(|next| next + 1)
            .filter(|next| *next < AGAIN.len());
        owed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notice_is_followed_by_a_few_looks_and_then_by_none() {
        let mut settle = Settle::default();
        assert_eq!(settle.wait(), None);
        assert!(!settle.is_due());
        settle.noticed();
        assert_eq!(settle.wait(), Some(AGAIN[0]));
        assert!(settle.is_due());
        assert_eq!(settle.wait(), Some(AGAIN[1]));
        // Another one begins anew.
        settle.noticed();
        assert_eq!(settle.wait(), Some(AGAIN[0]));
        assert!(settle.is_due() && settle.is_due());
        assert_eq!(settle.wait(), None);
        assert!(!settle.is_due());
    }
}
