//! What happened, newest last: the engine's lines and the user's own actions.
//!
//! Bounded; what falls off the end is counted.

use std::collections::VecDeque;

use crate::engine::event::Level;

const KEPT: usize = 500;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogEntry {
    pub at_ms: i64,
    pub level: Level,
    pub agent: Option<String>,
    pub text: String,
    /// The user did this, here.
    pub own: bool,
}

/// The log.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogState {
    entries: VecDeque<LogEntry>,
    pub forgotten: u64,
}

impl LogState {
    /// Adds a line.
    pub(crate) fn push(&mut self, entry: LogEntry) {
        self.entries.push_back(entry);
        if self.entries.len() > KEPT {
            self.entries.pop_front();
            self.forgotten += 1;
        }
    }

    /// Gives the lines, newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = &LogEntry> {
        self.entries.iter().rev()
    }

    /// Counts the lines that are kept.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Tells whether nothing has happened yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
