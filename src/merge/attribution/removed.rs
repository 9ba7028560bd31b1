//! Lines of the base that one side took away and the other one has still, as they were or reworded: taking the other
//! side's version overrides the removal. Pure.

use std::collections::HashMap;

use crate::merge::lines::is_blank;

/// Pairing more lines than this with more lines takes too long: then they are paired in their order.
const MOST_PAIRS: usize = 250_000;

/// The lines of the base, by their index, that `side` removed without putting something in their place and that `other`
/// has or changed. Blank lines are none.
pub(in crate::merge) fn overridden<T: AsRef<[u8]>>(
    base: &[T],
    side: &[T],
    other: &[T],
) -> Vec<usize> {
    let [base, side, other] = [base, side, other].map(|lines| {
        let lines = lines.iter().map(AsRef::as_ref);
        lines.collect::<Vec<&[u8]>>()
    });
    let by_other = taken_away(&base, &other, &side);
    let mut taken = taken_away(&base, &side, &other);
    taken.retain(|index| !by_other.contains(index));
    taken
}

/// The lines of the base that a side has not and has no other ones for. What both have put in stands for none.
fn taken_away(base: &[&[u8]], side: &[&[u8]], other: &[&[u8]]) -> Vec<usize> {
    let removed = missing(base, &[side]);
    let put_in: Vec<&[u8]> = missing(side, &[base, other])
        .into_iter()
        .filter_map(|index| side.get(index).copied())
        .collect();
    let lines: Vec<&[u8]> = removed
        .iter()
        .filter_map(|index| base.get(*index).copied())
        .collect();
    let reworded = paired(&lines, &put_in);
    let each = removed.into_iter().zip(reworded);
    each.filter_map(|(index, is_reworded)| (!is_reworded).then_some(index))
        .collect()
}

/// Which non-blank lines none of the other texts has, or not as often.
fn missing(lines: &[&[u8]], others: &[&[&[u8]]]) -> Vec<usize> {
    let mut left: Vec<HashMap<&[u8], usize>> = others.iter().map(|text| counted(text)).collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let mut is_missing = !is_blank(line);
        for counts in &mut left {
            if let Some(count) = counts.get_mut(line).filter(|count| **count > 0) {
                *count -= 1;
                is_missing = false;
            }
        }
        if is_missing {
            found.push(index);
        }
    }
    found
}

fn counted<'a>(lines: &[&'a [u8]]) -> HashMap<&'a [u8], usize> {
    let mut counts = HashMap::new();
    for line in lines {
        *counts.entry(*line).or_default() += 1;
    }
    counts
}

/// Tells of each removed line whether a new one stands for it: as many as can, those that are most alike, in their order.
fn paired(removed: &[&[u8]], new: &[&[u8]]) -> Vec<bool> {
    let mut found = vec![false; removed.len()];
    if new.len() >= removed.len() {
        found.fill(true);
        return found;
    }
    if removed.len().saturating_mul(new.len()) > MOST_PAIRS {
        found.iter_mut().take(new.len()).for_each(|is| *is = true);
        return found;
    }
    // How many pairs, and how much alike they are, of the lines up to each and the new ones up to each.
    let width = new.len() + 1;
    let mut best = vec![(0usize, 0usize); (removed.len() + 1) * width];
    let at = |best: &[(usize, usize)], row: usize, column: usize| {
        best.get(row * width + column).copied().unwrap_or_default()
    };
    for (row, old) in removed.iter().enumerate() {
        for (column, line) in new.iter().enumerate() {
            let (pairs, likeness) = at(&best, row, column);
            let both = (pairs + 1, likeness + alike(old, line));
            let one = at(&best, row, column + 1).max(at(&best, row + 1, column));
            if let Some(cell) = best.get_mut((row + 1) * width + column + 1) {
                *cell = both.max(one);
            }
        }
    }
    let (mut row, mut column) = (removed.len(), new.len());
    while row > 0 && column > 0 {
        let here = at(&best, row, column);
        if here == at(&best, row - 1, column) {
            row -= 1;
        } else if here == at(&best, row, column - 1) {
            column -= 1;
        } else {
            (row, column) = (row - 1, column - 1);
            if let Some(is) = found.get_mut(row) {
                *is = true;
            }
        }
    }
    found
}

/// How many bytes two lines have in common at their beginning and their end.
fn alike(one: &[u8], two: &[u8]) -> usize {
    let same = |(a, b): &(&u8, &u8)| a == b;
    let head = one.iter().zip(two).take_while(same).count();
    let rest = one.len().min(two.len()) - head;
    let ends = one.iter().rev().zip(two.iter().rev()).take(rest);
    head + ends.take_while(same).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: [&str; 3]) -> Vec<usize> {
        let [base, side, other] = texts.map(|text| text.split_whitespace().collect::<Vec<&str>>());
        overridden(&base, &side, &other)
    }

    #[test]
    fn a_removal_is_overridden_where_the_other_side_has_the_line_or_rewords_it() {
        assert_eq!(of(["l1 l2 l3", "", "l1 l2x l3"]), [0, 1, 2]);
        assert_eq!(of(["l1 l2", "l1", "l1 l2x"]), [1]);
        assert!(of(["l1 l2", "l1", "l1"]).is_empty(), "both took it away");
        assert!(
            of(["l1 l2", "l2 l1", "l1x l2"]).is_empty(),
            "only the order"
        );
        assert!(of(["l1 l2", "l1a l2a", "l1b l2b"]).is_empty(), "reworded");
        assert_eq!(of(["l1 l2", "new", "new l2x"]), [0, 1][1..], "both put in");
    }

    #[test]
    fn of_several_lines_the_one_that_a_new_one_is_like_is_reworded_and_not_removed() {
        let eve = "l1-eve l2-eve l3-eve l4-eve";
        assert_eq!(of(["l1 l2 l3 l4", "l1-bob", eve]), [1, 2, 3]);
        assert_eq!(of(["l1 l2 l3 l4", "l4-bob", eve]), [0, 1, 2]);
        assert_eq!(of(["l1 l2 l3", "", "l1-eve"]), [0], "eve removed two, too");
    }
}
