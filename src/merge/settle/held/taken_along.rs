//! Lines that one side removed, and the other one put elsewhere in other words: only what they were is gone on both sides.
//! Pure.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::merge::lines::has_words;
use crate::merge::settle::rules::paired::in_common;

use super::headed::{Placed, Text};

/// No further away than so many lines of the base is looked.
const NEAR: usize = 16;

/// Adds the places of such lines, each with where it was.
pub(super) fn are_moved_and_removed(text: &Text<'_>, lost: &mut BTreeMap<usize, usize>) {
    let [ours, theirs] = text.sides.each_ref().map(|lines| counts(lines));
    let base = counts(&text.old);
    let [our_lines, their_lines] = &text.sides;
    let [new_ours, new_theirs] =
        [(our_lines, &theirs), (their_lines, &ours)].map(|(lines, other)| {
            let is_new = |(line, _): &&Placed<'_>| {
                has_words(line) && !base.contains_key(line) && !other.contains_key(line)
            };
            lines.iter().filter(is_new).copied().collect::<Vec<_>>()
        });
    let said = |lines: &[Placed<'_>]| -> HashSet<usize> {
        lines
            .iter()
            .filter(|(line, _)| has_words(line))
            .map(|(_, place)| *place)
            .collect()
    };
    let [left_by_ours, left_by_theirs] = [our_lines, their_lines].map(|lines| said(lines));
    for (number, (line, place)) in text.old.iter().enumerate() {
        let is_gone = |side: &HashMap<&[u8], usize>| !side.contains_key(line);
        let is_only = base.get(line) == Some(&1) && has_words(line);
        if !is_only || !is_gone(&ours) || !is_gone(&theirs) || text.open.contains(place) {
            continue;
        }
        let Some((first, last)) = text.meeting.get(place) else {
            continue;
        };
        let mut made = |new: &[Placed<'_>], of_other: &[Placed<'_>], left: &HashSet<usize>| {
            if left.contains(place) || of_other.iter().any(|(other, _)| in_common(line, other)) {
                return;
            }
            let is_near = |at: &usize| {
                let from = text.old.partition_point(|(_, it)| it < at);
                number.abs_diff(from) <= NEAR && at != place && !text.open.contains(at)
            };
            let found = new
                .iter()
                .find(|(other, at)| is_near(at) && in_common(line, other));
            if let Some((_, at)) = found {
                lost.entry(*first.min(at))
                    .and_modify(|known| *known = *last.max(at).max(known))
                    .or_insert(*last.max(at));
            }
        };
        made(&new_ours, &new_theirs, &left_by_ours);
        made(&new_theirs, &new_ours, &left_by_theirs);
    }
}

fn counts<'t>(lines: &[Placed<'t>]) -> HashMap<&'t [u8], usize> {
    let mut counts = HashMap::new();
    for (line, _) in lines {
        *counts.entry(*line).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    #[test]
    fn a_line_that_one_side_removed_and_the_other_put_elsewhere_in_other_words_is_held() {
        let base = "one(), two(), three()";
        let (less, moved) = ("one(), new(), two()", "one(), three(1), two()");
        assert_eq!(settled(base, less, moved), None);
        assert_eq!(settled(base, moved, less), None);
    }
}
