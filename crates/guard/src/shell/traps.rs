//! Traps: text that this shell runs later, in whatever state it is in by then.
//!
//! A trap is judged where it is set, wherever a variable it reads changes, where the shell exits, and at the
//! end. One that only runs at the exit may read variables that are set behind it.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use super::mentions::Mentions;
use super::state::{State, Var};
use super::text::{self, JOB, TOKEN};
use super::walk::{Done, Walker};
use crate::policy::Judged;

/// Functions a shell calls on its own: bash and zsh for unknown programs, zsh for signals and prompts.
pub(super) fn is_called_unasked(name: &str) -> bool {
    matches!(
        name,
        "command_not_found_handle"
            | "command_not_found_handler"
            | "precmd"
            | "preexec"
            | "chpwd"
            | "periodic"
            | "zshexit"
            | "zshaddhistory"
    ) || name
        .strip_prefix("TRAP")
        .is_some_and(|signal| !signal.is_empty() && signal.bytes().all(|c| c.is_ascii_uppercase()))
}

/// Whether a trap for this runs in between the commands of a shell, which goes on with what the trap changed.
/// One for a signal does so where the shell sends it to itself, which `kill` looks after.
fn runs_between(signal: &str) -> bool {
    let upper = signal.to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    matches!(name, "DEBUG" | "ERR" | "ZERR" | "RETURN" | "CHLD" | "CLD") || !text::is_known(signal)
}

impl Walker<'_> {
    /// What may have run any number of times before each of the commands behind.
    pub(super) fn between(&mut self, mut after: State, st: &mut State) {
        if after.same_values(st) {
            return;
        }
        self.wanders |= after.cwd != st.cwd;
        let changed = after
            .vars
            .iter()
            .filter(|(name, var)| st.vars.get(*name) != Some(*var));
        self.unsettled.extend(changed.map(|(name, _)| name.clone()));
        after.dead = false;
        after.widen(st);
        *st = after;
    }

    pub(super) fn trap(&mut self, args: &[String], st: &mut State) -> Judged<Done> {
        let args = match args.split_first() {
            Some((first, rest)) if first == "--" => rest,
            _ => args,
        };
        let Some((code, signals)) = args
            .split_first()
            .filter(|(code, _)| !matches!(code.as_str(), "-" | "" | "-p" | "-l" | "-P"))
        else {
            return Ok(Done::default());
        };
        let at_exit = !signals.is_empty()
            && signals
                .iter()
                .all(|signal| matches!(signal.as_str(), "EXIT" | "0"));
        if self.decisions.next() == Some(false) {
            Rc::make_mut(&mut st.traps).push(code.clone());
            return Ok(Done::default());
        }
        let mut after = st.clone();
        if let Err(refusal) = self.loosely(|walker| walker.script(code, &mut after)) {
            if !at_exit || self.unset_in(code, st)?.is_empty() {
                return Err(refusal);
            }
            // Variables that are set later are what is missing; the end of this shell decides.
            self.judge_assuming(code, st)?;
            self.deferred.push((code.clone(), refusal));
        } else if signals.iter().any(|signal| runs_between(signal)) {
            self.between(after, st);
        }
        Rc::make_mut(&mut st.traps).push(code.clone());
        Ok(Done::default())
    }

    /// Judges the traps that read a variable which just changed: the shell may end right here.
    pub(super) fn traps_that_read(&mut self, name: &str, st: &State) -> Judged<()> {
        if st.traps.is_empty() || name.is_empty() {
            return Ok(());
        }
        for code in st.traps.clone().iter() {
            if code.contains(name) || self.mentioned_by(code, st)?.contains(name) {
                self.judge_assuming(code, st)?;
            }
        }
        Ok(())
    }

    /// Judges the traps of a shell that ends here without its text being at an end.
    pub(super) fn traps_at_exit(&mut self, st: &State) -> Judged<()> {
        for code in st.traps.clone().iter() {
            self.judge_assuming(code, st)?;
        }
        Ok(())
    }

    /// Judges a trap as if the variables nobody has set yet were plain words, or the number of a job.
    fn judge_assuming(&mut self, code: &str, st: &State) -> Judged<()> {
        self.charge(50)?;
        let mut late = st.clone();
        late.dead = false;
        late.traps = Rc::default();
        let unset = self.unset_in(code, st)?;
        let mut with = |value: char| {
            let mut late = late.clone();
            for name in &unset {
                late.put(name, Var::scalar(value.to_string()));
            }
            self.script(code, &mut late).map(|_| ())
        };
        match with(TOKEN) {
            Err(refusal) if !unset.is_empty() => with(JOB).map_err(|_| refusal),
            result => result,
        }
    }

    /// Judges what a subshell leaves to be run at its end: the traps it set itself.
    pub(super) fn leave(&mut self, inner: &State, outer: &State) -> Judged<()> {
        for code in inner.traps.clone().iter().skip(outer.traps.len()) {
            let mut late = inner.clone();
            late.dead = false;
            late.traps = Rc::default();
            self.script(code, &mut late)?;
            self.deferred.retain(|(other, _)| other != code);
        }
        Ok(())
    }

    /// Judges the traps at the end of a shell; none may stay undecided.
    pub(super) fn traps_at_end(&mut self, st: &State) -> Judged<()> {
        let mut none = st.clone();
        none.traps = Rc::default();
        self.leave(st, &none)?;
        match self.deferred.first() {
            Some((_, refusal)) if self.depth == 0 => Err(refusal.clone()),
            _ => Ok(()),
        }
    }

    /// The variables that a trap reads and nobody has set yet, in the functions it calls as well.
    fn unset_in(&mut self, code: &str, st: &State) -> Judged<BTreeSet<String>> {
        let names = code.split('$').skip(1).map(|part| {
            let name = part.trim_start_matches('{');
            let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            name.get(..end.unwrap_or(name.len())).unwrap_or_default()
        });
        let names: HashSet<&str> = names.collect();
        let mut names: BTreeSet<String> = names.into_iter().map(str::to_owned).collect();
        names.append(&mut self.mentioned_by(code, st)?);
        names.retain(|name| super::expand::is_name(name) && st.var(name).is_none());
        Ok(names)
    }

    /// The variables in the functions that a trap calls.
    fn mentioned_by(&mut self, code: &str, st: &State) -> Judged<BTreeSet<String>> {
        let mentions = Mentions::through(code, st);
        self.charge(mentions.looked_at / 16)?;
        Ok(mentions.variables)
    }
}
