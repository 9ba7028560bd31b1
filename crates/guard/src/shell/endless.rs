//! Processes without an end: loops that start one job after the other and wait for none, scripts that start
//! themselves, input that never ends.
//!
//! A single job, a loop over what is there and a loop that waits are ordinary work and none of this.

use super::ast::{Command, Compound, Item, List, Piece, Simple, Word};
use super::state::State;
use super::text;
use super::walk::Walker;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};

/// More processes at a time than this are no limit.
const AT_ONCE: usize = 1_000;

/// What was started and what was waited for so far.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pace {
    /// Jobs that run on beside the shell.
    pub(crate) jobs: usize,
    rests: usize,
    breaks: usize,
    returns: usize,
    exits: usize,
}

impl Pace {
    /// Only the jobs of this count beside what was before: who waited was somebody else.
    pub(super) fn beside(self, before: Self) -> Self {
        Self {
            jobs: self.jobs,
            ..before
        }
    }

    /// A process of its own has ended, or a subshell: it left nothing but itself.
    pub(crate) fn within_process(self, before: Self) -> Self {
        Self {
            jobs: self.jobs,
            rests: self.rests,
            ..before
        }
    }

    /// A function has ended.
    pub(crate) fn within_function(self, before: Self) -> Self {
        Self {
            returns: before.returns,
            ..self
        }
    }

    /// A loop has ended.
    pub(super) fn within_loop(self, before: Self) -> Self {
        Self {
            breaks: before.breaks,
            ..self
        }
    }

    /// Whether jobs were started since, and nothing else that counts.
    fn only_started(self, before: Self) -> bool {
        self.jobs > before.jobs && self.goes_on(before)
    }

    /// Whether nothing was waited for since, and nothing left.
    pub(super) fn goes_on(self, before: Self) -> bool {
        Self {
            jobs: before.jobs,
            ..self
        } == before
    }
}

impl Walker<'_> {
    /// Takes note of a command that waits, or leaves a loop.
    pub(crate) fn paced(&mut self, name: &str, call: &Call, st: &State) {
        let first = call.args().first().map_or("", String::as_str);
        let pace = &mut self.pace;
        match name {
            "sleep" | "usleep" => pace.rests += usize::from(first.contains(|c| c != '0')),
            "wait" | "inotifywait" | "inotifywatch" | "fswatch" | "watchman-wait" | "pidwait" => {
                pace.rests += 1;
            }
            "read" => {
                let endless = call.stdin.as_deref().or(st.stdin.as_deref());
                pace.rests += usize::from(!endless.is_some_and(text::is_endless));
            }
            "break" => pace.breaks += 1,
            "return" => pace.returns += 1,
            "exit" | "logout" => pace.exits += 1,
            _ => {}
        }
    }

    /// Refuses what has only started jobs since `before` and would go on with it.
    pub(crate) fn comes_to_an_end(&self, before: Pace) -> Judged<()> {
        if self.pace.only_started(before) {
            return Err(bomb());
        }
        Ok(())
    }

    /// Refuses input without an end for a program that is started once for each part of it, so many at a time.
    pub(crate) fn started_for_each(
        &self,
        input: &str,
        at_once: Option<&str>,
        before: Pace,
    ) -> Judged<()> {
        if !text::is_endless(input) {
            return Ok(());
        }
        let all_at_once = at_once
            .is_some_and(|number| number.parse::<usize>().is_ok_and(|n| n == 0 || n > AT_ONCE));
        if all_at_once {
            return Err(bomb());
        }
        self.comes_to_an_end(before)
    }
}

/// Refuses a script that starts itself beside itself: `$0 & $0 &`, `$0 | $0`.
pub(crate) fn not_itself(name: &str, st: &State) -> Judged<()> {
    let shell = st.zero.rsplit('/').next().unwrap_or_default();
    if st.beside && name == &*st.zero && !crate::interpreters::is_known(shell) {
        return Err(bomb());
    }
    Ok(())
}

/// The refusal of what starts processes without an end.
pub(crate) fn bomb() -> Refusal {
    Refusal::new(
        rule::PROCESS,
        "processes would be started without an end; loop over a list, or wait for each before the next",
    )
}

/// Whether a loop with this condition runs for ever, if it runs at all.
pub(super) fn is_endless(condition: &List, st: &State) -> bool {
    condition
        .items
        .last()
        .is_some_and(|item| constant(item, st))
}

