//! Line differences of two texts, for screens and messages that show what changed.

use std::ops::Range;

use similar::Algorithm;

use super::differing::differing;

/// One line of a difference, without its line break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineChange {
    /// Present on both sides.
    Same(String),
    /// Only in the old text.
    Removed(String),
    /// Only in the new text.
    Added(String),
}

/// Compares two texts line by line.
pub fn diff_lines(old: &str, new: &str) -> Vec<LineChange> {
    let [old, new] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let lines = |lines: &[&str], range: Range<usize>, change: fn(String) -> LineChange| {
        let lines = lines.get(range).unwrap_or_default().iter();
        let bare = lines.map(|line| line.trim_end_matches(['\r', '\n']).to_owned());
        bare.map(change).collect::<Vec<_>>()
    };
    let mut changes = Vec::new();
    let mut at = 0;
    for (removed, added) in differing(Algorithm::Myers, &old, &new) {
        changes.extend(lines(&old, at..removed.start, LineChange::Same));
        at = removed.end;
        changes.extend(lines(&old, removed, LineChange::Removed));
        changes.extend(lines(&new, added, LineChange::Added));
    }
    changes.extend(lines(&old, at..old.len(), LineChange::Same));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_marked() {
        let changes = diff_lines("a\nb\n", "a\nc\n");
        assert_eq!(
            changes,
            [
                LineChange::Same("a".into()),
                LineChange::Removed("b".into()),
                LineChange::Added("c".into())
            ]
        );
    }
}
