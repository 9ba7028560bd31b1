//! `env`: variables, another directory, a split string, and then a command.

use super::options::{rest_of, unproven};
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::{Done, Walker};

impl Walker<'_> {
    pub(super) fn env(&mut self, call: &Call, st: &mut State) -> Judged<Done> {
        let mut rest = call.args().to_vec();
        let mut at = 0;
        let mut inner = call.clone();
        let mut child = st.clone();
        loop {
            let Some(first) = rest.get(at).cloned() else {
                return Ok(Done::printing(format!("{}{}", text::ANY, text::SECRET)));
            };
            let mut drop = 1;
            if first == "--" {
                at += 1;
                continue;
            } else if let Some(code) = split_string(&first, rest.get(at + 1)) {
                // `-S` is split like shell words, and the result goes on as arguments.
                let (text, used) = code;
                let mut words = self.words_of(&text, &mut child)?;
                words.extend(rest_of(&rest, at + used));
                at = 0;
                rest = words;
                continue;
            } else if matches!(first.as_str(), "-u" | "--unset") {
                let name = rest.get(at + 1).cloned().unwrap_or_default();
                self.check_variable(&name, "", st)?;
                drop = 2;
            } else if let Some(name) = first
                .strip_prefix("--unset=")
                .or_else(|| first.strip_prefix("-u"))
            {
                self.check_variable(name, "", st)?;
            } else if matches!(first.as_str(), "-C" | "--chdir") {
                let target = rest.get(at + 1).cloned().unwrap_or_default();
                self.enter(&target, &mut child);
                drop = 2;
            } else if let Some(target) = first.strip_prefix("--chdir=") {
                self.enter(target, &mut child);
            } else if matches!(first.as_str(), "-a" | "--argv0") {
                drop = 2;
            } else if first.starts_with('-') {
                if text::is_any(&first) {
                    return Err(unproven("env"));
                }
            } else if let Some((name, value)) = first.split_once('=') {
                self.check_variable(name, value, st)?;
                inner.env.push((name.to_owned(), value.to_owned()));
                let mut var = crate::shell::state::Var::scalar(value.to_owned());
                var.exported = true;
                child.set(name, var);
            } else {
                return self.separate(&inner, rest_of(&rest, at), &child);
            }
            at += drop;
        }
    }

    /// Moves a state into a directory, whether it exists or not.
    pub(crate) fn enter(&mut self, target: &str, st: &mut State) {
        let call = [target.to_owned()];
        let plain = Call {
            argv: std::iter::once("cd".to_owned()).chain(call).collect(),
            env: Vec::new(),
            stdin: None,
        };
        if target == "-" || self.builtin("cd", &plain, st).is_err() {
            st.cwd = vec![crate::paths::Place::Unknown];
        }
    }

    fn words_of(&mut self, text: &str, st: &mut State) -> Judged<Vec<String>> {
        let list = crate::shell::parser::parse(text, self.depth)
            .map_err(|error| Refusal::new(rule::UNPROVEN, error.to_string()))?;
        let simple = match list.items.as_slice() {
            [item] if item.rest.is_empty() => match item.first.stages.as_slice() {
                [crate::shell::ast::Command::Simple(simple)] => simple,
                _ => return Err(unproven("env -S")),
            },
            _ => return Err(unproven("env -S")),
        };
        let mut words = Vec::new();
        for assign in &simple.assigns {
            if let crate::shell::ast::AssignValue::Scalar(word) = &assign.value {
                let value = self.scalar(word, st)?;
                words.push(format!("{}={value}", assign.name));
            }
        }
        words.extend(self.fields(&simple.words, st)?);
        Ok(words)
    }
}

/// The text of `-S text`, `-Stext`, `--split-string=text`, and how many words it took.
fn split_string(first: &str, next: Option<&String>) -> Option<(String, usize)> {
    if let Some(text) = first.strip_prefix("--split-string=") {
        return Some((text.to_owned(), 1));
    }
    if first == "--split-string" {
        return Some((next.cloned().unwrap_or_default(), 2));
    }
    if first.starts_with('-') && !first.starts_with("--") {
        let at = first.find('S')?;
        let flags = first.get(1..at)?;
        if !flags.chars().all(|c| "iv0".contains(c)) {
            return None;
        }
        let attached = first.get(at + 1..)?;
        return Some(if attached.is_empty() {
            (next.cloned().unwrap_or_default(), 2)
        } else {
            (attached.to_owned(), 1)
        });
    }
    None
}
