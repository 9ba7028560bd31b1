//! Where in a file lines were added: between lines that stand fast in all three versions. Two sides
//! that add an equal line in the same stretch may mean one line; in different stretches they mean two.
//! Careful on purpose: a line stands fast only when no reading of the versions could say otherwise.

use std::collections::{HashMap, HashSet};

use similar::Algorithm;

use super::counts::Counts;
use crate::merge::edits::edits;
use crate::merge::lines::is_blank;

/// The lines that both sides have more often than the base, counted in each stretch of the file.
/// Empty when nothing can be told apart.
pub(super) fn added_by_both<'a>(
    base: &[&'a [u8]],
    ours: &[&'a [u8]],
    theirs: &[&'a [u8]],
) -> HashMap<&'a [u8], Vec<Counts>> {
    let mut whole: HashMap<&[u8], Counts> = HashMap::new();
    let versions = [base, ours, theirs];
    for (version, lines) in versions.iter().enumerate() {
        for line in lines.iter().filter(|line| !is_blank(line)) {
            *whole.entry(line).or_default().of(version) += 1;
        }
    }
    let mut parts: HashMap<&[u8], Vec<Counts>> = whole
        .iter()
        .filter(|(_, counts)| counts.is_added_by_both())
        .map(|(line, _)| (*line, Vec::new()))
        .collect();
    if parts.is_empty() {
        return parts;
    }
    let fast = standing_fast(versions, &whole);
    for (version, lines) in versions.iter().enumerate() {
        let mut stretch = 0;
        for line in *lines {
            stretch += usize::from(fast.contains(line));
            if let Some(counts) = parts.get_mut(line) {
                if counts.len() <= stretch {
                    counts.resize(stretch + 1, Counts::default());
                }
                if let Some(counts) = counts.get_mut(stretch) {
                    *counts.of(version) += 1;
                }
            }
        }
    }
    parts
}

/// The lines that each version has exactly once and that no side moved: they follow one another in the
/// same order in all versions.
fn standing_fast<'a>(
    [base, ours, theirs]: [&[&'a [u8]]; 3],
    counts: &HashMap<&'a [u8], Counts>,
) -> HashSet<&'a [u8]> {
    let is_single = |line: &[u8]| {
        let once = |counts: &Counts| (counts.base, counts.ours, counts.theirs) == (1, 1, 1);
        counts.get(line).is_some_and(once)
    };
    let mut fast: HashSet<&[u8]> = base.iter().copied().filter(|l| is_single(l)).collect();
    for side in [ours, theirs] {
        for edit in edits(Algorithm::Histogram, base, side) {
            for line in base.get(edit.base).unwrap_or_default() {
                fast.remove(line);
            }
        }
        for line in out_of_order(base, side) {
            fast.remove(line);
        }
    }
    fast
}

/// The lines that both texts have once and that passed another such line on the way from one to the
/// other. Which of two such lines was moved, nobody can say.
fn out_of_order<'a>(base: &[&'a [u8]], side: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let places = |lines: &[&'a [u8]]| {
        let mut places: HashMap<&'a [u8], Option<usize>> = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            places
                .entry(line)
                .and_modify(|place| *place = None)
                .or_insert(Some(at));
        }
        places
    };
    let (in_base, in_side) = (places(base), places(side));
    let common: Vec<(&[u8], usize)> = base
        .iter()
        .filter(|line| in_base.get(*line).is_some_and(Option::is_some))
        .filter_map(|line| Some((*line, (*in_side.get(line)?)?)))
        .collect();
    let mut crossed = HashSet::new();
    let mut furthest = 0;
    for (line, place) in &common {
        if *place < furthest {
            crossed.insert(*line);
        }
        furthest = furthest.max(*place);
    }
    let mut nearest = usize::MAX;
    for (line, place) in common.iter().rev() {
        if *place > nearest {
            crossed.insert(*line);
        }
        nearest = nearest.min(*place);
    }
    crossed.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often `x` is due, stretch by stretch.
    fn due(base: &str, ours: &str, theirs: &str) -> u64 {
        let lines = |text: &'static str| -> Vec<&'static [u8]> {
            text.split(' ').map(str::as_bytes).collect()
        };
        let keep = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
        let [base, ours, theirs] = [base, ours, theirs].map(|text| lines(keep(text)));
        let parts = added_by_both(&base, &ours, &theirs);
        let x: &[u8] = b"x";
        parts[x].iter().map(Counts::least_due).sum()
    }

    #[test]
    fn one_line_at_one_place_and_two_at_two() {
        assert_eq!(due("a b c", "a x b c", "a x b c"), 1);
        assert_eq!(due("a b c", "a x b c", "a b x c"), 2);
        assert_eq!(due("a b c", "x a b c x", "a x b c"), 3);
        assert_eq!(due("a b c", "x a b c x", "a b c x"), 2);
        assert_eq!(due("x a b", "x a x b", "x a b x"), 3, "one was there");
    }

    #[test]
    fn what_was_moved_separates_nothing() {
        // `b` went to the end on our side: before or after it, nobody can say.
        assert_eq!(due("a b c", "a x c b", "a b x c"), 1);
        // Repeated lines are no landmarks.
        assert_eq!(due("a b b c", "a x b b c", "a b x b c"), 1);
        assert_eq!(due("", "x", "x"), 1, "a file that both added");
    }
}
