//! Shell text to syntax tree: lists, pipelines, compound commands, redirections, here-documents.
//!
//! Reads each byte a bounded number of times and never recurses deeper than `MAX_DEPTH`. What it cannot
//! parse is an error, and an error is a refusal: the guard never guesses. Words are in `words`.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use super::ast::{
    Assign, AssignValue, Command, Compound, Connector, Item, List, Pipeline, Redirect, RedirectOp,
    Simple, Word,
};
use super::words;

/// How deep constructs may nest, nested shells included.
pub(crate) const MAX_DEPTH: usize = 24;

/// Why a text was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SyntaxError {
    #[error("the command nests too deep; split it into several calls")]
    TooDeep,
    #[error("the command is not complete ({0} is not closed)")]
    Unclosed(&'static str),
    #[error("the command could not be parsed as shell ({0}); write it in a simpler form")]
    Unexpected(&'static str),
}

type Parsed<T> = Result<T, SyntaxError>;

thread_local! {
    /// How often this thread's parsers have looked at the text: the measure of their work.
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

/// How often parsers of this thread have looked at a piece of text since the last call.
pub(crate) fn take_looks() -> u64 {
    LOOKS.take()
}

fn look() {
    LOOKS.with(|looks| looks.set(looks.get().wrapping_add(1)));
}

/// A cursor over the text and the here-documents whose bodies are still to come.
pub(super) struct Parser<'a> {
    pub(super) src: &'a str,
    pub(super) pos: usize,
    pub(super) depth: usize,
    pending: Vec<Pending>,
}

struct Pending {
    delimiter: String,
    quoted: bool,
    strip_tabs: bool,
    body: Rc<OnceCell<Word>>,
}

/// Parses a whole program; `depth` is how deep the text itself is nested.
pub(crate) fn parse(src: &str, depth: usize) -> Parsed<List> {
    let mut parser = Parser::new(src, depth);
    let list = parser.list(Closer::End)?;
    parser.finish_heredocs()?;
    Ok(list)
}

/// What ends the list being read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Closer {
    End,
    Paren,
    Words(&'static [&'static str]),
    CaseArm,
}

const RESERVED_ENDS: &[&str] = &["then", "do", "done", "fi", "elif", "else", "esac", "}"];

