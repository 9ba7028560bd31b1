//! What a terminal puts between two characters that belong together: colours, cursor movements,
//! characters that a backspace takes back, and, where a program wraps its lines itself, the edge of one line and the start of the next.

const ESC: u8 = 0x1b;
pub(super) const BACKSPACE: u8 = 0x08;

/// The longest control sequence and the widest edge that are looked through; bytes.
const LONGEST: usize = 512;

/// How many backslashes stand before an escaped character where JSON holds JSON that holds JSON.
const MOST_BACKSLASHES: usize = 7;

/// Where the noise at some place ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Noise {
    /// The next character is here; the same place when there is no noise.
    To(usize),
    /// What follows decides.
    More,
}

/// A control sequence at `at`: where it ends and its last byte.
pub(super) enum Sequence {
    None,
    More,
    Ends(usize, u8),
}

/// Reads `ESC [ … letter` or `ESC ( letter`; other sequences carry text of their own.
pub(super) fn sequence(bytes: &[u8], at: usize) -> Sequence {
    if bytes.get(at) != Some(&ESC) {
        return Sequence::None;
    }
    let body = match bytes.get(at + 1) {
        None => return Sequence::More,
        Some(b'[') => at + 2,
        Some(b'(' | b')') => {
            return match bytes.get(at + 2) {
                Some(last) => Sequence::Ends(at + 3, *last),
                None => Sequence::More,
            };
        }
        Some(_) => return Sequence::None,
    };
    for (n, byte) in bytes
        .get(body..)
        .unwrap_or_default()
        .iter()
        .enumerate()
        .take(LONGEST)
    {
        match byte {
            0x20..=0x3f => {}
            0x40..=0x7e => return Sequence::Ends(body + n + 1, *byte),
            _ => return Sequence::None,
        }
    }
    if bytes.len() - body >= LONGEST {
        Sequence::None
    } else {
        Sequence::More
    }
}

/// A character that JSON writes in several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    None,
    More,
    /// The character, and how many bytes stand for it.
    Char(u8, usize),
}

/// Reads `\u0041` or `\/` at `at`, also where JSON inside of JSON has escaped the backslash itself. What is beyond
/// ASCII is no part of any token.
pub(super) fn escape(bytes: &[u8], at: usize) -> Escape {
    if bytes.get(at) != Some(&b'\\') {
        return Escape::None;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let run = rest.iter().take(MOST_BACKSLASHES + 1);
    let run = run.take_while(|byte| **byte == b'\\').count();
    if run > MOST_BACKSLASHES {
        return Escape::None;
    }
    match rest.get(run) {
        None => return Escape::More,
        Some(b'/') => return Escape::Char(b'/', run + 1),
        Some(b'u') => {}
        Some(_) => return Escape::None,
    }
    let mut code = 0;
    for n in run + 1..run + 5 {
        let Some(byte) = rest.get(n) else {
            return Escape::More;
        };
        let Some(digit) = char::from(*byte).to_digit(16) else {
            return Escape::None;
        };
        code = code * 16 + digit;
    }
    match u8::try_from(code) {
        Ok(char) if char.is_ascii() => Escape::Char(char, run + 5),
        Ok(_) | Err(_) => Escape::None,
    }
}

/// How many bytes at `at` a backspace takes off the screen again, itself counted; 0 for none.
fn taken_back(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..) {
        Some([BACKSPACE, ..]) => 1,
        Some([shown, BACKSPACE, ..]) if *shown >= b' ' => 2,
        Some(_) | None => 0,
    }
}

/// Skips control sequences, what is taken back and, with `breaks`, the change from one line to the next.
pub(super) fn skip(bytes: &[u8], start: usize, breaks: bool) -> Noise {
    let mut at = start;
    loop {
        match sequence(bytes, at) {
            Sequence::Ends(end, _) => at = end,
            Sequence::More => return Noise::More,
            Sequence::None => match taken_back(bytes, at) {
                0 => break,
                length => at += length,
            },
        }
    }
    if !breaks {
        return Noise::To(at);
    }
    // Blanks and borders are noise only around a line break.
    let (mut look, mut broken) = (at, false);
    while look < bytes.len() && look - at < LONGEST {
        let rest = bytes.get(look..).unwrap_or_default();
        match sequence(bytes, look) {
            Sequence::Ends(end, last) => {
                broken |= matches!(last, b'H' | b'f' | b'E' | b'B' | b'd');
                look = end;
                continue;
            }
            Sequence::More => return Noise::More,
            Sequence::None => {}
        }
        match rest {
            [b'\r' | b'\n', ..] => {
                broken = true;
                look += 1;
            }
            [b' ' | b'\t' | b'|', ..] => look += 1,
            [0xe2, 0x94, 0x82 | 0x83, ..] => look += 3,
            [0xe2] | [0xe2, 0x94] => return Noise::More,
            _ => return Noise::To(if broken { look } else { at }),
        }
    }
    if look >= bytes.len() && look > at && look - at < LONGEST {
        return Noise::More;
    }
    Noise::To(if broken { look } else { at })
}

