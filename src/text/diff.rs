//! Line differences of two texts, for screens and messages that show what changed.

use similar::{ChangeTag, TextDiff};

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
    TextDiff::from_lines(old, new)
        .iter_all_changes()
        .map(|change| {
            let line = change.value().trim_end_matches(['\r', '\n']).to_owned();
            match change.tag() {
                ChangeTag::Equal => LineChange::Same(line),
                ChangeTag::Delete => LineChange::Removed(line),
                ChangeTag::Insert => LineChange::Added(line),
            }
        })
        .collect()
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
