//! `read` and `mapfile`: variables that are filled from standard input.

use super::arithmetic::refuse_expression;
use super::state::{State, Var};
use super::text::{self, ANY};
use super::walk::Walker;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};

impl Walker<'_> {
    pub(super) fn read_input(
        &mut self,
        name: &str,
        args: &[String],
        call: &Call,
        st: &mut State,
    ) -> Judged<()> {
        let mut names = Vec::new();
        let mut array = name != "read";
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            at += 1;
            if arg.starts_with('-') && arg.len() > 1 {
                let letters = arg.get(1..).unwrap_or_default();
                if name != "read" && calls_back(letters) {
                    return Err(Refusal::new(
                        rule::UNPROVEN,
                        "a callback would run for each line; write a loop instead",
                    ));
                }
                let last = arg.chars().last().unwrap_or('-');
                array |= last == 'a' && name == "read";
                let valued = if name == "read" { "dnNptui" } else { "dnsucCO" };
                if valued.contains(last) && arg.len() == 2 {
                    // Counts and descriptors are numbers, which a shell may evaluate.
                    if !matches!(last, 'd' | 'p' | 'i')
                        && let Some(value) = args.get(at)
                    {
                        refuse_expression(value)?;
                    }
                    at += 1;
                }
                continue;
            }
            self.evaluate_name(arg, st)?;
            names.push(arg.clone());
        }
        let input = call.stdin.clone().unwrap_or_else(|| ANY.to_string().into());
        if names.is_empty() {
            names.push(if array { "MAPFILE" } else { "REPLY" }.to_owned());
        }
        if array {
            let elements: Vec<String> = if text::is_any(&input) {
                vec![text::part_of(&input)]
            } else if name == "read" {
                input.split_whitespace().map(str::to_owned).collect()
            } else {
                input.lines().map(str::to_owned).collect()
            };
            for name in names {
                let mut var = Var::scalar(elements.first().cloned().unwrap_or_default());
                var.array = Some(elements.clone());
                st.set(&name, var);
            }
            return Ok(());
        }
        // Any line may be the one that is read; lines that differ give several values.
        let mut lines: Vec<&str> = input.lines().collect();
        lines.dedup();
        let many = lines.len() > 6 || text::is_any(&input);
        let count = names.len();
        for (position, name) in names.iter().enumerate() {
            let values: Vec<String> = if many {
                vec![text::part_of(&input)]
            } else {
                lines
                    .iter()
                    .map(|line| {
                        let line = line.trim();
                        if count == 1 {
                            line.to_owned()
                        } else {
                            let words: Vec<&str> = line.split_whitespace().collect();
                            let before = words.get(..position).unwrap_or(&words);
                            if before.iter().any(|word| !text::is_known(word)) {
                                // Nobody knows how many words those are.
                                text::part_of(line)
                            } else if position + 1 == count {
                                words.get(position..).unwrap_or_default().join(" ")
                            } else {
                                words.get(position).copied().unwrap_or("").to_owned()
                            }
                        }
                    })
                    .collect()
            };
            let known = st.target(name).unwrap_or_else(|| name.clone());
            self.check_variable(&known, values.first().map_or("", String::as_str), st)?;
            let mut var = Var::scalar(values.first().cloned().unwrap_or_default());
            if values.len() > 1 {
                var.values = values;
                var.values.sort();
                var.values.dedup();
            }
            st.set(name, var);
        }
        Ok(())
    }
}

/// Whether a cluster of `mapfile` options holds `-C`, which no option before it takes as its value.
fn calls_back(letters: &str) -> bool {
    letters
        .chars()
        .take_while(|c| matches!(c, 't' | 'C'))
        .any(|c| c == 'C')
}
