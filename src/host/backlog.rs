//! How much may wait to be stored while a disk is slow or a database locked: what would only be nice to have goes first, and
//! is counted. State, mail, money and the end are always kept; of what they say again and again, once is enough.

use super::writer::Record;
use crate::types::event::{EventType, Level, NewEvent};
use std::collections::HashMap;
use std::mem::{Discriminant, discriminant, size_of};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What may wait: so many records, and bytes of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub records: usize,
    pub bytes: usize,
}

/// A host has 8 MB for itself.
pub(super) const LIMITS: Limits = Limits {
    records: 4096,
    bytes: 2 * 1024 * 1024,
};

/// What is worth more than others has so many times the room.
const RESERVE: usize = 2;

/// What a record is worth when there is no room for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worth {
    /// It can be missed.
    Little,
    /// A person should see it, but not ten thousand of them.
    Much,
    /// Nothing makes up for it.
    All,
}

/// Shared by those who put records and the thread that stores them.
#[derive(Debug)]
pub(super) struct Backlog {
    limits: Limits,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    records: usize,
    bytes: usize,
    /// How many records went since that was last stored.
    dropped: u64,
    /// What was said last of each kind that repeats itself, and how many of the kind wait.
    said: HashMap<Discriminant<Record>, (String, usize)>,
}

impl Backlog {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            waiting: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a record may wait; it is counted among those that do, or among those that went.
    pub(super) fn admit(&self, record: &Record) -> bool {
        let (bytes, said) = (weight(record), repeats(record));
        let mut waiting = self.lock();
        let same = said.as_ref().is_some_and(|said| {
            let last = waiting.said.get(&discriminant(record));
            last.is_some_and(|(last, count)| *count > 0 && last == said)
        });
        if same {
            return false;
        }
        let times = match worth(record) {
            Worth::Little => Some(1),
            Worth::Much => Some(RESERVE),
            Worth::All => None,
        };
        let has_room = times.is_none_or(|times| {
            let fits = waiting.bytes + bytes <= self.limits.bytes * times;
            waiting.records == 0 || (fits && waiting.records < self.limits.records * times)
        });
        if !has_room {
            waiting.dropped += 1;
            return false;
        }
        waiting.records += 1;
        waiting.bytes += bytes;
        if let Some(said) = said {
            let last = waiting.said.entry(discriminant(record)).or_default();
            *last = (said, last.1 + 1);
        }
        true
    }

    /// A record waits no longer. Returns how many went meanwhile, once half of the room is free again.
    pub(super) fn taken(&self, record: &Record) -> Option<u64> {
        let mut waiting = self.lock();
        waiting.records = waiting.records.saturating_sub(1);
        waiting.bytes = waiting.bytes.saturating_sub(weight(record));
        if repeats(record).is_some()
            && let Some((_, count)) = waiting.said.get_mut(&discriminant(record))
        {
            *count = count.saturating_sub(1);
        }
        let is_over =
            waiting.records * 2 <= self.limits.records && waiting.bytes * 2 <= self.limits.bytes;
        (is_over && waiting.dropped > 0).then(|| std::mem::take(&mut waiting.dropped))
    }

    /// How many went, whether there is room again or not.
    pub(super) fn dropped(&self) -> u64 {
        std::mem::take(&mut self.lock().dropped)
    }

    /// It could not be stored that so many went.
    pub(super) fn not_told(&self, count: u64) {
        self.lock().dropped += count;
    }
}

fn worth(record: &Record) -> Worth {
    match record {
        Record::Event(event) => worth_of_event(event),
        // The next one makes up for each of these.
        Record::CloseTool(_) | Record::Activity | Record::Transcript(_) | Record::Snapshot => {
            Worth::Little
        }
        Record::State(_)
        | Record::FirstHook
        | Record::WaitingFor(_)
        | Record::Conversation { .. }
        | Record::Model(_)
        | Record::Turn(_)
        | Record::Metrics { .. }
        | Record::Ended(_) => Worth::All,
    }
}

fn worth_of_event(event: &NewEvent) -> Worth {
    match (event.event_type, event.level) {
        (
            EventType::MailSent
            | EventType::MailReceived
            | EventType::Spawn
            | EventType::SessionStart
            | EventType::SessionEnd,
            _,
        ) => Worth::All,
        (EventType::Error, _) | (_, Level::Warn | Level::Error) => Worth::Much,
        (
            EventType::ToolStart
            | EventType::ToolEnd
            | EventType::Custom
            | EventType::TurnStart
            | EventType::TurnEnd
            | EventType::Progress
            | EventType::Result,
            Level::Debug | Level::Info,
        ) => Worth::Little,
    }
}

