//! The secrets that are looked for, ready to be found fast.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::environment::SecretValue;
use super::known::SHAPES;
use super::noise::{BACKSPACE, Cursor, Escape, escape};
use super::shapes::{Before, Look};
use super::stream::RedactingStream;
use super::torn_keys;

/// How often JSON may stand in a string of other JSON for values in it to be found.
const LEVELS: usize = 3;

/// A shorter number stands in too much that is not secret.
const SHORTEST_NUMBER: usize = 10;

/// An exact value, without its line breaks: a terminal may have set them elsewhere.
#[derive(Debug)]
struct Needle {
    kind: String,
    bytes: Vec<u8>,
}

/// What is secret. Cheap to share, made once.
pub struct Redactor {
    needles: Vec<Needle>,
    /// One bit for each two bytes with which something secret may begin.
    starts: Box<[u64]>,
    /// The shapes that begin with each byte.
    shapes: Vec<Vec<usize>>,
    pub(super) loose: bool,
}

impl std::fmt::Debug for Redactor {
    // The values themselves must never get into a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} values)", self.needles.len())
    }
}

/// What begins at a place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Match {
    No,
    More,
    /// Hidden from the first place to the second; the ranges between are kept.
    Yes {
        kind: Cow<'static, str>,
        shape: Option<usize>,
        from: usize,
        to: usize,
        kept: Vec<(usize, usize)>,
    },
}

impl Redactor {
    /// The kind of a private key of which the first line is missing.
    pub const TORN_KEY: &'static str = torn_keys::KIND;

    /// Looks for tokens of known shapes and for these values.
    pub fn new(values: &[SecretValue]) -> Self {
        let mut seen = BTreeSet::new();
        let mut needles = Vec::new();
        for secret in values {
            for text in spellings(&secret.value) {
                let bytes: Vec<u8> = text
                    .bytes()
                    .filter(|b| !matches!(b, b'\r' | b'\n'))
                    .collect();
                if bytes.len() > 1 && seen.insert(bytes.clone()) {
                    needles.push(Needle {
                        kind: format!("value of {}", secret.name),
                        bytes,
                    });
                }
            }
        }
        needles.sort_by_key(|needle| std::cmp::Reverse(needle.bytes.len()));
        let mut redactor = Self {
            needles,
            starts: vec![0; 1024].into_boxed_slice(),
            shapes: by_first_byte(),
            loose: false,
        };
        let first_two = |bytes: &[u8]| bytes.first_chunk::<2>().copied();
        let shapes: Vec<_> = SHAPES.iter().filter_map(|s| first_two(s.prefix)).collect();
        let needles = redactor.needles.iter();
        let needles: Vec<_> = needles.filter_map(|n| first_two(&n.bytes)).collect();
        // Noise of a terminal may stand after the first byte; in values a change of lines, too.
        for [first, second] in shapes {
            for next in [second, BACKSPACE, 0x1b, b'\\'] {
                redactor.mark(first, next);
            }
        }
        for [first, second] in needles {
            for next in [
                second, BACKSPACE, 0x1b, b'\r', b'\n', b' ', b'\t', b'|', 0xe2, b'\\',
            ] {
                redactor.mark(first, next);
            }
        }
        // Any character may be written as `\u0041`.
        redactor.mark(b'\\', b'u');
        redactor.mark(b'\\', b'\\');
        redactor
    }

    /// The contract's reading of `Bearer`: whatever word follows it.
    #[must_use]
    pub fn loose(mut self) -> Self {
        self.loose = true;
        self
    }

    fn mark(&mut self, first: u8, second: u8) {
        let bit = usize::from(first) << 8 | usize::from(second);
        if let Some(word) = self.starts.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }

