//! A place in smaller places: each line of the base beside the line that a side made of it, where its words tell.
//! One side rewords a line and the other one adds the next, or takes a third away: neither did anything to what the
//! other one did. Only where that settles everything, since half a rewrite with half of another is neither.

use std::ops::Range;

use crate::merge::edits::{Edit, Stretch, lay_over};
use crate::merge::lines::has_words;
use crate::merge::tokens::tokens;

use super::beside::Beside;
use super::turned::turned;
use crate::merge::settle::file::Rules;
use crate::merge::settle::meeting::settle_meeting;
use crate::merge::settle::pieces::{Contest, Piece, part, push_all, push_settled};
use crate::merge::settle::reading::text::Text;

/// More lines by lines than this are not compared.
const LARGEST: usize = 10_000;

/// Settles the smaller places. `None` when there are none, or one of them stays contested.
pub(in crate::merge::settle) fn paired<'a>(
    contest: &Contest<'a>,
    file: &Text<'_, '_>,
    at: usize,
    rules: Rules,
) -> Option<Vec<Piece<'a>>> {
    let Contest {
        base, ours, theirs, ..
    } = contest;
    let (our_edits, their_edits) = (edits(base, ours)?, edits(base, theirs)?);
    let beside = Beside {
        base,
        after: file.lines.get(at + base.len()..).unwrap_or_default(),
        ours,
        theirs,
        kind: rules.kind,
    };
    let also = |mine: &Edit, other: &Edit| {
        let touch = mine.base.end >= other.base.start && other.base.end >= mine.base.start;
        touch && (is_rewrite(mine) || is_rewrite(other)) || beside.meet(mine, other)
    };
    let mut pieces = Vec::new();
    for stretch in lay_over(base.len(), &our_edits, &their_edits, &also) {
        match stretch {
            Stretch::Same { base: range } => push_settled(&mut pieces, part(base, range)),
            Stretch::Ours { new, .. } => push_settled(&mut pieces, part(ours, new)),
            Stretch::Theirs { new, .. } => push_settled(&mut pieces, part(theirs, new)),
            Stretch::Both {
                base: old,
                ours: mine,
                theirs: other,
            } => {
                let smaller = Contest {
                    base: part(base, old.clone()).to_vec(),
                    our_start: contest.our_start + mine.start,
                    ours: part(ours, mine).to_vec(),
                    theirs: part(theirs, other).to_vec(),
                };
                let size = |it: &Contest<'_>| it.base.len() + it.ours.len() + it.theirs.len();
                if size(&smaller) == size(contest) {
                    return None;
                }
                let smaller = match goes_on(&our_edits, &their_edits, &old) {
                    Some(true) => smaller,
                    Some(false) => turned(&smaller),
                    None => return None,
                };
                let found = settle_meeting(&smaller, file, at + old.start, rules);
                if found.iter().any(|it| matches!(it, Piece::Contested(_))) {
                    return None;
                }
                push_all(&mut pieces, found);
            }
        }
    }
    Some(pieces)
}

/// Tells whether what ours put in here stands first, as far as it goes on from a line that ours reworded, or theirs goes
/// on to one that theirs did. `None` when it would have to be both.
fn goes_on(ours: &[Edit], theirs: &[Edit], old: &Range<usize>) -> Option<bool> {
    if !old.is_empty() {
        return Some(true);
    }
    let reworded = |edits: &[Edit], is_beside: &dyn Fn(&Edit) -> bool| {
        let mut edits = edits.iter();
        edits.any(|edit| !edit.base.is_empty() && !edit.new.is_empty() && is_beside(edit))
    };
    let above = |edit: &Edit| edit.base.end == old.start;
    let below = |edit: &Edit| edit.base.start == old.end;
    let is_first = reworded(ours, &above) || reworded(theirs, &below);
    let is_last = reworded(theirs, &above) || reworded(ours, &below);
    (!(is_first && is_last)).then_some(!is_last)
}

/// Several lines became others, and nothing tells which became which.
fn is_rewrite(edit: &Edit) -> bool {
    !edit.base.is_empty() && !edit.new.is_empty() && edit.base.len() + edit.new.len() > 2
}

