//! Where two sequences differ. Equal items are numbered equally first, so that one algorithm compares numbers,
//! whatever the items are.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// The stretches of `old` that became stretches of `new`, in order; either may be empty, not both.
pub fn differing<T: Eq + Hash>(
    algorithm: Algorithm,
    old: &[T],
    new: &[T],
) -> Vec<(Range<usize>, Range<usize>)> {
    let mut known: HashMap<&T, u32> = HashMap::new();
    let mut number = |item| {
        let next = known.len() as u32;
        *known.entry(item).or_insert(next)
    };
    let old: Vec<u32> = old.iter().map(&mut number).collect();
    let new: Vec<u32> = new.iter().map(&mut number).collect();
    differing_numbers(algorithm, &old, &new)
}

/// The same for items that are numbers already.
pub fn differing_numbers(
    algorithm: Algorithm,
    old: &[u32],
    new: &[u32],
) -> Vec<(Range<usize>, Range<usize>)> {
    capture_diff_slices(algorithm, old, new)
        .into_iter()
        .filter(|op| op.tag() != DiffTag::Equal)
        .map(|op| (op.old_range(), op.new_range()))
        .collect()
}
