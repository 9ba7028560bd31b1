//! Up to where events have been shown, by their times: the one thing that still tells old from new when
//! another store takes the place of the one that was read.

use std::collections::HashSet;

use crate::types::event::StoredEvent;

/// The newest time of an event that was shown, and the events of that very time.
#[derive(Debug, Default)]
pub(super) struct Shown {
    until: String,
    at_that_time: HashSet<i64>,
}

impl Shown {
    pub(super) fn of(events: &[StoredEvent]) -> Self {
        let mut shown = Self::default();
        shown.note(events);
        shown
    }

    /// Adds events that are shown.
    pub(super) fn note(&mut self, events: &[StoredEvent]) {
        for event in events {
            if event.created_at > self.until {
                self.until.clone_from(&event.created_at);
                self.at_that_time.clear();
            }
            if event.created_at == self.until {
                self.at_that_time.insert(event.id);
            }
        }
    }

    /// Whether an event of another store is newer than all that was shown.
    pub(super) fn is_new(&self, event: &StoredEvent) -> bool {
        event.created_at > self.until
            || (event.created_at == self.until && !self.at_that_time.contains(&event.id))
    }

    /// The time from which on there can be something new, not before the one asked for.
    pub(super) fn since(&self, asked: Option<&str>) -> Option<String> {
        let until = (!self.until.is_empty()).then_some(self.until.as_str());
        until.max(asked).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::event::Level;
    use proptest::prelude::*;

    fn event(id: i64, minute: u8) -> StoredEvent {
        StoredEvent {
            id,
            run_id: None,
            agent_name: "a".to_owned(),
            session_id: None,
            event_type: "custom".to_owned(),
            tool_name: None,
            tool_args: None,
            tool_duration_ms: None,
            level: Level::Info,
            data: None,
            created_at: format!("2026-01-01T00:{minute:02}:00.000"),
        }
    }

    proptest! {
        /// Whatever was shown is not shown again, and whatever is later is.
        #[test]
        fn only_what_is_newer_is_new(minutes in proptest::collection::vec(0u8..10, 0..12), cut in 0usize..12) {
            let events: Vec<_> = (1..).zip(&minutes).map(|(id, minute)| event(id, *minute)).collect();
            let mut shown = Shown::of(&events[..cut.min(events.len())]);
            shown.note(&events[cut.min(events.len())..]);
            prop_assert!(events.iter().all(|event| !shown.is_new(event)));
            prop_assert!(shown.is_new(&event(1, 10)));
            let newest = events.iter().map(|event| event.created_at.clone()).max();
            prop_assert_eq!(shown.since(None), newest);
            prop_assert_eq!(shown.since(Some("2027")), Some("2027".to_owned()));
        }
    }
}
