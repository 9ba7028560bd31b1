//! How many connections are open at once, by who holds them.
//!
//! Whoever is in nobody's way is served; others wait outside. The agent's own calls, people and hosts, and all the
//! rest have rooms of their own, so that a crowd in one keeps nobody out of another.

use super::callers::Caller;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most connections of the agent itself, and of people and hosts; fewer where files are few.
const FAMILIAR: usize = 256;
/// Most connections of processes that have no business here.
const STRANGERS: usize = 8;

/// Counts of open connections.
#[derive(Debug)]
pub(super) struct Crowd {
    familiar: usize,
    agent: AtomicUsize,
    outside: AtomicUsize,
    strangers: AtomicUsize,
}

/// A place among the connections, free again when it is dropped.
#[derive(Debug)]
pub(super) struct Seat<'a>(&'a AtomicUsize);

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Crowd {
    /// For a process that may open so many files; a quarter of them for each kind of caller that has business here
    /// leaves enough for stores and commands.
    pub(super) fn new(files: Option<u64>) -> Self {
        let quarter = files.map_or(FAMILIAR, |files| {
            usize::try_from(files / 4).unwrap_or(FAMILIAR)
        });
        Self {
            familiar: quarter.clamp(STRANGERS, FAMILIAR),
            agent: AtomicUsize::new(0),
            outside: AtomicUsize::new(0),
            strangers: AtomicUsize::new(0),
        }
    }

    /// A place for this caller; none when there are too many of its kind.
    pub(super) fn enter(&self, caller: &Caller) -> Option<Seat<'_>> {
        let (count, most) = match caller {
            Caller::Agent => (&self.agent, self.familiar),
            Caller::Outside | Caller::Unasked => (&self.outside, self.familiar),
            Caller::Stranger(_) => (&self.strangers, STRANGERS),
        };
        count
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |open| {
                (open < most).then_some(open + 1)
            })
            .ok()
            .map(|_| Seat(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_keep_nobody_out_and_places_become_free() {
        let crowd = Crowd::new(Some(1024));
        let stranger = Caller::Stranger("it belongs to an agent");
        let seats: Vec<_> = (0..2000).filter_map(|_| crowd.enter(&stranger)).collect();
        assert_eq!(seats.len(), STRANGERS);
        let own: Vec<_> = (0..2000)
            .filter_map(|_| crowd.enter(&Caller::Agent))
            .collect();
        assert_eq!(own.len(), 256);
        let people: Vec<_> = (0..2000)
            .filter_map(|_| crowd.enter(&Caller::Outside))
            .collect();
        assert_eq!(people.len(), 256);
        drop(seats);
        assert!(crowd.enter(&stranger).is_some());
    }

    #[test]
    fn few_files_mean_few_connections() {
        let crowd = Crowd::new(Some(64));
        let own: Vec<_> = (0..100)
            .filter_map(|_| crowd.enter(&Caller::Agent))
            .collect();
        assert_eq!(own.len(), 16);
    }
}
