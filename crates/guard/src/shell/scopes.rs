//! Variables of one call of a function alone: what they were before is what they are behind it.

use std::collections::HashMap;
use std::rc::Rc;

use super::state::{State, Var, merge};
use super::text;

/// What variables were outside of a function that has them for itself, by name.
pub(crate) type Locals = Rc<HashMap<String, Outer>>;

/// A variable outside of the function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outer {
    before: Option<Var>,
    /// Every way through the function and every shell makes it the function's own.
    certain: bool,
}

impl Var {
    /// Whether a program gets just this.
    pub(super) fn is_passed_on_as_it_is(&self) -> bool {
        let kind = self.fixed || self.letters.is_some() || self.array.is_some();
        self.exported && !self.unsure && !kind
    }

    /// What a program gets of the variable, if anything. Arrays are no part of an environment, and of what kind a
    /// variable is stays with the shell that said so.
    pub(super) fn for_program(&self) -> Option<Self> {
        if !self.exported || self.array.is_some() {
            return None;
        }
        let mut var = Self {
            fixed: false,
            letters: None,
            unsure: false,
            ..self.clone()
        };
        if self.unsure {
            merge(
                &mut var,
                &Self {
                    exported: true,
                    ..Self::unknown()
                },
            );
        }
        Some(var)
    }
}

/// Digits with a sign, or what arithmetic makes.
fn is_number(value: &str) -> bool {
    value.parse::<i64>().is_ok()
        || !value.is_empty()
            && value
                .chars()
                .all(|c| c == text::TOKEN || c.is_ascii_digit())
}

impl State {
    /// Forgets what differs from `before`, but of counters that they are numbers; whether there are any.
    pub(super) fn widen_counters(&mut self, before: &Self) -> bool {
        let counts = |var: &Var| var.array.is_none() && var.values.iter().all(|one| is_number(one));
        let counters: Vec<(String, Var)> = self
            .vars
            .iter()
            .filter(|(name, var)| {
                let old = before.vars.get(*name);
                counts(var) && old.is_some_and(|old| old != *var && counts(old))
            })
            .map(|(name, var)| (name.clone(), var.one(text::TOKEN.to_string())))
            .collect();
        if counters.is_empty() {
            return false;
        }
        self.widen(before);
        Rc::make_mut(&mut self.vars).extend(counters);
        true
    }

    /// No program that is started from here on has the variable.
    pub(super) fn unexport(&mut self, name: &str) {
        if let Some(var) = Rc::make_mut(&mut self.vars).get_mut(name) {
            var.exported = false;
            var.unsure = false;
        }
    }

    /// A function begins; gives back the variables of the one around it.
    pub(super) fn begin_function(&mut self) -> Option<Locals> {
        self.locals.replace(Locals::default())
    }

    /// The function ends, and its variables with it.
    pub(super) fn end_function(&mut self, around: Option<Locals>) {
        let own = std::mem::replace(&mut self.locals, around);
        for (name, outer) in own.iter().flat_map(|own| own.iter()) {
            let vars = Rc::make_mut(&mut self.vars);
            match (&outer.before, outer.certain) {
                (Some(before), true) => {
                    vars.insert(name.clone(), before.clone());
                }
                (None, true) => {
                    vars.remove(name);
                }
                (before, false) => {
                    let before = before.clone().unwrap_or_else(Var::unknown);
                    match vars.get_mut(name) {
                        Some(var) => merge(var, &before),
                        None => {
                            vars.insert(name.clone(), before);
                        }
                    }
                }
            }
        }
    }

    /// Makes a variable one of the function that is being run, if there is one.
    pub(super) fn make_local(&mut self, name: &str, certain: bool) {
        let Some(locals) = &mut self.locals else {
            return;
        };
        if locals.contains_key(name) {
            return;
        }
        let before = self.vars.get(name).cloned();
        // What kind of variable it was outside does not hold for the new one.
        if before
            .as_ref()
            .is_some_and(|var| var.integer || var.letters.is_some())
            && let Some(var) = Rc::make_mut(&mut self.vars).get_mut(name)
        {
            var.integer = false;
            var.letters = None;
        }
        let outer = Outer { before, certain };
        Rc::make_mut(locals).insert(name.to_owned(), outer);
    }

    /// No later assignment is sure to change the variable.
    pub(super) fn fix(&mut self, name: &str) {
        if let Some(var) = Rc::make_mut(&mut self.vars).get_mut(name) {
            var.fixed = true;
        }
    }

    /// A variable may have kept what it was, also when that was nothing.
    pub(super) fn may_be(&mut self, name: &str, before: Option<Var>) {
        let before = before.unwrap_or_else(|| Var::scalar(String::new()));
        if let Some(var) = Rc::make_mut(&mut self.vars).get_mut(name) {
            merge(var, &before);
        }
    }

    /// Keeps what either way through the function made its own.
    pub(super) fn join_locals(&mut self, other: Option<Locals>) {
        let (Some(mine), Some(theirs)) = (&mut self.locals, other) else {
            return;
        };
        if Rc::ptr_eq(mine, &theirs) {
            return;
        }
        let mine = Rc::make_mut(mine);
        for (name, outer) in mine.iter_mut() {
            match theirs.get(name) {
                Some(other) if other == outer => {}
                Some(other) => {
                    let mut before = outer.before.clone().unwrap_or_else(Var::unknown);
                    let theirs = other.before.clone().unwrap_or_else(Var::unknown);
                    merge(&mut before, &theirs);
                    outer.before = Some(before);
                    outer.certain &= other.certain;
                }
                None => outer.certain = false,
            }
        }
        for (name, outer) in theirs.iter() {
            mine.entry(name.clone()).or_insert_with(|| Outer {
                certain: false,
                ..outer.clone()
            });
        }
    }
}
