//! Arithmetic: the substitutions in it run, and a value that is itself an expression is evaluated too.

use super::ast::{Piece, Word};
use super::state::{State, Var};
use super::text::TOKEN;
use super::walk::Walker;
use crate::guard::policy::{Judged, Refusal, rule};

impl Walker<'_> {
    /// Arithmetic: the substitutions in it run, and names whose value is itself an expression with a
    /// substitution would be evaluated too.
    pub(crate) fn arithmetic(&mut self, inner: &Word, st: &mut State) -> Judged<()> {
        let mut text = String::new();
        for piece in &inner.pieces {
            match piece {
                Piece::Text { text: part, .. } => text.push_str(part),
                Piece::Param { param, .. } => {
                    let value = self.param(param, st)?;
                    refuse_expression(&value)?;
                    text.push(' ');
                }
                Piece::Command { list, .. } => {
                    let value = self.substitution(list, st)?;
                    refuse_expression(&value)?;
                    text.push(' ');
                }
                Piece::Process { list } => {
                    self.process(list, st)?;
                }
                Piece::Arithmetic(deeper) => self.arithmetic(deeper, st)?,
                Piece::Tilde(_) => {}
            }
        }
        let mut assigned = Vec::new();
        for (name, assigns) in arithmetic_names(&text) {
            if let Some(var) = st.vars.get(name) {
                for value in var.values.iter().chain(var.array.iter().flatten()) {
                    refuse_expression(value)?;
                }
            }
            if assigns {
                assigned.push(name.to_owned());
            }
        }
        for name in assigned {
            st.set(&name, Var::scalar(TOKEN.to_string()));
        }
        Ok(())
    }
}

/// An arithmetic value that holds a substitution would be run by the shell.
pub(crate) fn refuse_expression(value: &str) -> Judged<()> {
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
