//! The same lines, put in by both sides at one place where a side also changed what stands next to them. Read
//! as two edits that merely touch, they would be there twice. Found by the lines alone; where it is not plain
//! which lines are the same, the edits meet, and somebody has to look. Pure.

use std::collections::HashMap;

use crate::merge::edits::{Edit, put_in_by_both};
use crate::merge::lines::{has_words, is_blank};

use crate::merge::settle::pieces::{Contest, Piece, part};
use crate::merge::settle::sides::Kept;

/// How many lines without a word may be read as part of what was put in before or after them.
const BETWEEN: usize = 4;
/// How far an insertion is followed along lines that it might as well stand before or after.
const SLIDE: usize = 64;

/// Three versions of a text and what both sides left of the first.
pub(in crate::merge::settle) struct Twice<'s, 'a> {
    base: &'s [&'a [u8]],
    ours: &'s [&'a [u8]],
    theirs: &'s [&'a [u8]],
    /// Lines of the base that are where they were.
    kept: Kept<'s, 'a>,
}

impl<'s, 'a> Twice<'s, 'a> {
    pub(in crate::merge::settle) fn new(
        [base, ours, theirs]: [&'s [&'a [u8]]; 3],
        kept: Kept<'s, 'a>,
    ) -> Self {
        Self {
            base,
            ours,
            theirs,
            kept,
        }
    }

    /// A line that stands for itself: it is not one of many in the file.
    fn is_telling(&self, line: &[u8]) -> bool {
        has_words(line) && !self.kept.contains(line)
    }

    fn shared(&self, one: &[&'a [u8]], two: &[&'a [u8]]) -> Vec<&'a [u8]> {
        put_in_by_both(one, two, |line| self.is_telling(line))
    }

    /// Tells whether edits of ours and theirs that touch put the same in. A brace or a blank line between them
    /// may as well be one of what was put in, if that is more than a line.
    pub(in crate::merge::settle) fn meet(&self, mine: &Edit, other: &Edit) -> bool {
        if self.is_respaced(mine, other) {
            return true;
        }
        let least = if touch(mine, other) {
            1
        } else if self.is_nothing_between(mine, other) {
            2
        } else {
            return false;
        };
        let (new, others) = (
            part(self.ours, mine.new.clone()),
            part(self.theirs, other.new.clone()),
        );
        self.shared(new, others).len() >= least
    }

    /// Tells whether edits have nothing but blank lines between them, and put in the same but for blank lines: then a
    /// brace, too, is there once.
    fn is_respaced(&self, mine: &Edit, other: &Edit) -> bool {
        let said = |lines: &[&'a [u8]], edit: &Edit| -> Vec<&'a [u8]> {
            let mut new = part(lines, edit.new.clone()).to_vec();
            new.retain(|line| !is_blank(line));
            new
        };
        let is_between = |text: &[&[u8]]| text.len() <= BETWEEN && text.iter().all(|l| is_blank(l));
        let is_near = mine.base.is_empty() && other.base.is_empty();
        if !is_near || !is_between(self.between(mine, other)) {
            return false;
        }
        let new = said(self.ours, mine);
        !new.is_empty() && new == said(self.theirs, other)
    }

    fn is_nothing_between(&self, one: &Edit, two: &Edit) -> bool {
        let between = self.between(one, two);
        between.len() <= BETWEEN && !between.iter().any(|line| has_words(line))
    }

    /// What the base has between two edits.
    fn between(&self, one: &Edit, two: &Edit) -> &'s [&'a [u8]] {
        let between = if one.base.end < two.base.start {
            one.base.end..two.base.start
        } else {
            two.base.end..one.base.start
        };
        part(self.base, between)
    }

    /// The edits with what both put in at one place as insertions of their own.
    pub(in crate::merge::settle) fn parted(
        &self,
        mine: Vec<Edit>,
        other: Vec<Edit>,
    ) -> (Vec<Edit>, Vec<Edit>) {
        // One after the other, so that they do not pass each other; and the same one first whichever is ours.
        let (mine, other) = if self.ours <= self.theirs {
            let mine = self.slid((mine, self.ours), (&other, self.theirs));
            let other = self.slid((other, self.theirs), (&mine, self.ours));
            (mine, other)
        } else {
            let other = self.slid((other, self.theirs), (&mine, self.ours));
            let mine = self.slid((mine, self.ours), (&other, self.theirs));
            (mine, other)
        };
        let cuts_of_mine = self.cuts((&mine, self.ours), (&other, self.theirs));
        let cuts_of_other = self.cuts((&other, self.theirs), (&mine, self.ours));
        (cut(mine, &cuts_of_mine), cut(other, &cuts_of_other))
    }

    /// Insertions that might as well stand where the other side put the same in: there.
    fn slid(
        &self,
        (mut own, lines): (Vec<Edit>, &[&'a [u8]]),
        (others, theirs): (&[Edit], &[&'a [u8]]),
    ) -> Vec<Edit> {
        for at in 0..own.len() {
            let before = at.checked_sub(1).and_then(|at| own.get(at));
            let lowest = before.map_or(0, |edit| edit.base.end);
            let highest = own
                .get(at + 1)
                .map_or(self.base.len(), |edit| edit.base.start);
            let Some(edit) = own.get_mut(at).filter(|edit| edit.base.is_empty()) else {
                continue;
            };
            let text = part(lines, edit.new.clone());
            let near = edit.base.start.saturating_sub(SLIDE)..=edit.base.start + SLIDE;
            let first = others.partition_point(|other| other.base.end < *near.start());
            let last = others.partition_point(|other| other.base.start <= *near.end());
            let others = others.get(first..last).unwrap_or_default().iter();
            if others.clone().any(|other| touch(edit, other)) {
                continue;
            }
            let target = others
                .flat_map(|other| [(other.base.start, other), (other.base.end, other)])
                .filter(|(to, _)| (lowest..=highest).contains(to) && near.contains(to))
                .find(|(to, other)| {
                    self.may_stand_at(*to, edit, lines)
                        && !self
                            .shared(text, part(theirs, other.new.clone()))
                            .is_empty()
                });
            if let Some((to, _)) = target {
                let start = if to >= edit.base.start {
                    edit.new.start + (to - edit.base.start)
                } else {
                    edit.new.start - (edit.base.start - to)
                };
                *edit = Edit {
                    base: to..to,
                    new: start..start + edit.new.len(),
                };
            }
        }
        own
    }

    /// Tells whether the side is the same text with its insertion at another place of the base.
    fn may_stand_at(&self, to: usize, edit: &Edit, lines: &[&[u8]]) -> bool {
        let from = edit.base.start;
        if to >= from {
            let by = to - from;
            let passed = part(self.base, from..to);
            passed == part(lines, edit.new.start..edit.new.start + by)
                && edit.new.end + by <= lines.len()
        } else {
            let by = from - to;
            edit.new.end >= by
                && edit.new.start >= by
                && part(self.base, to..from) == part(lines, edit.new.end - by..edit.new.end)
        }
    }

    /// For each edit that changes something next to what both put in: how many of its lines, first or last,
    /// are those.
    fn cuts(
        &self,
        (own, lines): (&[Edit], &[&'a [u8]]),
        (others, theirs): (&[Edit], &[&'a [u8]]),
    ) -> HashMap<usize, (usize, usize)> {
        let mut cuts: HashMap<usize, (usize, usize)> = HashMap::new();
        for (at, edit) in own.iter().enumerate() {
            if edit.base.is_empty() {
                continue;
            }
            let new = part(lines, edit.new.clone());
            let first = others.partition_point(|other| other.base.end < edit.base.start);
            let near = others.iter().skip(first);
            for other in near.take_while(|other| other.base.start <= edit.base.end) {
                let text = part(theirs, other.new.clone());
                let (head, tail) = if other.base.end == edit.base.start {
                    (at_the_beginning(new, text, other), 0)
                } else if other.base.start == edit.base.end {
                    (0, at_the_end(new, text, other))
                } else {
                    continue;
                };
                let rest = part(new, head..new.len() - tail);
                // Nothing but that: it may as well be what became of the old lines.
                let is_own = rest.iter().any(|line| !is_blank(line));
                let mut same = new.iter().take(head).chain(new.iter().rev().take(tail));
                if is_own && same.any(|line| self.is_telling(line)) {
                    let known = cuts.entry(at).or_default();
                    *known = (known.0.max(head), known.1.max(tail));
                }
            }
        }
        // An edit between two such places is too much to read.
        cuts.retain(|_, (head, tail)| *head == 0 || *tail == 0);
        cuts
    }

    /// Tells whether pieces have something twice that both sides put in once.
    pub(in crate::merge::settle) fn is_doubled(
        &self,
        contest: &Contest<'a>,
        pieces: &[Piece<'a>],
    ) -> bool {
        let shared = self.shared(&contest.ours, &contest.theirs);
        doubled(&shared, [&contest.ours, &contest.theirs], pieces)
    }
}

/// Tells whether pieces have a line more often than two texts together that share some.
pub(in crate::merge::settle) fn doubled(
    shared: &[&[u8]],
    sides: [&[&[u8]]; 2],
    pieces: &[Piece<'_>],
) -> bool {
    if shared.is_empty() {
        return false;
    }
    let mut due: HashMap<&[u8], usize> = shared.iter().map(|line| (*line, 0)).collect();
    for line in sides.into_iter().flatten() {
        if let Some(due) = due.get_mut(*line) {
            *due += 1;
        }
    }
    // Each of them is in both.
    for line in shared {
        if let Some(due) = due.get_mut(*line) {
            *due = due.saturating_sub(1);
        }
    }
    let mut is_over = false;
    let mut take = |line: &[u8]| match due.get_mut(line) {
        Some(0) => is_over = true,
        Some(due) => *due -= 1,
        None => {}
    };
    for piece in pieces {
        match piece {
            Piece::Settled(lines) => lines.iter().for_each(|line| take(line)),
            Piece::Woven(woven) => woven.result.iter().for_each(|line| take(line)),
            Piece::Contested(_) => {}
        }
    }
    is_over
}

/// Tells whether two edits have a place in common at which both may have put lines in.
pub(in crate::merge::settle) fn touch(one: &Edit, two: &Edit) -> bool {
    one.base.start <= two.base.end && two.base.start <= one.base.end
}

/// How many lines, at the beginning of what an edit puts in, the other side put in before them.
fn at_the_beginning(new: &[&[u8]], text: &[&[u8]], other: &Edit) -> usize {
    if other.base.is_empty() {
        let starts = (0..text.len()).map(|at| part(text, at..text.len()));
        return starts.map(|rest| alike(new, rest)).max().unwrap_or(0);
    }
    let longest = new.len().min(text.len());
    let mut lengths = (1..=longest).rev();
    lengths
        .find(|length| text.ends_with(part(new, 0..*length)))
        .unwrap_or(0)
}

/// The same for the end.
fn at_the_end(new: &[&[u8]], text: &[&[u8]], other: &Edit) -> usize {
    if other.base.is_empty() {
        let ends = (1..=text.len()).map(|end| part(text, 0..end).iter().rev());
        let alike = ends.map(|rest| {
            let pairs = new.iter().rev().zip(rest);
            pairs.take_while(|(one, other)| one == other).count()
        });
        return alike.max().unwrap_or(0);
    }
    let longest = new.len().min(text.len());
    let mut lengths = (1..=longest).rev();
    lengths
        .find(|length| text.starts_with(part(new, new.len() - *length..new.len())))
        .unwrap_or(0)
}

/// How many lines at the beginning of two texts are equal.
fn alike(one: &[&[u8]], two: &[&[u8]]) -> usize {
    let pairs = one.iter().zip(two);
    pairs.take_while(|(one, other)| one == other).count()
}

fn cut(edits: Vec<Edit>, cuts: &HashMap<usize, (usize, usize)>) -> Vec<Edit> {
    let mut parted = Vec::new();
    for (at, edit) in edits.into_iter().enumerate() {
        let (head, tail) = cuts.get(&at).copied().unwrap_or_default();
        let (start, end) = (edit.new.start + head, edit.new.end - tail);
        let insertion = |at: usize, new: std::ops::Range<usize>| Edit { base: at..at, new };
        if head > 0 {
            parted.push(insertion(edit.base.start, edit.new.start..start));
        }
        let (after, all) = (edit.base.end, edit.new.end);
        parted.push(Edit {
            base: edit.base,
            new: start..end,
        });
        if tail > 0 {
            parted.push(insertion(after, end..all));
        }
    }
    parted
}
