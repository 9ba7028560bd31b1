//! Lines below another head than the one that their author has put them below: a block whose condition the other side
//! has turned into the condition of its own lines, or an `if` that lost its lines to the next one. Each place may be
//! settled well for itself, so the merged text is looked at as a whole, as far as places reach that both sides changed,
//! and neighbouring ones of which each changed one: git would ask about those, too.
//! Pure.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::merge::lines::{is_blank, without};
use crate::merge::settle::once::Origin;
use crate::merge::settle::pieces::{Contest, Piece};
use crate::merge::settle::reading::heads::{Heads, blocks, depths, ends, ends_of_blocks};
use crate::merge::settle::reading::wording::Wordings;

use super::below::put_out;
use super::bodies::emptied;
use super::neighbours::meeting;
use super::placed::Place;
use super::renamed::speak_of_what_is_gone;
use super::taken_along::are_moved_and_removed;

/// Settles such places the other way round, if that puts it right, and leaves the others to somebody. `again` settles a
/// place with the sides turned, given the line of the base that it is before.
pub(in crate::merge::settle) fn hold_what_lost_its_head<'a>(
    places: &mut Vec<Place<'a>>,
    again: &dyn Fn(&Contest<'a>, usize) -> Vec<Piece<'a>>,
) {
    let mut turned = HashSet::new();
    // Each round turns places that were not turned before, or leaves some to somebody.
    loop {
        let lost = Text::of(places).lost();
        if lost.is_empty() {
            return;
        }
        let mut open = BTreeMap::new();
        for (at, last) in lost {
            let Some(place) = places.get_mut(at) else {
                continue;
            };
            if place.by == Origin::Both && turned.insert(place.at) {
                let other = again(&place.contest, place.at);
                if is_plain(&other) {
                    place.pieces = other;
                    continue;
                }
            }
            open.insert(at, last);
        }
        leave_open(places, &open);
    }
}

fn is_plain(pieces: &[Piece<'_>]) -> bool {
    let is_settled = |piece: &Piece<'_>| match piece {
        Piece::Settled(_) => true,
        Piece::Woven(_) | Piece::Contested(_) => false,
    };
    pieces.iter().all(is_settled)
}

/// Makes one place of each first and last one, for somebody to decide.
fn leave_open(places: &mut Vec<Place<'_>>, open: &BTreeMap<usize, usize>) {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (first, last) in open {
        match ranges.last_mut() {
            Some((_, before)) if first <= before => *before = *last.max(before),
            Some(_) | None => ranges.push((*first, *last)),
        }
    }
    // From the end, so that the numbers of the others stay.
    for (first, last) in ranges.into_iter().rev() {
        if let Some(joined) = places.get(first..=last).and_then(joined) {
            places.splice(first..=last, [joined]);
        }
    }
}

/// Several places as one contested one.
fn joined<'a>(places: &[Place<'a>]) -> Option<Place<'a>> {
    let first = places.first()?;
    let mut contest = Contest {
        base: Vec::new(),
        ours: Vec::new(),
        theirs: Vec::new(),
        our_start: first.contest.our_start,
    };
    for place in places {
        let [base, ours, theirs] = versions(place);
        contest.base.extend(base);
        contest.ours.extend(ours);
        contest.theirs.extend(theirs);
    }
    Some(Place {
        by: Origin::Both,
        at: first.at,
        pieces: vec![Piece::Contested(contest.clone())],
        contest,
    })
}

/// The lines of a place in the base and in both sides.
fn versions<'a>(place: &Place<'a>) -> [Vec<&'a [u8]>; 3] {
    let Contest {
        base, ours, theirs, ..
    } = &place.contest;
    match place.by {
        // What nobody changed has no versions.
        Origin::Base => {
            let mut same = Vec::new();
            for piece in &place.pieces {
                if let Piece::Settled(lines) = piece {
                    same.extend(lines);
                }
            }
            [same.clone(), same.clone(), same]
        }
        Origin::Ours | Origin::Theirs | Origin::Both | Origin::Open => {
            [base.clone(), ours.clone(), theirs.clone()]
        }
    }
}

