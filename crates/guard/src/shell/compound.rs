//! Compound commands: groups, conditions, loops, functions, tests.
//!
//! Each reads from its first reserved word to its last one and the redirections behind.

use std::rc::Rc;

use super::ast::{Arm, Command, Compound, List, Word};
use super::cursor::{Closer, Parsed, Parser, SyntaxError};
use super::words;

impl Parser<'_> {
    pub(super) fn command(&mut self) -> Parsed<Command> {
        self.part()?;
        self.blanks();
        match self.peek() {
            None => return Err(SyntaxError::Unclosed("a pipe or operator")),
            Some(b'(') => {
                if self.starts("((")
                    && let Some(end) = self.arithmetic_end(self.pos + 2)?
                {
                    let inner = self.slice(self.pos + 2, end);
                    let word = self.deeper(|p| p.inside(inner, words::expression))?;
                    self.pos = end + 2;
                    return self.redirected(Compound::Arithmetic(word));
                }
                self.pos += 1;
                let body = self.list(Closer::Paren)?;
                self.need(")", "a subshell")?;
                return self.redirected(Compound::Subshell(body));
            }
            Some(b'|' | b'&' | b';' | b')' | b'\n') => {
                return Err(SyntaxError::Unexpected("an operator without a command"));
            }
            Some(_) => {}
        }
        match self.upcoming() {
            "{" => {
                self.pos += 1;
                let body = self.list(Closer::Words(&["}"]))?;
                self.need("}", "a group")?;
                self.redirected(Compound::Group(body))
            }
            "if" => self.if_command(),
            "while" | "until" => {
                self.pos += 5;
                let condition = self.list(Closer::Words(&["do"]))?;
                let body = self.do_group()?;
                self.redirected(Compound::While { condition, body })
            }
            "for" => self.for_command(3),
            "select" => self.for_command(6),
            "case" => self.case_command(),
            "function" => {
                self.pos += 8;
                self.blanks();
                let name = self
                    .word()?
                    .plain()
                    .ok_or(SyntaxError::Unexpected("a function without a name"))?
                    .to_owned();
                self.blanks();
                if self.eat("(") {
                    self.blanks();
                    self.need(")", "a function header")?;
                }
                self.function(name)
            }
            "coproc" => {
                self.pos += 6;
                self.blanks();
                // `coproc NAME { …; }`: the name is only a name when a compound command follows.
                let start = self.pos;
                let name = self.upcoming();
                let reserved = matches!(name, "while" | "until" | "for" | "if" | "case" | "select");
                let named = !reserved
                    && !name.is_empty()
                    && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
                let mut own = named.then(|| name.to_owned());
                if named {
                    self.pos += name.len();
                    self.blanks();
                    if !matches!(
                        self.upcoming(),
                        "{" | "while" | "until" | "for" | "if" | "case"
                    ) && self.peek() != Some(b'(')
                    {
                        self.pos = start;
                        own = None;
                    }
                }
                let body = self.deeper(Self::command)?;
                Ok(Command::Compound(
                    Compound::Coprocess(own, Box::new(body)),
                    Vec::new(),
                ))
            }
            "[[" => {
                self.pos += 2;
                let words = self.test_words()?;
                self.redirected(Compound::Test(words))
            }
            "then" | "do" | "done" | "fi" | "elif" | "else" | "esac" | "}" => {
                Err(SyntaxError::Unexpected("a reserved word out of place"))
            }
            _ => self.simple(),
        }
    }

    fn do_group(&mut self) -> Parsed<List> {
        self.keyword("do")?;
        let body = self.list(Closer::Words(&["done"]))?;
        self.keyword("done")?;
        Ok(body)
    }

    fn redirected(&mut self, compound: Compound) -> Parsed<Command> {
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(Command::Compound(compound, redirects)),
            }
        }
    }

    fn if_command(&mut self) -> Parsed<Command> {
        self.pos += 2;
        let mut arms = Vec::with_capacity(1);
        let mut otherwise = None;
        loop {
            let condition = self.list(Closer::Words(&["then"]))?;
            self.keyword("then")?;
            let body = self.list(Closer::Words(&["elif", "else", "fi"]))?;
            arms.push((condition, body));
            self.gaps()?;
            match self.upcoming() {
                "elif" => self.pos += 4,
                "else" => {
                    self.pos += 4;
                    otherwise = Some(self.list(Closer::Words(&["fi"]))?);
                    self.keyword("fi")?;
                    break;
                }
                _ => {
                    self.keyword("fi")?;
                    break;
                }
            }
        }
        self.redirected(Compound::If { arms, otherwise })
    }

    fn for_command(&mut self, keyword: usize) -> Parsed<Command> {
        self.pos += keyword;
        self.blanks();
        if self.starts("((") {
            let end = self
                .arithmetic_end(self.pos + 2)?
                .ok_or(SyntaxError::Unclosed("a for header"))?;
            let inner = self.slice(self.pos + 2, end);
            let header = self.deeper(|p| p.inside(inner, words::expression))?;
            self.pos = end + 2;
            let body = self.for_body()?;
            return self.redirected(Compound::ArithmeticFor(header, body));
        }
        let name = self.word()?;
        let name = name
            .plain()
            .ok_or(SyntaxError::Unexpected("a loop variable"))?
            .to_owned();
        self.gaps()?;
        let mut words = None;
        if self.upcoming() == "in" {
            self.pos += 2;
            let mut values = Vec::new();
            loop {
                self.blanks();
                self.comment();
                match self.peek() {
                    None => return Err(SyntaxError::Unclosed("a for loop")),
                    Some(b';' | b'\n') => break,
                    Some(b'&' | b'|' | b')') => {
                        return Err(SyntaxError::Unexpected("an operator in a for header"));
                    }
                    Some(_) => values.push(self.word()?),
                }
            }
            words = Some(values);
        }
        let body = self.for_body()?;
        self.redirected(Compound::For { name, words, body })
    }

    /// What a `for` repeats: `do … done`, or braces.
    fn for_body(&mut self) -> Parsed<List> {
        self.blanks();
        self.eat(";");
        self.gaps()?;
        if self.upcoming() != "{" {
            return self.do_group();
        }
        self.pos += 1;
        let body = self.list(Closer::Words(&["}"]))?;
        self.need("}", "a loop body")?;
        Ok(body)
    }

    fn case_command(&mut self) -> Parsed<Command> {
        self.pos += 4;
        self.blanks();
        let subject = self.word()?;
        self.keyword("in")?;
        let mut arms = Vec::new();
        loop {
            self.gaps()?;
            if self.upcoming() == "esac" {
                self.pos += 4;
                break;
            }
            self.eat("(");
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.word()?);
                self.blanks();
                if self.eat("|") {
                    continue;
                }
                if self.eat(")") {
                    break;
                }
                return Err(SyntaxError::Unclosed("a case pattern"));
            }
            let body = self.list(Closer::CaseArm)?;
            let falls_through = self.eat(";;&") || self.eat(";&");
            let ended = falls_through || self.eat(";;") || self.upcoming() == "esac";
            arms.push(Arm {
                patterns,
                body,
                falls_through,
            });
            if !ended {
                return Err(SyntaxError::Unclosed("a case arm"));
            }
        }
        self.redirected(Compound::Case { subject, arms })
    }

    pub(super) fn function(&mut self, name: String) -> Parsed<Command> {
        self.gaps()?;
        let body = self.deeper(Self::command)?;
        Ok(Command::Function {
            name,
            body: Rc::new(body),
        })
    }

    /// `[[ … ]]`: operators carry no effects, so only the words are kept.
    fn test_words(&mut self) -> Parsed<Vec<Word>> {
        let mut found = Vec::new();
        let mut regex = false;
        loop {
            self.gaps()?;
            if self.upcoming() == "]]" {
                self.pos += 2;
                return Ok(found);
            }
            match self.peek() {
                None => return Err(SyntaxError::Unclosed("[[")),
                Some(b'&' | b'|' | b'(' | b')') if !regex => self.pos += 1,
                Some(b'<' | b'>') if self.peek_at(1) != Some(b'(') => self.pos += 1,
                Some(b';') if !regex => return Err(SyntaxError::Unexpected("; inside [[")),
                Some(_) => {
                    let word = if regex {
                        words::regex(self)?
                    } else {
                        self.word()?
                    };
                    regex = word.plain() == Some("=~");
                    found.push(word);
                }
            }
        }
    }
}
