//! Tool calls that ran although the guard was not asked about them, or had refused them: whatever runs in an agent can
//! stop or answer for a hook of its CLI. Pure.
//!
//! A CLI may leave out hooks for some of its tools, or the names of calls; where that can be the reason nothing is said.

use crate::types::event::{EventType, Level, NewEvent};
use serde_json::json;
use std::collections::{HashMap, HashSet, VecDeque};

/// The rule in the list of refused calls; the watchdog reports it at once.
const RULE: &str = "unasked";
/// So often it is told before the agent is ended.
pub(super) const PATIENCE: u32 = 3;
/// Most calls that are under way; with more, unknown ones are nobody's fault.
const OPEN: usize = 65_536;
/// Most tools that are known by name.
const TOOLS: usize = 1024;
/// Calls that have ended are known for so many others, should a CLI tell of one twice.
const ENDED: usize = 4096;

/// What the host knows of the calls of the CLI it has started.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Tools that the guard is asked about.
    tools: HashSet<String>,
    /// Calls by their names, and whether they may be made.
    open: HashMap<String, bool>,
    ended: VecDeque<String>,
    lost: bool,
    unasked: u32,
}

/// What the end of a call tells.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    AsAllowed,
    /// It ran unasked; how often there was such a call.
    Unasked(u32),
}

impl Calls {
    /// The guard has answered about a call.
    pub(super) fn judged(&mut self, tool: &str, call: &str, allowed: bool) {
        if self.tools.len() < TOOLS {
            self.tools.insert(tool.to_owned());
        }
        if self.open.len() >= OPEN {
            self.open.clear();
            self.lost = true;
        }
        // A CLI may ask twice; one yes is enough.
        *self.open.entry(call.to_owned()).or_insert(false) |= allowed;
    }

    /// The CLI says that a call has ended; `failed` ones may not have run at all.
    pub(super) fn ended(&mut self, tool: &str, call: &str, failed: bool) -> Ended {
        let was_allowed = self.open.remove(call);
        let is_known = match was_allowed {
            Some(allowed) => allowed,
            None => self.lost || self.ended.iter().any(|ended| ended == call),
        };
        if was_allowed.is_some() {
            self.ended.push_back(call.to_owned());
            if self.ended.len() > ENDED {
                self.ended.pop_front();
            }
        }
        if is_known || failed || !self.tools.contains(tool) {
            return Ended::AsAllowed;
        }
        self.unasked += 1;
        Ended::Unasked(self.unasked)
    }
}

/// The event about one such call.
pub(super) fn event(agent: &str, tool: &str) -> NewEvent {
    let reason = format!(
        "{agent} ran a tool call ({tool}) that its guard was not asked about, or had refused: something in it answers for the hooks of its CLI"
    );
    let data = json!({"type": "guard_refused", "rule": RULE, "reason": reason});
    let mut event = NewEvent::new(agent, EventType::Custom).level(Level::Warn);
    event.tool_name = Some(tool.to_owned());
    event.data(&data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_ran_unasked_or_refused_is_told_and_counted() {
        let mut calls = Calls::default();
        calls.judged("Bash", "a", true);
        calls.judged("Bash", "b", false);
        assert_eq!(calls.ended("Bash", "a", false), Ended::AsAllowed);
        assert_eq!(calls.ended("Bash", "b", false), Ended::Unasked(1));
        assert_eq!(calls.ended("Bash", "c", false), Ended::Unasked(2));
    }

    #[test]
    fn in_doubt_nothing_is_told() {
        let mut calls = Calls::default();
        // No call of this tool was ever asked about.
        assert_eq!(calls.ended("Read", "r", false), Ended::AsAllowed);
        calls.judged("Bash", "a", false);
        calls.judged("Bash", "a", true);
        assert_eq!(calls.ended("Bash", "a", false), Ended::AsAllowed);
        // Told twice; failed, so perhaps it never ran.
        assert_eq!(calls.ended("Bash", "a", false), Ended::AsAllowed);
        assert_eq!(calls.ended("Bash", "x", true), Ended::AsAllowed);
        assert_eq!(calls.ended("Read", "y", false), Ended::AsAllowed);
        for call in 0..=OPEN {
            calls.judged("Bash", &call.to_string(), true);
        }
        assert_eq!(calls.ended("Bash", "0", false), Ended::AsAllowed);
    }
}
