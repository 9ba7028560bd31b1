//! Simple commands: assignments, words and redirections, here-documents announced but not yet read.

use std::cell::OnceCell;
use std::rc::Rc;

use super::ast::{Assign, AssignValue, Command, Redirect, RedirectOp, Simple, Word};
use super::cursor::{Parsed, Parser, Pending, SyntaxError};
use super::spans;
use super::words;

impl Parser<'_> {
    pub(super) fn simple(&mut self) -> Parsed<Command> {
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
                self.part()?;
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
            let Some(end) = spans::bracket_end(self.src, at + 1) else {
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
            index = Some(self.deeper(|p| p.inside(inner, words::expression))?);
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
    pub(super) fn redirect(&mut self) -> Parsed<Option<Redirect>> {
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
            if end > at + 1 && bytes.get(end) == Some(&b'[') {
                end = self.past_subscript(end);
            }
            if end > at + 1 && bytes.get(end) == Some(&b'}') {
                at = end + 1;
            }
        }
        // Most words are no redirection.
        if !matches!(bytes.get(at), Some(b'<' | b'>' | b'&')) {
            return Ok(None);
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
        let descriptor = if both { "&" } else { descriptor }.to_owned();
        let target = self.word()?;
        Ok(Some(Redirect {
            op,
            descriptor,
            to_stdin,
            to_stdout,
            append,
            target,
            body: None,
        }))
    }

    /// The end of `[1]`; where it begins when it is no number.
    fn past_subscript(&self, start: usize) -> usize {
        let rest = self.src.as_bytes().get(start + 1..).unwrap_or_default();
        let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
        if digits > 0 && rest.get(digits) == Some(&b']') {
            start + digits + 2
        } else {
            start
        }
    }

    pub(super) fn heredoc(&mut self, descriptor: &str, strip_tabs: bool) -> Parsed<Redirect> {
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
            descriptor: descriptor.to_owned(),
            to_stdin: matches!(descriptor, "" | "0"),
            to_stdout: false,
            append: false,
            target: Word::default(),
            body: Some(body),
        })
    }
}
