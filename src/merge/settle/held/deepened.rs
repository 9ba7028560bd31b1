//! Lines that would stand as deep as no side has them, and that no side made: the texts were laid over one another so that
//! one line was taken for another, as happens where a line of the old text is as deep as one of its like in the new one.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use crate::merge::lines::{has_words, line_key};
use crate::merge::settle::pieces::Piece;

/// The three versions of a file; what they say is looked up once, and only if it is asked.
pub(in crate::merge::settle) struct Deepened<'v, 'a> {
    versions: [&'v [&'a [u8]]; 3],
    known: OnceCell<Known<'a>>,
}

struct Known<'a> {
    /// How often each version says something, at whatever depth.
    said: [HashMap<&'a [u8], u32>; 3],
    /// The lines of the sides.
    lines: HashSet<&'a [u8]>,
}

impl<'v, 'a> Deepened<'v, 'a> {
    /// Of the base and the two sides.
    pub(in crate::merge::settle) fn new(versions: [&'v [&'a [u8]]; 3]) -> Self {
        Self {
            versions,
            known: OnceCell::new(),
        }
    }

    /// Tells whether the pieces of a place have such a line.
    pub(in crate::merge::settle) fn are_any(&self, found: &[Piece<'_>]) -> bool {
        found.iter().any(|piece| match piece {
            Piece::Woven(woven) => woven.result.iter().any(|line| self.is_such(line)),
            Piece::Settled(_) | Piece::Contested(_) => false,
        })
    }

    fn is_such(&self, line: &[u8]) -> bool {
        let known = self.known.get_or_init(|| Known::of(self.versions));
        let said = line.trim_ascii();
        if !has_words(said) || known.lines.contains(line_key(line)) {
            return false;
        }
        let [base, ours, theirs] = known.said.each_ref().map(|said_by| {
            let count = said_by.get(said);
            count.copied().unwrap_or_default()
        });
        base > 0 && ours <= base && theirs <= base
    }
}

impl<'a> Known<'a> {
    fn of(versions: [&[&'a [u8]]; 3]) -> Self {
        let said = versions.map(|lines| {
            let mut counts = HashMap::new();
            for line in lines {
                *counts.entry(line.trim_ascii()).or_default() += 1;
            }
            counts
        });
        let [_, ours, theirs] = versions;
        let lines = ours.iter().chain(theirs).map(|line| line_key(line));
        Self {
            said,
            lines: lines.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    #[test]
    fn a_line_is_not_put_as_deep_as_another_one_that_was_taken_for_it() {
        let base = "head,   word 0,   word 2,     word 0,     word 1,   word 0, tail";
        let one = "head,   word 0,   word 2,       word 0,       word 1,   word 0, tail";
        let two =
            "head,     word 0,     word 2,         word 0,         word 1theirs,     word 0, tail";
        for (ours, theirs) in [(one, two), (two, one)] {
            assert_eq!(settled(base, ours, theirs), None);
        }
    }
}
