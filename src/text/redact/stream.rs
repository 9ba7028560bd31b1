//! Replacing secrets in bytes that come in pieces.
//!
//! What may be the beginning of a secret is held back until it is decided, never more than
//! [`MOST_HELD`]; everything else goes out at once and unchanged. A token that has been recognised
//! is swallowed to its end, however long it is.

use std::sync::Arc;

use super::REPLACEMENT;
use super::known::SHAPES;
use super::noise::{BACKSPACE, Escape, Sequence, escape, sequence};
use super::redactor::{Match, Redactor};
use super::shapes::Before;

/// The longest doubtful beginning; what is longer is no secret.
const MOST_HELD: usize = 16 * 1024;

/// A key block that has not ended after so many bytes was none.
const LONGEST_BLOCK: usize = 16 * 1024;
const BLOCK_ENDS: [&[u8]; 2] = [b"KEY-----", b"BLOCK-----"];

/// So much doubt is looked at again only when a good part of it is new.
const MUCH_HELD: usize = 1024;
const PART: usize = 16;

/// What is being swallowed.
#[derive(Debug, Clone, Copy)]
enum Swallow {
    Nothing,
    /// The rest of a token of this shape.
    Body(usize),
    /// The rest of a key: how much of each possible end has been seen, and how many bytes in all.
    Block([usize; 2], usize),
}

/// One stream of bytes.
#[derive(Debug)]
pub struct RedactingStream {
    redactor: Arc<Redactor>,
    held: Vec<u8>,
    swallow: Swallow,
    before: Before,
    /// How many of the held bytes have been looked at.
    looked_at: usize,
    /// Where a word may begin after what JSON has escaped, which is none although letters stand for it.
    behind_escape: usize,
    found: Vec<String>,
}

