//! Arithmetic: the substitutions in it run, and a value that is itself an expression is evaluated too.
//!
//! The same holds wherever the shell takes text for an expression or for a name with a subscript.

use std::collections::HashSet;

use super::ast::Word;
use super::state::{State, Var};
use super::text::{BRACKET, TOKEN, is_fetched};
use super::walk::Walker;
use crate::policy::{Judged, Refusal, rule};

impl Walker<'_> {
    /// Judges an arithmetic word.
    pub(crate) fn arithmetic(&mut self, inner: &Word, st: &mut State) -> Judged<()> {
        let text = self.scalar(inner, st)?;
        self.evaluate(&text, st)
    }

    /// Judges text that the shell evaluates: the names in it, and what their values name in turn.
    pub(crate) fn evaluate(&mut self, text: &str, st: &mut State) -> Judged<()> {
        refuse_expression(text)?;
        let mut seen = HashSet::new();
        let mut assigned = HashSet::new();
        let mut todo = vec![text.to_owned()];
        while let Some(text) = todo.pop() {
            self.charge(1 + text.len() / 64)?;
            for (name, assigns) in arithmetic_names(&text) {
                if assigns && assigned.insert(name.to_owned()) {
                    self.charge(12)?;
                }
                if !seen.insert(name.to_owned()) {
                    continue;
                }
                let Some(var) = st.var(name) else { continue };
                for value in var.values.iter().chain(var.array.iter().flatten()) {
                    refuse_expression(value)?;
                    if value.contains(|c: char| c.is_ascii_alphabetic() || c == '_') {
                        todo.push(value.clone());
                    }
                }
            }
        }
        for name in assigned {
            st.set(&name, Var::scalar(TOKEN.to_string()));
        }
        Ok(())
    }

    /// Judges the subscript of a name that the shell is told by text: `printf -v 'a[i]'`.
    pub(crate) fn evaluate_name(&mut self, name: &str, st: &mut State) -> Judged<()> {
        refuse_expression(name)?;
        match name.split_once(['[', BRACKET]) {
            Some((_, subscript)) => self.evaluate(subscript, st),
            None => Ok(()),
        }
    }
}

/// An arithmetic value that holds a substitution would be run by the shell.
pub(crate) fn refuse_expression(value: &str) -> Judged<()> {
    if is_fetched(value) {
        return Err(Refusal::new(
            rule::NETWORK,
            "text from the network would be evaluated as arithmetic, which can run commands; take the number out of it with grep -o or jq first",
        ));
    }
    refuse_substitution(value)
}

/// Where only a number or a name with a subscript is taken, nothing but a subscript is evaluated.
pub(crate) fn refuse_substitution(value: &str) -> Judged<()> {
    if value.contains("$(") || value.contains('`') {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "a substitution inside arithmetic text would run; write the command out",
        ));
    }
    Ok(())
}

fn arithmetic_names(text: &str) -> Vec<(&str, bool)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = bytes.get(at) {
        if !(c.is_ascii_alphabetic() || *c == b'_') {
            at += 1;
            continue;
        }
        let start = at;
        while bytes
            .get(at)
            .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
        {
            at += 1;
        }
        let rest = text.get(at..).unwrap_or("").trim_start();
        let before = text.get(..start).unwrap_or("").trim_end();
        let assigns = rest.starts_with('=') && !rest.starts_with("==")
            || rest.starts_with("++")
            || rest.starts_with("--")
            || before.ends_with("++")
            || before.ends_with("--")
            || rest.get(1..2) == Some("=") && !rest.starts_with(['=', '<', '>', '!'])
            || rest.starts_with("<<=")
            || rest.starts_with(">>=");
        found.push((text.get(start..at).unwrap_or(""), assigns));
    }
    found
}
