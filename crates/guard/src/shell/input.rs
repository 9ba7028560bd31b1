//! `read` and `mapfile`: variables that are filled from standard input.

use super::arithmetic::refuse_expression;
use super::fields::separators;
use super::state::{State, Var};
use super::text::{self, ANY, ESCAPE};
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
        let mut raw = array;
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
                raw |= letters
                    .split(|c| valued.contains(c))
                    .next()
                    .is_some_and(|own| own.contains('r'));
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
        self.charge(input.len() / 64)?;
        // What separates the words of a line; nobody knows what else separates lines.
        let separators = match call.variable("IFS") {
            Some(own) => text::is_known(own).then(|| own.to_owned()),
            None => separators(st),
        };
        let input = if raw || !input.contains('\\') {
            input
        } else {
            unescaped(&input, separators.as_deref().unwrap_or_default()).into()
        };
        // Paths that end in a zero byte are known as lines.
        let lines_end = !args.iter().enumerate().any(|(at, arg)| {
            let apart = arg.starts_with('-') && arg.ends_with('d');
            let value = args.get(at + 1).map_or("", String::as_str);
            apart && !matches!(value, "" | "\n") || !apart && arg.starts_with("-d")
        });
        let known = !text::is_any(&input) && lines_end;
        if names.is_empty() {
            names.push(if array { "MAPFILE" } else { "REPLY" }.to_owned());
        }
        if array {
            let elements: Vec<String> = match &separators {
                // Of several lines any one may be read.
                Some(signs) if known && name == "read" && input.lines().count() < 2 => {
                    parts(&input, signs)
                }
                Some(_) | None if known && name != "read" => {
                    input.lines().map(str::to_owned).collect()
                }
                Some(_) | None => vec![text::part_of(&input)],
            };
            let elements: Vec<String> = elements.into_iter().map(whole).collect();
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
        let many = lines.len() > 6 || !known || separators.is_none();
        let signs = separators.unwrap_or_default();
        let count = names.len();
        // Each with its words, and how many of those are known before one that is not.
        let read = lines.iter().filter(|_| !many).map(|line| {
            let words: Vec<String> = parts(line.trim(), &signs).into_iter().map(whole).collect();
            let known = words.iter().take_while(|word| text::is_known(word)).count();
            (line.trim(), words, known)
        });
        let lines: Vec<(&str, Vec<String>, usize)> = read.collect();
        for (position, name) in names.iter().enumerate() {
            let values: Vec<String> = if many {
                vec![text::part_of(&input)]
            } else {
                lines
                    .iter()
                    .map(|(line, words, known)| {
                        if count == 1 {
                            (*line).to_owned()
                        } else if *known < words.len().min(position) {
                            // Nobody knows how many words those are.
                            text::part_of(line)
                        } else if position + 1 == count {
                            let between = signs.get(..1).unwrap_or(" ");
                            words.get(position..).unwrap_or_default().join(between)
                        } else {
                            words.get(position).cloned().unwrap_or_default()
                        }
                    })
                    .map(whole)
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

/// The input as `read` takes it without `-r`: a backslash goes, keeps what is behind it from dividing words, and joins
/// lines at their end.
fn unescaped(input: &str, separators: &str) -> String {
    let mut out = String::with_capacity(input.len());
    let mut chars = input.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('\n') | None => {}
            Some(' ') => out.push(ESCAPE),
            Some(kept) if kept.is_whitespace() || separators.contains(kept) => out.push(ANY),
            Some(kept) => out.push(kept),
        }
    }
    out
}

/// A word with the blanks that did not divide it.
fn whole(word: String) -> String {
    if text::has_escape(&word) {
        return word.replace(ESCAPE, " ");
    }
    word
}

/// The words of a line: white space runs together, every other separator stands for itself.
fn parts(line: &str, separators: &str) -> Vec<String> {
    let space = |c: char| c.is_whitespace() && separators.contains(c);
    let line = line.trim_matches(|c: char| space(c) || c == '\n');
    let plain = separators.chars().all(char::is_whitespace);
    let words = line.split(|c| separators.contains(c));
    words
        .map(|word| word.trim_matches(space))
        .filter(|word| !plain || !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether a cluster of `mapfile` options holds `-C`, which no option before it takes as its value.
fn calls_back(letters: &str) -> bool {
    letters
        .chars()
        .take_while(|c| matches!(c, 't' | 'C'))
        .any(|c| c == 'C')
}
