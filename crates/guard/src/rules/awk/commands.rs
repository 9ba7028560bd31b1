//! The commands of an awk program: what stands at a pipe or in `system()`, as far as the program says.
//!
//! A command is plain text, or a variable that is only ever given plain text. Everything else is put together
//! while the program runs and cannot be judged.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::shell::output::decode_escapes;

/// A token of an awk program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Text(String),
    Word(String),
    Sign(char),
}

/// Words after which an expression begins.
const BEFORE: &[&str] = &[
    "while", "if", "print", "printf", "return", "do", "else", "BEGIN", "END", "in",
];

/// An awk program taken apart.
pub(super) struct Commands<'o> {
    pub(super) tokens: Vec<(Token, usize)>,
    /// Where each word stands.
    pub(super) words: HashMap<String, Vec<usize>>,
    /// What variables are given, once somebody asked.
    known: RefCell<HashMap<String, Option<Vec<String>>>>,
    /// What variables may hold in names of files.
    pub(super) held: RefCell<HashMap<String, Option<Vec<String>>>>,
    /// Whether it reaches variables by their names.
    pub(super) by_name: bool,
    /// Variables that may have another value than the program gives them.
    outside: &'o [String],
}

/// Stands for every variable.
pub(super) const EVERY: &str = "SYMTAB";

impl<'o> Commands<'o> {
    pub(super) fn new(program: &[char], outside: &'o [String]) -> Self {
        let tokens = tokens(program);
        let mut words: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, (token, _)) in tokens.iter().enumerate() {
            if let Token::Word(word) = token {
                match words.get_mut(word) {
                    Some(places) => places.push(at),
                    None => {
                        words.insert(word.clone(), vec![at]);
                    }
                }
            }
        }
        let by_name = words.contains_key(EVERY);
        Self {
            tokens,
            words,
            known: RefCell::default(),
            held: RefCell::default(),
            by_name,
            outside,
        }
    }

    /// The commands that may stand before the pipe at `at`; `None` when they are not known.
    pub(super) fn before(&self, at: usize) -> Option<Vec<String>> {
        let end = self.tokens.partition_point(|(_, end)| *end <= at);
        let before = self.tokens.get(..end)?;
        let length = before
            .iter()
            .rev()
            .take_while(|(token, _)| match token {
                Token::Text(_) => true,
                Token::Word(word) => !BEFORE.contains(&word.as_str()),
                Token::Sign(sign) => matches!(sign, ')' | ']' | '$' | '.'),
            })
            .count();
        let operand = before.get(end.checked_sub(length)?..)?;
        match operand {
            [(token, _)] => self.values(token),
            _ => None,
        }
    }

    /// The commands that may stand behind `at`, up to the end of the operand.
    pub(super) fn after(&self, at: usize) -> Option<Vec<String>> {
        let start = self.tokens.partition_point(|(_, end)| *end <= at);
        let (token, _) = self.tokens.get(start)?;
        if let Token::Sign('(') = token {
            let (inner, _) = self.tokens.get(start + 1)?;
            return self.ends(start + 2).then(|| self.values(inner))?;
        }
        self.ends(start + 1).then(|| self.values(token))?
    }

    /// The variable behind `at` that files are named by and that nothing in the program changes.
    pub(super) fn named_behind(&self, at: usize) -> Option<&str> {
        let start = self.tokens.partition_point(|(_, end)| *end <= at);
        let (Token::Word(name), _) = self.tokens.get(start)? else {
            return None;
        };
        let places = self.words.get(name)?;
        let only_names = places.iter().all(|place| {
            let before = |back: usize| {
                let at = place.checked_sub(back)?;
                self.tokens.get(at).map(|(token, _)| token)
            };
            let closed =
                matches!(before(2), Some(Token::Word(word)) if word == "close" || word == "fflush");
            let written = before(1) == Some(&Token::Sign('>'));
            (written || before(1) == Some(&Token::Sign('(')) && closed) && self.ends(place + 1)
        });
        (only_names && !self.by_name).then_some(name.as_str())
    }

    pub(super) fn ends(&self, at: usize) -> bool {
        match self.tokens.get(at) {
            None => true,
            Some((token, _)) => {
                matches!(token, Token::Sign(')' | ';' | '}' | '\n' | '|' | '&' | ','))
            }
        }
    }

    fn values(&self, token: &Token) -> Option<Vec<String>> {
        match token {
            Token::Text(text) => Some(vec![text.clone()]),
            Token::Word(name) => self.given(name),
            Token::Sign(_) => None,
        }
    }

    /// Every text a variable is given, when nothing else could change it.
    fn given(&self, name: &str) -> Option<Vec<String>> {
        if let Some(known) = self.known.borrow().get(name) {
            return known.clone();
        }
        let found = self.looked_up(name);
        self.known
            .borrow_mut()
            .insert(name.to_owned(), found.clone());
        found
    }

    /// Whether the variable may have another value than the program gives it.
    pub(super) fn is_outside(&self, name: &str) -> bool {
        let named = |other: &String| other == name || other == EVERY;
        self.outside.iter().any(named)
    }

    fn looked_up(&self, name: &str) -> Option<Vec<String>> {
        if self.is_outside(name) || self.by_name {
            return None;
        }
        let mut found = Vec::new();
        for at in self.words.get(name).into_iter().flatten().copied() {
            let sign = |at: usize| match self.tokens.get(at) {
                Some((Token::Sign(sign), _)) => Some(*sign),
                Some(_) => None,
                None => Some('\n'),
            };
            let before = at.checked_sub(1).and_then(sign);
            let next = sign(at + 1);
            let called = match at.checked_sub(2).and_then(|at| self.tokens.get(at)) {
                Some((Token::Word(word), _)) => {
                    matches!(word.as_str(), "close" | "system" | "fflush")
                }
                _ => false,
            };
            match (before, next) {
                (_, Some('=')) if sign(at + 2) != Some('=') => match self.tokens.get(at + 2) {
                    Some((Token::Text(text), _)) if self.ends(at + 3) => found.push(text.clone()),
                    _ => return None,
                },
                (_, Some('|')) | (Some('|' | '&'), _) => {}
                (Some('('), Some(')')) if called => {}
                _ => return None,
            }
        }
        found.dedup();
        (!found.is_empty()).then_some(found)
    }
}

