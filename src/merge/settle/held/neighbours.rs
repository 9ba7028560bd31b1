//! Where the two sides of a merge meet: what both changed, and changes of both beside one another. A change stands beside
//! another one, too, if it can be read so: one `}` more before a `}` is the same as one after it. Pure.

use std::collections::BTreeMap;

use crate::merge::settle::once::Origin;
use crate::merge::settle::pieces::Piece;

use super::placed::Place;

/// The places where the sides meet, each with the first and the last one that go with it. If they meet nowhere, somebody
/// else has read the text otherwise, and it can be anywhere.
pub(super) fn meeting(places: &[Place<'_>]) -> BTreeMap<usize, (usize, usize)> {
    let found = beside_one_another(places);
    let has = |by| places.iter().any(|place| place.by == by);
    if !found.is_empty() || !has(Origin::Ours) || !has(Origin::Theirs) {
        return found;
    }
    let is_changed = |place: &Place<'_>| place.by != Origin::Base;
    let all = places
        .iter()
        .position(is_changed)
        .zip(places.iter().rposition(is_changed));
    all.map_or(found, |(first, last)| {
        (first..=last).map(|at| (at, (first, last))).collect()
    })
}

fn beside_one_another(places: &[Place<'_>]) -> BTreeMap<usize, (usize, usize)> {
    let mut found = BTreeMap::new();
    let mut first = 0;
    for run in runs(places) {
        let last = first + run.len() - 1;
        let has = |by| run.iter().any(|place| place.by == by);
        let is_shared =
            has(Origin::Both) && run.len() > 1 || has(Origin::Ours) && has(Origin::Theirs);
        for (place, at) in run.iter().zip(first..) {
            if place.by == Origin::Both {
                found.insert(at, (at, at));
            } else if is_shared {
                found.insert(at, (first, last));
            }
        }
        first = last + 1;
    }
    found
}

/// The places in runs of changed ones beside one another, with the unchanged ones between them.
fn runs<'p, 'a>(places: &'p [Place<'a>]) -> Vec<&'p [Place<'a>]> {
    let is_changed = |place: &Place<'_>| place.by != Origin::Base;
    let mut runs = Vec::new();
    let mut rest = places;
    while !rest.is_empty() {
        let mut length = 1;
        if rest.first().is_some_and(is_changed) {
            loop {
                length += match rest.get(length - 1..) {
                    Some([_, next, ..]) if is_changed(next) => 1,
                    Some([one, between, next, ..]) if is_beside(one, between, next) => 2,
                    Some(_) | None => break,
                };
            }
        }
        let (run, after) = rest.split_at(length);
        runs.push(run);
        rest = after;
    }
    runs
}

/// Tells whether changes of two sides can be read so that nothing is between them.
fn is_beside(one: &Place<'_>, between: &Place<'_>, next: &Place<'_>) -> bool {
    if one.by == next.by {
        return false;
    }
    let [Piece::Settled(between)] = between.pieces.as_slice() else {
        return false;
    };
    let down = moved(one).map_or(0, |lines| slides(lines.iter(), between.iter()));
    let up = moved(next).map_or(0, |lines| slides(lines.iter().rev(), between.iter().rev()));
    down + up >= between.len()
}

/// The lines that a place only puts in, or only takes away.
fn moved<'p, 'a>(place: &'p Place<'a>) -> Option<&'p [&'a [u8]]> {
    let contest = &place.contest;
    let side = match place.by {
        Origin::Ours => &contest.ours,
        Origin::Theirs => &contest.theirs,
        Origin::Base | Origin::Both | Origin::Open => return None,
    };
    match (contest.base.is_empty(), side.is_empty()) {
        (true, false) => Some(side),
        (false, true) => Some(&contest.base),
        (true, true) | (false, false) => None,
    }
}

/// By how many of the lines beside it a change can be read otherwise.
fn slides<'p>(
    moved: impl Iterator<Item = &'p &'p [u8]> + Clone,
    beside: impl Iterator<Item = &'p &'p [u8]>,
) -> usize {
    moved
        .cycle()
        .zip(beside)
        .take_while(|(a, b)| a == b)
        .count()
}
