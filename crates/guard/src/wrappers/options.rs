//! Options of wrappers: where they end and what is behind them.

use crate::commands::Call;
use crate::policy::{Judged, Refusal, Role, rule};
use crate::rules;
use crate::shell::state::State;
use crate::shell::walk::Walker;

pub(crate) fn unproven(name: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!("what {name} would run here cannot be worked out; run the command directly"),
    )
}

pub(crate) fn rest_of(args: &[String], at: usize) -> Vec<String> {
    args.get(at..).unwrap_or_default().to_vec()
}

/// Where the first operand is, given which options take a value.
pub(crate) fn operand_at(args: &[String], short: &str, long: &[&str]) -> usize {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if arg == "--" {
            return at + 1;
        }
        if !arg.starts_with('-') || arg == "-" {
            if arg.starts_with('+') && arg.len() > 1 && at == 0 && short.contains('+') {
                at += 1;
                continue;
            }
            return at;
        }
        let takes = if arg.starts_with("--") {
            long.contains(&arg.as_str())
        } else {
            long.contains(&arg.as_str())
                || arg.chars().skip(1).position(|c| short.contains(c))
                    == Some(arg.chars().count() - 2)
        };
        at += if takes { 2 } else { 1 };
    }
    at
}

/// Where a command may begin if it is not known which options take a value: at each word that may be one.
fn beginnings(args: &[String]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut value = false;
    for (at, arg) in args.iter().enumerate() {
        if arg == "--" {
            found.push(at + 1);
            break;
        }
        if arg.starts_with('-') && arg.len() > 1 {
            value = !arg.contains('=');
            continue;
        }
        found.push(at);
        if !std::mem::take(&mut value) {
            break;
        }
    }
    found
}

impl Walker<'_> {
    /// Judges what a wrapper runs if its options take other words for their values than those that are known to,
    /// which leads to `known`.
    pub(super) fn otherwise(&mut self, call: &Call, known: usize, st: &State) -> Judged<()> {
        let args = call.args();
        for at in beginnings(args) {
            let word = args.get(at).map_or("", String::as_str);
            if at == known || word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            let role = self.role;
            // A value is no program that only reads; what nobody may do is looked for.
            if !rules::is_known(word.rsplit('/').next().unwrap_or(word)) {
                self.role = Role::Writer;
            }
            let judged = self.separate(call, rest_of(args, at), st);
            self.role = role;
            judged?;
        }
        Ok(())
    }
}
