//! The files an awk program writes: what stands behind `>`, as far as the program says.
//!
//! A name is put together from plain text, from numbers, and from variables that get nothing else anywhere in the
//! program. A field or a line of the input may hold `../`, so a name with one in it is not known.

use super::commands::{Commands, Token};
use super::programs::NUMBERS;
use crate::shell::text::TOKEN;

/// What a name may be, of more than which nobody knows which one it is.
const MOST: usize = 16;

/// What changes the variables it is given, or gives names to others; no variable that may be meant is followed.
const REBINDS: &[&str] = &["function", "func", "SYMTAB", "CONVFMT", "OFMT"];

impl Commands<'_> {
    /// The files that the operand behind `at` may name. `numbers` says that numbers of lines are numbers.
    pub(super) fn files_behind(&self, at: usize, numbers: bool) -> Option<Vec<String>> {
        let start = self.tokens.partition_point(|(_, end)| *end <= at);
        let mut files = self.joined(start, numbers)?;
        // To a file without a name nothing is written.
        files.retain(|file| !file.is_empty());
        (!files.is_empty()).then_some(files)
    }

    fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at).map(|(token, _)| token)
    }

    fn is_sign(&self, at: Option<usize>, wanted: char) -> bool {
        at.and_then(|at| self.token(at)) == Some(&Token::Sign(wanted))
    }

    fn twice(&self, at: usize, sign: char) -> bool {
        self.is_sign(Some(at), sign) && self.is_sign(Some(at + 1), sign)
    }

    /// Everything that text, numbers and variables side by side may be, up to the end of the operand.
    fn joined(&self, start: usize, numbers: bool) -> Option<Vec<String>> {
        let mut at = start;
        let closed = self.is_sign(Some(at), '(');
        at += usize::from(closed);
        let mut found = vec![String::new()];
        while !self.ends(at) {
            let (parts, next) = self.part(at, numbers)?;
            at = next;
            if found.len() * parts.len() > MOST {
                return None;
            }
            found = found
                .iter()
                .flat_map(|before| parts.iter().map(move |part| format!("{before}{part}")))
                .collect();
        }
        if closed {
            // Only around all of it.
            let whole = self.is_sign(Some(at), ')') && self.ends(at + 1);
            return whole.then_some(found);
        }
        Some(found)
    }

    /// What one part of a name may be, and the place behind it.
    fn part(&self, at: usize, numbers: bool) -> Option<(Vec<String>, usize)> {
        match self.token(at)? {
            Token::Text(text) => Some((vec![text.clone()], at + 1)),
            Token::Word(word) if NUMBERS.contains(&word.as_str()) => {
                numbers.then(|| (vec![TOKEN.to_string()], at + 1))
            }
            Token::Word(word) if word == "sprintf" => self.formatted(at + 1),
            Token::Word(word) => {
                let counted = ['+', '-'].into_iter().any(|sign| self.twice(at + 1, sign));
                let behind = at + 1 + if counted { 2 } else { 0 };
                Some((self.held(word, numbers)?, behind))
            }
            // `++n`
            Token::Sign(sign @ ('+' | '-')) if self.twice(at, *sign) => {
                let Some(Token::Word(word)) = self.token(at + 2) else {
                    return None;
                };
                Some((self.held(word, numbers)?, at + 3))
            }
            Token::Sign(_) => None,
        }
    }

    /// `sprintf("out/%03d.txt", n)`: whatever is printed as a number is one.
    fn formatted(&self, open: usize) -> Option<(Vec<String>, usize)> {
        let (Some(Token::Sign('(')), Some(Token::Text(format)), Some(Token::Sign(','))) =
            (self.token(open), self.token(open + 1), self.token(open + 2))
        else {
            return None;
        };
        let mut text = String::new();
        let mut rest = format.chars();
        while let Some(c) = rest.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            match rest.find(|c| !c.is_ascii_digit())? {
                'd' | 'i' => text.push(TOKEN),
                '%' => text.push('%'),
                _ => return None,
            }
        }
        let mut depth = 1;
        let mut at = open + 3;
        while depth > 0 {
            match self.token(at)? {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') => depth -= 1,
                Token::Sign(_) | Token::Word(_) | Token::Text(_) => {}
            }
            at += 1;
        }
        Some((vec![text], at))
    }

    /// What a variable may hold wherever it is used, when the program gives it text and numbers only.
    fn held(&self, name: &str, numbers: bool) -> Option<Vec<String>> {
        if let Some(known) = self.held.borrow().get(name) {
            return known.clone();
        }
        // What is put together from itself is not known.
        self.held.borrow_mut().insert(name.to_owned(), None);
        let found = self.given_anywhere(name, numbers);
        self.held
            .borrow_mut()
            .insert(name.to_owned(), found.clone());
        found
    }

    fn given_anywhere(&self, name: &str, numbers: bool) -> Option<Vec<String>> {
        let rebound = REBINDS.iter().any(|word| self.words.contains_key(*word));
        if self.by_name || rebound || self.is_outside(name) || self.includes() {
            return None;
        }
        // Before it is given anything it is empty.
        let mut found = vec![String::new()];
        let mut counts = false;
        for at in self.words.get(name)?.iter().copied() {
            match self.use_of(at)? {
                Use::Read => {}
                Use::Counted => counts = true,
                Use::Given(from) if self.number(name, from) => counts = true,
                Use::Given(from) => found.extend(self.joined(from, numbers)?),
            }
        }
        if counts {
            found.push(TOKEN.to_string());
        }
        found.sort();
        found.dedup();
        // One that the program gives nothing was meant to come from elsewhere.
        (2..=MOST).contains(&found.len()).then_some(found)
    }

    /// `n = 0`, `n = n + 1`
    fn number(&self, name: &str, from: usize) -> bool {
        let is_number = |at: usize| matches!(self.token(at), Some(Token::Word(word)) if word.bytes().all(|c| c.is_ascii_digit()));
        let adds = matches!(self.token(from), Some(Token::Word(word)) if word == name)
            && (self.is_sign(Some(from + 1), '+') || self.is_sign(Some(from + 1), '-'));
        is_number(from) && self.ends(from + 1) || adds && is_number(from + 2) && self.ends(from + 3)
    }

    /// What is done with a variable where its name stands; `None` where something else may change it.
    fn use_of(&self, at: usize) -> Option<Use> {
        let next = |wanted: char| self.is_sign(Some(at + 1), wanted);
        let second = |wanted: char| self.is_sign(Some(at + 2), wanted);
        let before = |back: usize, wanted: char| self.is_sign(at.checked_sub(back), wanted);
        // A field, the variable of a loop, an array, or what `getline` reads into.
        let behind = at.checked_sub(1).and_then(|at| self.token(at));
        let of_word = matches!(behind, Some(Token::Word(word)) if !matches!(word.as_str(), "print" | "printf" | "return" | "else" | "do"));
        let in_loop = matches!(self.token(at + 1), Some(Token::Word(word)) if word == "in");
        if before(1, '$') || next('[') || of_word || in_loop {
            return None;
        }
        let twice = |sign: char| next(sign) && second(sign) || before(1, sign) && before(2, sign);
        if twice('+') || twice('-') {
            return Some(Use::Counted);
        }
        if next('=') && !second('=') {
            return Some(Use::Given(at + 2));
        }
        // Whatever is added makes a number of it.
        let power = next('*') && second('*');
        if power || second('=') && ['+', '-', '*', '/', '%', '^'].into_iter().any(next) {
            return Some(Use::Counted);
        }
        // `sub(/a/, "b", name)`, `split($0, name)`
        let is_argument = before(1, ',') && (next(',') || next(')'));
        (!is_argument).then_some(Use::Read)
    }

    fn includes(&self) -> bool {
        self.tokens
            .iter()
            .any(|(token, _)| *token == Token::Sign('@'))
    }
}

/// What is done with a variable.
enum Use {
    Read,
    /// It is a number from here on.
    Counted,
    /// It is given what stands here.
    Given(usize),
}
