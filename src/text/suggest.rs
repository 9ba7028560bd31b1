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

/// How many edits apart a misspelt option or subcommand and the intended one may be.
const FAR: usize = 3;

/// Returns the names nearest to `word`, sorted: at most three edits away, where two letters changing
/// places is one edit, and with more than four tenths of the longer word the same.
pub fn similar<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut best = FAR;
    let mut found: Vec<&str> = Vec::new();
    for candidate in candidates {
        let length = word.chars().count().max(candidate.chars().count());
        let distance = transposing_distance(word, candidate);
        let alike = length.saturating_sub(distance) * 10 > length * 4;
        if candidate.len() < 2 || distance > best || !alike {
            continue;
        }
        if distance < best {
            best = distance;
            found.clear();
        }
        found.push(candidate);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Edit distance in which two neighbours that have changed places count once.
fn transposing_distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=right.len()).collect()];
    let cell = |rows: &[Vec<usize>], i: usize, j: usize| {
        rows.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0)
    };
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let beside = row.last().copied().unwrap_or(0) + 1;
            let mut least = (cell(&rows, i, j) + usize::from(a != b))
                .min(cell(&rows, i, j + 1) + 1)
                .min(beside);
            let swapped =
                i > 0 && j > 0 && left.get(i - 1) == Some(b) && right.get(j - 1) == Some(a);
            if swapped {
                least = least.min(cell(&rows, i - 1, j - 1) + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    cell(&rows, left.len(), right.len())
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
    fn similar_names_come_together() {
        let options = ["json", "agent", "all", "last", "limit", "live"];
        assert_eq!(similar("jsno", options), ["json"]);
        assert_eq!(similar("lat", options), ["last"]);
        assert_eq!(similar("lxxe", options), ["live"]);
        assert_eq!(similar("a", ["b", "x"]), [""; 0]);
        assert_eq!(similar("fom", ["from", "form"]), ["form", "from"]);
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
