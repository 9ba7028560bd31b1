//! What reading a text place by place tells about its lines. Pure.

use std::collections::{HashMap, HashSet};

use super::counts::Counts;

/// What is to be said about a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Findings<'a> {
    /// Lines that are due in their place and not there.
    pub(super) lost: Vec<&'a [u8]>,
    /// Lines that a side (`target`, `branch` or `both`) removed from this place.
    pub(super) brought_back: Vec<(&'a [u8], &'static str)>,
    /// Lines that no version has in this place, or not as often.
    pub(super) invented: Vec<&'a [u8]>,
    /// Lines that only one side has put where nothing was contested, and that are in another place.
    pub(super) moved: Vec<&'a [u8]>,
    /// Those of the lost ones that nobody contested.
    pub(super) uncontested: HashSet<&'a [u8]>,
}

impl<'a> Findings<'a> {
    pub(super) fn add(&mut self, more: Self) {
        self.lost.extend(more.lost);
        self.brought_back.extend(more.brought_back);
        self.invented.extend(more.invented);
        self.moved.extend(more.moved);
        self.uncontested.extend(more.uncontested);
    }

    /// A new line that the sides have once at most and the base not at all, and the result once: it is the same
    /// line, in another part of the place than its own. Of any other, nobody can tell.
    pub(super) fn take_moved(&mut self, place: &HashMap<&[u8], Counts>) {
        let is_moved = |line: &[u8]| place.get(line).is_some_and(is_one_line);
        let (moved, invented): (Vec<&'a [u8]>, Vec<&'a [u8]>) =
            self.invented.iter().partition(|line| is_moved(line));
        self.invented = invented;
        self.lost.retain(|line| !moved.contains(line));
        let uncontested = moved.into_iter();
        self.moved
            .extend(uncontested.filter(|line| self.uncontested.contains(line)));
    }
}

/// New, no side has it twice, and it is there: wherever it is, it is the same line.
pub(super) fn is_one_line(counts: &Counts) -> bool {
    counts.base == 0 && counts.ours.max(counts.theirs) == 1 && counts.result == 1
}
