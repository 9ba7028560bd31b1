//! Variables that a command of the shell itself gets for itself alone: `NAME=value eval …`.
//!
//! They are there while it runs. Afterwards they are what they were, except where the shell is one that keeps those of
//! its special builtins, or where the command itself changed them: of that shells make different things.

use super::state::{State, Var};
use super::text::ANY;
use super::walk::Walker;
use crate::commands::Call;
use crate::policy::Judged;

/// What variables were before a command got them for itself.
#[derive(Debug, Default)]
pub(crate) struct Lent {
    vars: Vec<OneLent>,
    /// They may stay.
    stays: bool,
}

#[derive(Debug)]
struct OneLent {
    name: String,
    before: Option<Var>,
    given: Option<Var>,
}

impl Walker<'_> {
    /// Gives a builtin the variables that stand before it.
    pub(crate) fn lend(&mut self, builtin: &str, call: &Call, st: &mut State) -> Judged<Lent> {
        let mut lent = Lent::default();
        if call.env.is_empty() || !sees_variables(builtin) {
            return Ok(lent);
        }
        self.charge(4 * call.env.len() + st.vars.len() / 4)?;
        lent.stays = is_special(builtin) && st.keeps_assignments();
        for (name, value) in &call.env {
            let Some(name) = st.target(name) else {
                continue;
            };
            let before = st.vars.get(&name).cloned();
            let mut var = Var::scalar(value.clone());
            var.exported = true;
            st.set(&name, var);
            let given = st.vars.get(&name).cloned();
            lent.vars.push(OneLent {
                name,
                before,
                given,
            });
        }
        Ok(lent)
    }
}

impl Lent {
    /// The builtin has run.
    pub(crate) fn take_back(&self, st: &mut State) {
        for one in self.vars.iter().rev() {
            st.get_back(one, self.stays);
        }
    }
}

impl State {
    /// Whether the shell is one to which an assignment before a special builtin is one like any other.
    fn keeps_assignments(&self) -> bool {
        self.plain || self.dash || self.vars.contains_key(POSIX)
    }

    /// From here on it is such a shell, as `set -o posix` has it.
    pub(super) fn keep_assignments(&mut self) {
        self.set(POSIX, Var::scalar("y".to_owned()));
    }

    fn get_back(&mut self, one: &OneLent, stays: bool) {
        let vars = std::rc::Rc::make_mut(&mut self.vars);
        if !stays && vars.get(&one.name) == one.given.as_ref() {
            match &one.before {
                Some(before) => vars.insert(one.name.clone(), before.clone()),
                None => vars.remove(&one.name),
            };
            return;
        }
        let before = one.before.clone().unwrap_or_else(|| {
            // Without a value of its own the shell has this one.
            let blanks = one.name == "IFS";
            let value = if blanks {
                " \t\n".to_owned()
            } else {
                ANY.to_string()
            };
            Var::scalar(value)
        });
        if vars.contains_key(&one.name) {
            self.may_be(&one.name, Some(before));
        } else {
            vars.insert(one.name.clone(), before);
        }
    }
}

/// The variable by which bash is told to do as the standard says, and which it sets where it is told otherwise.
const POSIX: &str = "POSIXLY_CORRECT";

/// Builtins of which the standard says that what is assigned before them stays.
fn is_special(name: &str) -> bool {
    matches!(
        name,
        ":" | "."
            | "source"
            | "break"
            | "continue"
            | "eval"
            | "exec"
            | "exit"
            | "export"
            | "readonly"
            | "return"
            | "set"
            | "shift"
            | "times"
            | "trap"
            | "unset"
    )
}

/// Builtins that run other text, look at variables by themselves, or give them values.
fn sees_variables(name: &str) -> bool {
    is_special(name)
        || matches!(
            name,
            "cd" | "chdir"
                | "pushd"
                | "popd"
                | "read"
                | "mapfile"
                | "readarray"
                | "getopts"
                | "printf"
                | "let"
                | "compgen"
                | "declare"
                | "typeset"
                | "local"
        )
}
