//! How tokens go on that are known by how they begin.

use super::known::{SHAPES, dotted, encoded, printed};
use super::noise::Cursor;

/// How a token goes on after its first characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// At least so many characters of the body.
    Body(usize),
    /// White space, then the body; in prose only what looks like no word.
    Bearer,
    /// White space, then `user:password` in base64.
    Basic,
    /// Two or three parts with dots between, the second of them begins like the first.
    WebToken,
    /// To the end of the block.
    KeyBlock,
    /// `user:password@`; only the password is taken out.
    Address,
}

/// One known kind of token.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) kind: &'static str,
    pub(super) prefix: &'static [u8],
    pub(super) form: Form,
    pub(super) is_body: fn(u8) -> bool,
    pub(super) begins: Begin,
}

/// Where a kind of token may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begin {
    Anywhere,
    /// Not after a letter, a digit or `_`.
    Word,
    /// Nor after a dash.
    Part,
}

/// What stands before a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Before {
    pub(super) word: bool,
    pub(super) dash: bool,
}

/// What a token at some place turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    No,
    /// What follows decides.
    More,
    /// It is one: hidden from the first place to the second; the ranges between are kept.
    Yes(usize, usize, Vec<(usize, usize)>),
}

/// The start that makes [`Form::Bearer`] step aside: what follows is redacted by itself.
const BEFORE_BEARER: [&[u8]; 2] = [b"sk-ant-", b"github_pat_"];

const KEY_BLOCK_ENDS: [&[u8]; 2] = [b"PRIVATE KEY-----", b"PRIVATE KEY BLOCK-----"];
/// The longest head of a web token, and of a key block, that is waited for.
const LONGEST_HEAD: usize = 512;
const LONGEST_KEY_HEAD: usize = 64;
/// The longest login in base64, and the shortest that is one.
const LONGEST_BASIC: usize = 512;
const SHORTEST_BASIC: usize = 8;

impl Shape {
    /// Whether the token is hidden to the end of its block instead of by its characters.
    pub(super) fn is_block(&self) -> bool {
        self.form == Form::KeyBlock
    }

    /// Whether this kind of token may begin behind that.
    pub(super) fn may_follow(&self, before: Before) -> bool {
        match self.begins {
            Begin::Anywhere => true,
            Begin::Word => !before.word,
            Begin::Part => !before.word && !before.dash,
        }
    }

    /// Whether more of the body may follow what was recognised.
    pub(super) fn goes_on(&self) -> bool {
        self.form != Form::Address
    }

    /// Looks whether this kind of token begins at `at`. `loose` takes every word after `Bearer`.
    pub(super) fn look(&self, bytes: &[u8], at: usize, loose: bool) -> Look {
        let mut cursor = Cursor::new(bytes, at, false);
        for expected in self.prefix {
            match cursor.peek() {
                None => return Look::More,
                Some(byte) if byte == *expected => cursor.take(),
                Some(_) => return Look::No,
            }
        }
        match self.form {
            Form::Body(least) => self.body(cursor, at, least),
            Form::Bearer => self.bearer(cursor, at, loose),
            Form::Basic => basic(cursor, at),
            Form::WebToken => head(cursor, at, LONGEST_HEAD, dotted, |head| {
                head.len() > 12 && head.ends_with(b".eyJ")
            }),
            Form::KeyBlock => head(
                cursor,
                at,
                LONGEST_KEY_HEAD,
                |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ' || b == b'-',
                |head| KEY_BLOCK_ENDS.iter().any(|end| head.ends_with(end)),
            ),
            Form::Address => address(cursor),
        }
    }

    fn body(&self, mut cursor: Cursor<'_>, at: usize, least: usize) -> Look {
        for _ in 0..least {
            match cursor.peek() {
                None => return Look::More,
                // What was redacted before is not redacted again.
                Some(byte) if (self.is_body)(byte) && byte != b'[' && byte != b'$' => cursor.take(),
                Some(_) => return Look::No,
            }
        }
        Look::Yes(at, cursor.at, cursor.passed)
    }

    fn bearer(&self, mut cursor: Cursor<'_>, at: usize, loose: bool) -> Look {
        let mut blanks = 0;
        loop {
            match cursor.peek() {
                None => return Look::More,
                Some(byte) if byte.is_ascii_whitespace() && blanks < 64 => cursor.take(),
                Some(_) => break,
            }
            blanks += 1;
        }
        if blanks == 0 {
            return Look::No;
        }
        let start = cursor.at;
        let mut seen = Vec::new();
        let mut waits = false;
        while seen.len() < 16 {
            match cursor.peek() {
                None => {
                    waits = true;
                    break;
                }
                Some(byte) if (self.is_body)(byte) => {
                    seen.push(byte);
                    cursor.take();
                }
                Some(_) => break,
            }
        }
        for other in BEFORE_BEARER {
            if seen.starts_with(other) {
                return Look::No;
            }
            if waits && other.starts_with(&seen) {
                return Look::More;
            }
        }
        let credible = loose || seen.len() == 16 || seen.iter().any(u8::is_ascii_digit);
        match (seen.is_empty(), credible, waits) {
            (false, true, _) => {
                let passed = cursor.passed.into_iter().filter(|(from, _)| *from < start);
                Look::Yes(at, cursor.at, passed.collect())
            }
            (_, _, true) => Look::More,
            (_, _, false) => Look::No,
        }
    }
}

