//! Options of wrappers: where they end and what is behind them.

use crate::policy::{Refusal, rule};

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
