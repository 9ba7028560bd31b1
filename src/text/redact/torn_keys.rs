//! Private keys of which a text has only a part: their first line is gone, or both.
//!
//! A screen has lost what scrolled off it, and a log may have been cut. What the stream knows by its
//! beginning is not looked for here.

use std::ops::Range;

use super::REPLACEMENT;
use super::noise::{Sequence, sequence};

/// The kind that is told for a key without its first line.
pub(super) const KIND: &str = "private key";

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const LAST_LINES: [&str; 2] = ["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"];
/// The longest name of a kind of key.
const LONGEST_NAME: usize = 64;
/// Less of a body is a word that happens to stand above.
const LEAST_BODY: usize = 16;

/// The names of the lines that stand between the first line of a key and its body.
const HEADERS: [&str; 6] = [
    "Proc-Type: ",
    "DEK-Info: ",
    "Comment: ",
    "Version: ",
    "Hash: ",
    "Charset: ",
];

/// Full lines of a body, and how many of them in a row are one without any other sign of a key.
const FULL_LINE: std::ops::RangeInclusive<usize> = 60..=76;
const FULL_LINES: usize = 3;

/// The text without keys that have lost their first line; `None` where there are none.
pub(super) fn without(bytes: &[u8]) -> Option<Vec<u8>> {
    let torn = find(bytes);
    if torn.is_empty() {
        return None;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for range in torn {
        out.extend_from_slice(bytes.get(at..range.start).unwrap_or_default());
        out.extend_from_slice(REPLACEMENT.as_bytes());
        at = range.end;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    Some(out)
}

/// Where the rests of such keys are, from the first line of a body to the end of the last line.
pub(super) fn find(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if memchr::memmem::find(bytes, END).is_none() {
        return found;
    }
    let lines = lines(bytes);
    let mut floor = 0;
    for (index, line) in lines.iter().enumerate() {
        let text = bytes.get(line.clone()).unwrap_or_default();
        let Some(last) = last_line(text) else {
            continue;
        };
        if !trimmed(text.get(..last.start).unwrap_or_default()).is_some_and(str::is_empty) {
            continue;
        }
        let above = lines.get(floor..index).unwrap_or_default();
        if let Some(start) = start_of_rest(bytes, above) {
            found.push(start..line.start + last.end);
        }
        floor = index + 1;
    }
    found
}

/// Where the key begins whose body ends with these lines; `None` if it is whole, or none.
fn start_of_rest(bytes: &[u8], above: &[Range<usize>]) -> Option<usize> {
    let (mut start, mut length) = (None, 0);
    for line in above.iter().rev() {
        let text = bytes.get(line.clone()).unwrap_or_default();
        if memchr::memmem::find(text, BEGIN).is_some() {
            return None;
        }
        match part(text) {
            Part::Blank => {}
            Part::Header => start = Some(line.start),
            Part::Body(more) => {
                length += more;
                start = Some(line.start);
            }
            Part::Other => break,
        }
    }
    start.filter(|_| length >= LEAST_BODY)
}

/// What a screen shows below what has scrolled off it, without the rest of a key that begins above or
/// is all there is at its upper edge; `None` where there is none.
pub fn below_torn_key(above: &[String], shown: &str) -> Option<String> {
    let rows: Vec<&str> = shown.lines().collect();
    let rest = rows
        .iter()
        .take_while(|row| !matches!(part(row.as_bytes()), Part::Other))
        .count();
    let body = rows.get(..rest)?;
    if !goes_on(above) && !is_body_alone(body) {
        return None;
    }
    if body.iter().all(|row| row.trim().is_empty()) {
        return None;
    }
    // The last line of the key goes with it.
    let ends = rows
        .get(rest)
        .is_some_and(|row| last_line(row.as_bytes()).is_some());
    let below = rows.get(rest + usize::from(ends)..).unwrap_or_default();
    let mut out = REPLACEMENT.to_owned();
    for row in below {
        out.push('\n');
        out.push_str(row);
    }
    Some(out)
}

/// Whether a key begins in these lines and does not end there.
fn goes_on(above: &[String]) -> bool {
    for row in above.iter().rev() {
        if let Some(at) = memchr::memmem::find(row.as_bytes(), BEGIN) {
            return LAST_LINES
                .iter()
                .any(|end| row[at..].trim_end().ends_with(end));
        }
        if matches!(part(row.as_bytes()), Part::Other) {
            return false;
        }
    }
    false
}

/// Whether the rows begin with full lines of a body. Sums are of one kind of letters.
fn is_body_alone(rows: &[&str]) -> bool {
    let full: Vec<&str> = rows
        .iter()
        .filter_map(|row| trimmed(row.as_bytes()))
        .skip_while(|row| row.is_empty())
        .take_while(|row| FULL_LINE.contains(&row.len()))
        .collect();
    let has = |kind: fn(&u8) -> bool| full.iter().any(|row| row.as_bytes().iter().any(&kind));
    full.len() >= FULL_LINES && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

/// What a line may be of a key.
enum Part {
    Blank,
    Header,
    /// With so many characters.
    Body(usize),
    Other,
}

fn part(line: &[u8]) -> Part {
    let Some(text) = trimmed(line) else {
        return Part::Other;
    };
    // What was taken out of a body before is part of it.
    let is_body =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'[' | b']');
    if text.is_empty() {
        Part::Blank
    } else if text.bytes().all(is_body) {
        Part::Body(text.len())
    } else if HEADERS.iter().any(|name| text.starts_with(name)) {
        Part::Header
    } else {
        Part::Other
    }
}

/// The line without blanks and the edges of a box that is drawn around it.
fn trimmed(line: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(line).ok()?;
    Some(text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '|' | '│' | '┃')))
}

/// Where the last line of a private key is in a line.
fn last_line(line: &[u8]) -> Option<Range<usize>> {
    let start = memchr::memmem::find(line, END)?;
    let name = line.get(start + END.len()..)?;
    let name = name.get(..name.len().min(LONGEST_NAME))?;
    let length = LAST_LINES
        .iter()
        .filter_map(|end| Some(memchr::memmem::find(name, end.as_bytes())? + end.len()))
        .min()?;
    Some(start..start + END.len() + length)
}

/// The lines of a text, also of one within strings of JSON, and between the colours of a terminal.
fn lines(bytes: &[u8]) -> Vec<Range<usize>> {
    let (mut found, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(byte) = bytes.get(at).copied() {
        let end = match byte {
            b'\n' | b'\r' | b'"' => at + 1,
            0x1b => match sequence(bytes, at) {
                Sequence::Ends(end, _) => end,
                Sequence::None | Sequence::More => at + 1,
            },
            b'\\' => behind_escape(bytes, at),
            _ => {
                at += 1;
                continue;
            }
        };
        found.push(start..at);
        (start, at) = (end, end);
    }
    found.push(start..bytes.len());
    found
}

/// Behind backslashes and the letter that makes an end of a line of them.
fn behind_escape(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let count = rest.iter().take_while(|b| **b == b'\\').count();
    let letter = matches!(rest.get(count), Some(b'n' | b'r' | b't'));
    at + count + usize::from(letter)
}
