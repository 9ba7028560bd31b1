//! Where two long texts can be compared part by part: inside long runs of equal lines around lines that
//! each text has once. Comparing a text with many small changes as a whole takes a look at all of it for
//! each of them.

use std::ops::Range;

/// Texts shorter than this are compared as a whole.
const LONG: usize = 2_000;
/// The least length of a run to cut in.
const RUN: usize = 64;
/// How much of a run stays with the parts on both sides of it.
const MARGIN: usize = 24;

/// Parts of two texts of numbered lines; what lies between two parts is equal.
pub(super) fn parts(one: &[u32], two: &[u32]) -> Vec<(Range<usize>, Range<usize>)> {
    let whole = || vec![(0..one.len(), 0..two.len())];
    if one.len().min(two.len()) < LONG {
        return whole();
    }
    let Some(anchors) = anchors(one, two) else {
        return whole();
    };
    let mut parts = Vec::new();
    let mut from = (0, 0);
    let mut done = 0;
    for (at, other) in anchors {
        if at < done {
            continue;
        }
        let before = equal_before(one, two, (at, other), from);
        let after = equal_after(one, two, (at, other));
        done = at + after;
        if before + after >= RUN {
            let cut = (at - before + MARGIN, other - before + MARGIN);
            parts.push((from.0..cut.0, from.1..cut.1));
            from = (at + after - MARGIN, other + after - MARGIN);
        }
    }
    parts.push((from.0..one.len(), from.1..two.len()));
    parts
}

/// Lines that each text has once, by their places. `None` when one of them has passed another: what was
/// moved is seen only in the whole.
fn anchors(one: &[u32], two: &[u32]) -> Option<Vec<(usize, usize)>> {
    let lines = one
        .iter()
        .chain(two)
        .max()
        .map_or(0, |most| *most as usize + 1);
    let places = |text: &[u32]| {
        // The place of each line; twice is nowhere.
        let mut places: Vec<Place> = vec![Place::Nowhere; lines];
        for (at, line) in text.iter().enumerate() {
            if let Some(place) = places.get_mut(*line as usize) {
                *place = match place {
                    Place::Nowhere => Place::Once(at),
                    Place::Once(_) | Place::Often => Place::Often,
                };
            }
        }
        places
    };
    let (in_one, in_two) = (places(one), places(two));
    let mut anchors: Vec<(usize, usize)> = in_one
        .iter()
        .zip(&in_two)
        .filter_map(|places| match places {
            (Place::Once(at), Place::Once(other)) => Some((*at, *other)),
            _elsewhere => None,
        })
        .collect();
    anchors.sort_unstable();
    anchors
        .is_sorted_by_key(|(_, other)| *other)
        .then_some(anchors)
}

#[derive(Clone, Copy)]
enum Place {
    Nowhere,
    Once(usize),
    Often,
}

/// How many lines before two places are equal, no further back than `from`.
fn equal_before(one: &[u32], two: &[u32], at: (usize, usize), from: (usize, usize)) -> usize {
    let one = one.get(from.0..at.0).unwrap_or_default().iter().rev();
    let two = two.get(from.1..at.1).unwrap_or_default().iter().rev();
    one.zip(two).take_while(|(a, b)| a == b).count()
}

/// How many lines from two places on are equal.
fn equal_after(one: &[u32], two: &[u32], at: (usize, usize)) -> usize {
    let one = one.get(at.0..).unwrap_or_default().iter();
    let two = two.get(at.1..).unwrap_or_default().iter();
    one.zip(two).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is between the parts has to be equal, line by line.
    fn is_sound(one: &[u32], two: &[u32], parts: &[(Range<usize>, Range<usize>)]) -> bool {
        parts.windows(2).all(|pair| {
            let between = |a: &Range<usize>, b: &Range<usize>| a.end..b.start;
            one[between(&pair[0].0, &pair[1].0)] == two[between(&pair[0].1, &pair[1].1)]
        })
    }

    #[test]
    fn a_long_text_falls_into_one_part_for_each_change() {
        let one: Vec<u32> = (0..10_000).collect();
        let mut two = one.clone();
        for at in (500..10_000).step_by(1_000) {
            two[at] += 50_000;
        }
        two.insert(7_000, 60_000);
        let parts = parts(&one, &two);
        assert_eq!(parts.len(), 13);
        assert!(is_sound(&one, &two, &parts));
        let compared: usize = parts.iter().map(|(a, b)| a.len() + b.len()).sum();
        assert!(compared < 2_000, "{compared}");
    }

    #[test]
    fn short_texts_and_moved_lines_are_compared_as_a_whole() {
        let one: Vec<u32> = (0..1_000).collect();
        assert_eq!(parts(&one, &one), [(0..1_000, 0..1_000)]);
        let one: Vec<u32> = (0..3_000).collect();
        let mut two = one.clone();
        two.swap(10, 2_900);
        assert_eq!(parts(&one, &two), [(0..3_000, 0..3_000)]);
    }
}
