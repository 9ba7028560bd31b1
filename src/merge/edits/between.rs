//! The edits between two texts.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use similar::Algorithm;

use crate::text::differing_numbers;

use super::cuts::parts;

/// One replaced stretch: `base` lines became `new` lines. Either may be empty, not both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub base: Range<usize>,
    pub new: Range<usize>,
}

/// How many equal lines before the first and after the last difference are left in, for edits that may
/// as well be seen a little earlier or later.
const LEFT_IN: usize = 256;

/// Returns the edits from `base` to `new`, in order, none touching the next.
pub(crate) fn edits<T: Eq + Hash>(algorithm: Algorithm, base: &[T], new: &[T]) -> Vec<Edit> {
    // Numbering lines is dear, comparing them is not: of a large file, most is the same.
    let (head, tail) = alike(base, new);
    let (base, new) = interned(
        base.get(head..base.len() - tail).unwrap_or_default(),
        new.get(head..new.len() - tail).unwrap_or_default(),
    );
    from(head, algorithm, &base, &new)
}

/// The same for lines that are numbered already.
pub(super) fn edits_of_numbers(algorithm: Algorithm, base: &[u32], new: &[u32]) -> Vec<Edit> {
    let (head, tail) = alike(base, new);
    let base = base.get(head..base.len() - tail).unwrap_or_default();
    let new = new.get(head..new.len() - tail).unwrap_or_default();
    from(head, algorithm, base, new)
}

/// The edits of two texts that begin at a line.
fn from(head: usize, algorithm: Algorithm, base: &[u32], new: &[u32]) -> Vec<Edit> {
    let mut list: Vec<Edit> = Vec::new();
    for (in_base, in_new) in parts(base, new) {
        let shifted = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        let (base, new) = (
            base.get(in_base.clone()).unwrap_or_default(),
            new.get(in_new.clone()).unwrap_or_default(),
        );
        for (old, new) in differing_numbers(algorithm, base, new) {
            let base = shifted(old, head + in_base.start);
            push(&mut list, base, shifted(new, head + in_new.start));
        }
    }
    list
}

/// Adds an edit, joined to the last one if they touch.
fn push(list: &mut Vec<Edit>, base: Range<usize>, new: Range<usize>) {
    match list.last_mut() {
        Some(last) if last.base.end == base.start && last.new.end == new.start => {
            last.base.end = base.end;
            last.new.end = new.end;
        }
        _ => list.push(Edit { base, new }),
    }
}

/// How many lines at the beginning and at the end two texts have in common, without those that are
/// left in.
pub(crate) fn alike<T: Eq>(one: &[T], two: &[T]) -> (usize, usize) {
    let same = |(a, b): &(&T, &T)| a == b;
    let head = one.iter().zip(two).take_while(same).count();
    let rest = one.len().min(two.len()) - head;
    let tail = one.iter().rev().zip(two.iter().rev()).take(rest);
    let tail = tail.take_while(same).count();
    (head.saturating_sub(LEFT_IN), tail.saturating_sub(LEFT_IN))
}

/// Numbers equal lines equally, so that diffing compares integers.
fn interned<T: Eq + Hash>(base: &[T], new: &[T]) -> (Vec<u32>, Vec<u32>) {
    let mut known: HashMap<&T, u32> = HashMap::new();
    let mut number = |line| {
        let next = known.len() as u32;
        *known.entry(line).or_insert(next)
    };
    let base = base.iter().map(&mut number).collect();
    let new = new.iter().map(&mut number).collect();
    (base, new)
}