fn tokens(program: &[char]) -> Vec<(Token, usize)> {
    let mut found: Vec<(Token, usize)> = Vec::new();
    let mut at = 0;
    while let Some(&c) = program.get(at) {
        let start = at;
        at += 1;
        match c {
            ' ' | '\t' | '\r' => {}
            '\\' if program.get(at) == Some(&'\n') => {
                at += 1;
            }
            '#' => {
                at += run(program, at, |c| c != '\n');
            }
            '"' => {
                let (text, end) = quoted(program, at, '"');
                at = end;
                found.push((Token::Text(decode_escapes(&text)), at));
            }
            '/' if begins_pattern(found.last()) => {
                let (_, end) = quoted(program, at, '/');
                at = end;
                // A pattern is no command.
                found.push((Token::Sign('/'), at));
            }
            c if c.is_alphanumeric() || c == '_' => {
                at += run(program, at, |c| c.is_alphanumeric() || c == '_');
                let word = program.get(start..at).unwrap_or_default().iter().collect();
                found.push((Token::Word(word), at));
            }
            other => found.push((Token::Sign(other), at)),
        }
    }
    found
}

fn run(program: &[char], from: usize, wanted: impl Fn(char) -> bool) -> usize {
    let rest = program.get(from..).unwrap_or_default();
    rest.iter().take_while(|c| wanted(**c)).count()
}

fn begins_pattern(last: Option<&(Token, usize)>) -> bool {
    match last {
        None => true,
        Some((Token::Text(_), _)) => false,
        Some((Token::Word(word), _)) => BEFORE.contains(&word.as_str()),
        Some((Token::Sign(sign), _)) => !matches!(sign, ')' | ']' | '$'),
    }
}

/// The text up to a closing sign, and the place behind it.
fn quoted(program: &[char], from: usize, close: char) -> (String, usize) {
    let mut text = String::new();
    let mut at = from;
    while let Some(&c) = program.get(at) {
        at += 1;
        if c == close || c == '\n' {
            break;
        }
        text.push(c);
        if c == '\\'
            && let Some(&escaped) = program.get(at)
        {
            text.push(escaped);
            at += 1;
        }
    }
    (text, at)
}
