//! Lines that a side put into a block which the other side moved to another file: they are gone from the one file, and
//! part of the other. Pure.

use crate::merge::lines::{has_words, is_blank};

use super::claims::Claim;

/// The lines of one file in base, ours, theirs and result.
pub(super) type Versions<'a> = [Vec<&'a [u8]>; 4];

/// Tells whether the texts of two files show a claim about each: what one side made of lines in the first is in the
/// second, where the other side has taken those lines.
pub(super) fn went_along(
    (from, gone): (&Versions<'_>, &Claim<'_>),
    (to, came): (&Versions<'_>, &Claim<'_>),
) -> bool {
    let (old, new) = (&gone.base, &gone.lines);
    // Each says of the same lines what became of them.
    let is_one =
        came.base == *old && came.lines == *old && gone.result == *new && came.result == *new;
    let [from_base, from_ours, from_theirs, _] = from;
    let [to_base, to_ours, to_theirs, to_result] = to;
    let by = |editor: &[&[u8]], mover: &[&[u8]], to_mover: &[&[u8]]| {
        // Taken out of the one, put into the other.
        let is_moved = has_more(from_base, mover, old) && has_more(to_mover, to_base, old);
        let is_edited = has_more(editor, from_base, new) && has_more(from_base, editor, old);
        is_moved && is_edited
    };
    let mut made = new.iter().filter(|line| !is_blank(line));
    is_one
        && made.all(|line| to_result.contains(line))
        && (by(from_ours, from_theirs, to_theirs) || by(from_theirs, from_ours, to_ours))
}

/// Whether a text has each of some lines more often than another one. A brace says nothing.
fn has_more(text: &[&[u8]], than: &[&[u8]], lines: &[&[u8]]) -> bool {
    let count = |text: &[&[u8]], line: &[u8]| text.iter().filter(|other| **other == line).count();
    let mut lines = lines.iter().filter(|line| has_words(line));
    lines.all(|line| count(text, line) > count(than, line))
}
