//! What two sides did to a text, read once for all who ask. Pure.

use similar::Algorithm;

use crate::merge::edits::{Edit, Numbered};

/// Three versions of a text, numbered, and the edits of both sides.
pub(super) struct Sides<'a> {
    numbered: Numbered<'a, 3>,
    pub(super) ours: Vec<Edit>,
    pub(super) theirs: Vec<Edit>,
}

impl<'a> Sides<'a> {
    pub(super) fn new(base: &[&'a [u8]], ours: &[&'a [u8]], theirs: &[&'a [u8]]) -> Self {
        let numbered = Numbered::new([base, ours, theirs]);
        Self {
            ours: numbered.edits(Algorithm::Histogram, 0, 1),
            theirs: numbered.edits(Algorithm::Histogram, 0, 2),
            numbered,
        }
    }

    /// The lines of the base that are where they were.
    pub(super) fn kept(&self) -> Kept<'_, 'a> {
        let base = self.numbered.version(0);
        let mut is_kept = vec![true; base.len()];
        let edits = self.ours.iter().chain(&self.theirs);
        for at in edits.flat_map(|edit| edit.base.clone()) {
            if let Some(kept) = is_kept.get_mut(at) {
                *kept = false;
            }
        }
        let mut by_number = vec![false; self.numbered.lines.len()];
        let kept = base.iter().zip(is_kept).filter(|(_, kept)| *kept);
        for (number, _) in kept {
            if let Some(kept) = by_number.get_mut(*number as usize) {
                *kept = true;
            }
        }
        Kept {
            numbered: &self.numbered,
            by_number,
        }
    }
}

/// Which lines both sides left, at least one of several equal ones.
pub(super) struct Kept<'s, 'a> {
    numbered: &'s Numbered<'a, 3>,
    by_number: Vec<bool>,
}

impl Kept<'_, '_> {
    pub(super) fn contains(&self, line: &[u8]) -> bool {
        let number = self.numbered.number(line);
        number.is_some_and(|number| self.by_number.get(number as usize) == Some(&true))
    }
}
