//! One place where both sides changed something, and the rules tried on it in turn. A rule that is not
//! sure passes the place on; at the end it stays contested.

use crate::merge::edits::edits;
use crate::merge::lines::{has_words, without};
use crate::merge::tokens::{tokens, weave};

use similar::Algorithm;

use super::file::{Contest, Piece, Rules, Woven, part, push_settled};
use super::further::further;
use super::inline::in_line;
use super::insertions::{both_insertions, is_within, union};
use super::lists::last_entries;
use super::rewrapped::rewrapped;
use super::separated::reseparated;
use super::spacing::respaced;
use super::text::Text;
use super::wrapped::relisted;

pub(super) fn settle_meeting<'a>(
    pieces: &mut Vec<Piece<'a>>,
    contest: Contest<'a>,
    file: &Text<'_, '_>,
    at: usize,
    rules: Rules,
) {
    let settled = if contest.ours == contest.theirs {
        Some(contest.ours.clone())
    } else if rules.union {
        Some(union(&contest.ours, &contest.theirs))
    } else if contest.base.is_empty() {
        both_insertions(&contest.ours, &contest.theirs, file, at)
    } else {
        including(&contest, file).or_else(|| further(&contest, file))
    };
    if let Some(lines) = settled {
        push_settled(pieces, &lines);
        return;
    }
    let found = woven_lines(&contest)
        .or_else(|| last_entries(&contest))
        .or_else(|| relisted(&contest))
        .or_else(|| in_line(&contest))
        .or_else(|| reseparated(&contest))
        .or_else(|| rewrapped(&contest))
        .or_else(|| respaced(&contest));
    match found {
        Some(found) => pieces.extend(found),
        None => pieces.push(Piece::Contested(contest)),
    }
}

/// Both made the same change, and each added something of its own: the version with everything.
/// Not so when a side keeps base lines that the other one removed. Nor is a line that the file has
/// elsewhere a sign of the same change: where its like was added depends on how the texts are aligned.
fn including<'a>(contest: &Contest<'a>, file: &Text<'_, '_>) -> Option<Vec<&'a [u8]>> {
    let Contest { ours, theirs, .. } = contest;
    let [base, our_text, their_text] = [&contest.base, ours, theirs].map(|lines| Text::new(lines));
    let keeps_removed = |small: &Text<'_, '_>, large: &Text<'_, '_>| {
        let mut lines = contest.base.iter();
        lines.any(|line| large.count(line) > small.count(line))
    };
    let is_ambiguous = |line: &[u8]| {
        let before = base.count(line);
        has_words(line)
            && our_text.count(line).min(their_text.count(line)) > before
            && file.count(line) > before
    };
    let [all, shared] = with_additions_of_both(ours, theirs)?;
    // One that holds the other whole is the other and more; else what they share has to be the change.
    let is_larger = all.len() == ours.len().max(theirs.len());
    let is_same_change = if is_larger {
        let (small, large) = if ours.len() < theirs.len() {
            (&our_text, &their_text)
        } else {
            (&their_text, &our_text)
        };
        !keeps_removed(small, large)
    } else {
        let is_new = |line: &[u8]| has_words(line) && base.count(line) == 0;
        !keeps_removed(&our_text, &their_text)
            && !keeps_removed(&their_text, &our_text)
            && shared.iter().any(|line| is_new(line))
            && !reword_the_same(contest, &shared)
    };
    let is_sure = shared.iter().any(|line| has_words(line))
        && is_same_change
        && !shared.iter().any(|line| is_ambiguous(line));
    is_sure.then_some(all)
}

/// Tells whether both made something of a base line that is gone: then those are two versions of it, and
/// not what each side added.
fn reword_the_same(contest: &Contest<'_>, shared: &[&[u8]]) -> bool {
    let gone = without(&without(&contest.base, &contest.ours), shared);
    let own = [&contest.ours, &contest.theirs].map(|side| without(side, shared));
    gone.iter().any(|old| {
        own.iter()
            .all(|side| side.iter().any(|new| is_made_of(new, old)))
    })
}

/// Tells whether a line has most of the words of another; so does one that nobody can read.
pub(super) fn is_made_of(new: &[u8], old: &[u8]) -> bool {
    let (Ok(new), Ok(old)) = (std::str::from_utf8(new), std::str::from_utf8(old)) else {
        return true;
    };
    let (new, old) = (words(new), words(old));
    let kept = old.iter().filter(|word| new.contains(word)).count();
    !old.is_empty() && kept * 2 > old.len()
}

fn words(line: &str) -> Vec<&str> {
    let mut words = tokens(line);
    words.retain(|token| token.contains(char::is_alphanumeric));
    words
}

/// Both versions in one, if they only differ by what one or the other has more, never at the same place;
/// and the lines that are in both.
fn with_additions_of_both<'a>(
    ours: &[&'a [u8]],
    theirs: &[&'a [u8]],
) -> Option<[Vec<&'a [u8]>; 2]> {
    if is_within(ours, theirs) {
        return Some([theirs.to_vec(), ours.to_vec()]);
    }
    if is_within(theirs, ours) {
        return Some([ours.to_vec(), theirs.to_vec()]);
    }
    let (mut all, mut shared) = (Vec::new(), Vec::new());
    let mut at = 0;
    for edit in edits(Algorithm::Histogram, ours, theirs) {
        if !edit.base.is_empty() && !edit.new.is_empty() {
            return None;
        }
        let same = part(ours, at..edit.base.start);
        all.extend_from_slice(same);
        shared.extend_from_slice(same);
        all.extend_from_slice(part(ours, edit.base.clone()));
        all.extend_from_slice(part(theirs, edit.new.clone()));
        at = edit.base.end;
    }
    let same = part(ours, at..ours.len());
    all.extend_from_slice(same);
    shared.extend_from_slice(same);
    Some([all, shared])
}

/// Weaves a place line by line when all three versions have the same number of lines.
fn woven_lines<'a>(contest: &Contest<'a>) -> Option<Vec<Piece<'a>>> {
    let length = contest.base.len();
    if length == 0 || contest.ours.len() != length || contest.theirs.len() != length {
        return None;
    }
    let mut pieces = Vec::new();
    for ((base, ours), theirs) in contest.base.iter().zip(&contest.ours).zip(&contest.theirs) {
        let result = weave(base, ours, theirs)?;
        if ours == theirs || ours == base {
            push_settled(&mut pieces, &[theirs]);
        } else if theirs == base {
            push_settled(&mut pieces, &[ours]);
        } else {
            pieces.push(Piece::Woven(Woven {
                base: vec![base],
                lines: vec![ours, theirs],
                result: vec![result],
            }));
        }
    }
    Some(pieces)
}
