//! A text that is asked often how often it has a line. Counts once, and only when it is asked.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use crate::merge::lines::line_key;

use super::kind::Kind;
use super::names::{Name, name_of};

/// Lines, and what is known about them.
pub(in crate::merge::settle) struct Text<'s, 'a> {
    pub(in crate::merge::settle) lines: &'s [&'a [u8]],
    pub(in crate::merge::settle) kind: Kind,
    counts: OnceCell<HashMap<&'a [u8], usize>>,
    names: OnceCell<HashSet<Name<'a>>>,
}

impl<'s, 'a> Text<'s, 'a> {
    pub(in crate::merge::settle) fn new(lines: &'s [&'a [u8]]) -> Self {
        Self::of_kind(lines, Kind::Other)
    }

    pub(in crate::merge::settle) fn of_kind(lines: &'s [&'a [u8]], kind: Kind) -> Self {
        Self {
            lines,
            kind,
            counts: OnceCell::new(),
            names: OnceCell::new(),
        }
    }

    /// How often a line is there.
    pub(in crate::merge::settle) fn count(&self, line: &[u8]) -> usize {
        let counts = self.counts.get_or_init(|| {
            let mut counts = HashMap::new();
            for line in self.lines {
                *counts.entry(line_key(line)).or_default() += 1;
            }
            counts
        });
        counts.get(line_key(line)).copied().unwrap_or(0)
    }

    /// Tells whether some line gives something this name, as deep as that.
    pub(in crate::merge::settle) fn has_name(&self, name: Name<'_>) -> bool {
        let names = self
            .names
            .get_or_init(|| self.lines.iter().filter_map(|line| name_of(line)).collect());
        names.contains(&name)
    }
}
