//! Finding the blocks that went to other files, and taking edits along with them. Pure: lines in, lines out.

use std::ops::Range;

use similar::Algorithm;

use crate::merge::edits::{Edit, edits};
use crate::merge::lines::has_words;
use crate::merge::moves::{
    LARGEST_SEARCH, Moved, Version, apply, longest_common_run, take_back, touching,
};

/// Another file that the mover changed: what it was, and what it is.
#[derive(Debug, Clone)]
pub(super) struct Place<'a> {
    pub(super) base: Vec<&'a [u8]>,
    pub(super) now: Vec<&'a [u8]>,
}

/// An edit that went along with its block.
#[derive(Debug, Clone)]
pub(super) struct Followed<'a> {
    pub(super) place: usize,
    /// The block it is in, as the base has it.
    pub(super) block: Vec<&'a [u8]>,
    /// The lines as they were, which the mover's version has at their new place.
    pub(super) old: Vec<&'a [u8]>,
    pub(super) new: Vec<&'a [u8]>,
}

/// Moves the editor's edits of blocks that went to other places along with them, and takes them out
/// of the editor's version.
pub(super) fn follow_out<'a>(
    base: &[&'a [u8]],
    mover: &[&'a [u8]],
    editor: &mut Version<'a>,
    places: &mut [Place<'a>],
) -> Vec<Followed<'a>> {
    let moves = edits(Algorithm::Histogram, base, mover);
    let mut followed = Vec::new();
    // Each round takes at least one edit away; the limit is for the reader's peace of mind.
    for _ in 0..32 {
        let changes = edits(Algorithm::Histogram, base, &editor.lines);
        let Some((at, moved)) = find(base, mover, &moves, &changes, places) else {
            break;
        };
        let (Some(edited), Some(place)) = (
            apply(base, &editor.lines, &moved, &changes),
            places.get_mut(at),
        ) else {
            break;
        };
        place
            .now
            .splice(moved.new_start..moved.new_start + moved.length, edited);
        for edit in moved.inner(&changes) {
            let lines = |text: &[&'a [u8]], range: Range<usize>| {
                text.get(range).unwrap_or_default().to_vec()
            };
            followed.push(Followed {
                place: at,
                block: lines(base, moved.base_start..moved.base_start + moved.length),
                old: lines(base, edit.base.clone()),
                new: lines(&editor.lines, edit.new.clone()),
            });
        }
        take_back(base, editor, &moved, &changes);
    }
    followed
}

fn find(
    base: &[&[u8]],
    mover: &[&[u8]],
    moves: &[Edit],
    changes: &[Edit],
    places: &[Place<'_>],
) -> Option<(usize, Moved)> {
    for gone in moves {
        let left = mover.get(gone.new.clone())?;
        let block = base.get(gone.base.clone())?;
        let touching = touching(gone, changes);
        // Whether a line at its very edge belongs to the block, nobody can say.
        let is_at_edge = |edit: &Edit| {
            let edges = [gone.base.start, gone.base.end];
            edit.base.is_empty() && edges.contains(&edit.base.start)
        };
        if touching == 0
            || changes.iter().any(is_at_edge)
            || left.iter().any(|line| has_words(line))
        {
            continue;
        }
        let mut proven = places.iter().enumerate().filter_map(|(at, place)| {
            let moved = arrival(base, mover, gone, block, place)?;
            (moved.inner(changes).count() == touching).then_some((at, moved))
        });
        // Come to two places, it was copied: which copy the edit is for, nobody can say.
        if let (Some(found), None) = (proven.next(), proven.next()) {
            return Some(found);
        }
    }
    None
}

/// Finds the block in a place, if it came there whole.
fn arrival(
    base: &[&[u8]],
    mover: &[&[u8]],
    gone: &Edit,
    block: &[&[u8]],
    place: &Place<'_>,
) -> Option<Moved> {
    // Most places have nothing of it.
    if !place
        .now
        .iter()
        .any(|line| has_words(line) && block.contains(line))
    {
        return None;
    }
    let arrivals = edits(Algorithm::Histogram, &place.base, &place.now);
    arrivals.iter().find_map(|arrival| {
        let new = place.now.get(arrival.new.clone())?;
        if block.len() * new.len() > LARGEST_SEARCH {
            return None;
        }
        let (from, to, length) = longest_common_run(block, new);
        let moved = Moved {
            base_start: gone.base.start + from,
            new_start: arrival.new.start + to,
            length,
        };
        let is_only_here = moved.occurrences(base, base) == 1
            && moved.occurrences(base, mover) == 0
            && moved.occurrences(base, &place.base) == 0
            && moved.occurrences(base, &place.now) == 1;
        (is_only_here && moved.is_all_of(gone, base)).then_some(moved)
    })
}
