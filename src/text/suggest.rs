//! "Did you mean …?": edit distance and the choice of a near miss.

const MAX_DISTANCE: usize = 2;

/// Returns the Levenshtein distance of two words.
pub fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        next.push(i + 1);
        let mut beside = i + 1;
        for (b, pair) in right.iter().zip(row.windows(2)) {
            let &[diagonal, above] = pair else { continue };
            beside = (diagonal + usize::from(a != *b))
                .min(above + 1)
                .min(beside + 1);
            next.push(beside);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

/// Returns the first of the nearest candidates within two edits.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let distance = edit_distance(word, candidate);
        if distance <= MAX_DISTANCE && best.is_none_or(|(shortest, _)| distance < shortest) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn near_misses_are_found_in_order() {
        assert_eq!(
            closest("stats", ["sling", "status", "stop"]),
            Some("status")
        );
        assert_eq!(closest("stp", ["stop", "step"]), Some("stop"));
        assert_eq!(closest("nosuch", ["status"]), None);
    }

    #[test]
    fn distances() {
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("same", "same"), 0);
    }

    proptest! {
        #[test]
        fn distance_is_symmetric_and_bounded(a in "[a-d]{0,8}", b in "[a-d]{0,8}") {
            let distance = edit_distance(&a, &b);
            prop_assert_eq!(distance, edit_distance(&b, &a));
            prop_assert!(distance <= a.len().max(b.len()));
            prop_assert_eq!(distance == 0, a == b);
        }
    }
}
