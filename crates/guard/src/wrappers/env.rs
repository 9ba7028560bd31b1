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
            if clears(&first) {
                inner.env.retain(|(name, _)| name == super::ARGV0);
                child.withhold_all();
            }
            if first == "--" {
                at += 1;
                continue;
            } else if let Some((text, used)) =
                valued(&first, rest.get(at + 1), 'S', "--split-string")
            {
                // It is split like shell words, and the result goes on as arguments.
                let mut words = self.words_of(&text, &mut child)?;
                words.extend(rest_of(&rest, at + used));
                at = 0;
                rest = words;
                continue;
            } else if let Some((name, used)) = valued(&first, rest.get(at + 1), 'u', "--unset") {
                self.check_variable(&name, "", st)?;
                child.withhold(&name);
                inner.env.retain(|(key, _)| *key != name);
                drop = used;
            } else if let Some((target, used)) = valued(&first, rest.get(at + 1), 'C', "--chdir") {
                self.enter(&target, &mut child);
                drop = used;
            } else if let Some((name, used)) = valued(&first, rest.get(at + 1), 'a', "--argv0") {
                inner.env.push((super::ARGV0.to_owned(), name));
                drop = used;
            } else if let Some((_, used)) = valued(&first, rest.get(at + 1), 'P', "--path") {
                drop = used;
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

/// Whether nothing of the environment is left: `-`, `-i`, `-vi`, `-iu A`, `--ignore-environment`.
fn clears(option: &str) -> bool {
    match option.strip_prefix("--") {
        Some(long) => !long.is_empty() && "ignore-environment".starts_with(long),
        None => option.strip_prefix('-').is_some_and(|flags| {
            let mut flags = flags.chars().take_while(|c| "iv0".contains(*c));
            option == "-" || flags.any(|c| c == 'i')
        }),
    }
}

/// The value of an option in any spelling (`-u A`, `-uA`, `-iuA`, `--unset=A`, `--uns A`), and how many words it took.
fn valued(first: &str, next: Option<&String>, letter: char, long: &str) -> Option<(String, usize)> {
    let behind = || (next.cloned().unwrap_or_default(), 2);
    if first.starts_with("--") {
        let (name, value) = match first.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (first, None),
        };
        let named = name.len() > 2 && long.starts_with(name);
        return named.then(|| value.map_or_else(behind, |value| (value.to_owned(), 1)));
    }
    let (flags, attached) = first.strip_prefix('-')?.split_once(letter)?;
    if !flags.chars().all(|c| "iv0".contains(c)) {
        return None;
    }
    Some(if attached.is_empty() {
        behind()
    } else {
        (attached.to_owned(), 1)
    })
}
