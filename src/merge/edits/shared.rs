//! What two insertions at one place have in common: whether they are one insertion that was made twice, or
//! two that look alike in places, as tests do. Pure.

use std::collections::HashSet;

use similar::Algorithm;

use super::between::{Edit, edits};

/// Fewer equal lines in a row than this may be in any two insertions.
const RUN: usize = 3;

/// The telling lines that two insertions share because they are the same insertion, or have one in them:
/// most of the smaller one, or enough lines in a row. Empty where they only look alike.
pub(crate) fn put_in_by_both<'a>(
    one: &[&'a [u8]],
    two: &[&'a [u8]],
    is_telling: impl Fn(&[u8]) -> bool,
) -> Vec<&'a [u8]> {
    let telling = |lines: &[&'a [u8]]| -> Vec<&'a [u8]> {
        let lines = lines.iter().copied();
        lines.filter(|line| is_telling(line)).collect()
    };
    let (mut one, mut two) = (telling(one), telling(two));
    if two < one {
        // Which of equal lines is meant depends on the order of the two, and nothing else may.
        std::mem::swap(&mut one, &mut two);
    }
    if one.is_empty() || two.is_empty() {
        return Vec::new();
    }
    let (mut runs, mut left, mut other, mut at) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for Edit { base, new } in edits(Algorithm::Histogram, &one, &two) {
        runs.push(one.get(at..base.start).unwrap_or_default());
        at = base.end;
        left.extend_from_slice(one.get(base).unwrap_or_default());
        other.extend_from_slice(two.get(new).unwrap_or_default());
    }
    runs.push(one.get(at..).unwrap_or_default());
    let matched: usize = runs.iter().map(|run| run.len()).sum();
    let is_same = matched * 2 >= one.len().min(two.len());
    runs.retain(|run| is_same || run.len() >= RUN);
    let mut shared = runs.concat();
    // The rest stands in another order.
    let windows: HashSet<&[&[u8]]> = other.windows(RUN).collect();
    let mut next = 0;
    for (at, window) in left.windows(RUN).enumerate() {
        if windows.contains(window) {
            let from = next.max(at);
            shared.extend(left.get(from..at + RUN).unwrap_or_default());
            next = at + RUN;
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::put_in_by_both;

    fn shared(one: &'static str, two: &'static str) -> String {
        let lines = |text: &'static str| -> Vec<&'static [u8]> {
            text.split(' ').map(str::as_bytes).collect()
        };
        let mut shared = put_in_by_both(&lines(one), &lines(two), |line| line != b"}");
        shared.sort_unstable();
        String::from_utf8(shared.join(&b' ')).unwrap()
    }

    #[test]
    fn the_same_insertion_is_told_from_one_that_looks_alike() {
        assert_eq!(shared("a b }", "a b } c"), "a b");
        assert_eq!(shared("a b c d e f g", "1 2 3 4 b c d 5 6"), "b c d");
        assert_eq!(shared("a b c", "1 b 3"), "", "one of three");
        assert_eq!(shared("a } b }", "1 } 2 }"), "");
        assert_eq!(
            shared("a b c d x y z w", "x y z w a b c d"),
            "a b c d w x y z"
        );
        assert_eq!(shared("", ""), "");
    }
}
