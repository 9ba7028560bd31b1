//! What programs get of the shell that starts them: exported variables, and exported functions for the next bash.
//!
//! A program never meets functions and aliases of a shell; only bash takes functions out of its environment.

use std::collections::HashMap;
use std::rc::Rc;

use super::ast::Command;
use super::state::{State, Var};
use super::text;

/// Functions of a shell by their names.
pub(crate) type Functions = Rc<HashMap<String, Rc<Command>>>;

/// How bash calls a function in the environment: `BASH_FUNC_name%%`.
const IN_ENVIRONMENT: &str = "BASH_FUNC_";

impl State {
    /// What a shell started from here would see.
    pub(crate) fn for_program(&self) -> Self {
        let mut child = self.clone();
        if self.vars.values().any(|var| !var.is_passed_on_as_it_is()) {
            let passed = |(name, var): (&String, &Var)| Some((name.clone(), var.for_program()?));
            child.vars = Rc::new(self.vars.iter().filter_map(passed).collect());
        }
        // Programs hand text to `sh`.
        child.plain = true;
        child.dash = false;
        child.beside = false;
        child.exports_all = false;
        child.functions = Rc::clone(&self.handed);
        if !self.also.is_empty() {
            Rc::make_mut(&mut child.also).retain(|name, _| self.handed.contains_key(name));
        }
        if !self.kept.is_empty() {
            Rc::make_mut(&mut child.kept).retain(|name, _| self.handed.contains_key(name));
        }
        child.aliases = Rc::default();
        child.locals = None;
        child.zero = text::ANY.to_string().into();
        child.source = None;
        child.positional = Some(Rc::default());
        child.traps = Rc::default();
        child.stack = Rc::default();
        child
    }

    /// Where a program runs that is no shell: functions and aliases are nothing to it.
    pub(crate) fn outside_shell(&self) -> Self {
        let mut program = self.clone();
        program.functions = Rc::default();
        program.also = Rc::default();
        program.kept = Rc::default();
        program.aliases = Rc::default();
        program
    }

    /// The same shell without the functions it took from its environment; `None` where it took none.
    pub(super) fn without_handed(&self) -> Option<Self> {
        let taken = |(name, body): (&String, &Rc<Command>)| {
            let handed = self.handed.get(name);
            handed.is_some_and(|handed| Rc::ptr_eq(handed, body))
        };
        if self.handed.is_empty() || !self.functions.iter().any(taken) {
            return None;
        }
        let mut other = self.clone();
        Rc::make_mut(&mut other.functions).retain(|name, body| !taken((name, body)));
        other.kept = Rc::default();
        other.also = Rc::default();
        Some(other)
    }

    /// `export -f`, `export -fn`: whether programs get the function.
    pub(super) fn hand_on(&mut self, name: &str, exported: bool) {
        let handed = Rc::make_mut(&mut self.handed);
        match self.functions.get(name).filter(|_| exported) {
            Some(body) => handed.insert(name.to_owned(), Rc::clone(body)),
            None => handed.remove(name),
        };
    }

    /// `env -u NAME`: what is started from here does not get it.
    pub(crate) fn withhold(&mut self, name: &str) {
        let function = name.strip_prefix(IN_ENVIRONMENT);
        if let Some(function) = function.and_then(|rest| rest.strip_suffix("%%")) {
            Rc::make_mut(&mut self.handed).remove(function);
            return;
        }
        Rc::make_mut(&mut self.vars).remove(name);
    }

    /// `env -i`: what is started from here gets nothing.
    pub(crate) fn withhold_all(&mut self) {
        self.handed = Rc::default();
        self.vars = Rc::default();
    }
}
