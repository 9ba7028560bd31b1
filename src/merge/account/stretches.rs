//! Where in a file lines were added: between lines that stand fast in all three versions. Two sides
//! that add an equal line in the same stretch may mean one line; in different stretches they mean two.
//! Careful on purpose: a line stands fast only when no reading of the versions could say otherwise.

use std::collections::{BTreeMap, HashMap};

use super::counts::Counts;
use super::texts::Texts;
use crate::merge::lines::is_blank;

/// The lines that both sides have more often than the base, by number, counted in each stretch of the file that has
/// one. Empty when nothing can be told apart.
pub(super) fn added_by_both(texts: &Texts<'_>) -> HashMap<u32, Vec<Counts>> {
    let mut parts: HashMap<u32, BTreeMap<usize, Counts>> = texts
        .all()
        .filter(|(_, line, counts)| counts.is_added_by_both() && !is_blank(line))
        .map(|(number, _, _)| (number, BTreeMap::new()))
        .collect();
    if parts.is_empty() {
        return HashMap::new();
    }
    let fast = standing_fast(texts);
    let is_fast = |number: u32| fast.get(number as usize) == Some(&true);
    let versions = [texts.base(), texts.ours(), texts.theirs()];
    for (version, numbers) in versions.into_iter().enumerate() {
        let mut stretch = 0;
        for number in numbers {
            stretch += usize::from(is_fast(*number));
            if let Some(counts) = parts.get_mut(number) {
                *counts.entry(stretch).or_default().of(version) += 1;
            }
        }
    }
    let parts = parts.into_iter();
    parts
        .map(|(number, counts)| (number, counts.into_values().collect()))
        .collect()
}

/// The lines, by number, that each version has exactly once and that no side moved: they follow one another in the
/// same order in all versions.
fn standing_fast(texts: &Texts<'_>) -> Vec<bool> {
    let once = |counts: &Counts| (counts.base, counts.ours, counts.theirs) == (1, 1, 1);
    let mut fast: Vec<bool> = texts
        .all()
        .map(|(_, line, counts)| once(counts) && !is_blank(line))
        .collect();
    let mut remove = |number: u32| {
        if let Some(fast) = fast.get_mut(number as usize) {
            *fast = false;
        }
    };
    let reading = texts.first_reading();
    for (side, edits) in [
        (texts.ours(), &reading.ours),
        (texts.theirs(), &reading.theirs),
    ] {
        for edit in edits {
            let cut = texts.base().get(edit.base.clone()).unwrap_or_default();
            cut.iter().copied().for_each(&mut remove);
        }
        let crossed = out_of_order(texts.base(), side, texts.counts.len());
        crossed.into_iter().for_each(&mut remove);
    }
    fast
}

/// The lines that both texts have once and that passed another such line on the way from one to the
/// other. Which of two such lines was moved, nobody can say.
fn out_of_order(base: &[u32], side: &[u32], numbers: usize) -> Vec<u32> {
    let [in_base, in_side] = [base, side].map(|lines| places(lines, numbers));
    let common: Vec<(u32, usize)> = base
        .iter()
        .filter(|number| matches!(in_base.get(**number as usize), Some(Place::At(_))))
        .filter_map(|number| match in_side.get(*number as usize)? {
            Place::At(place) => Some((*number, *place)),
            Place::Nowhere | Place::Several => None,
        })
        .collect();
    let mut crossed = Vec::new();
    let mut furthest = 0;
    for (number, place) in &common {
        if *place < furthest {
            crossed.push(*number);
        }
        furthest = furthest.max(*place);
    }
    let mut nearest = usize::MAX;
    for (number, place) in common.iter().rev() {
        if *place > nearest {
            crossed.push(*number);
        }
        nearest = nearest.min(*place);
    }
    crossed
}

#[derive(Clone, Copy)]
enum Place {
    Nowhere,
    At(usize),
    Several,
}

/// Where each line is in a text, by number.
fn places(lines: &[u32], numbers: usize) -> Vec<Place> {
    let mut places = vec![Place::Nowhere; numbers];
    for (at, number) in lines.iter().enumerate() {
        if let Some(place) = places.get_mut(*number as usize) {
            *place = match place {
                Place::Nowhere => Place::At(at),
                Place::At(_) | Place::Several => Place::Several,
            };
        }
    }
    places
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
        let texts = Texts::new([&base, &ours, &theirs, &[]]);
        let parts = added_by_both(&texts);
        let x = texts.number(b"x").unwrap();
        parts[&x].iter().map(Counts::least_due).sum()
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
