//! Builtins that declare variables and set options.

use std::rc::Rc;

use super::state::{State, Var};
use super::text;
use super::walk::Walker;
use crate::policy::Judged;

/// What becomes of the letters of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Letters {
    Small,
    Capital,
}

impl Letters {
    pub(super) fn of(self, value: &mut str) {
        match self {
            Self::Small => value.make_ascii_lowercase(),
            Self::Capital => value.make_ascii_uppercase(),
        }
    }
}

/// What the options of a declaring builtin say of the names behind them.
#[derive(Debug, Default)]
pub(super) struct Declared {
    export: bool,
    reference: bool,
    integer: bool,
    fixed: bool,
    functions: bool,
    /// A list: text in brackets becomes its elements.
    list: bool,
    /// `export -n`, `declare +x`: programs do not get it from here on.
    withheld: bool,
    letters: Option<Letters>,
    /// `+l` or `+u`: letters stay as they are from here on.
    unchanged: bool,
    /// In a function it is that function's variable; `typeset` is otherwise to some shells.
    local: Option<bool>,
}

impl Declared {
    pub(super) fn by(name: &str, args: &[String]) -> Self {
        let mut given = Self {
            export: name == "export",
            fixed: name == "readonly",
            local: match name {
                "local" | "declare" => Some(true),
                "typeset" => Some(false),
                _ => None,
            },
            ..Self::default()
        };
        for arg in args.iter().filter(|arg| is_option(arg)) {
            let has = |letter| arg.contains(letter);
            if arg.starts_with('+') {
                given.unchanged |= has('l') || has('u');
                given.withheld |= has('x');
                continue;
            }
            given.functions |= has('f') || has('F');
            given.list |= has('a') || has('A');
            if name == "export" {
                given.withheld |= has('n');
                given.export &= !given.withheld;
                continue;
            }
            given.export |= has('x');
            given.reference |= has('n');
            given.integer |= has('i');
            given.fixed |= has('r');
            if has('g') {
                given.local = None;
            }
            if has('l') {
                given.letters = Some(Letters::Small);
            } else if has('u') {
                given.letters = Some(Letters::Capital);
            }
        }
        given
    }

    /// What has to be before a name is given a value.
    pub(super) fn begin(&self, name: &str, st: &mut State) {
        if let Some(certain) = self.local {
            st.make_local(name, certain);
        }
        if (self.unchanged || self.letters.is_some())
            && let Some(var) = Rc::make_mut(&mut st.vars).get_mut(name)
        {
            var.letters = self.letters;
        }
    }
}

fn is_option(arg: &str) -> bool {
    arg.starts_with(['-', '+']) && !arg.contains('=')
}

impl Walker<'_> {
    pub(super) fn declare(&mut self, name: &str, args: &[String], st: &mut State) -> Judged<()> {
        let given = Declared::by(name, args);
        let mut integer = given.integer;
        for arg in args {
            if is_option(arg) {
                continue;
            }
            let (key, value) = match arg.split_once('=') {
                Some((key, value)) => (key.trim_end_matches('+'), Some(value)),
                None => (arg.as_str(), None),
            };
            if given.functions {
                let body = st.functions.get(key).filter(|_| given.fixed).cloned();
                Rc::make_mut(&mut st.kept).extend(body.map(|body| (key.to_owned(), body)));
                if given.export || given.withheld {
                    self.makes_one_of_several();
                    st.hand_on(key, !given.withheld);
                }
                continue;
            }
            // A word that is not quoted has its bracket marked as a pattern.
            let key = &key.replace(text::BRACKET, "[");
            self.evaluate_name(key, st)?;
            let base = key.split('[').next().unwrap_or(key);
            st.is_steered |= !text::is_known(base);
            given.begin(base, st);
            if given.reference {
                let target = value.unwrap_or_default();
                self.evaluate_name(target, st)?;
                st.put(base, Var::reference(target.to_owned()));
                continue;
            }
            let known = st.target(base).unwrap_or_else(|| base.to_owned());
            let before = st.vars.get(&known).cloned();
            integer |= st.var(&known).is_some_and(|var| var.integer);
            let mut var = match value {
                Some(_) if arg.contains("+=") => Var::unknown(),
                Some(value) if given.list && value.trim_start().starts_with('(') => Var::unknown(),
                Some(value) if integer && value.parse::<i64>().is_err() => {
                    self.evaluate(value, st)?;
                    Var::scalar(text::TOKEN.to_string())
                }
                Some(value) => Var::scalar(value.to_owned()),
                None => match st.var(&known) {
                    Some(var) => var.clone(),
                    // It is what this shell was given, and stays so here.
                    None if given.withheld => continue,
                    None if name == "local" || !given.export => Var::scalar(String::new()),
                    None => continue,
                },
            };
            if let Some(value) = value {
                self.check_variable(&known, value, st)?;
            }
            var.exported |= given.export;
            var.integer |= integer;
            var.letters = given.letters.or(var.letters);
            // What it is made to be from here on does not keep it from getting this value.
            let fixed = var.fixed || before.as_ref().is_some_and(|var| var.fixed);
            st.set(key, var);
            if given.withheld {
                st.unexport(&known);
            }
            if given.fixed && !fixed {
                st.fix(&known);
            }
            if name == "local" && st.locals.is_none() {
                // Most shells refuse that.
                st.may_be(&known, before);
            }
            self.traps_that_read(&known, st)?;
        }
        Ok(())
    }

    /// Options of a shell that change what words and paths mean. Once one was named it counts as on.
    pub(crate) fn switch(&mut self, names: &[String], st: &mut State) {
        for name in names {
            let plain: String = name
                .chars()
                .filter(|c| *c != '_')
                .flat_map(char::to_lowercase)
                .collect();
            match plain.as_str() {
                "dotglob" | "globdots" => self.paths.dotglob = true,
                "nocasematch" => self.ignores_case = true,
                "posix" => st.keep_assignments(),
                "noclobber" => self.files_withstand = true,
                "cdablevars" => self.enters_variables = true,
                // A name may be one like it.
                "autocd" | "cdspell" => st.set("CDPATH", Var::unknown()),
                "chaselinks" | "chasedots" | "physical" => st.physical = true,
                _ => {}
            }
        }
    }

    pub(super) fn set_options(args: &[String], st: &mut State) {
        let mut rest = args;
        while let Some((first, more)) = rest.split_first() {
            if first == "--" {
                st.positional = Some(Rc::new(more.to_vec()));
                return;
            }
            if first.starts_with(['-', '+']) && first.len() > 1 {
                let takes_name = first.contains('o');
                let named = more.first().is_some_and(|name| name == "physical");
                st.physical |= first.contains('P') || takes_name && named;
                let named = more.first().is_some_and(|name| name == "allexport");
                if first.contains('a') && !takes_name || takes_name && named {
                    st.exports_all = first.starts_with('-');
                }
                rest = if takes_name {
                    more.get(1..).unwrap_or_default()
                } else {
                    more
                };
                continue;
            }
            st.positional = Some(Rc::new(rest.to_vec()));
            return;
        }
    }
}