/// How the lines of a text are related.
pub(super) type Read = fn(&[&[u8]]) -> Heads;

/// What one line is to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// What it stands below.
    Head,
    /// What ends the lines below it.
    End,
}

/// A line and the place that it is in.
pub(super) type Placed<'t> = (&'t [u8], usize);

/// The merged text and what it was made of.
pub(super) struct Text<'t> {
    pub(super) merged: Vec<Placed<'t>>,
    pub(super) old: Vec<Placed<'t>>,
    pub(super) sides: [Vec<Placed<'t>>; 2],
    /// The places that somebody decides anyway.
    pub(super) open: BTreeSet<usize>,
    /// The places where the two sides meet, each with the first and the last one that go with it.
    pub(super) meeting: BTreeMap<usize, (usize, usize)>,
    /// The lines of the base in those.
    base: HashSet<(usize, &'t [u8])>,
    /// Of lines that one side has changed there, what they were.
    was: HashMap<Placed<'t>, &'t [u8]>,
    /// What the merged text says in each place.
    said: HashSet<(usize, &'t [u8])>,
}

impl<'t> Text<'t> {
    fn of<'a: 't>(places: &'t [Place<'a>]) -> Self {
        let mut text = Self {
            merged: Vec::new(),
            old: Vec::new(),
            sides: [Vec::new(), Vec::new()],
            open: BTreeSet::new(),
            meeting: meeting(places),
            base: HashSet::new(),
            was: HashMap::new(),
            said: HashSet::new(),
        };
        for (at, place) in places.iter().enumerate() {
            let [base, ours, theirs] = versions(place);
            if text.meeting.contains_key(&at) {
                text.base.extend(base.iter().map(|line| (at, *line)));
            }
            let changed = [&ours, &theirs]
                .into_iter()
                .flat_map(|side| made_of(&base, side));
            text.was
                .extend(changed.map(|(line, was)| ((line, at), was)));
            text.old.extend(base.iter().map(|line| (*line, at)));
            let [in_ours, in_theirs] = &mut text.sides;
            in_ours.extend(ours.iter().map(|line| (*line, at)));
            in_theirs.extend(theirs.iter().map(|line| (*line, at)));
            for piece in &place.pieces {
                let lines: Vec<&'t [u8]> = match piece {
                    Piece::Settled(lines) => lines.clone(),
                    Piece::Woven(woven) => woven.result.iter().map(Vec::as_slice).collect(),
                    Piece::Contested(contest) => {
                        text.open.insert(at);
                        contest.ours.clone()
                    }
                };
                text.merged.extend(lines.iter().map(|line| (*line, at)));
            }
        }
        let said = text
            .merged
            .iter()
            .map(|(line, at)| (*at, line.trim_ascii()));
        text.said = said.collect();
        text
    }

    /// The places that have to be settled otherwise, each with the last one that goes with it.
    fn lost(&self) -> BTreeMap<usize, usize> {
        let mut lost = BTreeMap::new();
        if self.meeting.keys().all(|at| self.open.contains(at)) {
            return lost;
        }
        for (read, relation) in [
            (depths as Read, Relation::Head),
            (blocks, Relation::Head),
            (ends, Relation::End),
            (ends_of_blocks, Relation::End),
        ] {
            self.lost_by(read, relation, &mut lost);
        }
        put_out(self, &[depths, blocks], &mut lost);
        emptied(self, &mut lost);
        speak_of_what_is_gone(self, &mut lost);
        are_moved_and_removed(self, &mut lost);
        lost
    }

    /// Adds all from the first to the last of some places, as far as the sides meet there and nobody decides them anyway.
    pub(super) fn leave(
        &self,
        places: impl Iterator<Item = usize>,
        lost: &mut BTreeMap<usize, usize>,
    ) {
        let settled = places.filter(|at| !self.open.contains(at));
        let met: Vec<_> = settled.filter_map(|at| self.meeting.get(&at)).collect();
        let first = met.iter().map(|(first, _)| *first).min();
        let last = met.iter().map(|(_, last)| *last).max();
        if let Some((first, last)) = first.zip(last) {
            let known = lost.entry(first).or_insert(last);
            *known = last.max(*known);
        }
    }

    fn lost_by(&self, read: Read, relation: Relation, lost: &mut BTreeMap<usize, usize>) {
        let merged = heads(read, &self.merged);
        let sides = self.sides.each_ref().map(|lines| Side {
            lines,
            heads: heads(read, lines),
            known: places_of(lines),
        });
        let all = places_of(&self.merged);
        for (index, (line, place)) in self.merged.iter().enumerate() {
            if is_blank(line) || self.open.contains(place) {
                continue;
            }
            let head = merged.of(index).and_then(|at| self.merged.get(at));
            let of_both = |at: &usize| self.meeting.get(at).filter(|_| !self.open.contains(at));
            let by_head = || {
                let (first, last) = of_both(&head?.1)?;
                Some((*first, *last.max(place)))
            };
            let concerned = of_both(place).copied().or_else(by_head);
            let Some((first, last)) = concerned else {
                continue;
            };
            if head.is_some_and(|(_, at)| self.open.contains(at)) {
                continue;
            }
            let fits_in = |side: &Side<'_, 't>, line: &'t [u8]| {
                let mut wanted = side.wanted((line, *place))?;
                Some(wanted.any(|wanted| match relation {
                    Relation::Head => self.is_same(wanted, head),
                    // Whose end it is does not matter, if there is one.
                    Relation::End => wanted.is_none() || head.is_some(),
                }))
            };
            let fits = sides.each_ref().map(|side| fits_in(side, line));
            let is_new = of_both(place).is_some() && !self.base.contains(&(*place, *line));
            let count = |found: &HashMap<Placed<'t>, Vec<usize>>| {
                found.get(&(*line, *place)).map_or(0, Vec::len)
            };
            let in_sides: usize = sides.iter().map(|side| count(&side.known)).sum();
            // Once for each side, each copy is its own.
            let is_shared = is_new && count(&all) < in_sides;
            // What one side has changed in a line stands where the other one has put that line.
            let as_it_was = |side: &Side<'_, 't>| {
                let was = self.was.get(&(*line, *place))?;
                fits_in(side, was)
            };
            let [ours, theirs] = &sides;
            let is_right = match fits {
                [None, None] => true,
                // Both have put it below something.
                [Some(one), Some(two)] if is_shared => one && two,
                [Some(one), Some(two)] => one || two,
                [Some(fits), None] => fits || as_it_was(theirs) == Some(true),
                [None, Some(fits)] => fits || as_it_was(ours) == Some(true),
            };
            if !is_right {
                lost.entry(first).or_insert(last);
            }
        }
    }

    /// Whether the head that a side has is the one of the merged text: the same, or what became of it.
    pub(super) fn is_same(&self, wanted: Option<&Placed<'_>>, head: Option<&Placed<'_>>) -> bool {
        let is_gone =
            |(line, place): &Placed<'_>| !self.said.contains(&(*place, line.trim_ascii()));
        match (wanted, head) {
            (None, None) => true,
            (Some(wanted), Some(head)) => {
                wanted.0.trim_ascii() == head.0.trim_ascii()
                    || wanted.1 == head.1 && is_gone(wanted)
            }
            (Some(wanted), None) => is_gone(wanted),
            (None, Some(_)) => false,
        }
    }
}

