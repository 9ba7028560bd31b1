//! What a shell process knows at one point of a command line: directory, variables, functions, input.
//!
//! Cheap to copy, because every subshell and every branch gets its own; joining two states keeps whatever
//! either of them could be.

use std::collections::HashMap;
use std::rc::Rc;

use super::ast::Command;
use super::exported::Functions;
use super::scopes::Locals;
use super::text;
use super::variables::Letters;
use crate::paths::Place;

/// More possible values than this become one unknown value.
const ALTERNATIVES: usize = 6;
/// References followed from one name to the next; longer chains end in an unknown one.
const REFERENCES: usize = 8;

/// A shell variable: the values it may have, or the elements of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Var {
    pub(crate) values: Vec<String>,
    pub(crate) array: Option<Vec<String>>,
    /// The subscripts of the elements, when they were spelled out.
    pub(crate) keys: Option<Vec<String>>,
    pub(crate) exported: bool,
    /// Only some of the ways here export it, or do not.
    pub(crate) unsure: bool,
    /// `declare -i`: what is assigned is evaluated.
    pub(crate) integer: bool,
    /// `readonly`: what is assigned later may not take its place.
    pub(crate) fixed: bool,
    /// `declare -l` and `-u`: what is assigned changes its letters.
    pub(crate) letters: Option<Letters>,
    /// `declare -n`: the variable this one stands for; empty until it is given one.
    pub(crate) reference: Option<String>,
}

impl Var {
    pub(crate) fn scalar(value: String) -> Self {
        Self {
            values: vec![value],
            array: None,
            keys: None,
            exported: false,
            unsure: false,
            integer: false,
            fixed: false,
            letters: None,
            reference: None,
        }
    }

    /// A name that stands for another variable.
    pub(crate) fn reference(target: String) -> Self {
        Self {
            reference: Some(target),
            ..Self::unknown()
        }
    }

    /// Any value from here on; what kind of variable it is stays.
    fn forget(&mut self) {
        *self = Self {
            exported: self.exported,
            unsure: self.unsure,
            integer: self.integer,
            fixed: self.fixed,
            letters: self.letters,
            reference: self.reference.as_ref().map(|_| text::ANY.to_string()),
            ..Self::unknown()
        };
    }

    pub(crate) fn unknown() -> Self {
        Self::scalar(text::ANY.to_string())
    }

    /// One of the values, taken for the only one.
    pub(crate) fn one(&self, value: String) -> Self {
        Self {
            exported: self.exported,
            unsure: self.unsure,
            integer: self.integer,
            fixed: self.fixed,
            letters: self.letters,
            ..Self::scalar(value)
        }
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
    /// Where the shell is if a folder was not there that it is presumed to have come back from.
    pub(crate) doubt: Vec<Place>,
    /// It went into a folder and did nothing in it yet.
    pub(crate) idle: bool,
    pub(crate) stack: Rc<Vec<Vec<Place>>>,
    pub(crate) vars: Rc<HashMap<String, Var>>,
    pub(crate) functions: Functions,
    /// What else their names may stand for, as conditions come out; `None` is no function.
    pub(crate) also: Rc<HashMap<String, Vec<Option<Rc<Command>>>>>,
    /// Those of them that `readonly -f` keeps, whatever is defined later.
    pub(crate) kept: Functions,
    /// Functions in the environment: whatever is started hands them on, and bash takes them for its own.
    pub(crate) handed: Functions,
    /// `set -a`: what is defined is exported from here on.
    pub(crate) exports_all: bool,
    /// The variables of the function that is being run, if one is.
    pub(crate) locals: Option<Locals>,
    pub(crate) aliases: Rc<HashMap<String, String>>,
    /// `$0`: what the shell or its script was called by, or the word behind the text of `-c`.
    pub(crate) zero: Rc<str>,
    /// The file that is being read, as `BASH_SOURCE` has it; `None` when unknown.
    pub(crate) source: Option<Rc<str>>,
    /// `$1` and on; `None` when unknown.
    pub(crate) positional: Option<Rc<Vec<String>>>,
    /// What can be read from standard input; `None` when nothing was connected.
    pub(crate) stdin: Option<Rc<str>>,
    pub(crate) traps: Rc<Vec<String>>,
    /// The shell may be one without the builtins of bash.
    pub(crate) plain: bool,
    /// It is read as such a one.
    pub(crate) dash: bool,
    /// `cd` may follow links before it takes `..`, as `set -P` has it.
    pub(crate) physical: bool,
    /// It runs beside the shell or script that started it: a job, or a part of a pipeline.
    pub(crate) beside: bool,
    /// A variable got a value of which nobody knows the name.
    pub(crate) is_steered: bool,
    /// The shell has exited; nothing after this runs.
    pub(crate) dead: bool,
}

impl State {
    pub(crate) fn new(cwd: Place) -> Self {
        Self {
            old_cwd: vec![Place::Unknown],
            cwd: vec![cwd],
            doubt: Vec::new(),
            idle: false,
            stack: Rc::default(),
            vars: Rc::default(),
            functions: Rc::default(),
            also: Rc::default(),
            kept: Rc::default(),
            handed: Rc::default(),
            exports_all: false,
            locals: None,
            aliases: Rc::default(),
            zero: "/bin/bash".into(),
            source: None,
            positional: Some(Rc::default()),
            stdin: None,
            traps: Rc::default(),
            plain: false,
            dash: false,
            physical: false,
            beside: false,
            is_steered: false,
            dead: false,
        }
    }

