//! Tool calls that ran although the guard was not asked about them, or had refused them: whatever runs in an agent can
//! stop or answer for a hook of its CLI. Pure.
//!
//! A CLI may leave out hooks for some of its tools, or the names of calls; where that can be the reason nothing is said.

use crate::types::event::{EventType, Level, NewEvent};
use serde_json::json;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};

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
    /// Calls by their names, and what of them may be run.
    open: HashMap<String, Allowed>,
    hasher: RandomState,
    ended: VecDeque<String>,
    lost: bool,
    unasked: u32,
}

/// What the guard has allowed of one call: a CLI may ask twice, and one yes is enough for what was asked.
#[derive(Debug, Default)]
struct Allowed {
    /// A call that has no command.
    without_command: bool,
    /// Commands, by what they hash to.
    commands: HashSet<u64>,
}

impl Allowed {
    /// Whether this is what was allowed. Who leaves the command out at the end of a call says nothing of it.
    fn covers(&self, command: Option<u64>) -> bool {
        self.without_command
            || command.map_or(!self.commands.is_empty(), |command| {
                self.commands.contains(&command)
            })
    }
}

/// What the end of a call tells.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    AsAllowed,
    /// It ran unasked; how often there was such a call.
    Unasked(u32),
}

impl Calls {
    /// The guard has answered about a call. `command`: what it runs, of one that runs something.
    pub(super) fn judged(&mut self, tool: &str, call: &str, command: Option<&str>, allowed: bool) {
        if self.tools.len() < TOOLS {
            self.tools.insert(tool.to_owned());
        }
        if self.open.len() >= OPEN {
            self.open.clear();
            self.lost = true;
        }
        let command = command.map(|command| self.hasher.hash_one(command));
        let known = self.open.entry(call.to_owned()).or_default();
        if allowed {
            known.without_command |= command.is_none();
            known.commands.extend(command);
        }
    }

    /// The CLI says that a call has ended; `failed` ones may not have run at all.
    pub(super) fn ended(
        &mut self,
        tool: &str,
        call: &str,
        command: Option<&str>,
        failed: bool,
    ) -> Ended {
        let command = command.map(|command| self.hasher.hash_one(command));
        let allowed = self.open.remove(call);
        let is_known = match &allowed {
            Some(allowed) => allowed.covers(command),
            None => self.lost || self.ended.iter().any(|ended| ended == call),
        };
        if allowed.is_some() {
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
        calls.judged("Bash", "a", None, true);
        calls.judged("Bash", "b", None, false);
        assert_eq!(calls.ended("Bash", "a", None, false), Ended::AsAllowed);
        assert_eq!(calls.ended("Bash", "b", None, false), Ended::Unasked(1));
        assert_eq!(calls.ended("Bash", "c", None, false), Ended::Unasked(2));
    }

    #[test]
    fn a_yes_to_one_command_allows_no_other() {
        let mut calls = Calls::default();
        calls.judged("Bash", "a", Some("git push"), false);
        calls.judged("Bash", "a", Some("ls"), true);
        assert_eq!(
            calls.ended("Bash", "a", Some("git push"), false),
            Ended::Unasked(1)
        );
        calls.judged("Bash", "b", Some("ls"), true);
        assert_eq!(
            calls.ended("Bash", "b", Some("ls"), false),
            Ended::AsAllowed
        );
        // Who does not say what has run is believed.
        calls.judged("Bash", "c", Some("ls"), true);
        assert_eq!(calls.ended("Bash", "c", None, false), Ended::AsAllowed);
    }

    #[test]
    fn in_doubt_nothing_is_told() {
        let mut calls = Calls::default();
        // No call of this tool was ever asked about.
        assert_eq!(calls.ended("Read", "r", None, false), Ended::AsAllowed);
        calls.judged("Bash", "a", None, false);
        calls.judged("Bash", "a", None, true);
        assert_eq!(calls.ended("Bash", "a", None, false), Ended::AsAllowed);
        // Told twice; failed, so perhaps it never ran.
        assert_eq!(calls.ended("Bash", "a", None, false), Ended::AsAllowed);
        assert_eq!(calls.ended("Bash", "x", None, true), Ended::AsAllowed);
        assert_eq!(calls.ended("Read", "y", None, false), Ended::AsAllowed);
        for call in 0..=OPEN {
            calls.judged("Bash", &call.to_string(), None, true);
        }
        assert_eq!(calls.ended("Bash", "0", None, false), Ended::AsAllowed);
    }
}
