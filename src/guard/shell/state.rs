//! What a shell process knows at one point of a command line: directory, variables, functions, input.
//!
//! Cheap to copy, because every subshell and every branch gets its own; joining two states keeps whatever
//! either of them could be.

use std::collections::HashMap;
use std::rc::Rc;

use super::ast::Command;
use super::text;
use crate::guard::paths::Place;

/// More possible values than this become one unknown value.
const ALTERNATIVES: usize = 6;

/// A shell variable: the values it may have, or the elements of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Var {
    pub(crate) values: Vec<String>,
    pub(crate) array: Option<Vec<String>>,
    pub(crate) exported: bool,
}

impl Var {
    pub(crate) fn scalar(value: String) -> Self {
        Self {
            values: vec![value],
            array: None,
            exported: false,
        }
    }

    pub(crate) fn unknown() -> Self {
        Self::scalar(text::ANY.to_string())
    }

    /// The value when there is only one.
    pub(crate) fn value(&self) -> String {
        match self.values.as_slice() {
            [only] => only.clone(),
            _ => text::ANY.to_string(),
        }
    }
}

/// One shell process.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) cwd: Vec<Place>,
    pub(crate) old_cwd: Vec<Place>,
    pub(crate) stack: Rc<Vec<Vec<Place>>>,
    pub(crate) vars: Rc<HashMap<String, Var>>,
    pub(crate) functions: Rc<HashMap<String, Rc<Command>>>,
    pub(crate) aliases: Rc<HashMap<String, String>>,
    /// `$1` and on; `None` when unknown.
    pub(crate) positional: Option<Rc<Vec<String>>>,
    /// What can be read from standard input; `None` when nothing was connected.
    pub(crate) stdin: Option<Rc<str>>,
    pub(crate) traps: Rc<Vec<String>>,
    /// The shell has exited; nothing after this runs.
    pub(crate) dead: bool,
}

impl State {
    pub(crate) fn new(cwd: Place) -> Self {
        Self {
            old_cwd: vec![Place::Unknown],
            cwd: vec![cwd],
            stack: Rc::default(),
            vars: Rc::default(),
            functions: Rc::default(),
            aliases: Rc::default(),
            positional: Some(Rc::default()),
            stdin: None,
            traps: Rc::default(),
            dead: false,
        }
    }

    pub(crate) fn set(&mut self, name: &str, mut var: Var) {
        var.exported |= self.vars.get(name).is_some_and(|old| old.exported);
        Rc::make_mut(&mut self.vars).insert(name.to_owned(), var);
    }

    /// What another program started from here would see.
    pub(crate) fn for_program(&self) -> Self {
        let mut child = self.clone();
        if self.vars.values().any(|var| !var.exported) {
            let kept = self
                .vars
                .iter()
                .filter(|(_, var)| var.exported)
                .map(|(name, var)| (name.clone(), var.clone()))
                .collect();
            child.vars = Rc::new(kept);
        }
        child.aliases = Rc::default();
        child.positional = Some(Rc::default());
        child.traps = Rc::default();
        child.stack = Rc::default();
        child
    }

    /// Keeps what either state could be.
    pub(crate) fn join(&mut self, other: Self) {
        if other.dead {
            return;
        }
        if self.dead {
            *self = other;
            return;
        }
        for place in other.cwd {
            if !self.cwd.contains(&place) {
                self.cwd.push(place);
            }
        }
        if self.cwd.len() > ALTERNATIVES {
            self.cwd = vec![Place::Unknown];
        }
        if self.old_cwd != other.old_cwd {
            self.old_cwd = vec![Place::Unknown];
        }
        if !Rc::ptr_eq(&self.stack, &other.stack) && self.stack != other.stack {
            self.stack = Rc::new(vec![vec![Place::Unknown]]);
        }
        self.join_vars(&other.vars);
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            let mine = Rc::make_mut(&mut self.functions);
            for (name, body) in other.functions.iter() {
                mine.entry(name.clone()).or_insert_with(|| Rc::clone(body));
            }
        }
        if !Rc::ptr_eq(&self.aliases, &other.aliases) {
            let mine = Rc::make_mut(&mut self.aliases);
            for (name, value) in other.aliases.iter() {
                mine.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        if self.positional != other.positional {
            self.positional = None;
        }
        if !Rc::ptr_eq(&self.traps, &other.traps) {
            Rc::make_mut(&mut self.traps).extend(other.traps.iter().cloned());
        }
    }

    fn join_vars(&mut self, other: &Rc<HashMap<String, Var>>) {
        if Rc::ptr_eq(&self.vars, other) {
            return;
        }
        let mine = Rc::make_mut(&mut self.vars);
        for (name, var) in mine.iter_mut() {
            match other.get(name) {
                Some(theirs) if theirs == var => {}
                Some(theirs) => merge(var, theirs),
                None => merge(var, &Var::unknown()),
            }
        }
        for (name, theirs) in other.iter() {
            if !mine.contains_key(name) {
                let mut var = theirs.clone();
                merge(&mut var, &Var::unknown());
                mine.insert(name.clone(), var);
            }
        }
    }

    /// Forgets every value that differs from `before`, for loops that keep changing them.
    pub(crate) fn widen(&mut self, before: &Self) {
        if self.cwd != before.cwd {
            self.cwd = vec![Place::Unknown];
        }
        if Rc::ptr_eq(&self.vars, &before.vars) {
            return;
        }
        for (name, var) in Rc::make_mut(&mut self.vars) {
            if before.vars.get(name) != Some(var) {
                let exported = var.exported;
                *var = Var::unknown();
                var.exported = exported;
            }
        }
    }

    /// Whether a loop body changed anything that a second turn would see.
    pub(crate) fn same_values(&self, other: &Self) -> bool {
        self.cwd == other.cwd && (Rc::ptr_eq(&self.vars, &other.vars) || self.vars == other.vars)
    }
}

fn merge(var: &mut Var, other: &Var) {
    if var.array.is_some() || other.array.is_some() {
        let exported = var.exported || other.exported;
        *var = Var::unknown();
        var.exported = exported;
        return;
    }
    for value in &other.values {
        if !var.values.contains(value) {
            var.values.push(value.clone());
        }
    }
    if var.values.len() > ALTERNATIVES {
        var.values = vec![text::ANY.to_string()];
    }
    var.exported |= other.exported;
}
