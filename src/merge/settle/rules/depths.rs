//! How deep a side has put lines, learnt from those that it left in their words. Pure.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::merge::lines::is_blank;

/// What a side made of each depth of indentation; `None` where it was not always the same, or is not known.
pub(super) type Indents<'a> = HashMap<&'a [u8], Option<&'a [u8]>>;

/// What is learnt of one side, line by line.
pub(super) struct Learning<'a> {
    known: Indents<'a>,
    /// Depths that some line was at that can be taken for no other one.
    sure: HashSet<&'a [u8]>,
    /// What stands at several depths: which of them became which, nobody can say.
    scattered: HashSet<Vec<u8>>,
}

impl<'a> Learning<'a> {
    pub(super) fn of(base: &[&'a [u8]], side: &[&'a [u8]]) -> Self {
        let mut scattered = HashSet::new();
        for lines in [base, side] {
            let mut depths: HashMap<Vec<u8>, &[u8]> = HashMap::new();
            for line in lines {
                let depth = indent(line);
                if *depths.entry(key(line)).or_insert(depth) != depth {
                    scattered.insert(key(line));
                }
            }
        }
        Self {
            known: Indents::new(),
            sure: HashSet::new(),
            scattered,
        }
    }

    /// Takes a line that the side left in its words.
    pub(super) fn learn(&mut self, line: &'a [u8], other: &'a [u8]) {
        let new = indent(other);
        self.known
            .entry(indent(line))
            .and_modify(|known| *known = known.filter(|known| *known == new))
            .or_insert(Some(new));
        if !self.scattered.contains(&key(line)) {
            self.sure.insert(indent(line));
        }
    }

    pub(super) fn learnt(self) -> Indents<'a> {
        let sure = self.sure;
        // Who puts some lines deeper and others less deep has moved them about, which is no step of depth for others.
        let goes = |to: Ordering| {
            let mut known = self
                .known
                .iter()
                .filter_map(|(old, new)| Some((old, (*new)?)));
            known.any(|(old, new)| new.len().cmp(&old.len()) == to)
        };
        let is_about = goes(Ordering::Less) && goes(Ordering::Greater);
        let depths = self.known.into_iter();
        let depths = depths.map(|(old, new)| {
            let is_sure = |new: &&[u8]| *new == old || !is_about && sure.contains(old);
            (old, new.filter(is_sure))
        });
        depths.collect()
    }
}

/// A line without any white space.
pub(super) fn key(line: &[u8]) -> Vec<u8> {
    let said = line.iter().filter(|byte| !byte.is_ascii_whitespace());
    said.copied().collect()
}

pub(super) fn indent(line: &[u8]) -> &[u8] {
    let depth = line.iter().take_while(|byte| byte.is_ascii_whitespace());
    let depth = depth.count();
    line.get(..depth).unwrap_or_default()
}

/// Whether a side put any line elsewhere than it was.
pub(super) fn is_other_depth(indents: &Indents<'_>) -> bool {
    indents.iter().any(|(old, new)| *new != Some(*old))
}

/// The line as deep as the other side would have put it.
pub(super) fn indented(line: &[u8], indents: &Indents<'_>) -> Option<Vec<u8>> {
    if is_blank(line) {
        return Some(line.to_vec());
    }
    let old = indent(line);
    let said = line.get(old.len()..).unwrap_or_default();
    let new = match indents.get(old) {
        Some(known) => (*known)?.to_vec(),
        None => [shift(indents)?, old].concat(),
    };
    Some([new.as_slice(), said].concat())
}

/// What a side put before every line, if it did the same to all. Of lines that are all as deep, it may as well have made
/// each step of their depth another one.
fn shift<'a>(indents: &Indents<'a>) -> Option<&'a [u8]> {
    if indents.len() == 1 && !indents.contains_key(&b""[..]) {
        return None;
    }
    let mut shifts = indents.iter().map(|(old, new)| (*new)?.strip_suffix(*old));
    let first = shifts.next().unwrap_or(Some(&[]))?;
    shifts.all(|shift| shift == Some(first)).then_some(first)
}
