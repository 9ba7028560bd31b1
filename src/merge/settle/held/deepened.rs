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
    /// Both sides put something elsewhere that says the same, each as deep as it liked.
    by_both: bool,
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
        known.by_both || base > 0 && ours <= base && theirs <= base
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
        let by_both = are_deepened_by_both(&said, versions.map(how_often));
        Self {
            said,
            lines: lines.collect(),
            by_both,
        }
    }
}

fn how_often<'a>(lines: &[&'a [u8]]) -> HashMap<&'a [u8], u32> {
    let mut counts = HashMap::new();
    for line in lines {
        *counts.entry(line_key(line)).or_default() += 1;
    }
    counts
}

/// Whether there is something in the base that each side has at a depth where neither the base nor the other side does.
fn are_deepened_by_both(
    [said, _, _]: &[HashMap<&[u8], u32>; 3],
    [base, ours, theirs]: [HashMap<&[u8], u32>; 3],
) -> bool {
    let has_more = |side: &HashMap<&[u8], u32>, line: &[u8]| side.get(line) > base.get(line);
    let own = |side: &HashMap<&'_ [u8], u32>, other: &HashMap<&[u8], u32>| -> HashSet<Vec<u8>> {
        let new = side.keys().filter(|line| {
            let is_of_base = has_words(line) && said.contains_key(line.trim_ascii());
            is_of_base && has_more(side, line) && !has_more(other, line)
        });
        new.map(|line| line.trim_ascii().to_vec()).collect()
    };
    let [mine, others] = [own(&ours, &theirs), own(&theirs, &ours)];
    mine.iter().any(|line| others.contains(line))
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
        let base = "head,   word 3,     word 3,       word 0,     word 0, tail";
        let one = "head,     word 3,         word 3,             word 0,         word 0, tail";
        let two = "head,     word 3,       word 3 two,         word 0,       word 0 two, tail";
        for (ours, theirs) in [(one, two), (two, one)] {
            assert_eq!(settled(base, ours, theirs), None);
        }
    }
}
