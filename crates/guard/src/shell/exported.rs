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
        let marked = |var: &Var| var.fixed || var.letters.is_some();
        let reaches = |var: &Var| var.exported && var.array.is_none();
        if self.vars.values().any(|var| !reaches(var) || marked(var)) {
            let kept = self
                .vars
                .iter()
                // Arrays never do.
                .filter(|(_, var)| reaches(var))
                .map(|(name, var)| {
                    // Of what kind a variable is stays with the shell that said so.
                    let var = Var {
                        fixed: false,
                        letters: None,
                        ..var.clone()
                    };
                    (name.clone(), var)
                })
                .collect();
            child.vars = Rc::new(kept);
        }
        // Programs hand text to `sh`.
        child.plain = true;
        child.dash = false;
        child.beside = false;
        child.exports_all = false;
        child.functions = Rc::clone(&self.handed);
        if !self.kept.is_empty() {
            Rc::make_mut(&mut child.kept).retain(|name, _| self.handed.contains_key(name));
        }
        child.aliases = Rc::default();
        child.locals = None;
        child.zero = text::ANY.to_string().into();
        child.positional = Some(Rc::default());
        child.traps = Rc::default();
        child.stack = Rc::default();
        child
    }

    /// Where a program runs that is no shell: functions and aliases are nothing to it.
    pub(crate) fn outside_shell(&self) -> Self {
        let mut program = self.clone();
        program.functions = Rc::default();
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
        Some(other)
    }

    /// Gives a name to a function.
    pub(super) fn define(&mut self, name: &str, body: &Rc<Command>) {
        Rc::make_mut(&mut self.functions).insert(name.to_owned(), Rc::clone(body));
        if self.exports_all || self.handed.contains_key(name) {
            Rc::make_mut(&mut self.handed).insert(name.to_owned(), Rc::clone(body));
        }
    }

    /// Takes a function away.
    pub(super) fn undefine(&mut self, name: &str) {
        if !self.kept.contains_key(name) {
            Rc::make_mut(&mut self.functions).remove(name);
            Rc::make_mut(&mut self.handed).remove(name);
        }
    }

    /// `export -f`, `export -fn`: whether programs get the function.
    pub(super) fn hand_on(&mut self, name: &str, exported: bool) {
        let handed = Rc::make_mut(&mut self.handed);
        match self.functions.get(name).filter(|_| exported) {
            Some(body) => handed.insert(name.to_owned(), Rc::clone(body)),
            None => handed.remove(name),
        };
    }

    /// Programs do not get the variable.
    pub(super) fn keep_back(&mut self, name: &str) {
        if let Some(var) = Rc::make_mut(&mut self.vars).get_mut(name) {
            var.exported = false;
        }
    }

    /// `env -u NAME`: what is started from here does not get it.
    pub(crate) fn withhold(&mut self, name: &str) {
        let function = name.strip_prefix(IN_ENVIRONMENT);
        if let Some(function) = function.and_then(|rest| rest.strip_suffix("%%")) {
            Rc::make_mut(&mut self.handed).remove(function);
            return;
        }
        let mut none = Var::scalar(String::new());
        none.exported = true;
        Rc::make_mut(&mut self.vars).insert(name.to_owned(), none);
    }

    /// `env -i`: what is started from here gets nothing.
    pub(crate) fn withhold_all(&mut self) {
        self.handed = Rc::default();
        for var in Rc::make_mut(&mut self.vars).values_mut() {
            if var.exported {
                *var = Var::scalar(String::new());
                var.exported = true;
            }
        }
    }
}
