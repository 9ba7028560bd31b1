//! The places of a merged text one after the other, each with what became of it: two that say what a file can say but once
//! have to be decided, though each for itself was settled. Pure.

use std::collections::HashMap;

use crate::merge::settle::once::{Language, Line, Origin, bound_twice, has_word, says_one_twice};
use crate::merge::settle::pieces::{Contest, Piece, push_all};

/// A place, and what it is in the merged text.
pub(in crate::merge::settle) struct Place<'a> {
    /// Who changed it.
    pub(in crate::merge::settle) by: Origin,
    /// The line of the base that it is at, or before.
    pub(in crate::merge::settle) at: usize,
    /// Its three versions; none of a place that nobody changed.
    pub(in crate::merge::settle) contest: Contest<'a>,
    pub(in crate::merge::settle) pieces: Vec<Piece<'a>>,
}

/// The pieces of all places.
pub(in crate::merge::settle) fn joined(places: Vec<Place<'_>>) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for place in places {
        push_all(&mut pieces, place.pieces);
    }
    pieces
}

/// Leaves those places to somebody in which the two sides give one name to two things; returns the names.
pub(in crate::merge::settle) fn hold_what_is_twice(
    places: &mut [Place<'_>],
    language: Language,
) -> Vec<String> {
    let has_changed = |by| {
        places
            .iter()
            .any(|place| place.by == by || place.by == Origin::Both)
    };
    if !has_changed(Origin::Ours) || !has_changed(Origin::Theirs) {
        return Vec::new();
    }
    let (held, mut names) = {
        let mut lines = Vec::new();
        for (at, place) in places.iter().enumerate() {
            lines.extend(place.lines(at));
        }
        let was = |place: usize, name: &str| {
            places.get(place).is_some_and(|place| {
                let changed = place.by != Origin::Base;
                changed && place.contest.base.iter().any(|line| says(line, name))
            })
        };
        let twice = bound_twice(&lines, language, was);
        let is_settled = |at: &usize| {
            let place = places.get(*at);
            place.is_some_and(|place| !place.pieces.iter().any(is_open))
        };
        // What is contested anyway needs no other reason.
        let told = twice
            .iter()
            .filter(|twice| twice.places.iter().any(is_settled));
        let names: Vec<String> = told.map(|twice| twice.name.clone()).collect();
        let mut held: Vec<usize> = twice.iter().flat_map(|twice| twice.places).collect();
        let is_woven_twice = |place: &Place<'_>| place.pieces.iter().any(is_woven_twice);
        if language != Language::Markdown {
            let woven = places
                .iter()
                .enumerate()
                .filter(|(_, place)| is_woven_twice(place));
            held.extend(woven.map(|(at, _)| at));
        }
        (held, names)
    };
    for at in held {
        if let Some(place) = places.get_mut(at).filter(|place| place.by != Origin::Base) {
            place.pieces = vec![Piece::Contested(place.contest.clone())];
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

fn is_open(piece: &Piece<'_>) -> bool {
    match piece {
        Piece::Contested(_) => true,
        Piece::Settled(_) | Piece::Woven(_) => false,
    }
}

fn says(line: &[u8], name: &str) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| has_word(line, name))
}

fn is_woven_twice(piece: &Piece<'_>) -> bool {
    match piece {
        Piece::Woven(woven) => woven
            .result
            .iter()
            .any(|line| says_one_twice(line, &woven.lines)),
        Piece::Settled(_) | Piece::Contested(_) => false,
    }
}

impl Place<'_> {
    /// The lines of the place in the merged text.
    fn lines(&self, place: usize) -> Vec<Line<'_>> {
        let versions = self.versions();
        let mut found: Vec<Line<'_>> = Vec::new();
        for piece in &self.pieces {
            let (lines, made_of): (Vec<&[u8]>, _) = match piece {
                Piece::Settled(lines) => (lines.clone(), None),
                Piece::Woven(woven) => {
                    let of = match woven.lines.as_slice() {
                        [ours, theirs] => Some([text(ours), text(theirs)]),
                        _more => None,
                    };
                    (woven.result.iter().map(Vec::as_slice).collect(), of)
                }
                Piece::Contested(contest) => (contest.ours.clone(), None),
            };
            let is_open = matches!(piece, Piece::Contested(_));
            found.extend(lines.into_iter().map(|line| Line {
                text: text(line),
                origin: if is_open {
                    Origin::Open
                } else {
                    self.origin(line, &versions)
                },
                place,
                made_of,
            }));
        }
        tell_copies(&versions, &mut found);
        found
    }

    fn origin(&self, line: &[u8], [base, ours, theirs]: &[Counts<'_>; 3]) -> Origin {
        if self.by == Origin::Base || base.contains_key(text(line)) {
            return Origin::Base;
        }
        // One may have got a comma.
        let has = |side: &Counts<'_>| {
            let line = text(line);
            let bare = line.strip_suffix(',');
            side.contains_key(line) || bare.is_some_and(|bare| side.contains_key(bare))
        };
        match (has(ours), has(theirs)) {
            (true, true) => Origin::Both,
            (true, false) => Origin::Ours,
            (false, true) => Origin::Theirs,
            (false, false) => Origin::Base,
        }
    }

    /// How often each version of a place that was changed has each line.
    fn versions(&self) -> [Counts<'_>; 3] {
        let Contest {
            base, ours, theirs, ..
        } = &self.contest;
        [base, ours, theirs].map(|lines| {
            let mut counts = Counts::new();
            for line in lines {
                *counts.entry(text(line)).or_default() += 1;
            }
            counts
        })
    }
}

/// How often lines are there.
type Counts<'t> = HashMap<&'t str, usize>;

/// Of a line that is there as often as in both sides together, the first ones are ours.
fn tell_copies([_, ours, theirs]: &[Counts<'_>; 3], lines: &mut [Line<'_>]) {
    let mut there = Counts::new();
    for line in lines.iter() {
        *there.entry(line.text).or_default() += 1;
    }
    let mut seen = Counts::new();
    for line in lines.iter_mut().filter(|line| line.origin == Origin::Both) {
        let of = |counts: &Counts<'_>| counts.get(line.text).copied().unwrap_or(0);
        let nth = seen.entry(line.text).or_default();
        *nth += 1;
        if of(&there) >= of(ours) + of(theirs) && line.made_of.is_none() {
            line.origin = if *nth <= of(ours) {
                Origin::Ours
            } else {
                Origin::Theirs
            };
        }
    }
}

fn text(line: &[u8]) -> &str {
    std::str::from_utf8(line).unwrap_or_default()
}
