//! Words of prose that say what the items below them are: `Never do this:`, or words in bold. An item says the opposite
//! below other words, so it is not put below a label that its author has not read. Pure.

use crate::merge::lines::is_blank;

use super::leaning::indent;

/// Tells whether lines that were put in before the line `at` of the base are items, and the other side no longer has
/// the label that they were put below.
pub(in crate::merge::settle) fn lose_their_label(
    lines: &[&[u8]],
    base: &[&[u8]],
    at: usize,
    other: &[&[u8]],
) -> bool {
    let first = lines.iter().find(|line| !is_blank(line));
    first.is_some_and(|first| is_item(first))
        && label_above(base, at).is_some_and(|label| !other.contains(&label))
}

/// The label of the list that stands before the line `at`.
fn label_above<'a>(base: &[&'a [u8]], at: usize) -> Option<&'a [u8]> {
    let goes_on = |line: &[u8]| is_blank(line) || is_item(line) || indent(line) > 0;
    let mut above = base.get(..at)?.iter().rev().copied();
    above
        .find(|line| !goes_on(line))
        .filter(|line| is_label(line))
}

pub(in crate::merge::settle) fn is_label(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    let is_bold = text.starts_with(b"**") && text.ends_with(b"**");
    (text.ends_with(b":") || is_bold) && !is_item(line)
}

pub(in crate::merge::settle) fn is_item(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    let mut words = text.split(|byte| *byte == b' ');
    words.next().is_some_and(|mark| match mark.split_last() {
        Some((b'.' | b')', number)) => !number.is_empty() && number.iter().all(u8::is_ascii_digit),
        _other => [&b"-"[..], b"*", b"+"].contains(&mark),
    })
}
