//! A cursor in a list that may change underneath it.
//!
//! The row is remembered by what it is, not by where it is, so new rows never move the cursor to
//! something else; the index only says where to go when the row has disappeared.

/// The selected row of a list of things with names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RowCursor {
    id: Option<String>,
    index: usize,
}

impl RowCursor {
    /// Finds the selected row among the rows there are now.
    pub(crate) fn resolve(&self, ids: &[&str]) -> Option<usize> {
        if ids.is_empty() {
            return None;
        }
        let by_id = self
            .id
            .as_deref()
            .and_then(|id| ids.iter().position(|i| *i == id));
        Some(by_id.unwrap_or_else(|| self.index.min(ids.len() - 1)))
    }

    /// Keeps to the row that is selected though nobody has moved yet: whoever looks at it means that thing,
    /// wherever it goes.
    pub(crate) fn settle(&mut self, ids: &[&str]) {
        // Where it is by now: should it vanish, the cursor stays there.
        if let Some(index) = self.resolve(ids) {
            self.set(ids, index);
        }
    }

    /// Selects a row by its position.
    pub(crate) fn set(&mut self, ids: &[&str], index: usize) {
        let index = index.min(ids.len().saturating_sub(1));
        self.index = index;
        self.id = ids.get(index).map(|id| (*id).to_owned());
    }

    /// Selects a row by its name.
    pub(crate) fn select(&mut self, id: &str) {
        self.id = Some(id.to_owned());
    }

    /// Moves by `delta` rows, stopping at the ends.
    pub(crate) fn step(&mut self, ids: &[&str], delta: isize) {
        let at = self.resolve(ids).unwrap_or(0);
        self.set(ids, at.saturating_add_signed(delta));
    }
}

/// Computes the first row to draw so that the selected one is in sight.
pub(crate) fn first_visible(selected: usize, rows: usize, height: usize) -> usize {
    if rows <= height {
        return 0;
    }
    selected.saturating_sub(height / 2).min(rows - height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_row_above_does_not_move_the_cursor_to_another_thing() {
        let mut cursor = RowCursor::default();
        cursor.set(&["a", "b", "c"], 1);
        assert_eq!(cursor.resolve(&["new", "a", "b", "c"]), Some(2));
    }

    #[test]
    fn a_cursor_that_nobody_has_moved_stays_with_what_it_was_seen_at() {
        let mut cursor = RowCursor::default();
        cursor.settle(&[]);
        cursor.settle(&["a", "b"]);
        assert_eq!(cursor.resolve(&["b", "a"]), Some(1));
    }

    #[test]
    fn a_vanished_row_leaves_the_cursor_at_its_place() {
        let mut cursor = RowCursor::default();
        cursor.set(&["a", "b", "c"], 2);
        assert_eq!(cursor.resolve(&["a", "b"]), Some(1));
        assert_eq!(cursor.resolve(&[]), None);
    }

    #[test]
    fn the_selected_row_is_always_in_sight() {
        for rows in 0..40 {
            for height in 1..20 {
                for selected in 0..rows {
                    let first = first_visible(selected, rows, height);
                    assert!(first <= selected && selected < first + height);
                }
            }
        }
    }
}