    /// Whether something secret may begin with these two bytes.
    pub(super) fn may_start(&self, first: u8, second: u8) -> bool {
        let bit = usize::from(first) << 8 | usize::from(second);
        self.starts
            .get(bit / 64)
            .is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// Whether something secret may begin anywhere in a text.
    fn may_hold(&self, text: &[u8]) -> bool {
        let mut pairs = text.iter().zip(text.iter().skip(1));
        pairs.any(|(first, second)| self.may_start(*first, *second))
    }

    /// What begins at a place. The longest match wins; while a longer one is possible, wait.
    pub(super) fn look(&self, bytes: &[u8], at: usize, before: Before, last: bool) -> Match {
        let first = match escape(bytes, at) {
            Escape::More if !last => return Match::More,
            Escape::Char(char, _) => Some(char),
            Escape::None | Escape::More => bytes.get(at).copied(),
        };
        let first = first.as_ref();
        for needle in &self.needles {
            if needle.bytes.first() != first {
                continue;
            }
            match find_needle(&needle.bytes, bytes, at) {
                Look::Yes(from, to, kept) => {
                    return Match::Yes {
                        kind: Cow::Owned(needle.kind.clone()),
                        shape: None,
                        from,
                        to,
                        kept,
                    };
                }
                Look::More if !last => return Match::More,
                Look::More | Look::No => {}
            }
        }
        let mut waits = false;
        let shapes = first.and_then(|first| self.shapes.get(usize::from(*first)));
        for index in shapes.into_iter().flatten().copied() {
            let Some(shape) = SHAPES.get(index).filter(|s| s.may_follow(before)) else {
                continue;
            };
            match shape.look(bytes, at, self.loose) {
                Look::Yes(from, to, kept) => {
                    return Match::Yes {
                        kind: Cow::Borrowed(shape.kind),
                        shape: Some(index),
                        from,
                        to,
                        kept,
                    };
                }
                Look::More => waits = true,
                Look::No => {}
            }
        }
        if waits && !last {
            Match::More
        } else {
            Match::No
        }
    }

    /// Replaces every secret in a text.
    pub fn redact<'t>(self: &Arc<Self>, text: &'t str) -> Cow<'t, str> {
        if !self.may_hold(text.as_bytes()) {
            return match torn_keys::without(text.as_bytes()) {
                Some(out) => Cow::Owned(String::from_utf8_lossy(&out).into_owned()),
                None => Cow::Borrowed(text),
            };
        }
        let mut stream = RedactingStream::new(Arc::clone(self));
        let mut out = Vec::with_capacity(text.len());
        stream.push(text.as_bytes(), &mut out);
        stream.finish(&mut out);
        let torn = torn_keys::without(&out);
        if stream.found().is_empty() && torn.is_none() {
            return Cow::Borrowed(text);
        }
        let out = torn.unwrap_or(out);
        Cow::Owned(String::from_utf8_lossy(&out).into_owned())
    }

    /// The kinds of secrets in a text, in their order; never the secrets themselves.
    pub fn kinds(self: &Arc<Self>, text: &[u8]) -> Vec<String> {
        let mut stream = RedactingStream::new(Arc::clone(self));
        let mut out = Vec::with_capacity(text.len());
        stream.push(text, &mut out);
        stream.finish(&mut out);
        let torn = torn_keys::find(&out);
        let torn = torn.iter().map(|_| torn_keys::KIND.to_owned());
        stream.found().iter().cloned().chain(torn).collect()
    }

    /// Where private keys are of which the first line is missing: the stream does not know them.
    pub fn torn_keys(text: &[u8]) -> Vec<std::ops::Range<usize>> {
        torn_keys::find(text)
    }

    /// The text without such keys; `None` where there are none.
    pub fn without_torn_keys(text: &[u8]) -> Option<Vec<u8>> {
        torn_keys::without(text)
    }
}

fn by_first_byte() -> Vec<Vec<usize>> {
    let mut shapes = vec![Vec::new(); 256];
    for (index, shape) in SHAPES.iter().enumerate() {
        let first = shape.prefix.first().map(|first| usize::from(*first));
        if let Some(list) = first.and_then(|first| shapes.get_mut(first)) {
            list.push(index);
        }
    }
    shapes
}

/// A value as it is, and as JSON writes it: whole, and in ASCII alone, with small or capital digits.
fn spellings(value: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::from([value.to_owned()]);
    all.extend(as_number(value));
    let mut last = all.clone();
    for _ in 0..LEVELS {
        last = last.iter().flat_map(|text| in_json(text)).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// How a value is written once it has been read as a number of JSON, which keeps some 17 digits.
fn as_number(value: &str) -> Option<String> {
    let number: serde_json::Number = serde_json::from_str(value).ok()?;
    let written = number.to_string();
    (number.is_f64() && written.len() >= SHORTEST_NUMBER).then_some(written)
}

/// The ways in which JSON may write a text: letters beyond ASCII as they are or by their numbers.
fn in_json(text: &str) -> [String; 3] {
    let json = serde_json::Value::from(text).to_string();
    let inner = json.strip_prefix('"').and_then(|j| j.strip_suffix('"'));
    let json = inner.unwrap_or(&json).to_owned();
    let ascii = |digits: fn(u16) -> String| {
        let mut units = [0; 2];
        let mut text = String::with_capacity(json.len());
        for char in json.chars() {
            if char.is_ascii() {
                text.push(char);
            } else {
                let units = char.encode_utf16(&mut units);
                text.extend(units.iter().map(|unit| digits(*unit)));
            }
        }
        text
    };
    let small = ascii(|unit| format!("\\u{unit:04x}"));
    let capital = ascii(|unit| format!("\\u{unit:04X}"));
    [json, small, capital]
}

fn find_needle(needle: &[u8], bytes: &[u8], at: usize) -> Look {
    let mut cursor = Cursor::new(bytes, at, true);
    for expected in needle {
        // A blank of the value itself is not the edge of a line.
        if bytes.get(cursor.at) == Some(expected) && !cursor.is_taken_back() {
            cursor.take_byte();
            continue;
        }
        match cursor.peek() {
            None => return Look::More,
            Some(byte) if byte == *expected => cursor.take(),
            Some(_) => return Look::No,
        }
    }
    Look::Yes(at, cursor.at, cursor.passed)
}