/// What a side did: to each line of the base for which it has one made of it, and to all between those.
fn edits(base: &[&[u8]], side: &[&[u8]]) -> Option<Vec<Edit>> {
    let mut list = Vec::new();
    let (mut old, mut new) = (0, 0);
    for (in_base, in_side) in pairs(base, side)? {
        push(&mut list, old..in_base, new..in_side);
        if base.get(in_base) != side.get(in_side) {
            push(&mut list, in_base..in_base + 1, in_side..in_side + 1);
        }
        (old, new) = (in_base + 1, in_side + 1);
    }
    push(&mut list, old..base.len(), new..side.len());
    Some(list)
}

fn push(list: &mut Vec<Edit>, base: Range<usize>, new: Range<usize>) {
    if !base.is_empty() || !new.is_empty() {
        list.push(Edit { base, new });
    }
}

/// Which lines of a side were made of which of the base, in the order of both: those that together have the most in
/// common. `None` where that is too much to find out.
fn pairs(base: &[&[u8]], side: &[&[u8]]) -> Option<Vec<(usize, usize)>> {
    let width = side.len() + 1;
    if base.len().checked_mul(side.len())? > LARGEST {
        return None;
    }
    let [base_words, side_words] = [base, side].map(|lines| words_of(lines));
    let alike = |old: usize, new: usize| -> Option<u32> {
        if base.get(old)? == side.get(new)? {
            return Some(if has_words(base.get(old)?) { ALL } else { 1 });
        }
        shared(
            base_words.get(old)?.as_ref()?,
            side_words.get(new)?.as_ref()?,
        )
    };
    // The most from here on, and whether it is had by pairing.
    let mut most = vec![0_u32; (base.len() + 1) * width];
    let cell = |most: &[u32], old: usize, new: usize| {
        most.get(old * width + new).copied().unwrap_or_default()
    };
    for old in (0..base.len()).rev() {
        for new in (0..side.len()).rev() {
            let apart = cell(&most, old + 1, new).max(cell(&most, old, new + 1));
            let together = alike(old, new).map_or(0, |some| some + cell(&most, old + 1, new + 1));
            *most.get_mut(old * width + new)? = apart.max(together);
        }
    }
    let mut found = Vec::new();
    let (mut old, mut new) = (0, 0);
    while old < base.len() && new < side.len() {
        let here = cell(&most, old, new);
        let together = alike(old, new).map(|some| some + cell(&most, old + 1, new + 1));
        if together == Some(here) {
            found.push((old, new));
            (old, new) = (old + 1, new + 1);
        } else if cell(&most, old + 1, new) == here {
            old += 1;
        } else {
            new += 1;
        }
    }
    // What is as much like another line that is gone was made of either.
    let is_pair = |old: usize, new: usize| found.contains(&(old, new));
    let is_paired = |old: usize| found.iter().any(|(it, _)| *it == old);
    let is_sure = |(old, new): &(usize, usize)| {
        let some = alike(*old, *new);
        base.get(*old) == side.get(*new)
            || !(0..base.len())
                .any(|it| !is_pair(it, *new) && !is_paired(it) && alike(it, *new) >= some)
    };
    found.iter().all(is_sure).then_some(found)
}

/// What equal lines have in common.
const ALL: u32 = 1_000;

/// Tells whether one line was made of another: most of what both say is the same, also of a name of several words.
pub(in crate::merge::settle) fn in_common(old: &[u8], new: &[u8]) -> bool {
    let words = words_of(&[old, new]);
    let [Some(old), Some(new)] = words.as_slice() else {
        return false;
    };
    shared(old, new).is_some() || shared(&parts(old), &parts(new)).is_some()
}

fn parts<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.iter().flat_map(|word| word.split('_')).collect()
}

/// How much two lines have in common, of [`ALL`]; `None` when it is not most of what both say.
fn shared(old: &[&str], new: &[&str]) -> Option<u32> {
    let mut left = new.to_vec();
    let mut same = 0;
    for word in old {
        if let Some(found) = left.iter().position(|other| other == word) {
            left.swap_remove(found);
            same += 1;
        }
    }
    let all = u32::try_from(old.len() + new.len()).ok()?;
    (same * 10 > all * 3).then(|| same * 2 * (ALL - 1) / all)
}

/// The words of each line; `None` for one that has none or that nobody can read.
fn words_of<'a>(lines: &[&'a [u8]]) -> Vec<Option<Vec<&'a str>>> {
    let words = |line: &&'a [u8]| -> Option<Vec<&'a str>> {
        let mut words = tokens(std::str::from_utf8(line).ok()?);
        words.retain(|token| token.contains(char::is_alphanumeric));
        (!words.is_empty()).then_some(words)
    };
    lines.iter().map(words).collect()
}
