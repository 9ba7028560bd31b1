//! The lines by which the places of a file are told apart. A landmark stands once in every version, and has stayed
//! where it is while others came, went or were moved past it. How a diff would align the versions does not
//! matter here. Pure.

use std::collections::{HashMap, HashSet};

use crate::merge::lines::has_words;

/// So many lines in a row that two texts have once are the same lines in both. Fewer may be there by chance.
const RUN: usize = 3;

/// The landmarks of some versions, in the order in which all of them have them.
pub(super) fn landmarks<'a>(versions: &[&[&'a [u8]]]) -> Vec<&'a [u8]> {
    let Some((first, others)) = versions.split_first() else {
        return Vec::new();
    };
    // A brace is nobody's in particular.
    let mut found = once(first, 1);
    found.retain(|run, _| run.iter().all(|line| has_words(line)));
    let mut marks: Vec<(usize, &'a [u8])> = found
        .iter()
        .filter_map(|(run, at)| Some((*at, *run.first()?)))
        .collect();
    marks.sort_unstable();
    for other in others {
        let there = once(other, 1);
        let mut common: Vec<(usize, usize)> = found
            .iter()
            .filter_map(|(run, at)| Some((*at, *there.get(run)?)))
            .collect();
        common.sort_unstable();
        let places: Vec<usize> = common.iter().map(|(_, place)| *place).collect();
        let stayed = common.iter().zip(stayed(&places));
        let stayed: HashSet<usize> = stayed
            .filter_map(|((at, _), is)| is.then_some(*at))
            .collect();
        marks.retain(|(at, _)| stayed.contains(at));
    }
    marks.into_iter().map(|(_, line)| line).collect()
}

/// Which of several lines, numbered in one text and listed as they follow in another, have stayed: those without
/// which fewer would be in order. Of two that changed places, nobody can say which was moved.
fn stayed(places: &[usize]) -> Vec<bool> {
    let up_to = longest(places.iter().copied());
    let from = longest(places.iter().rev().map(|place| usize::MAX - place));
    let all = up_to.iter().max().copied().unwrap_or(0);
    let mut at_rank = vec![0_usize; all + 1];
    let is_on: Vec<Option<usize>> = up_to
        .iter()
        .zip(from.iter().rev())
        .map(|(up_to, from)| (up_to + from == all + 1).then_some(*up_to))
        .collect();
    for rank in is_on.iter().flatten() {
        if let Some(count) = at_rank.get_mut(*rank) {
            *count += 1;
        }
    }
    is_on
        .into_iter()
        .map(|rank| rank.is_some_and(|rank| at_rank.get(rank) == Some(&1)))
        .collect()
}

/// For each number, how many there are in the longest rising row that ends with it.
fn longest(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut lowest_ends: Vec<usize> = Vec::new();
    let mut lengths = Vec::new();
    for number in numbers {
        let at = lowest_ends.partition_point(|end| *end < number);
        match lowest_ends.get_mut(at) {
            Some(end) => *end = number,
            None => lowest_ends.push(number),
        }
        lengths.push(at + 1);
    }
    lengths
}

/// Where lines are that two texts have once, and runs of lines, in each of them.
pub(super) fn known_again(one: &[&[u8]], two: &[&[u8]]) -> Vec<(usize, usize)> {
    let mut known: Vec<(usize, usize)> = Vec::new();
    for length in [1, RUN] {
        let there = once(two, length);
        let mut here = once(one, length);
        here.retain(|run, _| run.iter().all(|line| has_words(line)));
        let both = here.into_iter();
        known.extend(both.filter_map(|(run, at)| Some((at, *there.get(run)?))));
    }
    known
}

/// The runs of a length that a text has once, and where they begin.
fn once<'s, 'a>(lines: &'s [&'a [u8]], length: usize) -> HashMap<&'s [&'a [u8]], usize> {
    let mut places: HashMap<&[&[u8]], Option<usize>> = HashMap::new();
    for (at, run) in lines.windows(length).enumerate() {
        places
            .entry(run)
            .and_modify(|place| *place = None)
            .or_insert(Some(at));
    }
    let single = places.into_iter();
    single.filter_map(|(run, at)| Some((run, at?))).collect()
}

#[cfg(test)]
mod tests {
    use super::landmarks;

    fn found(versions: [&'static str; 3]) -> String {
        let versions = versions.map(|text| -> Vec<&'static [u8]> {
            text.split_whitespace().map(str::as_bytes).collect()
        });
        let [base, ours, theirs] = versions.each_ref().map(Vec::as_slice);
        String::from_utf8(landmarks(&[base, ours, theirs]).join(&b' ')).unwrap()
    }

    #[test]
    fn a_landmark_is_once_in_each_version_and_says_something() {
        assert_eq!(found(["a b c", "a x c b2", "a y c"]), "a c");
        assert_eq!(found(["a b b c", "a b b c", "a b b c"]), "a c");
        assert_eq!(found(["a b c", "a b c", "a b c b"]), "a c");
        assert_eq!(found(["a } c", "a } c", "a } c"]), "a c");
        assert_eq!(found(["", "a", "a"]), "");
    }

    #[test]
    fn of_lines_that_passed_each_other_the_more_have_stayed() {
        assert_eq!(found(["a b c d", "a c b d", "a b c d"]), "a d");
        assert_eq!(found(["a b c d", "a b c d", "b c d a"]), "b c d");
        assert_eq!(
            found(["a b c d e f", "d e a b c f", "a b c d e f"]),
            "a b c f"
        );
        assert_eq!(found(["a b c d e", "c d a b e", "a b c d e"]), "e");
        assert_eq!(found(["a b c d", "b a c d", "a b d c"]), "");
        assert_eq!(found(["a b c d e", "b a c d e", "a b c e d"]), "c");
        // A line that is there more often has passed nothing.
        assert_eq!(found(["x a x b c", "a x b x c", "x a x b c"]), "a b c");
    }
}
