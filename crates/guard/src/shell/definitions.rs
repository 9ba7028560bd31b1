//! Functions: which of several definitions a name has where a condition decides, and calls that are judged with each.

use std::rc::Rc;

use super::ast::Command;
use super::state::State;
use super::walk::{Done, Walker};
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};

/// A name that may stand for more functions than this is not called.
const MOST: usize = 12;

/// What a name may stand for; `None` where no function has it.
type Definition = Option<Rc<Command>>;

impl State {
    /// A function gets this body, whatever it had before.
    pub(super) fn define(&mut self, name: &str, body: &Rc<Command>) {
        Rc::make_mut(&mut self.functions).insert(name.to_owned(), Rc::clone(body));
        self.settle_function(name);
        if self.exports_all || self.handed.contains_key(name) {
            Rc::make_mut(&mut self.handed).insert(name.to_owned(), Rc::clone(body));
        }
    }

    /// Takes a function away, unless `readonly` keeps it.
    pub(super) fn undefine(&mut self, name: &str) {
        if !self.kept.contains_key(name) {
            self.lose(name);
            Rc::make_mut(&mut self.handed).remove(name);
        }
    }

    /// The name stands for no function any more.
    fn lose(&mut self, name: &str) {
        Rc::make_mut(&mut self.functions).remove(name);
        self.settle_function(name);
    }

    fn settle_function(&mut self, name: &str) {
        if self.also.contains_key(name) {
            Rc::make_mut(&mut self.also).remove(name);
        }
    }

    /// Everything that a name may stand for.
    fn definitions(&self, name: &str) -> Vec<Definition> {
        let mut all = vec![self.functions.get(name).cloned()];
        all.extend(self.also.get(name).into_iter().flatten().cloned());
        all
    }

    /// Keeps what a name stands for in either state.
    pub(super) fn join_functions(&mut self, other: &Self) {
        if Rc::ptr_eq(&self.functions, &other.functions) && Rc::ptr_eq(&self.also, &other.also) {
            return;
        }
        let mut names: Vec<String> = Vec::new();
        for (name, theirs) in other.functions.iter() {
            let mine = self.functions.get(name);
            if !mine.is_some_and(|mine| Rc::ptr_eq(mine, theirs)) {
                names.push(name.clone());
            }
        }
        let lacks = |name: &&String| !other.functions.contains_key(*name);
        names.extend(self.functions.keys().filter(lacks).cloned());
        if !Rc::ptr_eq(&self.also, &other.also) {
            names.extend(other.also.keys().cloned());
        }
        names.sort();
        names.dedup();
        for name in names {
            if self.also.get(&name).is_some_and(|all| all.len() >= MOST) {
                continue;
            }
            let mut all = self.definitions(&name);
            let known = all.len();
            for theirs in other.definitions(&name) {
                if all.len() <= MOST && !all.iter().any(|mine| is_same(mine, &theirs)) {
                    all.push(theirs);
                }
            }
            if all.len() == known {
                continue;
            }
            // One that is a function stands in front.
            let first = all.iter().position(Option::is_some).unwrap_or_default();
            if let Some(body) = all.remove(first) {
                Rc::make_mut(&mut self.functions).insert(name.clone(), body);
                Rc::make_mut(&mut self.also).insert(name, all);
            }
        }
    }
}

fn is_same(one: &Definition, other: &Definition) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Rc::ptr_eq(one, other),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

impl Walker<'_> {
    /// Judges the call of a name that is a function, or may be one: with each definition that it may have.
    pub(crate) fn function_or_program(
        &mut self,
        name: &str,
        call: &Call,
        st: &mut State,
    ) -> Judged<Done> {
        let Some(others) = st.also.get(name).cloned() else {
            return self.function(name, call, st);
        };
        if others.len() >= MOST {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "the function may be one of many, as conditions come out; define it once, with the conditions in it",
            ));
        }
        st.settle_function(name);
        let before = st.clone();
        let mut done = self.loosely(|walker| walker.function(name, call, st))?;
        for other in others {
            self.charge(12 + (before.vars.len() + before.functions.len()) / 8)?;
            let mut state = before.clone();
            match &other {
                Some(body) => state.define(name, body),
                None => state.lose(name),
            }
            let one = self.loosely(|walker| walker.again(call.clone(), &mut state))?;
            st.join(state);
            done = done.or(one);
        }
        Ok(done)
    }
}