impl RedactingStream {
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            redactor,
            held: Vec::new(),
            swallow: Swallow::Nothing,
            before: Before::default(),
            looked_at: 0,
            behind_escape: 0,
            found: Vec::new(),
        }
    }

    /// Takes in bytes; appends to `out` what may be stored.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.held.is_empty() {
            let done = self.scan(bytes, out, false);
            self.held
                .extend_from_slice(bytes.get(done..).unwrap_or_default());
            self.looked_at = self.held.len();
        } else {
            let mut all = std::mem::take(&mut self.held);
            all.extend_from_slice(bytes);
            if all.len() > MUCH_HELD && all.len() - self.looked_at < all.len() / PART {
                self.held = all;
                return;
            }
            let done = self.scan(&all, out, false);
            all.drain(..done);
            self.held = all;
            self.looked_at = self.held.len();
        }
    }

    /// Nothing more comes: what was held back is decided now.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let rest = std::mem::take(&mut self.held);
        self.scan(&rest, out, true);
        self.swallow = Swallow::Nothing;
        self.before = Before::default();
    }

    /// The kinds of secrets that were taken out so far.
    pub fn found(&self) -> &[String] {
        &self.found
    }

    /// Works through the bytes; returns how many of them are done with.
    fn scan(&mut self, bytes: &[u8], out: &mut Vec<u8>, last: bool) -> usize {
        let done = self.scan_to_doubt(bytes, out, last);
        self.behind_escape = self.behind_escape.saturating_sub(done);
        done
    }

    fn scan_to_doubt(&mut self, bytes: &[u8], out: &mut Vec<u8>, last: bool) -> usize {
        let mut at = 0;
        let mut plain = 0;
        let redactor = Arc::clone(&self.redactor);
        while let Some(byte) = bytes.get(at).copied() {
            if byte == 0x1b {
                match sequence(bytes, at) {
                    Sequence::Ends(end, _) => {
                        out.extend_from_slice(bytes.get(plain..end).unwrap_or_default());
                        (at, plain) = (end, end);
                        if matches!(self.swallow, Swallow::Nothing) {
                            self.before = Before::default();
                        }
                        continue;
                    }
                    Sequence::More if !last => {
                        out.extend_from_slice(bytes.get(plain..at).unwrap_or_default());
                        return at;
                    }
                    Sequence::More | Sequence::None => {}
                }
            }
            let next = bytes.get(at + 1).copied();
            let (char, width) = if byte == b'\\' {
                match self.escaped(bytes, at, last) {
                    Some(unit) => unit,
                    None => {
                        out.extend_from_slice(bytes.get(plain..at).unwrap_or_default());
                        return at;
                    }
                }
            } else {
                (byte, 1)
            };
            if self.swallows(char, next) {
                at += width;
                plain = at;
                continue;
            }
            let may = match next {
                // In a row of what is taken back, character by character, one beginning is enough.
                Some(BACKSPACE) if at > 0 && bytes.get(at - 1) == Some(&BACKSPACE) => false,
                Some(next) => redactor.may_start(byte, next),
                None => !last,
            };
            if may {
                let found = redactor.look(bytes, at, self.before, last);
                let held = bytes.len() - at;
                match found {
                    Match::Yes {
                        kind,
                        shape,
                        from,
                        to,
                        kept,
                    } => {
                        out.extend_from_slice(bytes.get(plain..from).unwrap_or_default());
                        out.extend_from_slice(REPLACEMENT.as_bytes());
                        for (start, end) in kept {
                            out.extend_from_slice(bytes.get(start..end).unwrap_or_default());
                        }
                        self.found.push(kind.into_owned());
                        self.swallow = shape.map_or(Swallow::Nothing, after);
                        self.before = Before {
                            word: true,
                            dash: false,
                        };
                        (at, plain) = (to, to);
                        continue;
                    }
                    Match::More if held < MOST_HELD => {
                        out.extend_from_slice(bytes.get(plain..at).unwrap_or_default());
                        return at;
                    }
                    Match::More | Match::No => {}
                }
            }
            at += 1;
            self.before = Before {
                word: (byte.is_ascii_alphanumeric() || byte == b'_') && at != self.behind_escape,
                dash: byte == b'-',
            };
        }
        out.extend_from_slice(bytes.get(plain..).unwrap_or_default());
        bytes.len()
    }

    /// What a backslash stands for inside of a token, and its length; `None` when what follows decides.
    fn escaped(&mut self, bytes: &[u8], at: usize, last: bool) -> Option<(u8, usize)> {
        let is_in_body = matches!(self.swallow, Swallow::Body(_));
        self.behind_escape = at + 2;
        match escape(bytes, at) {
            Escape::Char(char, length) => {
                self.behind_escape = at + length;
                Some(if is_in_body {
                    (char, length)
                } else {
                    (b'\\', 1)
                })
            }
            Escape::More if !last && is_in_body => None,
            Escape::More | Escape::None => Some((b'\\', 1)),
        }
    }

    fn swallows(&mut self, byte: u8, next: Option<u8>) -> bool {
        match self.swallow {
            Swallow::Nothing => false,
            Swallow::Body(index) => {
                // What is taken back belongs to it as little as the backspace, and ends it as little.
                let is_noise = byte == BACKSPACE || next == Some(BACKSPACE);
                let more = is_noise || SHAPES.get(index).is_some_and(|s| (s.is_body)(byte));
                if !more {
                    self.swallow = Swallow::Nothing;
                    self.before = Before::default();
                }
                more
            }
            Swallow::Block(mut seen, total) => {
                let mut ended = total > LONGEST_BLOCK;
                for (seen, end) in seen.iter_mut().zip(BLOCK_ENDS) {
                    *seen = if end.get(*seen) == Some(&byte) {
                        *seen + 1
                    } else {
                        usize::from(end.first() == Some(&byte))
                    };
                    ended |= *seen == end.len();
                }
                self.swallow = if ended {
                    Swallow::Nothing
                } else {
                    Swallow::Block(seen, total + 1)
                };
                true
            }
        }
    }
}

fn after(index: usize) -> Swallow {
    match SHAPES.get(index) {
        Some(shape) if shape.is_block() => Swallow::Block([0; 2], 0),
        Some(shape) if shape.goes_on() => Swallow::Body(index),
        Some(_) | None => Swallow::Nothing,
    }
}