/// What a record of a kind that repeats itself says.
fn repeats(record: &Record) -> Option<String> {
    match record {
        Record::State(_)
        | Record::WaitingFor(_)
        | Record::Conversation { .. }
        | Record::Model(_) => Some(format!("{record:?}")),
        Record::Event(_)
        | Record::CloseTool(_)
        | Record::Activity
        | Record::FirstHook
        | Record::Transcript(_)
        | Record::Turn(_)
        | Record::Snapshot
        | Record::Metrics { .. }
        | Record::Ended(_) => None,
    }
}

/// About how many bytes a record takes.
fn weight(record: &Record) -> usize {
    let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let more = match record {
        Record::Event(event) => [
            &event.run_id,
            &event.session_id,
            &event.tool_name,
            &event.tool_args,
            &event.data,
        ]
        .into_iter()
        .map(length)
        .sum::<usize>(),
        Record::CloseTool(text) | Record::Model(text) => text.len(),
        Record::WaitingFor(why) => length(why),
        Record::Conversation { id, transcript } => length(id) + length(transcript),
        Record::Transcript(path) => path.as_os_str().len(),
        Record::Activity
        | Record::State(_)
        | Record::FirstHook
        | Record::Turn(_)
        | Record::Snapshot
        | Record::Metrics { .. }
        | Record::Ended(_) => 0,
    };
    size_of::<Record>() + more
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::AgentState;

    fn event(kind: EventType, level: Level, bytes: usize) -> Record {
        let mut event = NewEvent::new("ada", kind).level(level);
        event.data = Some("x".repeat(bytes));
        Record::Event(event)
    }

    fn tool() -> Record {
        event(EventType::ToolStart, Level::Info, 10)
    }

    fn backlog(records: usize, bytes: usize) -> Backlog {
        Backlog::new(Limits { records, bytes })
    }

    #[test]
    fn calls_of_tools_go_when_too_many_wait_and_mail_and_state_stay() {
        let backlog = backlog(10, 1 << 20);
        let admitted = (0..100).filter(|_| backlog.admit(&tool())).count();
        assert_eq!(admitted, 10);
        for _ in 0..100 {
            assert!(backlog.admit(&event(EventType::MailSent, Level::Info, 10)));
        }
        assert!(backlog.admit(&Record::State(AgentState::Completed)));
        assert_eq!(backlog.dropped(), 90);
    }

    #[test]
    fn warnings_have_twice_the_room_and_no_more() {
        let backlog = backlog(10, 1 << 20);
        let refused = || event(EventType::Custom, Level::Warn, 10);
        assert!((0..10).all(|_| backlog.admit(&tool())));
        let admitted = (0..100).filter(|_| backlog.admit(&refused())).count();
        assert_eq!((admitted, backlog.dropped()), (10, 90));
    }

    #[test]
    fn large_ones_count_by_their_bytes_and_one_alone_always_fits() {
        let backlog = backlog(1000, 10_000);
        let large = event(EventType::ToolStart, Level::Info, 20_000);
        assert!(backlog.admit(&large));
        assert!(!backlog.admit(&tool()));
        assert_eq!(backlog.taken(&large), Some(1));
        assert!(backlog.admit(&tool()));
        assert_eq!(backlog.dropped(), 0);
    }

    #[test]
    fn what_is_said_again_while_it_waits_is_neither_kept_twice_nor_lost() {
        let backlog = backlog(10, 1 << 20);
        let state = |state| Record::State(state);
        assert!(backlog.admit(&state(AgentState::Working)));
        assert!(!backlog.admit(&state(AgentState::Working)));
        assert!(backlog.admit(&state(AgentState::Stalled)));
        assert!(backlog.admit(&state(AgentState::Working)));
        for stored in [
            AgentState::Working,
            AgentState::Stalled,
            AgentState::Working,
        ] {
            assert_eq!(backlog.taken(&state(stored)), None);
        }
        // Somebody else may have written another one since.
        assert!(backlog.admit(&state(AgentState::Working)));
        assert_eq!(backlog.dropped(), 0);
    }

    #[test]
    fn what_went_is_told_when_there_is_room_again() {
        let backlog = backlog(4, 1 << 20);
        let admitted = (0..7).filter(|_| backlog.admit(&tool())).count();
        assert_eq!(admitted, 4);
        let told: Vec<_> = (0..4).map(|_| backlog.taken(&tool())).collect();
        assert_eq!(told, [None, Some(3), None, None]);
        backlog.not_told(3);
        assert_eq!(backlog.dropped(), 3);
    }
}