impl<'a> Parser<'a> {
    pub(super) fn new(src: &'a str, depth: usize) -> Self {
        Self {
            src,
            pos: 0,
            depth,
            pending: Vec::new(),
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        look();
        self.src.as_bytes().get(self.pos).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        look();
        self.src.as_bytes().get(self.pos + ahead).copied()
    }

    pub(super) fn starts(&self, text: &str) -> bool {
        look();
        self.src
            .as_bytes()
            .get(self.pos..)
            .is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.starts(text);
        if found {
            self.pos += text.len();
        }
        found
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        self.src.get(from..to).unwrap_or("")
    }

    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(SyntaxError::TooDeep);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Blanks and line continuations, not newlines.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.pos += 2,
                _ => return,
            }
        }
    }

    fn comment(&mut self) {
        if self.peek() == Some(b'#') {
            while self.peek().is_some_and(|c| c != b'\n') {
                self.pos += 1;
            }
        }
    }

    /// Blanks, comments and newlines; a newline brings the bodies of waiting here-documents.
    pub(super) fn gaps(&mut self) -> Parsed<()> {
        loop {
            self.blanks();
            self.comment();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    fn newline(&mut self) -> Parsed<()> {
        self.pos += 1;
        self.finish_heredocs()
    }

    fn finish_heredocs(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.pending) {
            let body = self.heredoc_body(&pending)?;
            pending.body.get_or_init(|| body);
        }
        Ok(())
    }

    fn heredoc_body(&mut self, pending: &Pending) -> Parsed<Word> {
        let mut body = String::new();
        // A missing delimiter is a warning in the shell: the rest of the text is the body.
        while self.pos < self.src.len() {
            let rest = self.slice(self.pos, self.src.len());
            let line = rest.split('\n').next().unwrap_or("");
            self.pos = (self.pos + line.len() + 1).min(self.src.len());
            let line = if pending.strip_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if line == pending.delimiter {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        if pending.quoted {
            return Ok(Word::literal(body));
        }
        words::heredoc(&body, self.depth)
    }

    /// The reserved word or plain word at the cursor, without moving.
    fn upcoming(&self) -> &'a str {
        let bytes = self.src.as_bytes();
        let mut end = self.pos;
        while bytes.get(end).is_some_and(|c| {
            !matches!(
                c,
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
            )
        }) {
            end += 1;
            // Reserved words are short; a longer run is an ordinary word.
            if end - self.pos > 10 {
                return "";
            }
        }
        self.slice(self.pos, end)
    }

    fn at_end(&self, closer: Closer) -> bool {
        match self.peek() {
            None => true,
            Some(b')') => true,
            Some(b';') => self.peek_at(1) == Some(b';') || self.peek_at(1) == Some(b'&'),
            Some(_) => {
                let word = self.upcoming();
                closer != Closer::End && RESERVED_ENDS.contains(&word)
                    || matches!(closer, Closer::Words(ends) if ends.contains(&word))
            }
        }
    }

    /// Reads commands until the closer; leaves the closer itself unread.
    pub(super) fn list(&mut self, closer: Closer) -> Parsed<List> {
        self.deeper(|p| p.list_body(closer))
    }

    fn list_body(&mut self, closer: Closer) -> Parsed<List> {
        let mut list = List::default();
        loop {
            self.gaps()?;
            if self.at_end(closer) {
                break;
            }
            let first = self.pipeline()?;
            let mut item = Item {
                first,
                rest: Vec::new(),
                background: false,
            };
            loop {
                self.blanks();
                let connector = if self.eat("&&") {
                    Connector::And
                } else if self.eat("||") {
                    Connector::Or
                } else {
                    break;
                };
                self.gaps()?;
                item.rest.push((connector, self.pipeline()?));
            }
            self.comment();
            let more = match self.peek() {
                Some(b';') if matches!(self.peek_at(1), Some(b';' | b'&')) => false,
                Some(b';') => {
                    self.pos += 1;
                    true
                }
                Some(b'&') => {
                    self.pos += 1;
                    item.background = true;
                    true
                }
                Some(b'\n') => {
                    self.newline()?;
                    true
                }
                _ => false,
            };
            list.items.push(item);
            if !more {
                break;
            }
        }
        let fits = match closer {
            Closer::End => self.peek().is_none(),
            Closer::Paren => self.peek() == Some(b')'),
            Closer::Words(ends) => ends.contains(&self.upcoming()),
            Closer::CaseArm => self.starts(";;") || self.starts(";&") || self.upcoming() == "esac",
        };
        if fits {
            Ok(list)
        } else if self.peek().is_none() {
            Err(SyntaxError::Unclosed("a command list"))
        } else {
            Err(SyntaxError::Unexpected(
                "a stray separator or reserved word",
            ))
        }
    }

    fn pipeline(&mut self) -> Parsed<Pipeline> {
        let mut negated = false;
        loop {
            self.blanks();
            match self.upcoming() {
                "!" => {
                    self.pos += 1;
                    negated = !negated;
                }
                "time" => {
                    self.pos += 4;
                    self.blanks();
                    if self.upcoming() == "-p" {
                        self.pos += 2;
                    }
                    self.blanks();
                    if self.upcoming() == "--" {
                        self.pos += 2;
                    }
                }
                _ => break,
            }
        }
        let mut stages = Vec::new();
        loop {
            stages.push(self.command()?);
            self.blanks();
            if self.starts("||") || !self.eat("|") {
                break;
            }
            self.eat("&");
            self.gaps()?;
        }
        Ok(Pipeline { negated, stages })
    }

    fn command(&mut self) -> Parsed<Command> {
        self.blanks();
        match self.peek() {
            None => return Err(SyntaxError::Unclosed("a pipe or operator")),
            Some(b'(') => {
                if self.starts("((")
                    && let Some(end) = words::arithmetic_end(self.src, self.pos + 2)
                {
                    let inner = self.slice(self.pos + 2, end);
                    let word = self.deeper(|p| words::expression(inner, p.depth))?;
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
                let named = !name.is_empty()
                    && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
                if named {
                    self.pos += name.len();
                    self.blanks();
                    if !matches!(
                        self.upcoming(),
                        "{" | "while" | "until" | "for" | "if" | "case"
                    ) && self.peek() != Some(b'(')
                    {
                        self.pos = start;
                    }
                }
                let body = self.deeper(Self::command)?;
                Ok(Command::Compound(
                    Compound::Coprocess(Box::new(body)),
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

    fn need(&mut self, text: &str, what: &'static str) -> Parsed<()> {
        self.gaps()?;
        if self.eat(text) {
            Ok(())
        } else {
            Err(SyntaxError::Unclosed(what))
        }
    }

    fn keyword(&mut self, word: &'static str) -> Parsed<()> {
        self.gaps()?;
        if self.upcoming() == word {
            self.pos += word.len();
            Ok(())
        } else {
            Err(SyntaxError::Unclosed(word))
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
        let mut arms = Vec::new();
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
            let end = words::arithmetic_end(self.src, self.pos + 2)
                .ok_or(SyntaxError::Unclosed("a for header"))?;
            let inner = self.slice(self.pos + 2, end);
            let header = self.deeper(|p| words::expression(inner, p.depth))?;
            self.pos = end + 2;
            self.blanks();
            self.eat(";");
            self.gaps()?;
            let body = if self.upcoming() == "{" {
                self.pos += 1;
                let body = self.list(Closer::Words(&["}"]))?;
                self.need("}", "a loop body")?;
                body
            } else {
                self.do_group()?
            };
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
        self.blanks();
        self.eat(";");
        self.gaps()?;
        let body = if self.upcoming() == "{" {
            self.pos += 1;
            let body = self.list(Closer::Words(&["}"]))?;
            self.need("}", "a loop body")?;
            body
        } else {
            self.do_group()?
        };
        self.redirected(Compound::For { name, words, body })
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
            arms.push((patterns, body));
            if !(self.eat(";;&") || self.eat(";;") || self.eat(";&")) && self.upcoming() != "esac" {
                return Err(SyntaxError::Unclosed("a case arm"));
            }
        }
        self.redirected(Compound::Case { subject, arms })
    }

    fn function(&mut self, name: String) -> Parsed<Command> {
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

    fn simple(&mut self) -> Parsed<Command> {
        let mut simple = Simple::default();
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
                continue;
            }
            match self.peek() {
                None | Some(b';' | b'&' | b'|' | b'\n' | b')') => break,
                Some(b'(') => {
                    let name = match (simple.words.as_slice(), simple.assigns.is_empty()) {
                        ([only], true) => only.plain().map(str::to_owned),
                        _ => None,
                    };
                    let name = name.ok_or(SyntaxError::Unexpected("("))?;
                    self.pos += 1;
                    self.blanks();
                    self.need(")", "a function header")?;
                    return self.function(name);
                }
                Some(b'#') => {
                    self.comment();
                    break;
                }
                Some(_) => {}
            }
            let declares = simple.words.first().and_then(Word::plain).is_some_and(|w| {
                matches!(
                    w,
                    "declare" | "typeset" | "export" | "local" | "readonly" | "env"
                )
            });
            if (simple.words.is_empty() || declares)
                && let Some(assign) = self.assignment(simple.words.is_empty())?
            {
                simple.assigns.push(assign);
                continue;
            }
            simple.words.push(self.word()?);
        }
        if simple.words.is_empty() && simple.assigns.is_empty() && simple.redirects.is_empty() {
            return Err(SyntaxError::Unexpected("an empty command"));
        }
        Ok(Command::Simple(simple))
    }

    /// `NAME=…` at the cursor. After a declaring builtin only the array form is taken apart here, the
    /// rest stays a word for the builtin.
    fn assignment(&mut self, leading: bool) -> Parsed<Option<Assign>> {
        let bytes = self.src.as_bytes();
        let mut at = self.pos;
        while bytes
            .get(at)
            .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
        {
            at += 1;
        }
        if at == self.pos || bytes.get(self.pos).is_some_and(u8::is_ascii_digit) {
            return Ok(None);
        }
        let name = self.slice(self.pos, at).to_owned();
        let mut index = None;
        if bytes.get(at) == Some(&b'[') {
            let Some(end) = words::bracket_end(self.src, at + 1) else {
                return Ok(None);
            };
            let inner = self.slice(at + 1, end);
            at = end + 1;
            if !matches!(
                (bytes.get(at), bytes.get(at + 1)),
                (Some(b'='), _) | (Some(b'+'), Some(b'='))
            ) {
                return Ok(None);
            }
            index = Some(self.deeper(|p| words::expression(inner, p.depth))?);
        }
        let append = bytes.get(at) == Some(&b'+') && bytes.get(at + 1) == Some(&b'=');
        if append {
            at += 1;
        }
        if bytes.get(at) != Some(&b'=') {
            return Ok(None);
        }
        at += 1;
        let is_array = bytes.get(at) == Some(&b'(');
        if !leading && !is_array {
            return Ok(None);
        }
        self.pos = at;
        let value = if is_array {
            self.pos += 1;
            let mut values = Vec::new();
            loop {
                self.gaps()?;
                match self.peek() {
                    None => return Err(SyntaxError::Unclosed("an array")),
                    Some(b')') => {
                        self.pos += 1;
                        break;
                    }
                    Some(b';' | b'&' | b'|' | b'(') => {
                        return Err(SyntaxError::Unexpected("an operator in an array"));
                    }
                    Some(_) => values.push(self.word()?),
                }
            }
            AssignValue::Array(values)
        } else if matches!(
            self.peek(),
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' | b'<' | b'>')
        ) && !self.starts("<(")
            && !self.starts(">(")
        {
            AssignValue::Scalar(Word::default())
        } else {
            AssignValue::Scalar(words::assignment_value(self)?)
        };
        Ok(Some(Assign {
            name,
            index,
            append,
            value,
        }))
    }

    /// A redirection at the cursor, if there is one.
    fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let start = self.pos;
        let bytes = self.src.as_bytes();
        let mut at = start;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        if at == start && bytes.get(at) == Some(&b'{') {
            let mut end = at + 1;
            while bytes
                .get(end)
                .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
            {
                end += 1;
            }
            if end > at + 1 && bytes.get(end) == Some(&b'}') {
                at = end + 1;
            }
        }
        let descriptor = self.slice(start, at);
        self.pos = at;
        let mut append = false;
        let both = at == start && self.starts("&>");
        let found = if both {
            append = self.eat("&>>") || !self.eat("&>");
            Some(RedirectOp::Write)
        } else if self.starts("<(") || self.starts(">(") {
            None
        } else if self.eat("<<<") {
            Some(RedirectOp::HereString)
        } else if self.starts("<<") {
            self.pos += 2;
            let strip_tabs = self.eat("-");
            return self.heredoc(descriptor, strip_tabs).map(Some);
        } else if self.eat("<&") {
            Some(RedirectOp::DupIn)
        } else if self.eat(">>") {
            append = true;
            Some(RedirectOp::Write)
        } else if self.eat("<>") || self.eat(">|") {
            Some(RedirectOp::Write)
        } else if self.eat(">&") {
            Some(RedirectOp::DupOut)
        } else if self.eat("<") {
            Some(RedirectOp::Read)
        } else if self.eat(">") {
            Some(RedirectOp::Write)
        } else {
            None
        };
        let Some(op) = found else {
            self.pos = start;
            return Ok(None);
        };
        let to_stdin = matches!(descriptor, "" | "0")
            && matches!(
                op,
                RedirectOp::Read | RedirectOp::HereString | RedirectOp::DupIn
            );
        let to_stdout = both
            || matches!(descriptor, "" | "1")
                && matches!(op, RedirectOp::Write | RedirectOp::DupOut);
        self.blanks();
        if matches!(self.peek(), None | Some(b'\n' | b';' | b'|' | b')' | b'&')) {
            return Err(SyntaxError::Unexpected("a redirection without a target"));
        }
        let target = self.word()?;
        Ok(Some(Redirect {
            op,
            to_stdin,
            to_stdout,
            append,
            target,
            body: None,
        }))
    }

    fn heredoc(&mut self, descriptor: &str, strip_tabs: bool) -> Parsed<Redirect> {
        self.blanks();
        let start = self.pos;
        let word = self.word()?;
        let raw = self.slice(start, self.pos);
        let quoted = raw.contains(['\'', '"', '\\']);
        let delimiter = words::unquoted(&word).ok_or(SyntaxError::Unexpected("a delimiter"))?;
        let body = Rc::new(OnceCell::new());
        self.pending.push(Pending {
            delimiter,
            quoted,
            strip_tabs,
            body: Rc::clone(&body),
        });
        Ok(Redirect {
            op: RedirectOp::HereDoc,
            to_stdin: matches!(descriptor, "" | "0"),
            to_stdout: false,
            append: false,
            target: Word::default(),
            body: Some(body),
        })
    }

    pub(super) fn word(&mut self) -> Parsed<Word> {
        words::word(self)
    }
}