/// A side, and what its lines stand below.
struct Side<'s, 't> {
    lines: &'s [Placed<'t>],
    heads: Heads,
    known: HashMap<Placed<'t>, Vec<usize>>,
}

impl<'s, 't> Side<'s, 't> {
    /// What each copy of a line stands below, if the side has it.
    fn wanted(&self, placed: Placed<'t>) -> Option<impl Iterator<Item = Option<&'s Placed<'t>>>> {
        let copies = self.known.get(&placed)?;
        let head = |at: &usize| self.heads.of(*at).and_then(|at| self.lines.get(at));
        Some(copies.iter().map(head))
    }
}

pub(super) fn heads(read: Read, lines: &[Placed<'_>]) -> Heads {
    let texts: Vec<&[u8]> = lines.iter().map(|(line, _)| *line).collect();
    read(&texts)
}

/// The lines of a side in a place that were made of one of the base each, with that one.
fn made_of<'t>(base: &[&'t [u8]], side: &[&'t [u8]]) -> Vec<(&'t [u8], &'t [u8])> {
    let (new, old) = (without(side, base), without(base, side));
    if new.len() != old.len() {
        return Vec::new();
    }
    let is_made = |(new, old): &(&'t [u8], &'t [u8])| Wordings::of(&[*new]).has_one_made_of(old);
    new.into_iter().zip(old).filter(is_made).collect()
}

