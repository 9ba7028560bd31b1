//! `expect`: a dialogue with one program of the project, in words that are all written out.
//!
//! Whatever is sent may be a command to the program it goes to. A program of the project could run the same without
//! being asked; to any other one nothing is sent.

use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Commands of the language that only talk, wait and print.
const TALKS: &[&str] = &[
    "expect",
    "send",
    "send_user",
    "puts",
    "sleep",
    "wait",
    "close",
    "exit",
    "log_user",
    "match_max",
    "timeout",
];

impl Walker<'_> {
    /// Judges a script; `None` where more of the language is used than is read here.
    pub(super) fn dialogue(&mut self, source: &str, call: &Call, st: &State) -> Judged<Option<()>> {
        let Some(commands) = commands(source) else {
            return Ok(None);
        };
        for words in commands {
            match words.first().map(String::as_str) {
                Some("spawn") => {
                    let argv: Vec<String> = words
                        .iter()
                        .skip(1)
                        .skip_while(|word| *word == "-noecho")
                        .cloned()
                        .collect();
                    let own = argv.first().is_some_and(|program| {
                        let base = program.rsplit('/').next().unwrap_or(program);
                        program.contains('/')
                            && !super::is_known(base)
                            && st
                                .cwd
                                .iter()
                                .all(|place| self.paths.is_inside(program, place))
                    });
                    if !own {
                        return Err(Refusal::new(
                            rule::UNPROVEN,
                            "expect would talk to a program that is not of the project; put the dialogue in a project script",
                        ));
                    }
                    self.separate(
                        &Call {
                            stdin: None,
                            ..call.clone()
                        },
                        argv,
                        st,
                    )?;
                }
                Some("set") if words.get(1).is_some_and(|name| name == "timeout") => {}
                Some(command) if TALKS.contains(&command) => {}
                _ => return Ok(None),
            }
        }
        Ok(Some(()))
    }
}

/// The commands of a script, each as its words; `None` when something in it is worked out only as it runs.
fn commands(source: &str) -> Option<Vec<Vec<String>>> {
    if !text::is_known(source) || source.contains(['[', '$']) {
        return None;
    }
    let mut all = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = source.chars();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let escaped = chars.next()?;
                word.get_or_insert_default()
                    .push(if escaped.is_ascii_alphabetic() {
                        ' '
                    } else {
                        escaped
                    });
            }
            '"' if quoted => quoted = false,
            _ if quoted => word.get_or_insert_default().push(c),
            '"' if word.is_none() => {
                quoted = true;
                word = Some(String::new());
            }
            '{' | '}' | '"' | '#' => return None,
            '\n' | ';' => {
                words.extend(word.take());
                if !words.is_empty() {
                    all.push(std::mem::take(&mut words));
                }
            }
            _ if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if !words.is_empty() {
        all.push(words);
    }
    (!quoted).then_some(all)
}
