//! Both sides only inserted, at the same place: what both put in is there once, what only one put in is
//! kept, ours first. Two versions of the same insertion are left to somebody who can read them.

use std::collections::HashSet;

use similar::Algorithm;

use crate::merge::edits::edits;
use crate::merge::lines::{has_words, without};

use super::sorted::in_order;
use crate::merge::settle::held::clashes::{clash, one_after_the_other};
use crate::merge::settle::pieces::part;
use crate::merge::settle::reading::sections::open_the_same;
use crate::merge::settle::reading::text::Text;

/// Joins two insertions into a file that had the lines `base`, before its line `at`.
pub(in crate::merge::settle) fn both_insertions<'a>(
    ours: &[&'a [u8]],
    theirs: &[&'a [u8]],
    base: &Text<'_, '_>,
    at: usize,
) -> Option<Vec<&'a [u8]>> {
    if is_within(ours, theirs) {
        return Some(theirs.to_vec());
    }
    if is_within(theirs, ours) {
        return Some(ours.to_vec());
    }
    if clash(ours, theirs, base, at) {
        return None;
    }
    if let Some(sorted) = in_order(ours, theirs, base.lines, at) {
        return Some(sorted);
    }
    let above = base.lines.get(..at).unwrap_or_default();
    if is_list(ours) && is_list(theirs) && first_word(ours) == first_word(theirs) {
        return one_after_the_other(ours, &without(theirs, ours), above, base.kind);
    }
    if have_little_in_common(ours, theirs, base) && !open_the_same(ours, theirs, base.kind) {
        return one_after_the_other(ours, theirs, above, base.kind);
    }
    around_what_both_added(ours, theirs)
}

/// Ours, then whatever of theirs ours does not have.
pub(in crate::merge::settle) fn union<'a>(ours: &[&'a [u8]], theirs: &[&'a [u8]]) -> Vec<&'a [u8]> {
    [ours, &without(theirs, ours)].concat()
}

/// Tells whether `small` is `large` with some lines left out.
pub(in crate::merge::settle) fn is_within(small: &[&[u8]], large: &[&[u8]]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|line| rest.any(|other| other == line))
}

/// Most of what the two say is different. What the file says elsewhere, as the entries of a lock file
/// do, is no sign of the same insertion.
fn have_little_in_common<'a>(ours: &[&'a [u8]], theirs: &[&'a [u8]], base: &Text<'_, '_>) -> bool {
    fn worded<'a>(lines: &[&'a [u8]]) -> Vec<&'a [u8]> {
        let lines = lines.iter().copied();
        lines.filter(|line| has_words(line)).collect()
    }
    let (all_ours, all_theirs) = (worded(ours), worded(theirs));
    let telling = |lines: &[&'a [u8]]| -> Vec<&'a [u8]> {
        let lines = lines.iter().copied();
        lines.filter(|line| base.count(line) == 0).collect()
    };
    let (mut our_words, mut their_words) = (telling(&all_ours), telling(&all_theirs));
    if our_words.is_empty() || their_words.is_empty() {
        (our_words, their_words) = (all_ours, all_theirs);
    }
    let shared = our_words.len() - without(&our_words, &their_words).len();
    shared * 2 < our_words.len().min(their_words.len()).max(1)
}

/// Both added the same lines and each some more: where only one has more, it is kept; where both have,
/// only entries of a list are kept next to each other.
fn around_what_both_added<'a>(ours: &[&'a [u8]], theirs: &[&'a [u8]]) -> Option<Vec<&'a [u8]>> {
    let mut all = Vec::new();
    let mut at = 0;
    for edit in edits(Algorithm::Histogram, ours, theirs) {
        let (mine, other) = (part(ours, edit.base.clone()), part(theirs, edit.new));
        all.extend_from_slice(part(ours, at..edit.base.start));
        if !mine.is_empty() && !other.is_empty() && !are_entries(mine, other) {
            return None;
        }
        all.extend(union(mine, other));
        at = edit.base.end;
    }
    all.extend_from_slice(part(ours, at..ours.len()));
    Some(all)
}

/// Entries of one list that stand for themselves whatever is around them.
fn are_entries(ours: &[&[u8]], theirs: &[&[u8]]) -> bool {
    is_list(ours)
        && is_list(theirs)
        && first_word(ours) == first_word(theirs)
        && first_word(ours).is_some_and(is_mark)
}

/// Tells whether this is how an entry of a list begins.
pub(in crate::merge::settle) fn is_mark(word: &[u8]) -> bool {
    const MARKS: [&[u8]; 10] = [
        b"-",
        b"*",
        b"+",
        b"use",
        b"import",
        b"from",
        b"#include",
        b"mod",
        b"export",
        b"require",
    ];
    MARKS.contains(&word)
}

/// Every line stands for itself, like imports or list items: same first word, no line twice.
fn is_list(lines: &[&[u8]]) -> bool {
    let first = first_word(lines);
    let mut seen = HashSet::new();
    first.is_some()
        && lines
            .iter()
            .all(|line| first_word(&[*line]) == first && seen.insert(*line))
}

fn first_word<'a>(lines: &[&'a [u8]]) -> Option<&'a [u8]> {
    lines
        .first()?
        .split(u8::is_ascii_whitespace)
        .find(|word| !word.is_empty())
}
