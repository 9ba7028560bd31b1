//! What a terminal puts between two characters that belong together: colours, cursor movements,
//! and, where a program wraps its lines itself, the edge of one line and the start of the next.

const ESC: u8 = 0x1b;

/// The longest control sequence and the widest edge that are looked through; bytes.
const LONGEST: usize = 512;

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

/// Skips control sequences and, with `breaks`, the change from one line to the next.
pub(super) fn skip(bytes: &[u8], start: usize, breaks: bool) -> Noise {
    let mut at = start;
    loop {
        match sequence(bytes, at) {
            Sequence::Ends(end, _) => at = end,
            Sequence::More => return Noise::More,
            Sequence::None => break,
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

    /// The next character, which stays; `None` when it has not arrived yet.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let here = *self.bytes.get(self.at)?;
        if here == ESC || self.breaks && is_edge(here) {
            match skip(self.bytes, self.at, self.breaks) {
                Noise::More => return None,
                Noise::To(to) if to > self.at => {
                    self.passed.push((self.at, to));
                    self.at = to;
                }
                Noise::To(_) => {}
            }
        }
        self.bytes.get(self.at).copied()
    }

    pub(super) fn take(&mut self) {
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
    fn blanks_count_only_around_a_break() {
        assert_eq!(skip(b"  x", 0, true), Noise::To(0));
        assert_eq!(skip(b"  \r\n  x", 0, true), Noise::To(6));
        assert_eq!(skip("│\x1b[3;1H│ x".as_bytes(), 0, true), Noise::To(13));
        assert_eq!(skip(b"  ", 0, true), Noise::More);
        assert_eq!(skip(b"\r\nx", 0, false), Noise::To(0));
    }
}