    /// Gives a variable a value, through references; an element of it makes the whole unknown. Where it
    /// cannot be told which variable that is, all of them are unknown from here on.
    pub(crate) fn set(&mut self, name: &str, var: Var) {
        match self.target(name) {
            Some(target) => match target.split_once('[') {
                Some((base, _)) => self.put(base, Var::unknown()),
                None => self.put(&target, var),
            },
            None => self.forget(),
        }
    }

    /// Makes a variable of exactly this name.
    pub(crate) fn put(&mut self, name: &str, mut var: Var) {
        let old = self.vars.get(name);
        var.exported |= self.exports_all;
        var.letters = var.letters.or(old.and_then(|old| old.letters));
        if let Some(letters) = var.letters {
            let elements = var.array.iter_mut().flatten();
            var.values
                .iter_mut()
                .chain(elements)
                .for_each(|value| letters.of(value));
        }
        if let Some(old) = old {
            var.unsure |= old.unsure && !var.exported;
            var.exported |= old.exported;
            var.integer |= old.integer;
            if old.fixed {
                // Some shells end here, others say that it stays and go on.
                merge(&mut var, old);
            }
            if old.reference.as_deref() == Some("") && var.reference.is_none() {
                // The first value of an unbound reference is what it stands for.
                var = Var::reference(var.value());
            }
        }
        Rc::make_mut(&mut self.vars).insert(name.to_owned(), var);
    }

    /// The variable a name stands for, references followed; `None` when that is not known.
    pub(crate) fn target(&self, name: &str) -> Option<String> {
        let mut name = name;
        for _ in 0..REFERENCES {
            if !text::is_known(name) {
                return None;
            }
            match self.vars.get(name).and_then(|var| var.reference.as_deref()) {
                Some("") | None => return Some(name.to_owned()),
                Some(next) => name = next,
            }
        }
        None
    }

    /// What is known of a variable, references followed.
    pub(crate) fn var(&self, name: &str) -> Option<&Var> {
        let var = self.vars.get(name)?;
        match &var.reference {
            None => Some(var),
            Some(_) => self
                .vars
                .get(&self.target(name)?)
                .filter(|var| var.reference.is_none()),
        }
    }

    fn forget(&mut self) {
        self.is_steered = true;
        self.source = None;
        Rc::make_mut(&mut self.vars)
            .values_mut()
            .for_each(Var::forget);
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
        self.join_functions(&other);
        for place in other.cwd {
            if !self.cwd.contains(&place) {
                self.cwd.push(place);
            }
        }
        if self.cwd.len() > ALTERNATIVES {
            self.cwd = vec![Place::Unknown];
        }
        for place in other.doubt {
            if !self.doubt.contains(&place) {
                self.doubt.push(place);
            }
        }
        self.idle |= other.idle;
        self.plain |= other.plain;
        self.dash |= other.dash;
        self.beside |= other.beside;
        self.is_steered |= other.is_steered;
        self.physical |= other.physical;
        if self.old_cwd != other.old_cwd {
            self.old_cwd = vec![Place::Unknown];
        }
        if !Rc::ptr_eq(&self.stack, &other.stack) && self.stack != other.stack {
            self.stack = Rc::new(vec![vec![Place::Unknown]]);
        }
        self.join_vars(&other.vars);
        if !Rc::ptr_eq(&self.kept, &other.kept) {
            let mine = Rc::make_mut(&mut self.kept);
            for (name, body) in other.kept.iter() {
                mine.entry(name.clone()).or_insert_with(|| Rc::clone(body));
            }
        }
        if !Rc::ptr_eq(&self.handed, &other.handed) {
            let mine = Rc::make_mut(&mut self.handed);
            for (name, body) in other.handed.iter() {
                mine.entry(name.clone()).or_insert_with(|| Rc::clone(body));
            }
        }
        self.exports_all |= other.exports_all;
        self.join_locals(other.locals);
        if !Rc::ptr_eq(&self.aliases, &other.aliases) {
            let mine = Rc::make_mut(&mut self.aliases);
            for (name, value) in other.aliases.iter() {
                mine.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        if self.positional != other.positional {
            self.positional = None;
        }
        if self.zero != other.zero {
            self.zero = text::ANY.to_string().into();
        }
        if self.source != other.source {
            self.source = None;
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
            self.widen_places();
        }
        if Rc::ptr_eq(&self.vars, &before.vars) {
            return;
        }
        for (name, var) in Rc::make_mut(&mut self.vars) {
            if before.vars.get(name) != Some(var) {
                var.forget();
            }
        }
    }

    /// It may be in any folder.
    pub(super) fn widen_places(&mut self) {
        self.cwd = vec![Place::Unknown];
    }

    /// Whether a loop body changed anything that a second turn would see.
    pub(crate) fn same_values(&self, other: &Self) -> bool {
        self.cwd == other.cwd && (Rc::ptr_eq(&self.vars, &other.vars) || self.vars == other.vars)
    }
}

pub(super) fn merge(var: &mut Var, other: &Var) {
    var.unsure |= other.unsure || var.exported != other.exported;
    var.integer |= other.integer;
    var.fixed |= other.fixed;
    if var.reference != other.reference {
        *var = Var::reference(text::ANY.to_string());
        return;
    }
    if var.array.is_some() || other.array.is_some() {
        var.exported |= other.exported;
        var.forget();
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
