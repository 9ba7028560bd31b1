//! The parser's cursor: looking at the text, gaps between words, and how deep it may nest.
//!
//! Nothing of the grammar is here but what separates words, and the here-documents that a newline brings.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use super::ast::Word;
use super::{spans, words};

/// How deep constructs may nest, nested shells included.
pub(crate) const MAX_DEPTH: usize = 24;

/// Words, commands, assignments, expansions and redirections one text may have; what has more is refused before it is walked.
pub(crate) const MOST_PARTS: usize = 10_000;

/// Text inside of text is read again on each of its levels: so often the whole, and so many bytes besides.
const AGAIN: usize = 2;
const AGAIN_AT_LEAST: usize = 20_000;

/// Why a text was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SyntaxError {
    #[error("the command nests too deep; split it into several calls")]
    TooDeep,
    #[error(
        "the command has more than {MOST_PARTS} words and commands; write it to a file in your worktree and run that"
    )]
    TooLong,
    #[error("the command is not complete ({0} is not closed)")]
    Unclosed(&'static str),
    #[error("the command could not be parsed as shell ({0}); write it in a simpler form")]
    Unexpected(&'static str),
}

pub(super) type Parsed<T> = Result<T, SyntaxError>;

thread_local! {
    /// How often this thread's parsers have looked at the text: the measure of their work.
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

/// How often parsers of this thread have looked at a piece of text since the last call.
pub(crate) fn take_looks() -> u64 {
    LOOKS.take()
}

/// A cursor over the text and the here-documents whose bodies are still to come.
pub(super) struct Parser<'a> {
    pub(super) src: &'a str,
    pub(super) pos: usize,
    pub(super) depth: usize,
    pub(super) pending: Vec<Pending>,
    /// Of what `MOST_PARTS` counts, so many were read.
    pub(super) parts: usize,
    /// Pieces in quotes; as many may there be.
    quotes: usize,
    /// Bytes that may still be read once more: what is in expressions, here-documents and backquotes.
    left: usize,
    /// Looks of this parser, added to those of the thread at its end.
    looks: Cell<u64>,
}

impl Drop for Parser<'_> {
    fn drop(&mut self) {
        LOOKS.with(|looks| looks.set(looks.get().wrapping_add(self.looks.get())));
    }
}

pub(super) struct Pending {
    pub(super) delimiter: String,
    pub(super) quoted: bool,
    pub(super) strip_tabs: bool,
    pub(super) body: Rc<OnceCell<Word>>,
}

/// What ends the list being read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Closer {
    End,
    Paren,
    Words(&'static [&'static str]),
    CaseArm,
}

impl<'a> Parser<'a> {
    pub(super) fn new(src: &'a str, depth: usize) -> Self {
        Self {
            src,
            pos: 0,
            depth,
            pending: Vec::new(),
            parts: 0,
            quotes: 0,
            left: AGAIN * src.len() + AGAIN_AT_LEAST,
            looks: Cell::new(0),
        }
    }

    fn look(&self) {
        self.looks.set(self.looks.get().wrapping_add(1));
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.look();
        self.src.as_bytes().get(self.pos).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.look();
        self.src.as_bytes().get(self.pos + ahead).copied()
    }

    pub(super) fn starts(&self, text: &str) -> bool {
        self.look();
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

    pub(super) fn comment(&mut self) {
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

    pub(super) fn newline(&mut self) -> Parsed<()> {
        self.pos += 1;
        self.finish_heredocs()
    }

    pub(super) fn finish_heredocs(&mut self) -> Parsed<()> {
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
        self.inside(&body, words::heredoc)
    }

    /// The reserved word or plain word at the cursor, without moving.
    pub(super) fn upcoming(&self) -> &'a str {
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

    pub(super) fn need(&mut self, text: &str, what: &'static str) -> Parsed<()> {
        self.gaps()?;
        if self.eat(text) {
            Ok(())
        } else {
            Err(SyntaxError::Unclosed(what))
        }
    }

    pub(super) fn keyword(&mut self, word: &'static str) -> Parsed<()> {
        self.gaps()?;
        if self.upcoming() == word {
            self.pos += word.len();
            Ok(())
        } else {
            Err(SyntaxError::Unclosed(word))
        }
    }

    /// Counts one part of the text; too many are an error.
    pub(super) fn part(&mut self) -> Parsed<()> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(SyntaxError::TooLong);
        }
        Ok(())
    }

    /// Reads a text inside of this one by itself; what it has counts here.
    pub(super) fn inside<T>(
        &mut self,
        text: &str,
        read: impl FnOnce(&mut Parser<'_>) -> Parsed<T>,
    ) -> Parsed<T> {
        self.again(text.len())?;
        let mut inner = Parser::new(text, self.depth);
        inner.parts = self.parts;
        inner.quotes = self.quotes;
        inner.left = self.left;
        let result = read(&mut inner);
        self.parts = inner.parts;
        self.quotes = inner.quotes;
        self.left = inner.left;
        result
    }

    /// Counts bytes that are read once more; too many are an error.
    pub(super) fn again(&mut self, bytes: usize) -> Parsed<()> {
        self.left = self.left.checked_sub(bytes).ok_or(SyntaxError::TooLong)?;
        Ok(())
    }

    /// The index of the `))` that closes arithmetic opened before `from`, or `None` when the shell would read
    /// nested subshells instead. Behind an opening that has no end, every later one would be searched for again.
    pub(super) fn arithmetic_end(&mut self, from: usize) -> Parsed<Option<usize>> {
        match spans::arithmetic_end(self.src, from) {
            Ok(end) => Ok(Some(end)),
            Err(reached) => self.again(reached.saturating_sub(from)).map(|()| None),
        }
    }

    pub(super) fn quote(&mut self) -> Parsed<()> {
        self.quotes += 1;
        if self.quotes > MOST_PARTS {
            return Err(SyntaxError::TooLong);
        }
        Ok(())
    }

    pub(super) fn word(&mut self) -> Parsed<Word> {
        self.part()?;
        words::word(self)
    }
}
