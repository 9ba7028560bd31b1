//! What the versions of a text have between two landmarks, and cutting that into smaller places. Whether a text that
//! somebody wrote is right there is not known here. Pure.

use std::collections::{BTreeMap, HashMap};

use super::counts::Counts;
use super::landmarks::known_again;

/// What the versions have between two landmarks.
#[derive(Debug, Clone)]
pub(super) struct Place<'a> {
    /// None where both sides added the file.
    pub(super) base: Option<Vec<&'a [u8]>>,
    pub(super) ours: Vec<&'a [u8]>,
    pub(super) theirs: Vec<&'a [u8]>,
}

impl<'a> Place<'a> {
    pub(super) fn base(&self) -> &[&'a [u8]] {
        self.base.as_deref().unwrap_or_default()
    }

    pub(super) fn versions(&self) -> Vec<&[&'a [u8]]> {
        let base = self.base.as_deref();
        base.into_iter()
            .chain([&*self.ours, &*self.theirs])
            .collect()
    }

    /// What has to be here, if nobody contests it.
    pub(super) fn agreed(&self) -> Option<&[&'a [u8]]> {
        if self.ours == self.theirs || self.theirs == self.base() {
            Some(&self.ours)
        } else if self.ours == self.base() {
            Some(&self.theirs)
        } else {
            None
        }
    }

    /// The places before, between and after some lines that each version has once.
    pub(super) fn parts(&self, marks: &[&[u8]]) -> Vec<Self> {
        let cut = |lines: &[&'a [u8]]| -> Vec<Vec<&'a [u8]>> {
            let parts = between(lines, &places_of(marks, lines)).into_iter();
            parts.map(<[&[u8]]>::to_vec).collect()
        };
        let mut base = self.base.as_deref().map(|base| cut(base).into_iter());
        let sides = cut(&self.ours).into_iter().zip(cut(&self.theirs));
        sides
            .map(|(ours, theirs)| Self {
                base: base.as_mut().map(|base| base.next().unwrap_or_default()),
                ours,
                theirs,
            })
            .collect()
    }

    /// The numbers of the parts that belong together, since a side has moved lines from one to the other.
    pub(super) fn linked(&self, marks: &[&[u8]]) -> Vec<Vec<usize>> {
        let mut group_of: Vec<usize> = (0..=marks.len()).collect();
        let number = |at: &usize, cuts: &[usize]| cuts.partition_point(|cut| cut <= at);
        let versions = self.versions();
        let [first, others @ ..] = versions.as_slice() else {
            return Vec::new();
        };
        let first_cuts = places_of(marks, first);
        for other in others {
            let cuts = places_of(marks, other);
            for (from, to) in known_again(first, other) {
                let ends = [number(&from, &first_cuts), number(&to, &cuts)];
                let [Some(one), Some(other)] = ends.map(|end| group_of.get(end).copied()) else {
                    continue;
                };
                if one != other {
                    let groups = group_of.iter_mut();
                    groups
                        .filter(|group| **group == other)
                        .for_each(|group| *group = one);
                }
            }
        }
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, group) in group_of.into_iter().enumerate() {
            groups.entry(group).or_default().push(number);
        }
        groups.into_values().collect()
    }

    pub(super) fn counts(&self, answer: &[&'a [u8]]) -> HashMap<&'a [u8], Counts> {
        let mut counts: HashMap<&'a [u8], Counts> = HashMap::new();
        let versions = [self.base(), &self.ours, &self.theirs, answer];
        for (version, lines) in versions.into_iter().enumerate() {
            for line in lines {
                *counts.entry(line).or_default().of(version) += 1;
            }
        }
        counts
    }
}

/// Where marks stand that a text has once and in this order.
pub(super) fn places_of(marks: &[&[u8]], lines: &[&[u8]]) -> Vec<usize> {
    let mut marks = marks.iter().peekable();
    let numbered = lines.iter().enumerate();
    numbered
        .filter(|(_, line)| marks.next_if_eq(line).is_some())
        .map(|(at, _)| at)
        .collect()
}

/// What stands before, between and after some of the lines.
pub(super) fn between<'s, 'a>(lines: &'s [&'a [u8]], cuts: &[usize]) -> Vec<&'s [&'a [u8]]> {
    let starts = std::iter::once(0).chain(cuts.iter().map(|cut| cut + 1));
    let ends = cuts.iter().copied().chain([lines.len()]);
    let ranges = starts.zip(ends);
    ranges
        .map(|(start, end)| lines.get(start..end).unwrap_or_default())
        .collect()
}

pub(super) fn positions<'a>(lines: &[&'a [u8]]) -> HashMap<&'a [u8], Vec<usize>> {
    let mut positions: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        positions.entry(line).or_default().push(at);
    }
    positions
}