/// Reads the characters that matter and keeps what lies between them.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
    breaks: bool,
    /// Ranges of noise that were passed; kept, because a terminal needs them.
    pub(super) passed: Vec<(usize, usize)>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize, breaks: bool) -> Self {
        Self {
            bytes,
            at,
            breaks,
            passed: Vec::new(),
        }
    }

    /// The next character, which stays, as it is or as JSON escapes it; `None` when it has not arrived yet.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let here = *self.bytes.get(self.at)?;
        let is_noise =
            here == ESC || taken_back(self.bytes, self.at) > 0 || self.breaks && is_edge(here);
        if is_noise {
            match skip(self.bytes, self.at, self.breaks) {
                Noise::More => return None,
                Noise::To(to) if to > self.at => {
                    // What is taken back may be the secret itself, each character printed twice.
                    let noise = self.bytes.get(self.at..to).unwrap_or_default();
                    if !noise.contains(&BACKSPACE) {
                        self.passed.push((self.at, to));
                    }
                    self.at = to;
                }
                Noise::To(_) => {}
            }
        }
        match escape(self.bytes, self.at) {
            Escape::None => self.bytes.get(self.at).copied(),
            Escape::More => None,
            Escape::Char(char, _) => Some(char),
        }
    }

    /// Whether a backspace follows the next character.
    pub(super) fn is_taken_back(&self) -> bool {
        taken_back(self.bytes, self.at) > 0
    }

    /// Goes on behind the character that [`Cursor::peek`] gave.
    pub(super) fn take(&mut self) {
        self.at += match escape(self.bytes, self.at) {
            Escape::Char(_, length) => length,
            Escape::None | Escape::More => 1,
        };
    }

    /// Goes on behind the next byte, whatever it means.
    pub(super) fn take_byte(&mut self) {
        self.at += 1;
    }
}

fn is_edge(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | b' ' | b'\t' | b'|' | 0xe2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_passed_and_other_text_is_not() {
        assert_eq!(skip(b"\x1b[1;31mx", 0, false), Noise::To(7));
        assert_eq!(skip(b"x", 0, true), Noise::To(0));
        assert_eq!(skip(b"\x1b]0;title", 0, true), Noise::To(0));
        assert_eq!(skip(b"\x1b[1;3", 0, true), Noise::More);
    }

    #[test]
    fn what_a_backspace_takes_back_is_passed() {
        assert_eq!(skip(b"X\x08x", 0, false), Noise::To(2));
        assert_eq!(skip(b"\x08\x1b[1mX\x08x", 0, false), Noise::To(7));
        assert_eq!(skip(b"\n\x08x", 0, false), Noise::To(0));
    }

    #[test]
    fn characters_that_json_escapes_are_read() {
        assert_eq!(escape(br"\u0041", 0), Escape::Char(b'A', 6));
        assert_eq!(escape(br"x\/", 1), Escape::Char(b'/', 2));
        assert_eq!(escape(br"\u00", 0), Escape::More);
        assert_eq!(escape(br"\users", 0), Escape::None);
        assert_eq!(escape(br"\u00e9", 0), Escape::None);
        assert_eq!(escape(b"A", 0), Escape::None);
        assert_eq!(escape(br"\\u0041", 0), Escape::Char(b'A', 7));
        assert_eq!(escape(br"\\\/", 0), Escape::Char(b'/', 4));
        assert_eq!(escape(&[b'\\'; 99], 0), Escape::None);
    }

    #[test]
    fn blanks_count_only_around_a_break() {
        assert_eq!(skip(b"  x", 0, true), Noise::To(0));
        assert_eq!(skip(b"  \r\n  x", 0, true), Noise::To(6));
        assert_eq!(skip("│\x1b[3;1H│ x".as_bytes(), 0, true), Noise::To(13));
        assert_eq!(skip(b"  ", 0, true), Noise::More);
        assert_eq!(skip(b"\r\nx", 0, false), Noise::To(0));
    }
}
