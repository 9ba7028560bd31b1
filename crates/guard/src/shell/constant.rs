//! Conditions that turn out the same way each time: `true`, `[ 1 -eq 1 ]`, `[ -n "$HOME" ]`, `cd .`.
//!
//! A loop with such a condition has no other end than those in it, and a call behind one is not held back by it.

use super::ast::{Assign, AssignValue, Command, Compound, Item, List};
use super::ast::{Param, Piece, Pipeline, Simple, Word};
use super::outcome::{Outcome, Reached};
use super::state::State;
use super::text;

/// What is known where a condition is asked.
#[derive(Clone, Copy)]
pub(super) struct Asked<'s> {
    pub(super) st: &'s State,
    /// One turn of the loop earlier.
    pub(super) before: Option<&'s State>,
}

impl Asked<'_> {
    /// How a list ends: as the last of it does.
    pub(super) fn list(self, list: &List) -> Outcome {
        list.items
            .last()
            .map_or(Outcome::Varies, |item| self.item(item))
    }

    fn item(self, item: &Item) -> Outcome {
        if item.background {
            return Outcome::Success;
        }
        let mut outcome = self.pipeline(&item.first);
        for (connector, pipeline) in &item.rest {
            outcome = match outcome.reaches(*connector) {
                Reached::Surely => self.pipeline(pipeline),
                Reached::Never => outcome,
                Reached::Perhaps => Outcome::Varies,
            };
        }
        outcome
    }

    pub(super) fn pipeline(self, pipeline: &Pipeline) -> Outcome {
        let [only] = pipeline.stages.as_slice() else {
            return Outcome::Varies;
        };
        let outcome = self.command(only);
        if pipeline.negated {
            outcome.negated()
        } else {
            outcome
        }
    }

    fn command(self, command: &Command) -> Outcome {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(Compound::Group(list) | Compound::Subshell(list), _) => {
                self.list(list)
            }
            Command::Compound(Compound::Test(words), _) => self.test(words),
            Command::Compound(Compound::Arithmetic(word), _) => self.arithmetic(word),
            Command::Compound(
                Compound::If { .. }
                | Compound::While { .. }
                | Compound::For { .. }
                | Compound::Case { .. }
                | Compound::ArithmeticFor(..)
                | Compound::Coprocess(..),
                _,
            ) => Outcome::Varies,
            Command::Function { .. } => Outcome::Success,
        }
    }

    fn simple(self, simple: &Simple) -> Outcome {
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
            let asks = simple.assigns.iter().any(runs_something);
            return if asks {
                Outcome::Varies
            } else {
                Outcome::Success
            };
        };
        let name = literal(first).unwrap_or_default();
        match name.rsplit('/').next().unwrap_or_default() {
            "true" | ":" | "echo" | "printf" | "pwd" | "date" | "uname" | "whoami" | "id"
            | "hostname" | "nproc" | "clear" => Outcome::Success,
            "sleep" | "ls" if args.iter().all(|arg| literal(arg).is_some()) => match args {
                [] => Outcome::Success,
                _ if name.ends_with("sleep") => Outcome::Success,
                _ if args.iter().all(|arg| literal(arg).is_some_and(stands)) => Outcome::Success,
                _ => Outcome::Varies,
            },
            "false" => Outcome::Failure,
            "cd" => match args {
                [] => Outcome::Success,
                [to] if self.value(to).stands() => Outcome::Success,
                _ => Outcome::Varies,
            },
            "[" => match args.split_last() {
                Some((_, asked)) => self.test(asked),
                None => Outcome::Failure,
            },
            "test" => self.test(args),
            "let" => match args {
                [only] => self.arithmetic(only),
                _ if args.iter().all(|arg| literal(arg).is_some_and(is_number)) => Outcome::Same,
                _ => Outcome::Varies,
            },
            "read" if self.st.stdin.as_deref().is_some_and(text::is_endless) => Outcome::Success,
            _ => Outcome::Varies,
        }
    }

    fn arithmetic(self, word: &Word) -> Outcome {
        match literal(word) {
            Some(text) if is_number(text) => match text.trim().parse::<i64>() {
                Ok(number) => Outcome::of(number != 0),
                Err(_) => Outcome::Same,
            },
            // A name alone.
            Some(text) => match self.named(text.trim()) {
                Value::Text(value) => value
                    .parse::<i64>()
                    .map_or(Outcome::Same, |number| Outcome::of(number != 0)),
                Value::Inherited => Outcome::Same,
                Value::Varies => Outcome::Varies,
            },
            None => Outcome::Varies,
        }
    }

    /// A test of words that stay what they are, and of no file that may come or go.
    fn test(self, words: &[Word]) -> Outcome {
        let values: Vec<Value> = words.iter().map(|word| self.value(word)).collect();
        let op = |at: usize| words.get(at).and_then(literal).unwrap_or_default();
        match values.as_slice() {
            [] => return Outcome::Failure,
            [only] => return only.is_some_text(),
            [_, rest @ ..] if op(0) == "!" => {
                let skipped = words.len() - rest.len();
                return self
                    .test(words.get(skipped..).unwrap_or_default())
                    .negated();
            }
            [_, value] if op(0) == "-n" => return value.is_some_text(),
            [_, value] if op(0) == "-z" => return value.is_some_text().negated(),
            [_, value] if matches!(op(0), "-e" | "-d" | "-r" | "-x" | "-s") && value.stands() => {
                return Outcome::Success;
            }
            [Value::Text(one), _, Value::Text(other)] => {
                if let Some(outcome) = compared(one, op(1), other) {
                    return outcome;
                }
            }
            _ => {}
        }
        let asks = |(at, value): (usize, &Value)| {
            *value == Value::Varies
                || asks_for_file(op(at)) && !values.get(at + 1).is_some_and(Value::stands)
        };
        if values.iter().enumerate().any(asks) {
            Outcome::Varies
        } else {
            Outcome::Same
        }
    }

    fn value(self, word: &Word) -> Value {
        let is_empty =
            |piece: &&Piece| matches!(piece, Piece::Text { text, .. } if text.is_empty());
        let mut pieces = word.pieces.iter().filter(|piece| !is_empty(piece));
        match (pieces.next(), pieces.next()) {
            (None, _) => Value::Text(String::new()),
            (Some(Piece::Text { text, .. }), None) => Value::Text(text.clone()),
            (Some(Piece::Tilde(user)), None) if user.is_empty() => Value::Inherited,
            (Some(Piece::Param { param, .. }), None) => self.variable(param),
            (Some(_), _) => Value::Varies,
        }
    }

    /// A variable that no turn changes.
    fn variable(self, param: &Param) -> Value {
        let plain = param.op.is_none() && param.index.is_none() && !param.length && !param.indirect;
        if !plain {
            return Value::Varies;
        }
        self.named(&param.name)
    }

    fn named(self, name: &str) -> Value {
        match (self.st.var(name), self.before) {
            (None, _) if is_of_every_shell(name) => Value::Inherited,
            (Some(now), Some(before)) if before.var(name) == Some(now) => {
                match now.values.as_slice() {
                    [only] if now.array.is_none() && text::is_known(only) => {
                        Value::Text(only.clone())
                    }
                    _ => Value::Varies,
                }
            }
            (Some(_) | None, _) => Value::Varies,
        }
    }
}

