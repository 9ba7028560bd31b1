//! One place where both sides changed something, and the rules tried on it in turn. A rule that is not
//! sure passes the place on; at the end it stays contested.
//!
//! There is no rule for deletions that overlap, though without the lines of either nothing would be displaced: a
//! deletion may be half of a move, and what the other side deleted is then meant for where the lines are now. Where
//! that is in this file, it would be seen; but lines go to other files as well, also to such as both sides changed, and
//! not always word for word. Then they would stay there, deleted by one side and named by nobody.

use std::ops::Range;

use crate::merge::edits::edits;
use crate::merge::lines::{has_words, without};
use crate::merge::operators::are_mixed_across;
use crate::merge::tokens::weave;

use similar::Algorithm;

use super::file::Rules;
use super::pieces::{Contest, Piece, Woven, part, push_settled};
use super::reading::kind::Kind;
use super::reading::text::Text;
use super::reading::wording::{Wordings, are_too_many};
use super::rules::alternatives::alternatives;
use super::rules::arguments::are_arguments;
use super::rules::bullets::items_of_both;
use super::rules::continued::continued;
use super::rules::further::further;
use super::rules::imports::imports;
use super::rules::inline::in_line;
use super::rules::insertions::{both_insertions, is_within, union};
use super::rules::keys::empty_keys;
use super::rules::lists::last_entries;
use super::rules::opened::opened;
use super::rules::paired::paired;
use super::rules::rewrapped::rewrapped;
use super::rules::separated::reseparated;
use super::rules::spacing::respaced;
use super::rules::wrapped::relisted;

/// What the rules make of a place before the line `at` of the base, which has the lines `file`.
pub(super) fn settle_meeting<'a>(
    contest: &Contest<'a>,
    file: &Text<'_, '_>,
    at: usize,
    rules: Rules,
) -> Vec<Piece<'a>> {
    let settled = if contest.ours == contest.theirs {
        Some(contest.ours.clone())
    } else if rules.union {
        Some(union(&contest.ours, &contest.theirs))
    } else if are_arguments(contest, file, at) {
        including(contest, file)
    } else if contest.base.is_empty() {
        empty_keys(contest, file, at, rules)
            .or_else(|| both_insertions(&contest.ours, &contest.theirs, file, at))
    } else {
        including(contest, file)
            .or_else(|| further(contest, file))
            .or_else(|| items_of_both(contest, file, at))
            .or_else(|| continued(contest, file, at))
    };
    if let Some(lines) = settled {
        return vec![Piece::Settled(lines)];
    }
    if !rules.union && are_arguments(contest, file, at) {
        return vec![Piece::Contested(contest.clone())];
    }
    let found = woven_lines(contest, rules.kind)
        .or_else(|| opened(contest))
        .or_else(|| alternatives(contest, rules.language))
        .or_else(|| imports(contest))
        .or_else(|| last_entries(contest))
        .or_else(|| relisted(contest))
        .or_else(|| in_line(contest))
        .or_else(|| reseparated(contest))
        .or_else(|| rewrapped(contest))
        .or_else(|| respaced(contest))
        .or_else(|| paired(contest, file, at, rules));
    found.unwrap_or_else(|| vec![Piece::Contested(contest.clone())])
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
        !keeps_removed(small, large) && !rewords_removed(&contest.base, small.lines, large.lines)
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

/// Tells whether the larger version made something of a base line that the smaller one only took away.
fn rewords_removed(base: &[&[u8]], small: &[&[u8]], large: &[&[u8]]) -> bool {
    let more = without(large, small);
    let gone = without(base, small);
    if are_too_many(gone.len(), large.len()) {
        return true;
    }
    let [more, small] = [&more, small].map(Wordings::of);
    gone.iter()
        .any(|old| more.has_one_made_of(old) && !small.has_one_made_of(old))
}

/// Tells whether both made something of a base line that is gone: then those are two versions of it, and
/// not what each side added.
fn reword_the_same(contest: &Contest<'_>, shared: &[&[u8]]) -> bool {
    let gone = without(&without(&contest.base, &contest.ours), shared);
    let own = [&contest.ours, &contest.theirs].map(|side| without(side, shared));
    if are_too_many(gone.len(), own.iter().map(Vec::len).sum()) {
        return true;
    }
    let own = own.each_ref().map(|side| Wordings::of(side));
    gone.iter()
        .any(|old| own.iter().all(|side| side.has_one_made_of(old)))
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
fn woven_lines<'a>(contest: &Contest<'a>, kind: Kind) -> Option<Vec<Piece<'a>>> {
    let length = contest.base.len();
    if length == 0 || contest.ours.len() != length || contest.theirs.len() != length {
        return None;
    }
    if kind != Kind::Markdown && are_mixed_lines(contest) {
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

/// Tells whether the sides changed neighbouring lines of one condition, each its own, and not all operators are of one kind.
fn are_mixed_lines(contest: &Contest<'_>) -> bool {
    let Contest {
        base, ours, theirs, ..
    } = contest;
    (1..base.len()).any(|at| {
        let [above, here] = [at - 1..at, at..at + 1];
        let [above_base, here_base] = [above.clone(), here.clone()].map(|it| part(base, it));
        let is_own =
            |range: &Range<usize>| part(ours, range.clone()) != part(theirs, range.clone());
        let mixed = |upper: &[&[u8]], lower: &[&[u8]]| {
            let upper = [above_base, part(upper, above.clone())];
            are_mixed_across(upper, [here_base, part(lower, here.clone())])
        };
        is_own(&above) && is_own(&here) && (mixed(ours, theirs) || mixed(theirs, ours))
    })
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    #[test]
    fn a_brace_that_both_put_in_with_other_blank_lines_is_there_once() {
        for (ours, theirs) in [("a, }, , b", "a, , }, b"), ("a, , }, , b", "a, }, b")] {
            assert_eq!(settled("a, b", ours, theirs).as_deref(), Some(ours));
            assert_eq!(settled("a, b", theirs, ours).as_deref(), Some(theirs));
            // A blank line of the base may stand between the two.
            assert_eq!(
                settled("a, , b", ours, "a, , , }, b").as_deref(),
                Some(ours)
            );
            // The same where a line went for it.
            assert_eq!(settled("a, c, b", ours, theirs).as_deref(), Some(ours));
        }
    }

    #[test]
    fn a_line_that_one_deleted_and_the_other_reworded_beside_the_same_addition_is_contested() {
        let base = "start, send mail to all, end";
        let [added, both] = [
            "start, the new rule, end",
            "start, the new rule, send mail to some, end",
        ];
        assert_eq!(settled(base, added, both), None);
        assert_eq!(settled(base, both, added), None);
        // What both made of it is no deletion, and what has nothing of it no other wording.
        let [one, more] = [
            "start, send mail to some, end",
            "start, send mail to some, send mail to none, end",
        ];
        assert_eq!(settled(base, one, more).as_deref(), Some(more));
        let other = "start, the new rule, wait for an hour, end";
        assert_eq!(settled(base, added, other).as_deref(), Some(other));
    }
}
