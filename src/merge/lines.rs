//! A file version as lines: line ends and the final newline are taken off and remembered, so that a
//! changed line ending is one change to the file and not one to every line.
//! Pure; works on bytes, any encoding.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use memchr::memchr_iter;

/// How the lines of a file end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// Fewer than one line end: fits either style.
    None,
    Lf,
    CrLf,
    /// Both occur; carriage returns then belong to the lines.
    Mixed,
}

/// A text split into lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lines<'a> {
    pub lines: Vec<&'a [u8]>,
    pub final_newline: bool,
}

/// The line ends of a merged file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ending {
    pub crlf: bool,
    pub final_newline: bool,
}

fn line_end(bytes: &[u8]) -> LineEnd {
    let (mut lf, mut crlf) = (false, false);
    for at in memchr_iter(b'\n', bytes) {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        if before == Some(&b'\r') {
            crlf = true;
        } else {
            lf = true;
        }
        if lf && crlf {
            break;
        }
    }
    match (lf, crlf) {
        (false, false) => LineEnd::None,
        (true, false) => LineEnd::Lf,
        (false, true) => LineEnd::CrLf,
        (true, true) => LineEnd::Mixed,
    }
}

fn split(bytes: &[u8], strip_cr: bool) -> Lines<'_> {
    if bytes.is_empty() {
        return Lines {
            lines: Vec::new(),
            final_newline: true,
        };
    }
    let final_newline = bytes.ends_with(b"\n");
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let mut lines = between_newlines(body);
    if strip_cr {
        // A carriage return at the end of an unfinished line is not part of a line end.
        let finished = lines.len() - usize::from(!final_newline);
        for line in lines.iter_mut().take(finished) {
            *line = line.strip_suffix(b"\r").unwrap_or(line);
        }
    }
    Lines {
        lines,
        final_newline,
    }
}

/// The parts of a text between its line feeds; one more than there are of those.
pub(crate) fn between_newlines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut start = 0;
    for end in memchr_iter(b'\n', bytes) {
        lines.extend(bytes.get(start..end));
        start = end + 1;
    }
    lines.extend(bytes.get(start..));
    lines
}

/// Takes the side that changed; `ours` when both did.
pub(crate) fn pick<T: PartialEq + Copy>(base: T, ours: T, theirs: T) -> T {
    if ours == base { theirs } else { ours }
}

/// Splits three versions alike and decides the result's line ends.
pub(crate) fn split_three<'a>(
    base: &'a [u8],
    ours: &'a [u8],
    theirs: &'a [u8],
) -> ([Lines<'a>; 3], Ending) {
    let ends = [line_end(base), line_end(ours), line_end(theirs)];
    let strip = !ends.contains(&LineEnd::Mixed);
    let [b, o, t] = [base, ours, theirs].map(|bytes| split(bytes, strip));
    let crlf = strip && {
        // A version without line ends has no opinion.
        let known: Vec<bool> = ends.iter().map(|end| *end == LineEnd::CrLf).collect();
        let [base_end, our_end, their_end] = ends;
        let or_base = |end: LineEnd, value: bool, fallback: bool| {
            if end == LineEnd::None {
                fallback
            } else {
                value
            }
        };
        match known.as_slice() {
            [kb, ko, kt] => {
                let fallback = if base_end != LineEnd::None {
                    *kb
                } else if our_end != LineEnd::None {
                    *ko
                } else {
                    *kt
                };
                pick(
                    fallback,
                    or_base(our_end, *ko, fallback),
                    or_base(their_end, *kt, fallback),
                )
            }
            _ => false,
        }
    };
    let final_newline = match (b.lines.is_empty(), o.lines.is_empty(), t.lines.is_empty()) {
        (_, true, true) => true,
        (_, true, false) => t.final_newline,
        (_, false, true) => o.final_newline,
        // Without a base, a missing newline is the exception: keep the newline if either has it.
        (true, false, false) => o.final_newline || t.final_newline,
        (false, false, false) => pick(b.final_newline, o.final_newline, t.final_newline),
    };
    (
        [b, o, t],
        Ending {
            crlf,
            final_newline,
        },
    )
}

/// Puts lines together again.
pub(crate) fn join<'a>(lines: impl IntoIterator<Item = &'a [u8]>, ending: Ending) -> Vec<u8> {
    let end: &[u8] = if ending.crlf { b"\r\n" } else { b"\n" };
    let mut bytes = Vec::new();
    for line in lines {
        bytes.extend_from_slice(line);
        bytes.extend_from_slice(end);
    }
    if !ending.final_newline && bytes.ends_with(end) {
        bytes.truncate(bytes.len() - end.len());
    }
    bytes
}

/// Returns what identifies a line when lines are counted: without trailing carriage returns. All of them, as a line
/// that is told of may have lost one already.
pub(crate) fn line_key(line: &[u8]) -> &[u8] {
    let returns = line.iter().rev().take_while(|byte| **byte == b'\r').count();
    line.get(..line.len() - returns).unwrap_or(line)
}

/// The lines that another text does not have, or not as often, in order.
pub(crate) fn without<'s, T: Eq + Hash + ?Sized>(lines: &[&'s T], other: &[&T]) -> Vec<&'s T> {
    let mut left: HashMap<&T, usize> = HashMap::new();
    for line in other {
        *left.entry(*line).or_default() += 1;
    }
    let is_missing = |line: &&T| match left.get_mut(*line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        Some(_) | None => true,
    };
    let mut missing = lines.to_vec();
    missing.retain(is_missing);
    missing
}

/// The lines that another text does not have at all, in order.
pub(crate) fn without_any<'a>(lines: &[&'a [u8]], other: &[&[u8]]) -> Vec<&'a [u8]> {
    let other: HashSet<&[u8]> = other.iter().copied().collect();
    let lines = lines.iter().copied();
    lines.filter(|line| !other.contains(line)).collect()
}

/// Tells whether every bracket that some lines open is closed in them, and none that was open before.
pub(crate) fn are_level(lines: &[&[u8]]) -> bool {
    let mut depth = 0_i64;
    for byte in lines.iter().copied().flatten() {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth -= 1,
            _other => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// Tells whether a line holds nothing but white space.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// Tells whether a line has a letter or digit: braces and rules of dashes do not.
pub(crate) fn has_words(line: &[u8]) -> bool {
    line.iter()
        .any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(bytes: &[u8]) -> Vec<u8> {
        let ([_, ours, _], ending) = split_three(bytes, bytes, bytes);
        join(ours.lines, ending)
    }

    #[test]
    fn every_kind_of_text_comes_back_unchanged() {
        for text in [
            "",
            "\n",
            "a",
            "a\n",
            "a\n\n",
            "\n\na",
            "a\r\nb\r\n",
            "a\r\nb",
            "a\r\nb\n",
            "a\n\r\n",
            "\r\n",
            "\r",
        ] {
            assert_eq!(round_trip(text.as_bytes()), text.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn the_side_that_changed_its_line_ends_wins() {
        let (_, ending) = split_three(b"a\nb\n", b"a\r\nb\r\n", b"a\nb\nc\n");
        assert!(ending.crlf && ending.final_newline);
        let (_, ending) = split_three(b"a\nb", b"a\nb\n", b"a\nc");
        assert!(!ending.crlf && ending.final_newline);
        let (_, ending) = split_three(b"a\n", b"a", b"a\nb\n");
        assert!(!ending.final_newline);
    }
}