pub(super) fn places_of<'t>(lines: &[Placed<'t>]) -> HashMap<Placed<'t>, Vec<usize>> {
    let mut known: HashMap<Placed<'t>, Vec<usize>> = HashMap::new();
    for (index, placed) in lines.iter().enumerate() {
        known.entry(*placed).or_default().push(index);
    }
    known
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    fn both_orders(base: &str, one: &str, two: &str) -> [Option<String>; 2] {
        [settled(base, one, two), settled(base, two, one)]
    }

    #[test]
    fn lines_that_each_side_put_below_a_condition_of_its_own_are_below_neither_unasked() {
        for (then, end) in [("; then", "fi"), (":", "else:,   deny"), (" do", "end")] {
            let base = "check, delete, finish";
            let ours = format!("check, if confirm{then},   audit,   delete, {end}, finish");
            let theirs = format!("if admin{then},   check strict,   delete, {end}, finish");
            assert_eq!(both_orders(base, &ours, &theirs), [None, None], "{end}");
        }
        let base = "check, delete, finish";
        let ours = "check, #if CONF, audit, delete, #endif, finish";
        let theirs = "#if ADMIN, check strict, delete, #endif, finish";
        assert_eq!(both_orders(base, ours, theirs), [None, None]);
        // Under one condition of both there is nothing to decide.
        let ours = "if admin:,   check,   delete,   note, finish";
        let theirs = "if admin:,   check strict,   delete, finish";
        for found in both_orders(base, ours, theirs) {
            assert!(found.is_none_or(|text| text.contains("strict,   delete,   note")));
        }
    }

    #[test]
    fn an_end_that_both_sides_put_in_ends_a_block_of_each() {
        let base = "while a,   go, end";
        let ours = "while a,   go,   if b,     one,   end, end";
        let theirs = "while a,   while c,     go,     two,   end, end";
        for found in both_orders(base, ours, theirs).into_iter().flatten() {
            assert_eq!(found.matches("end").count(), 3, "{found}");
        }
        let base = "<main>,   <p>hi</p>, </main>";
        let ours = "<main>,   <p>hi there</p>,   <div a>,     <p>a</p>,   </div>, </main>";
        let theirs = "<main>,   <p>hi</p>,   <div b>,     <p>b</p>,   </div>, </main>";
        for found in both_orders(base, ours, theirs).into_iter().flatten() {
            assert_eq!(found.matches("</div>").count(), 2, "{found}");
        }
    }

    #[test]
    fn lines_whose_head_one_side_took_away_are_not_below_what_the_other_put_there() {
        let base = "if a:,   one, # note, elif b:,   two, end";
        let less = "if a:,   one, # note,   two, end";
        let more = "if a:,   one, if c:,   three, elif b:,   two, end";
        assert_eq!(both_orders(base, less, more), [None, None]);
    }

    #[test]
    fn what_one_side_put_above_a_blank_line_does_not_take_the_lines_below_from_their_head() {
        let base = "a, , x, y";
        let wrapped = "a, if g:,   new, ,   x, y";
        let expected = "a, log, if g:,   new, ,   x, y";
        for found in both_orders(base, wrapped, "a, log, , x, y") {
            assert_eq!(found.as_deref(), Some(expected));
        }
        let expected = "a, if h:,   other, if g:,   new, ,   x, y";
        for found in both_orders(base, wrapped, "a, if h:,   other, , x, y") {
            assert_eq!(found.as_deref(), Some(expected));
        }
        let (one, two) = ("a, with t:, ,   x, y", "a, , for h in all:,   x, y");
        assert_eq!(both_orders(base, one, two), [None, None]);
        let guarded = "a, #ifdef G, n, , x, #endif, y";
        for found in both_orders(base, guarded, "a, log, , x, y") {
            assert_eq!(
                found.as_deref(),
                Some("a, log, #ifdef G, n, , x, #endif, y")
            );
        }
    }

    /// Whoever asks about a text that git conflicts in, and in which the sides meet nowhere as it is read here.
    #[test]
    fn where_the_sides_meet_nowhere_every_change_is_looked_at() {
        let base = "a, if p:,   x,   y, , z";
        let ours = "a, if p:,   x,   y,   mine, , z";
        let theirs = "a, if p:,   if q:,     w,   x,   y, , z";
        for found in both_orders(base, ours, theirs) {
            assert!(found.is_some());
        }
        let theirs = "a, if p:,   x,   y, else:,   w, , z";
        let ours = "a, if p:,   x,   mine,   y, , z";
        for found in both_orders(base, ours, theirs) {
            assert!(found.is_some());
        }
        let base = "if p:,   x,   y,   z, w, end";
        let ours = "if p:,   x,   y,   z,   mine, w, end";
        let theirs = "if p:,   x, if q:,   y,   z, w, end";
        assert_eq!(both_orders(base, ours, theirs), [None, None]);
    }

    #[test]
    fn what_one_side_puts_before_an_end_that_the_other_doubled_is_below_no_other_head() {
        let base = "{% if p %}, <p>a, <p>b, {% endif %}, z";
        let ours = "{% if p %}, <p>a, <p>b, <p>mine, {% endif %}, z";
        let theirs = "{% if p %}, {% if q %}, <p>a, <p>b, {% endif %}, {% endif %}, z";
        assert_eq!(both_orders(base, ours, theirs), [None, None]);
        let base = "#if P, a, b, #endif, z";
        let ours = "#if P, a, b, mine, #endif, z";
        let theirs = "#if P, #if Q, a, b, #endif, #endif, z";
        assert_eq!(both_orders(base, ours, theirs), [None, None]);
        let base = "if p; then,   a,   b, fi, z";
        let ours = "if p; then,   a,   b,   mine, fi, z";
        let theirs = "if p; then,   if q; then,   a,   b,   fi, fi, z";
        let expected = "if p; then,   if q; then,   a,   b,   fi,   mine, fi, z";
        for found in both_orders(base, ours, theirs) {
            assert_eq!(found.as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_changed_line_goes_below_the_head_that_the_other_side_has_put_it_below() {
        let base = "fn a {,   x(1);,   ok, }, z";
        let ours = "fn a {,   y(x(1));,   ok, }, z";
        let theirs = "fn a {,   b(), }, , fn b {,   x(1);,   ok, }, z";
        let expected = "fn a {,   b(), }, , fn b {,   y(x(1));,   ok, }, z";
        for found in both_orders(base, ours, theirs) {
            assert_eq!(found.as_deref(), Some(expected));
        }
        let base = "<p>a, <p>b, <p>c";
        let ours = "<p>a, <p class=x>b, <p>c";
        let theirs = "<p>a, {% if q %}, <p>b, {% endif %}, <p>c";
        let expected = "<p>a, {% if q %}, <p class=x>b, {% endif %}, <p>c";
        for found in both_orders(base, ours, theirs) {
            assert_eq!(found.as_deref(), Some(expected));
        }
    }
}