/// What a word of a condition is.
#[derive(Debug, PartialEq, Eq)]
enum Value {
    Text(String),
    /// What every shell has, never empty.
    Inherited,
    Varies,
}

impl Value {
    fn is_some_text(&self) -> Outcome {
        match self {
            Self::Text(text) => Outcome::of(!text.is_empty()),
            Self::Inherited => Outcome::Success,
            Self::Varies => Outcome::Varies,
        }
    }

    fn stands(&self) -> bool {
        match self {
            Self::Text(text) => stands(text),
            Self::Inherited => true,
            Self::Varies => false,
        }
    }
}

/// A file or folder that neither comes nor goes.
fn stands(path: &str) -> bool {
    let plain = if path.len() > 1 {
        path.trim_end_matches('/')
    } else {
        path
    };
    matches!(
        plain,
        "." | ".."
            | "/"
            | ""
            | "./."
            | "/bin"
            | "/dev"
            | "/dev/null"
            | "/etc"
            | "/etc/passwd"
            | "/home"
            | "/proc"
            | "/root"
            | "/sys"
            | "/tmp"
            | "/usr"
            | "/usr/bin"
            | "/var"
            | "/bin/sh"
            | "/bin/bash"
    ) && !path.is_empty()
}

fn is_of_every_shell(name: &str) -> bool {
    matches!(
        name,
        "HOME"
            | "PWD"
            | "USER"
            | "LOGNAME"
            | "PATH"
            | "SHELL"
            | "UID"
            | "EUID"
            | "BASH"
            | "TERM"
            | "BASH_VERSION"
            | "HOSTNAME"
            | "OSTYPE"
            | "PPID"
            | "$"
            | "0"
    )
}

fn compared(one: &str, op: &str, other: &str) -> Option<Outcome> {
    let numbers = || Some((one.parse::<i64>().ok()?, other.parse::<i64>().ok()?));
    Some(Outcome::of(match op {
        "=" | "==" => one == other,
        "!=" => one != other,
        "-eq" => numbers().map(|(one, other)| one == other)?,
        "-ne" => numbers().map(|(one, other)| one != other)?,
        "-lt" => numbers().map(|(one, other)| one < other)?,
        "-le" => numbers().map(|(one, other)| one <= other)?,
        "-gt" => numbers().map(|(one, other)| one > other)?,
        "-ge" => numbers().map(|(one, other)| one >= other)?,
        _ => return None,
    }))
}

/// Whether a word of a test asks for a file, or for what a shell has.
fn asks_for_file(word: &str) -> bool {
    word.len() > 1
        && word.starts_with('-')
        && word.chars().skip(1).all(char::is_alphabetic)
        && !matches!(
            word,
            "-n" | "-z" | "-eq" | "-ne" | "-lt" | "-gt" | "-le" | "-ge" | "-a" | "-o"
        )
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

/// Whether an assignment runs something, whose outcome it takes.
fn runs_something(assign: &Assign) -> bool {
    match &assign.value {
        AssignValue::Scalar(word) => word.pieces.iter().any(|piece| match piece {
            Piece::Command { .. } => true,
            Piece::Text { .. }
            | Piece::Tilde(_)
            | Piece::Param { .. }
            | Piece::Process { .. }
            | Piece::Arithmetic(_) => false,
        }),
        AssignValue::Array(_) => false,
    }
}

/// Whether a list of words for a loop is written out, and so never empty.
pub(super) fn is_written_out(words: Option<&[Word]>) -> bool {
    words.is_some_and(|words| {
        let plain = |word: &Word| literal(word).is_some_and(|text| !text.contains(['*', '?', '[']));
        words.iter().any(plain)
    })
}

/// The text of a word without expansions, quoted or not.
fn literal(word: &Word) -> Option<&str> {
    match word.pieces.as_slice() {
        [Piece::Text { text, .. }] => Some(text),
        _ => None,
    }
}
