//! Readings of a command in which every condition has one outcome.
//!
//! The walk keeps what either outcome leaves: values, folders, links, known texts of files and definitions of functions,
//! each of them (`paths::made`, `earlier`, `definitions`). Of what else a command makes for itself, aliases and texts
//! that are not known, only one can be kept. A command that makes such things and has conditions is read again with
//! each condition decided: every combination of a few, and of many those that differ most. One outcome of an alias, or
//! of a file whose text nobody knows, that none of these combinations has would be missed.

use super::outcome::Outcome;
use super::state::State;
use super::walk::{Done, Walker};
use crate::policy::Judged;

/// Outcomes of the first conditions, one bit each, and then again from the first one: so different that any two
/// neighbours, and most that are not far apart, have each pair of outcomes in one of them.
const OUTCOMES: [u32; 8] = [
    u32::MAX,
    0,
    0xAAAA_AAAA,
    0x5555_5555,
    0xCCCC_CCCC,
    0x3333_3333,
    0xF0F0_F0F0,
    0x0F0F_0F0F,
];

/// All outcomes of three conditions and fewer.
const ALL: [u32; 8] = [7, 0, 5, 2, 6, 1, 4, 3];

/// Readings that are never left out; others are where the command is long.
const LEAST: usize = 2;

/// How the conditions of this reading come out.
#[derive(Debug, Default)]
pub(super) struct Decisions {
    /// `None` where both outcomes are taken.
    outcomes: Option<u32>,
    /// Conditions so far.
    asked: u32,
    /// The command made something of which only one can be kept: a function, an alias, arguments, a file at one of
    /// several places.
    makes_one: bool,
    /// How the last list ended, where that was decided in it.
    pub(super) last: Option<bool>,
}

impl Decisions {
    pub(super) fn are_made(&self) -> bool {
        self.outcomes.is_some()
    }

    /// Counts a condition that may come out either way.
    pub(super) fn count(&mut self) {
        self.asked = self.asked.saturating_add(1);
    }

    /// The outcome of the next condition; `None` where both are taken.
    pub(super) fn next(&mut self) -> Option<bool> {
        let at = self.asked % u32::BITS;
        self.count();
        self.outcomes.map(|outcomes| outcomes >> at & 1 == 1)
    }

    /// The outcome of a condition, which the list that was just read may have decided.
    pub(super) fn holds(&mut self, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Success => true,
            Outcome::Failure => false,
            Outcome::Same | Outcome::Varies => {
                let last = self.last.take();
                last.or_else(|| self.next()).unwrap_or(true)
            }
        }
    }

    fn readings(&self) -> &'static [u32] {
        match self.asked {
            0 => &[],
            1 => &[1, 0],
            2 => &[3, 0, 1, 2],
            3 => &ALL,
            _ => &OUTCOMES,
        }
    }
}

impl Walker<'_> {
    /// Judges the text of a tool call: whatever its conditions come to, and where that matters each way they may.
    pub(crate) fn command_line(&mut self, code: &str, st: &mut State) -> Judged<Done> {
        let start = st.clone();
        let before = self.steps();
        let done = self.program(code, st)?;
        if !self.keeps_one_of_several() {
            return Ok(done);
        }
        let steps = self.steps() - before;
        for (at, outcomes) in self.decisions.readings().iter().enumerate() {
            if at >= LEAST && self.steps() + steps > super::walk::BUDGET {
                break;
            }
            let mut reading = self.with(*outcomes);
            let judged = reading.program(code, &mut start.clone());
            self.charge(reading.steps() - self.steps())?;
            if judged.is_err() {
                self.trace = reading.trace.take();
            }
            judged?;
        }
        Ok(done)
    }

    /// The walk from its beginning, with its conditions decided.
    fn with(&self, outcomes: u32) -> Self {
        let mut reading = Self::new(self.policy, self.paths.links());
        reading.decisions.outcomes = Some(outcomes);
        reading.trace = self.trace.as_ref().map(|_| Vec::new());
        reading.take_up(self.steps());
        reading
    }

    /// Notes that the command made something of which only one can be kept, or none.
    pub(crate) fn makes_one_of_several(&mut self) {
        self.decisions.makes_one = true;
    }

    /// Judges a command that may leave the files as they are, and lets it do so where that is the reading.
    pub(crate) fn perhaps_without_effect<T>(
        &mut self,
        may_do_nothing: bool,
        judge: impl FnOnce(&mut Self) -> Judged<T>,
    ) -> Judged<T> {
        let does_nothing = may_do_nothing && self.decisions.next() == Some(false);
        let before = does_nothing.then(|| {
            let contents = (self.written.clone(), self.added.clone(), self.parts.clone());
            (contents, self.paths.made_so_far())
        });
        let judged = if may_do_nothing {
            self.loosely(judge)
        } else {
            judge(self)
        };
        if let Some(((written, added, parts), made)) = before {
            self.paths.go_on_from(made);
            self.written = written;
            self.added = added;
            self.parts = parts;
        }
        judged
    }

    /// Whether the command made something that a later part of it may run or go through.
    fn keeps_one_of_several(&self) -> bool {
        let is_file = |path: &std::path::PathBuf| !path.starts_with("/dev");
        self.decisions.makes_one
            || self.paths.has_made_links()
            || self.written.keys().any(is_file)
            || !self.landed.is_empty()
            || !self.packed.is_empty()
    }
}
