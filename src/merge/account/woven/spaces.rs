//! White space that a side changed between words that it left, and whether a result has it so. Compared byte by byte. Pure.

use std::collections::{HashMap, HashSet};

use similar::Algorithm;

use crate::merge::edits::edits;

use super::words::{LINE_END, Words};

/// Tells whether one line made of two versions of another is spaced as either side wants it.
pub(super) fn is_spaced_as_both_want(base: &[u8], sides: [&[u8]; 2], result: &[u8]) -> bool {
    let [base, result] = [base, result].map(Words::of);
    let sides = sides.map(Words::of);
    let edges = |at: fn(&Words<'_>) -> Vec<u8>| {
        let [ours, theirs] = sides.each_ref().map(at);
        let (base, made) = (at(&base), at(&result));
        if ours == base {
            made == theirs
        } else {
            made == ours && (theirs == base || theirs == ours)
        }
    };
    edges(indent)
        && edges(|said| said.gaps.last().copied().unwrap_or_default().to_vec())
        && sides.iter().all(|side| is_kept(&base, side, &result))
        && are_of_a_side(&base, &sides, &result)
}

fn indent(said: &Words<'_>) -> Vec<u8> {
    said.gaps.first().copied().unwrap_or_default().to_vec()
}

/// Whether what a side changed between two words of the base stands between them, or beside the one of them that is there.
fn is_kept(base: &Words<'_>, side: &Words<'_>, result: &Words<'_>) -> bool {
    let (in_side, in_result) = (places(base, side), places(base, result));
    let pairs = in_side.windows(2).zip(in_result.windows(2));
    (1..).zip(pairs).all(|(at, pair)| {
        let ([Some(before), Some(after)], [made_before, made_after]) = pair else {
            return true;
        };
        let wanted = side.gaps.get(*after);
        let is_broken = |gap: Option<&&[u8]>| gap == Some(&LINE_END);
        let old = base.gaps.get(at);
        if before + 1 != *after || old == wanted || is_broken(old) || is_broken(wanted) {
            return true;
        }
        let gaps = match (made_before, made_after) {
            (Some(first), Some(last)) => result.gaps.get(first + 1..=*last),
            (Some(first), None) => result.gaps.get(first + 1..first + 2),
            (None, Some(last)) => result.gaps.get(*last..=*last),
            (None, None) => return true,
        };
        gaps.is_some_and(|gaps| {
            gaps.iter()
                .any(|gap| Some(gap) == wanted || *gap == LINE_END)
        })
    })
}

/// Whether each two words that stand next to each other are spaced as the sides have them there: as the one that
/// changed that, if only one did.
fn are_of_a_side(base: &Words<'_>, sides: &[Words<'_>; 2], result: &Words<'_>) -> bool {
    let [ours, theirs] = sides.each_ref().map(|side| beside(result, side));
    let gaps = result.gaps.iter().zip(beside(result, base));
    let mut gaps = gaps.zip(ours.into_iter().zip(theirs));
    gaps.all(|((made, before), (ours, theirs))| {
        let is_other_changed = |kept: &[u8], other: Beside<'_>| before.has(kept) && other.has(made);
        let old = before.between();
        match (ours.between(), theirs.between()) {
            (Some(mine), Some(other)) if mine == other || old == Some(other) => *made == mine,
            (Some(mine), Some(other)) => *made == other && old == Some(mine),
            (Some(mine), None) => *made == mine || is_other_changed(mine, theirs),
            (None, Some(other)) => *made == other || is_other_changed(other, ours),
            (None, None) => true,
        }
    })
}

/// For each gap of a line, what another one has after the word before it, and before the word after it.
fn beside<'a>(line: &Words<'_>, other: &Words<'a>) -> Vec<Beside<'a>> {
    let places = places(line, other);
    let before = std::iter::once(None).chain(places.iter().copied());
    let after = places.iter().copied().chain([None]);
    before
        .zip(after)
        .map(|(before, after)| Beside {
            before: before.and_then(|at| Some((at + 1, *other.gaps.get(at + 1)?))),
            after: after.and_then(|at| Some((at, *other.gaps.get(at)?))),
        })
        .collect()
}

/// The gaps of a line next to two words that stand next to each other in another one, with their places.
#[derive(Debug, Clone, Copy)]
struct Beside<'a> {
    before: Option<(usize, &'a [u8])>,
    after: Option<(usize, &'a [u8])>,
}

impl<'a> Beside<'a> {
    /// What is between the two, if that is one gap.
    fn between(self) -> Option<&'a [u8]> {
        let (before, after) = (self.before?, self.after?);
        (before == after).then_some(before.1)
    }

    fn has(self, gap: &[u8]) -> bool {
        let mut gaps = self.before.into_iter().chain(self.after);
        gaps.any(|(_, known)| known == gap)
    }
}

/// Where a version has each word of the base, if it has it.
fn places(base: &Words<'_>, version: &Words<'_>) -> Vec<Option<usize>> {
    let mut places = Vec::new();
    let mut next = 0;
    for edit in edits(Algorithm::Myers, &base.words, &version.words) {
        let same = edit.base.start - places.len();
        places.extend((next..next + same).map(Some));
        places.extend(edit.base.clone().map(|_| None));
        next = edit.new.end;
    }
    let same = base.words.len() - places.len();
    places.extend((next..next + same).map(Some));
    places
}

/// More words than this are compared line by line only.
const MOST_WORDS: usize = 20_000;

/// Tells whether lines that may have been broken anew have the white space that either side changed within a line.
pub(super) fn are_spaced_as_both_want(
    base: &[&[u8]],
    sides: [&[&[u8]]; 2],
    result: &[&[u8]],
) -> bool {
    if sides.iter().any(|side| is_any_respaced(side, base, result)) {
        return false;
    }
    let all = [base, result].map(Words::of_lines);
    let sides = sides.map(Words::of_lines);
    let words = all.iter().chain(&sides).map(|said| said.words.len());
    if words.sum::<usize>() > MOST_WORDS {
        return true;
    }
    let [base, result] = &all;
    sides.iter().all(|side| is_kept(base, side, result))
}

/// Whether a line of a side is in the result but for white space within it, which the base has otherwise.
fn is_any_respaced(side: &[&[u8]], base: &[&[u8]], result: &[&[u8]]) -> bool {
    let (before, made) = (by_words(base), by_words(result));
    side.iter().any(|line| {
        let (key, said) = (words_only(line), line.trim_ascii());
        let made = made.get(&key).is_some_and(|made| !made.contains(said));
        made && !before.get(&key).is_some_and(|old| old.contains(said))
    })
}

/// Lines without the white space around them, by what they have besides white space.
fn by_words<'a>(lines: &[&'a [u8]]) -> HashMap<Vec<u8>, HashSet<&'a [u8]>> {
    let mut all: HashMap<Vec<u8>, HashSet<&[u8]>> = HashMap::new();
    for line in lines {
        all.entry(words_only(line))
            .or_default()
            .insert(line.trim_ascii());
    }
    all
}

fn words_only(line: &[u8]) -> Vec<u8> {
    let said = line.iter().filter(|byte| !byte.is_ascii_whitespace());
    said.copied().collect()
}
