//! Later turns of a loop: what a turn leaves is what the next one begins with.
//!
//! First with each value that a variable had at the beginning or has by now, and the arguments at each place to which
//! `shift` may have brought them; where that goes on changing, with all that changes forgotten.

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use super::ast::List;
use super::mentions::Mentions;
use super::output;
use super::state::{State, Var, merge};
use super::text;
use super::walk::Walker;
use crate::policy::Judged;

/// Longer lists of arguments are unknown ones behind a `shift`.
const ARGUMENTS: usize = 12;
/// Rounds of turns, of which the first one keeps the values.
const ROUNDS: usize = 3;

/// Files that a command has made by now.
pub(super) struct Made {
    written: HashMap<PathBuf, Option<Rc<str>>>,
    added: usize,
    parts: usize,
    links: bool,
}

impl Walker<'_> {
    pub(super) fn made_so_far(&self) -> Made {
        Made {
            written: self.written.clone(),
            added: self.added.values().map(String::len).sum(),
            parts: self.parts.values().map(|parts| parts.texts.len()).sum(),
            links: self.paths.has_made_links(),
        }
    }

    /// Whether a turn made files that were not there before it, or other ones.
    pub(super) fn made_more(&self, before: &Made) -> bool {
        let now = self.made_so_far();
        now.added != before.added
            || now.parts != before.parts
            || now.links != before.links
            || now.written != before.written
    }

    /// Judges the later turns of a loop whose first one began in `before` and ended in `st`.
    /// `to_the_last`: whether a turn may begin when all arguments are used up.
    pub(super) fn later_turns(
        &mut self,
        before: &State,
        made: &Made,
        to_the_last: bool,
        st: &mut State,
        turn: &mut impl FnMut(&mut Self, &mut State) -> Judged<String>,
    ) -> Judged<String> {
        let mut out = String::new();
        if st.same_turn(before) && !self.made_more(made) {
            return Ok(out);
        }
        let left = st.positional.clone();
        if self.decisions.are_made() {
            // One more on the one way; all others are taken where both outcomes of conditions are.
            let used_up = left.as_ref().is_some_and(|left| left.is_empty());
            if used_up && left != before.positional && !to_the_last {
                return Ok(out);
            }
            self.flow.later += 1;
            let printed = turn(self, st);
            self.flow.later -= 1;
            return printed;
        }
        for round in 0..ROUNDS {
            let seen = st.clone();
            if round == 0 {
                st.keep_either(before);
            } else {
                st.widen(before);
            }
            let start = st.clone();
            let mut after: Option<State> = None;
            for positional in arguments(before, left.as_ref(), to_the_last) {
                let mut one = start.clone();
                one.positional = positional;
                self.charge(2 + one.vars.len() / 8)?;
                self.flow.later += 1;
                let printed = turn(self, &mut one);
                self.flow.later -= 1;
                out = output::either(out, printed?);
                match &mut after {
                    Some(after) => after.join(one),
                    None => after = Some(one),
                }
            }
            let Some(after) = after else { break };
            let is_end = start.covers(&after);
            *st = after;
            st.join(start);
            st.join(seen);
            st.dead = false;
            if is_end {
                return Ok(out);
            }
        }
        st.widen(before);
        Ok(out)
    }
}

/// The arguments with which later turns may begin.
fn arguments(
    before: &State,
    left: Option<&Rc<Vec<String>>>,
    to_the_last: bool,
) -> Vec<Option<Rc<Vec<String>>>> {
    let Some(all) = &before.positional else {
        return vec![None];
    };
    if left == Some(all) {
        return vec![Some(Rc::clone(all))];
    }
    match left {
        // `set --`
        Some(left) if !all.ends_with(left) => return vec![Some(Rc::clone(left)), None],
        _ if all.len() > ARGUMENTS => return vec![None],
        Some(_) | None => {}
    }
    let shifted = |count: usize| Some(Rc::new(all.iter().skip(count).cloned().collect()));
    let last = all.len() + usize::from(to_the_last);
    (1..last).map(shifted).collect()
}

/// Whether a turn may begin without arguments: nothing in the loop asks how many there are.
pub(super) fn runs_without_arguments(condition: Option<&List>, body: &List) -> bool {
    let asks = |list: &List| Mentions::of(list).variables.contains("#");
    let looks = |list: &List| {
        let names = Mentions::of(list).variables;
        ["1", "@", "*"].iter().any(|name| names.contains(*name))
    };
    !asks(body) && !condition.is_some_and(|condition| asks(condition) || looks(condition))
}

impl State {
    /// Whether the next turn of a loop would begin as the last one did.
    pub(super) fn same_turn(&self, other: &Self) -> bool {
        self.same_values(other)
            && self.positional == other.positional
            && (Rc::ptr_eq(&self.aliases, &other.aliases) || self.aliases == other.aliases)
            && self.same_functions(other)
    }

    fn same_functions(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.functions, &other.functions)
            || self.functions.len() == other.functions.len()
                && self.functions.iter().all(|(name, body)| {
                    let same = other.functions.get(name);
                    same.is_some_and(|same| Rc::ptr_eq(same, body))
                })
    }

    /// Whether all that a turn left was among what it began with.
    fn covers(&self, after: &Self) -> bool {
        let among = |(name, var): (&String, &Var)| {
            self.vars.get(name).is_some_and(|own| {
                own.array == var.array
                    && own.reference == var.reference
                    && var.values.iter().all(|value| own.values.contains(value))
            })
        };
        self.cwd == after.cwd
            && self.same_functions(after)
            && (Rc::ptr_eq(&self.vars, &after.vars) || after.vars.iter().all(among))
    }

    /// Of what a turn changed, either value is kept; of numbers, that they are numbers.
    fn keep_either(&mut self, before: &Self) {
        if self.cwd != before.cwd {
            self.widen_places();
        }
        if Rc::ptr_eq(&self.vars, &before.vars) {
            return;
        }
        for (name, var) in Rc::make_mut(&mut self.vars) {
            match before.vars.get(name) {
                Some(old) if old == var => {}
                Some(old) if is_number(old) && is_number(var) => {
                    var.values = vec![text::TOKEN.to_string()];
                }
                Some(old) => merge(var, old),
                None => {}
            }
        }
    }
}

fn is_number(var: &Var) -> bool {
    let number = |value: &String| {
        !value.is_empty()
            && value
                .chars()
                .all(|c| c.is_ascii_digit() || c == text::TOKEN)
    };
    var.array.is_none() && var.reference.is_none() && var.values.iter().all(number)
}
