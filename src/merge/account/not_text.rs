//! Files that are no text to git and have lines all the same: a text in UTF-16, or one with a zero byte in it. What
//! stands there is not gone because git does not look. Pure.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::merge::lines::{between_newlines, is_blank, line_key};

/// The bytes to look for lines in: those of UTF-16 as UTF-8, and any others as they are.
pub(in crate::merge) fn readable(bytes: &[u8]) -> Cow<'_, [u8]> {
    let decoded = match bytes {
        [0xff, 0xfe, rest @ ..] => decoded(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => decoded(rest, u16::from_be_bytes),
        // Most letters of such a text have a zero byte, each on the same side.
        _ => match zeros(bytes) {
            [0, odd] if odd * 4 >= bytes.len() => decoded(bytes, u16::from_le_bytes),
            [even, 0] if even * 4 >= bytes.len() => decoded(bytes, u16::from_be_bytes),
            [_, _] => None,
        },
    };
    decoded.map_or(Cow::Borrowed(bytes), |text| Cow::Owned(text.into_bytes()))
}

/// The lines of such a file that are lines of texts, too, but for blank ones: of the others, nobody knows whether they are lines.
pub(super) fn known_lines(bytes: &[u8], texts: &[&[u8]]) -> Vec<u8> {
    let texts = texts.iter().flat_map(|text| between_newlines(text));
    let known: HashSet<&[u8]> = texts.map(line_key).collect();
    let readable = readable(bytes);
    let mut lines = between_newlines(&readable);
    lines.retain(|line| !is_blank(line) && known.contains(line_key(line)));
    let lines = lines.into_iter();
    lines.flat_map(|line| [line, b"\n"].concat()).collect()
}

/// How many zero bytes are at even places, and at odd ones.
fn zeros(bytes: &[u8]) -> [usize; 2] {
    let at = memchr::memchr_iter(0, bytes);
    at.fold([0, 0], |[even, odd], at| match at % 2 {
        0 => [even + 1, odd],
        _odd => [even, odd + 1],
    })
}

fn decoded(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = units.iter().map(|pair| unit(*pair)).collect();
    let text = String::from_utf16(&units).ok()?;
    (rest.is_empty() && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_read_in_either_order_and_nothing_else_is() {
        let text = "eins\nzwei ä\n";
        let wide = |unit: fn(u16) -> [u8; 2], mark: &str| -> Vec<u8> {
            let text = format!("{mark}{text}");
            text.encode_utf16().flat_map(unit).collect()
        };
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            for mark in ["", "\u{feff}"] {
                assert_eq!(readable(&wide(unit, mark)), text.as_bytes());
            }
        }
        for bytes in [
            &b"one\ntwo\n\0\n"[..],
            b"\0\x01\0\x02x\0",
            b"\xff\xfea",
            b"\xff\xfe\x00\xd8",
            b"",
        ] {
            assert_eq!(readable(bytes), bytes);
        }
    }

    #[test]
    fn of_what_is_no_text_only_lines_are_known_that_a_text_has() {
        let found = known_lines(b"one\r\n\0\xff\nthree\n", &[b"one\ntwo\n", b"three\n"]);
        assert_eq!(found, b"one\r\nthree\n");
    }
}
