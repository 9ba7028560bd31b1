//! Both sides appended to a list whose last entry has no comma, as JSON has it: the entry that was last got
//! its comma from both, and ours gets one from theirs.

use crate::merge::lines::{are_level, has_words};

use crate::merge::settle::pieces::{Contest, Piece, Woven, push_settled};

/// Joins what both sides appended, ours first. `None` when that is not what happened, or when both added
/// an entry of the same name.
pub(in crate::merge::settle) fn last_entries<'a>(contest: &Contest<'a>) -> Option<Vec<Piece<'a>>> {
    let (last, before) = contest.base.split_last()?;
    if last.ends_with(b",") || !has_words(last) && !ends_an_entry(last) {
        return None;
    }
    let head = [before, &[]].concat();
    let (ours, theirs) = (
        appended(&contest.ours, &head, last)?,
        appended(&contest.theirs, &head, last)?,
    );
    let ((our_comma, ours), (their_comma, theirs)) = (ours, theirs);
    if our_comma != their_comma || names(ours).any(|name| names(theirs).any(|n| n == name)) {
        return None;
    }
    let (our_last, our_rest) = ours.split_last()?;
    let mut pieces = Vec::new();
    push_settled(&mut pieces, &head);
    push_settled(&mut pieces, &[our_comma]);
    push_settled(&mut pieces, our_rest);
    pieces.push(Piece::Woven(Woven {
        base: Vec::new(),
        lines: vec![our_last],
        result: vec![[our_last, b",".as_slice()].concat()],
    }));
    push_settled(&mut pieces, theirs);
    Some(pieces)
}

/// What a side put behind the entry that was last, and that entry with its comma.
fn appended<'s, 'a>(
    side: &'s [&'a [u8]],
    head: &[&[u8]],
    last: &[u8],
) -> Option<(&'a [u8], &'s [&'a [u8]])> {
    let begins_alike = side.len() >= head.len() && side.iter().zip(head).all(|(a, b)| a == b);
    let rest = side.get(head.len()..).filter(|_| begins_alike)?;
    let (comma, new) = rest.split_first()?;
    let end = new.last()?;
    let is_entry = has_words(end) || ends_an_entry(end);
    let fits = comma.strip_suffix(b",") == Some(last) && is_entry && !end.ends_with(b",");
    (fits && are_level(new)).then_some((*comma, new))
}

fn ends_an_entry(line: &[u8]) -> bool {
    matches!(line.trim_ascii(), b"}" | b"]" | b")")
}

/// What the entries are called: all before the colon or the equals sign, else the whole line.
fn names<'s, 'a>(lines: &'s [&'a [u8]]) -> impl Iterator<Item = &'a [u8]> + use<'s, 'a> {
    lines.iter().filter(|line| has_words(line)).map(|line| {
        let end = line.iter().position(|byte| matches!(byte, b':' | b'='));
        let name = line.get(..end.unwrap_or(line.len())).unwrap_or(line);
        name.trim_ascii()
    })
}
