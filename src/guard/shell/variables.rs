//! Builtins that declare variables and set options.

use std::rc::Rc;

use super::arithmetic::refuse_expression;
use super::state::{State, Var};
use super::text;
use super::walk::Walker;
use crate::guard::policy::Judged;

impl Walker<'_> {
    pub(super) fn declare(&mut self, name: &str, args: &[String], st: &mut State) -> Judged<()> {
        let mut export = name == "export";
        let mut reference = false;
        for arg in args {
            if arg.starts_with('-') && !arg.contains('=') {
                export |= arg.contains('x') && name != "export";
                reference |= arg.contains('n') && name != "export";
                continue;
            }
            refuse_expression(arg.split('=').next().unwrap_or(arg))?;
            let (key, value) = match arg.split_once('=') {
                Some((key, value)) => (key.trim_end_matches('+'), Some(value)),
                None => (arg.as_str(), None),
            };
            let mut var = match value {
                Some(_) if reference || arg.contains("+=") => Var::unknown(),
                Some(value) => Var::scalar(value.to_owned()),
                None => match st.vars.get(key) {
                    Some(var) => var.clone(),
                    None if name == "local" || !export => Var::scalar(String::new()),
                    None => continue,
                },
            };
            if let Some(value) = value {
                self.check_variable(key, value, st)?;
            }
            var.exported |= export;
            if text::is_known(key) && !key.contains('[') {
                st.set(key, var);
            }
        }
        Ok(())
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
