//! Builtins that declare variables and set options.

use std::rc::Rc;

use super::state::{State, Var};
use super::text;
use super::walk::Walker;
use crate::policy::Judged;

impl Walker<'_> {
    pub(super) fn declare(&mut self, name: &str, args: &[String], st: &mut State) -> Judged<()> {
        let mut export = name == "export";
        let mut reference = false;
        let mut integer = false;
        for arg in args {
            if arg.starts_with(['-', '+']) && !arg.contains('=') {
                if arg.starts_with('-') && name != "export" {
                    export |= arg.contains('x');
                    reference |= arg.contains('n');
                    integer |= arg.contains('i');
                }
                continue;
            }
            let (key, value) = match arg.split_once('=') {
                Some((key, value)) => (key.trim_end_matches('+'), Some(value)),
                None => (arg.as_str(), None),
            };
            // A word that is not quoted has its bracket marked as a pattern.
            let key = &key.replace(text::BRACKET, "[");
            self.evaluate_name(key, st)?;
            let base = key.split('[').next().unwrap_or(key);
            if reference {
                let target = value.unwrap_or_default();
                self.evaluate_name(target, st)?;
                st.put(base, Var::reference(target.to_owned()));
                continue;
            }
            let known = st.target(base).unwrap_or_else(|| base.to_owned());
            integer |= st.var(&known).is_some_and(|var| var.integer);
            let mut var = match value {
                Some(_) if arg.contains("+=") => Var::unknown(),
                Some(value) if integer && value.parse::<i64>().is_err() => {
                    self.evaluate(value, st)?;
                    Var::scalar(text::TOKEN.to_string())
                }
                Some(value) => Var::scalar(value.to_owned()),
                None => match st.var(&known) {
                    Some(var) => var.clone(),
                    None if name == "local" || !export => Var::scalar(String::new()),
                    None => continue,
                },
            };
            if let Some(value) = value {
                self.check_variable(&known, value, st)?;
            }
            var.exported |= export;
            var.integer |= integer;
            st.set(key, var);
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
                if first.contains('a') && first.starts_with('-') && !takes_name {
                    // `set -a`: every variable is exported from here on.
                    for var in Rc::make_mut(&mut st.vars).values_mut() {
                        var.exported = true;
                    }
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
