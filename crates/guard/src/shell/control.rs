//! Compound commands as they run: both branches are taken, loops run until nothing new can come.
//!
//! States that could be the one after are joined; nothing is decided by a condition.

use super::ast::{Arm, Compound, List, Piece, Word};
use super::constant::{self, Asked};
use super::outcome::Outcome;
use super::output;
use super::state::{State, Var};
use super::text::{self, ANY, TOKEN};
use super::walk::{Done, Walker};
use crate::paths::Place;
use crate::policy::Judged;

/// A `for` over more values than this is judged with one unknown value that stands for all.
const TURNS: usize = 2_000;

impl Walker<'_> {
    pub(super) fn compound(&mut self, compound: &Compound, st: &mut State) -> Judged<Done> {
        let out = match compound {
            Compound::Subshell(list) => {
                let mut inner = st.clone();
                let before = self.pace;
                let out = self.list(list, &mut inner)?;
                self.pace = self.pace.within_process(before);
                self.leave(&inner, st)?;
                out
            }
            Compound::Group(list) => self.list(list, st)?,
            Compound::If { arms, otherwise } => self.branches(arms, otherwise.as_ref(), st)?,
            Compound::While { condition, body } if self.decisions.are_made() => {
                self.decided_loop(condition, body, st)?
            }
            Compound::While { condition, body } => {
                self.decisions.count();
                let once = Asked { st, before: None }.list(condition).is_constant();
                let endless = |before: &State, st: &State| {
                    let before = Some(before);
                    Asked { st, before }.list(condition).is_constant()
                };
                self.repeat(endless, st, |walker, st| {
                    let mut out = walker.list(condition, st)?;
                    let turn = walker.perhaps(!once, |walker| walker.list(body, st))?;
                    output::append(&mut out, &turn);
                    Ok(out)
                })?
            }
            Compound::For { name, words, body } => {
                let perhaps = !constant::is_written_out(words.as_deref());
                if perhaps && self.decisions.next() == Some(false) {
                    String::new()
                } else {
                    self.perhaps(perhaps, |walker| {
                        walker.for_each(name, words.as_deref(), body, st)
                    })?
                }
            }
            Compound::Case { subject, arms } => {
                self.scalar(subject, st)?;
                let before = st.clone();
                let first = arms.first();
                let sure = constant::is_written_out(Some(std::slice::from_ref(subject)))
                    || first.is_some_and(|arm| arm.patterns.iter().any(takes_all));
                // Where one arm takes whatever is left, one of them is taken.
                if self.decisions.are_made() {
                    return Ok(Done::printing(
                        self.decided_case(arms, sure, takes_all, st)?,
                    ));
                }
                for _ in arms {
                    self.decisions.count();
                }
                let exhaustive = arms.iter().flat_map(|arm| &arm.patterns).any(takes_all);
                let mut after = (!exhaustive).then(|| st.clone());
                let mut outs: Option<String> = None;
                let mut through: Option<State> = None;
                for Arm {
                    patterns,
                    body,
                    falls_through,
                } in arms
                {
                    for pattern in patterns {
                        self.scalar(pattern, &mut before.clone())?;
                    }
                    let mut arm = before.clone();
                    if let Some(through) = through.take() {
                        arm.join(through);
                    }
                    let out = self.perhaps(!sure, |walker| walker.list(body, &mut arm))?;
                    if *falls_through {
                        through = Some(arm.clone());
                    }
                    self.charge(arm.vars.len() / 8)?;
                    match &mut after {
                        Some(after) => after.join(arm),
                        None => after = Some(arm),
                    }
                    outs = Some(match outs {
                        None => out,
                        Some(other) => output::either(other, out),
                    });
                }
                if let Some(after) = after {
                    *st = after;
                }
                outs.unwrap_or_default()
            }
            Compound::Test(words) => {
                self.test(words, st)?;
                String::new()
            }
            Compound::Arithmetic(word) => {
                self.arithmetic(word, st)?;
                String::new()
            }
            Compound::ArithmeticFor(header, body) => {
                self.arithmetic(header, st)?;
                let endless = constant::has_no_end(header);
                self.repeat(
                    |_, _| endless,
                    st,
                    |walker, st| walker.perhaps(!endless, |walker| walker.list(body, st)),
                )?
            }
            Compound::Coprocess(name, command) => {
                let mut inner = st.clone();
                inner.stdin = Some(ANY.to_string().into());
                inner.beside = true;
                let before = self.pace;
                self.flow.aside += 1;
                let done = self.command(command, &mut inner);
                self.flow.aside -= 1;
                done?;
                self.leaves_job(before);
                // Its two ends are descriptors.
                let mut ends = Var::scalar(TOKEN.to_string());
                ends.array = Some(vec![TOKEN.to_string(); 2]);
                let name = name.as_deref().unwrap_or("COPROC");
                let number = format!("{name}_PID");
                self.check_variable(name, &TOKEN.to_string(), st)?;
                st.set(name, ends);
                st.set(&number, Var::scalar(text::JOB.to_string()));
                String::new()
            }
        };
        Ok(Done::printing(out))
    }

    /// `[[ … ]]`: arithmetic comparisons evaluate what is on both sides of them, `-v` a subscript.
    fn test(&mut self, words: &[Word], st: &mut State) -> Judged<()> {
        let mut values = Vec::with_capacity(words.len());
        for word in words {
            values.push(self.scalar(word, st)?);
        }
        for (at, op) in words.iter().map(Word::plain).enumerate() {
            match op {
                Some("-eq" | "-ne" | "-lt" | "-gt" | "-le" | "-ge") => {
                    for side in [at.checked_sub(1), Some(at + 1)].into_iter().flatten() {
                        if let Some(value) = values.get(side) {
                            self.evaluate(value, st)?;
                        }
                    }
                }
                Some("-v" | "-R") => {
                    if let Some(name) = values.get(at + 1) {
                        self.evaluate_name(name, st)?;
                    }
                }
                Some(_) | None => {}
            }
        }
        Ok(())
    }

    fn branches(
        &mut self,
        arms: &[(List, List)],
        otherwise: Option<&List>,
        st: &mut State,
    ) -> Judged<String> {
        if self.decisions.are_made() {
            return self.decided_branch(arms, otherwise, st);
        }
        let mut results: Vec<State> = Vec::new();
        let mut out: Option<String> = None;
        // Whether the arms before may have been taken.
        let mut perhaps = false;
        for (condition, body) in arms {
            let mut printed = self.list(condition, st)?;
            let mut taken = st.clone();
            let outcome = Asked { st, before: None }.list(condition);
            self.decisions.count();
            perhaps |= outcome == Outcome::Varies;
            let before = self.pace;
            let turn = self.perhaps(perhaps, |walker| walker.list(body, &mut taken))?;
            output::append(&mut printed, &turn);
            if outcome == Outcome::Failure {
                self.pace = self.pace.without_effect(before);
            }
            results.push(taken);
            out = Some(match out {
                None => printed,
                Some(other) => output::either(other, printed),
            });
        }
        if let Some(body) = otherwise {
            let printed = self.perhaps(perhaps, |walker| walker.list(body, st))?;
            out = Some(output::either(out.unwrap_or_default(), printed));
        }
        for result in results {
            self.charge(result.vars.len() / 8)?;
            st.join(result);
        }
        Ok(out.unwrap_or_default())
    }

    /// A loop that may run any number of times: until nothing changes any more, then with everything
    /// that keeps changing forgotten.
    /// `endless`: whether the loop goes on for ever, by the states before a turn of it and after.
    fn repeat(
        &mut self,
        endless: impl Fn(&State, &State) -> bool,
        st: &mut State,
        mut turn: impl FnMut(&mut Self, &mut State) -> Judged<String>,
    ) -> Judged<String> {
        // Each turn has a state of its own, and they are compared and joined.
        self.charge(12)?;
        let before = st.clone();
        let pace = self.pace;
        let mut out = turn(self, st)?;
        // Whether it ends is asked where both outcomes of its conditions are taken.
        if !self.decisions.are_made() && endless(&before, st) {
            self.comes_to_an_end(pace)?;
            if self.pace.goes_on(pace) && !out.is_empty() {
                out.push(text::ENDLESS);
            }
        }
        self.pace = self.pace.within_loop(pace);
        // Where counters stay numbers turn after turn, and nothing else changes any more, all turns are judged.
        let mut counted = st.clone();
        if !st.dead && counted.widen_counters(&before) {
            let begins = counted.clone();
            let printed = turn(self, &mut counted)?;
            if counted.same_values(&begins) && !counted.dead {
                counted.join(std::mem::replace(st, before));
                st.join(counted);
                return Ok(output::either(out, printed));
            }
        }
        for _ in 0..2 {
            if st.same_values(&before) || st.dead {
                st.dead = false;
                st.join(before.clone());
                return Ok(out);
            }
            let seen = st.clone();
            st.widen(&before);
            out = output::either(out, turn(self, st)?);
            st.join(seen);
        }
        st.widen(&before);
        st.dead = false;
        st.join(before);
        Ok(out)
    }

    /// One more turn of a loop that ends elsewhere than it began: in each of the places where it may begin.
    fn next_turn(
        &mut self,
        name: &str,
        value: &str,
        body: &List,
        before: &State,
        st: &mut State,
    ) -> Judged<()> {
        let mut again = st.clone();
        again.join(before.clone());
        let begins = again.cwd.clone();
        again.widen(before);
        again.cwd.clone_from(&begins);
        bind(name, value, &mut again);
        let told = begins.iter().all(|place| place.folder().is_some());
        if told && self.list(body, &mut again).is_ok() && is_within(&again.cwd, &begins) {
            again.join(st.clone());
            *st = again;
            return Ok(());
        }
        st.widen(before);
        bind(name, value, st);
        self.list(body, st).map(|_| ())
    }

    fn for_each(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &List,
        st: &mut State,
    ) -> Judged<String> {
        let values = match words {
            Some(words) => self.fields(words, st)?,
            None => match &st.positional {
                Some(all) => all.to_vec(),
                None => vec![ANY.to_string()],
            },
        };
        let values = if values.len() > TURNS {
            vec![ANY.to_string()]
        } else {
            values
        };
        let mut out: Option<String> = None;
        let mut after: Option<State> = None;
        let pace = self.pace;
        for value in values {
            if st.dead {
                break;
            }
            // One value may stand for many (a pattern, unknown text): what a turn changes is seen by the next.
            let many = !text::is_known(&value);
            let before = st.clone();
            bind(name, &value, st);
            let printed = self.list(body, st)?;
            if many && !st.dead && st.cwd != before.cwd {
                self.next_turn(name, &value, body, &before, st)?;
            }
            // `continue` and `break` behind a condition: a later turn may see the state before.
            self.charge(1 + st.vars.len() / 8)?;
            if st.dead {
                st.dead = false;
                after = Some(st.clone());
                *st = before;
            }
            out = Some(match out {
                None => printed,
                Some(other) => output::repeated(other, &printed),
            });
        }
        self.pace = self.pace.within_loop(pace);
        if let Some(after) = after {
            st.join(after);
        }
        Ok(out.unwrap_or_default())
    }
}

/// Whether each place is one of these, or below one of them: what was judged there is as good here.
pub(super) fn is_within(places: &[Place], known: &[Place]) -> bool {
    let Some(known) = known.iter().map(Place::folder).collect::<Option<Vec<_>>>() else {
        return false;
    };
    places.iter().all(|place| {
        place
            .folder()
            .is_some_and(|folder| known.iter().any(|other| folder.starts_with(other)))
    })
}

/// The pattern `*` of a `case`.
fn takes_all(pattern: &Word) -> bool {
    matches!(pattern.pieces.as_slice(), [Piece::Text { text, quoted: false }] if text == "*")
}

/// Gives a loop variable its value of this turn; a reference stands for each name in turn.
fn bind(name: &str, value: &str, st: &mut State) {
    let refers = st.vars.get(name).is_some_and(|var| var.reference.is_some());
    if refers {
        st.put(name, Var::reference(value.to_owned()));
    } else {
        st.set(name, Var::scalar(value.to_owned()));
    }
}
