//! Lines that a side deleted and the other one took elsewhere with a change: deeper or less deep, or in other words amid
//! a block that is there with the rest of its lines. Pure.

use std::collections::{HashMap, HashSet};

use super::counts::Counts;
use crate::merge::lines::has_words;

/// The lines that one side has put in and that say, but for white space around them, what a line of the base says that
/// neither side has any more.
pub(super) fn maybe_respaced<'t>(
    lines: impl Iterator<Item = (&'t [u8], Counts)> + Clone,
) -> Vec<&'t [u8]> {
    let is_gone = |counts: &Counts| counts.base > 0 && counts.ours == 0 && counts.theirs == 0;
    let gone = lines.clone().filter(|(_, counts)| is_gone(counts));
    let gone: HashSet<&[u8]> = gone.map(|(line, _)| line.trim_ascii()).collect();
    let is_new = |counts: &Counts| {
        counts.base == 0 && counts.result > 0 && (counts.ours == 0) != (counts.theirs == 0)
    };
    lines
        .filter(|(line, counts)| {
            is_new(counts) && has_words(line) && gone.contains(line.trim_ascii())
        })
        .map(|(line, _)| line)
        .collect()
}

/// The lines of a result that stand between two that are back, each in the place of a line of the base that neither side
/// has: they are that line, in other words. Places from 0.
pub(super) fn reworded(
    base: &[&[u8]],
    [ours, theirs]: [&[&[u8]]; 2],
    result: &[&[u8]],
    back: &HashSet<usize>,
) -> Vec<usize> {
    let mut at: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (place, line) in base.iter().enumerate() {
        at.entry(line).or_default().push(place);
    }
    let sides: HashSet<&[u8]> = ours.iter().chain(theirs).copied().collect();
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for place in back {
        let line = result.get(*place).filter(|line| has_words(line));
        // Of several equal lines, nobody can say which.
        if let Some([only]) = line.and_then(|line| at.get(line)).map(Vec::as_slice) {
            ends.push((*place, *only));
        }
    }
    ends.sort_unstable();
    let mut found = Vec::new();
    for pair in ends.windows(2) {
        let [(first, from), (last, to)] = pair else {
            continue;
        };
        if from >= to || last - first != to - from {
            continue;
        }
        let olds = base.get(from + 1..*to).unwrap_or_default();
        for (place, old) in (first + 1..).zip(olds) {
            let new = result.get(place).copied().unwrap_or_default();
            let is_new = !back.contains(&place) && !at.contains_key(new);
            if is_new && !sides.contains(old) && has_much_of(old, new) {
                found.push(place);
            }
        }
    }
    found
}

/// Whether most of what one line says is in the other.
fn has_much_of(old: &[u8], new: &[u8]) -> bool {
    let [old, new] = [old, new].map(|line| {
        let words = line.split(|byte| !byte.is_ascii_alphanumeric() && byte.is_ascii());
        let words = words.filter(|word| !word.is_empty());
        words.collect::<HashSet<&[u8]>>()
    });
    let shared = old.intersection(&new).count();
    shared * 2 >= old.len().max(1) && shared > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_in_other_words_is_back_where_the_lines_around_it_are() {
        let lines = |text: &'static str| -> Vec<&'static [u8]> {
            text.split('|').map(str::as_bytes).collect()
        };
        let base = lines("a|one()|call(1)|two()|b");
        let (ours, theirs) = (lines("a|b"), lines("a|b|one()|call(2)|two()"));
        let of = |result: &'static str, back: [usize; 2]| {
            reworded(&base, [&ours, &theirs], &lines(result), &back.into())
        };
        assert_eq!(of("a|b|one()|call(2)|two()", [2, 4]), [3]);
        // Something else, more lines, or lines that were apart.
        assert_eq!(of("a|b|one()|other()|two()", [2, 4]), [0; 0]);
        assert_eq!(of("a|b|one()|call(2)|more()|two()", [2, 5]), [0; 0]);
        assert_eq!(of("a|b|two()|call(2)|one()", [2, 4]), [0; 0]);
    }
}