/// Reads characters until `done`, at most so many that waiting for more makes sense.
fn head(
    mut cursor: Cursor<'_>,
    at: usize,
    longest: usize,
    allowed: fn(u8) -> bool,
    done: fn(&[u8]) -> bool,
) -> Look {
    let mut seen = Vec::new();
    while seen.len() < longest {
        match cursor.peek() {
            None => return Look::More,
            Some(byte) if allowed(byte) => {
                seen.push(byte);
                cursor.take();
                if done(&seen) {
                    return Look::Yes(at, cursor.at, cursor.passed);
                }
            }
            Some(_) => return Look::No,
        }
    }
    Look::No
}

/// A login as HTTP sends it. A word of prose may look like base64, but is seldom a name and a password in it.
fn basic(mut cursor: Cursor<'_>, at: usize) -> Look {
    let mut blanks = 0;
    loop {
        match cursor.peek() {
            None => return Look::More,
            Some(b' ' | b'\t') if blanks < 8 => cursor.take(),
            Some(_) => break,
        }
        blanks += 1;
    }
    let start = cursor.at;
    let mut decoder = Decoder::default();
    for seen in 1..=LONGEST_BASIC {
        match cursor.peek() {
            None => return Look::More,
            Some(byte) if encoded(byte) && blanks > 0 => {
                cursor.take();
                if !decoder.is_text_with(byte) {
                    return Look::No;
                }
            }
            Some(_) => return Look::No,
        }
        // What follows is swallowed with it.
        if decoder.has_colon && seen >= SHORTEST_BASIC {
            let passed = cursor.passed.into_iter().filter(|(from, _)| *from < start);
            return Look::Yes(at, cursor.at, passed.collect());
        }
    }
    Look::No
}

/// Reads base64 a character at a time.
#[derive(Debug, Default)]
struct Decoder {
    bits: u32,
    held: u32,
    has_colon: bool,
}

impl Decoder {
    /// Takes one more; whether it still may be text.
    fn is_text_with(&mut self, byte: u8) -> bool {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return true,
        };
        self.bits = self.bits << 6 | u32::from(value);
        self.held += 6;
        if self.held < 8 {
            return true;
        }
        self.held -= 8;
        let [char, ..] = (self.bits << (24 - self.held)).to_be_bytes();
        self.has_colon |= char == b':';
        char >= b' '
    }
}

fn address(mut cursor: Cursor<'_>) -> Look {
    let part = |b: u8| printed(b) && !matches!(b, b'/' | b'@' | b'"' | b'\'' | b'<' | b'>');
    for _ in 0..64 {
        match cursor.peek() {
            None => return Look::More,
            Some(b':') => {
                cursor.take();
                return password(cursor, part);
            }
            Some(byte) if part(byte) => cursor.take(),
            Some(_) => return Look::No,
        }
    }
    Look::No
}

fn password(mut cursor: Cursor<'_>, part: fn(u8) -> bool) -> Look {
    let start = cursor.at;
    for n in 0..256 {
        match cursor.peek() {
            None => return Look::More,
            Some(b'@') if n > 0 => {
                let passed = cursor.passed.into_iter().filter(|(from, _)| *from >= start);
                return Look::Yes(start, cursor.at, passed.collect());
            }
            // A reference, or what was taken out before.
            Some(b'$' | b'[' | b'*' | b'{') if n == 0 => return Look::No,
            Some(byte) if part(byte) => cursor.take(),
            Some(_) => return Look::No,
        }
    }
    Look::No
}

/// Whether the whole text is one token of a known shape.
pub(super) fn is_token(text: &str) -> bool {
    let bytes = text.as_bytes();
    SHAPES.iter().any(|shape| {
        // `NAME=value` and prose are no values.
        let is_value = !matches!(shape.form, Form::Bearer | Form::Basic | Form::Address)
            && !shape.prefix.ends_with(b"=");
        is_value
            && match shape.look(bytes, 0, false) {
                Look::Yes(0, end, _) => {
                    let rest = bytes.get(end..).unwrap_or_default();
                    shape.is_block() || rest.iter().all(|b| (shape.is_body)(*b))
                }
                Look::Yes(..) | Look::No | Look::More => false,
            }
    })
}
