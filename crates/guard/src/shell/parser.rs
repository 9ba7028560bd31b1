//! Shell text to syntax tree: the program, its lists and pipelines.
//!
//! Reads each byte a bounded number of times and never recurses deeper than `MAX_DEPTH`. What it cannot
//! parse is an error, and an error is a refusal: the guard never guesses.

use super::ast::{Connector, Item, List, Pipeline};
use super::cursor::{Closer, Parsed, Parser, SyntaxError};

/// Parses a whole program; `depth` is how deep the text itself is nested.
pub(crate) fn parse(src: &str, depth: usize) -> Parsed<List> {
    parse_counted(src, depth).map(|(list, _)| list)
}

/// Parses a whole program and says how many words, commands and redirections it has.
pub(crate) fn parse_counted(src: &str, depth: usize) -> Parsed<(List, usize)> {
    let mut parser = Parser::new(src, depth);
    let list = parser.whole()?;
    Ok((list, parser.parts))
}

const RESERVED_ENDS: &[&str] = &["then", "do", "done", "fi", "elif", "else", "esac", "}"];

impl Parser<'_> {
    /// Reads all of the text.
    pub(super) fn whole(&mut self) -> Parsed<List> {
        let list = self.list(Closer::End)?;
        self.finish_heredocs()?;
        Ok(list)
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
        // Most lists have one command; a vector that grows by itself starts with room for four.
        let mut list = List {
            items: Vec::with_capacity(1),
        };
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
                    let start = self.pos;
                    self.pos += 4;
                    self.blanks();
                    if self.upcoming() == "-p" {
                        self.pos += 2;
                    }
                    self.blanks();
                    if self.upcoming() == "--" {
                        self.pos += 2;
                    } else if self.peek() == Some(b'-') {
                        // Options of the program of that name, not of the reserved word.
                        self.pos = start;
                        break;
                    }
                }
                _ => break,
            }
        }
        let mut stages = Vec::with_capacity(1);
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
}
