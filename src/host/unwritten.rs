//! Refusals that could not be stored, on a full disk say: kept in memory until they can. They are what a person has to
//! know of; everything else that is not stored is only counted.

use crate::types::Timestamp;
use crate::types::event::{EventType, Level, NewEvent};
use std::collections::VecDeque;

/// So many are kept; then the oldest go.
const MOST: usize = 500;

/// Refusals with the time they happened at, in their order.
#[derive(Debug, Default)]
pub(super) struct Unwritten(VecDeque<(NewEvent, Timestamp)>);

impl Unwritten {
    /// Keeps a refusal. Returns how many events this loses: this one when it is no refusal, or an older one.
    pub(super) fn keep(&mut self, event: NewEvent, at: Timestamp) -> u64 {
        if !is_refusal(&event) {
            return 1;
        }
        self.0.push_back((event, at));
        if self.0.len() <= MOST {
            return 0;
        }
        self.0.pop_front();
        1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> u64 {
        self.0.len() as u64
    }

    /// Stores all of them by `write`, or keeps all.
    pub(super) fn store<E>(
        &mut self,
        write: impl FnOnce(&[(NewEvent, Timestamp)]) -> Result<(), E>,
    ) -> Result<(), E> {
        write(self.0.make_contiguous())?;
        self.0.clear();
        Ok(())
    }
}

fn is_refusal(event: &NewEvent) -> bool {
    let says = |data: &String| data.contains("\"guard_refused\"");
    event.event_type == EventType::Custom
        && event.level == Level::Warn
        && event.data.as_ref().is_some_and(says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refusal(reason: usize) -> NewEvent {
        let data = json!({"type": "guard_refused", "rule": "publish", "reason": reason});
        let event = NewEvent::new("ada", EventType::Custom).level(Level::Warn);
        event.data(&data)
    }

    #[test]
    fn refusals_wait_in_their_order_and_the_oldest_go_when_they_are_too_many() {
        let mut waiting = Unwritten::default();
        assert_eq!(
            waiting.keep(NewEvent::new("ada", EventType::ToolStart), Timestamp(0)),
            1
        );
        let lost: u64 = (0..MOST + 2)
            .map(|n| waiting.keep(refusal(n), Timestamp(n as i64)))
            .sum();
        assert_eq!((lost, waiting.len()), (2, MOST as u64));
        assert_eq!(waiting.store(|_| Err("full")), Err("full"));
        assert_eq!(waiting.len(), MOST as u64);
        let mut stored = Vec::new();
        let write = |events: &[(NewEvent, Timestamp)]| -> Result<(), ()> {
            stored.extend(events.iter().map(|(_, at)| at.0));
            Ok(())
        };
        waiting.store(write).unwrap();
        assert!(waiting.is_empty());
        assert_eq!(stored, (2..MOST as i64 + 2).collect::<Vec<_>>());
    }
}