/// Whether the header of `for ((…; …; …))` has no condition, or one that never changes.
pub(super) fn has_no_end(header: &Word) -> bool {
    let text: String = header
        .pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text { text, .. } => text.as_str(),
            Piece::Tilde(_)
            | Piece::Param { .. }
            | Piece::Command { .. }
            | Piece::Process { .. }
            | Piece::Arithmetic(_) => "x",
        })
        .collect();
    let mut parts = text.split(';');
    matches!((parts.next(), parts.next()), (Some(_), Some(condition)) if is_number(condition))
}

/// Whether arithmetic has the same value each time.
fn is_number(expression: &str) -> bool {
    !expression
        .chars()
        .any(|c| c.is_alphabetic() || matches!(c, '_' | '$' | '`'))
}

/// Whether a command ends the same way each time.
fn constant(item: &Item, st: &State) -> bool {
    if item.background {
        return true;
    }
    let last = item.rest.last().map_or(&item.first, |(_, last)| last);
    let [only] = last.stages.as_slice() else {
        return false;
    };
    match only {
        Command::Simple(simple) => same(simple, st),
        Command::Compound(Compound::Group(list) | Compound::Subshell(list), _) => {
            is_endless(list, st)
        }
        Command::Compound(Compound::Test(words), _) => is_constant_test(words),
        Command::Compound(Compound::Arithmetic(word), _) => literal(word).is_some_and(is_number),
        Command::Compound(
            Compound::If { .. }
            | Compound::While { .. }
            | Compound::For { .. }
            | Compound::Case { .. }
            | Compound::ArithmeticFor(..)
            | Compound::Coprocess(_),
            _,
        ) => false,
        Command::Function { .. } => true,
    }
}

fn same(simple: &Simple, st: &State) -> bool {
    let mut words = simple.words.as_slice();
    while let [first, rest @ ..] = words
        && matches!(
            literal(first),
            Some("command" | "builtin" | "exec" | "env" | "eval")
        )
    {
        words = rest;
    }
    let Some((first, args)) = words.split_first() else {
        return true;
    };
    let name = literal(first).unwrap_or_default();
    match name.rsplit('/').next().unwrap_or_default() {
        "true" | ":" | "false" | "echo" | "printf" | "pwd" | "date" => true,
        "[" | "test" => is_constant_test(args),
        "let" => args.iter().all(|arg| literal(arg).is_some_and(is_number)),
        "read" => st.stdin.as_deref().is_some_and(text::is_endless),
        _ => false,
    }
}

/// A test of written words that asks for no file.
fn is_constant_test(words: &[Word]) -> bool {
    words.iter().all(|word| {
        literal(word).is_some_and(|text| {
            let asks = text.len() > 1
                && text.starts_with('-')
                && text.chars().skip(1).all(char::is_alphabetic)
                && !matches!(
                    text,
                    "-n" | "-z" | "-eq" | "-ne" | "-lt" | "-gt" | "-le" | "-ge" | "-a" | "-o"
                );
            !asks
        })
    })
}

/// The text of a word without expansions, quoted or not.
fn literal(word: &Word) -> Option<&str> {
    match word.pieces.as_slice() {
        [Piece::Text { text, .. }] => Some(text),
        _ => None,
    }
}

/// What a program prints, marked where there is always more of it.
pub(crate) fn goes_on(name: &str, args: &[String], stdin: Option<&str>, out: String) -> String {
    let begins = match name {
        "yes" => !args
            .iter()
            .any(|arg| matches!(arg.as_str(), "--help" | "--version")),
        "seq" => args.iter().any(|arg| arg.starts_with("inf")),
        "cat" => args.iter().any(|arg| is_endless_file(arg)),
        _ => false,
    };
    let passes = || match name {
        "cat" | "tr" | "cut" | "nl" | "tee" | "paste" | "fold" | "rev" | "fmt" | "base64"
        | "od" | "xxd" | "hexdump" | "strings" | "uniq" | "pv" | "xargs" | "iconv" => true,
        "sed" => !args.iter().any(|arg| arg.contains(['q', 'Q'])),
        "awk" | "gawk" | "mawk" => !args.iter().any(|arg| arg.contains("exit")),
        "grep" => !args
            .iter()
            .any(|arg| arg.starts_with("-m") || arg.starts_with("--max") || arg.starts_with("-q")),
        _ => false,
    };
    let mut out = if text::is_endless(&out) {
        out.replace(text::ENDLESS, "")
    } else {
        out
    };
    if begins || stdin.is_some_and(text::is_endless) && passes() {
        out.push(text::ENDLESS);
    }
    out
}

/// Devices of which there is always more to read.
pub(crate) fn is_endless_file(path: &str) -> bool {
    matches!(path, "/dev/zero" | "/dev/urandom" | "/dev/random")
}
