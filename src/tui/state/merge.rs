//! The merge screen: the queue and the entry looked at.

use crate::engine::view::{MergeState as QueueState, MergeView};
use crate::tui::state::RowCursor;

/// Queue and cursor.
#[derive(Debug, Clone, Default)]
pub(crate) struct MergeState {
    pub items: Vec<MergeView>,
    pub known: bool,
    pub cursor: RowCursor,
    pub filter: String,
}

impl MergeState {
    /// Lists the entries that pass the filter, in the engine's order.
    pub(crate) fn rows(&self) -> Vec<&MergeView> {
        let needle = self.filter.to_lowercase();
        self.items
            .iter()
            .filter(|m| {
                m.branch.to_lowercase().contains(&needle)
                    || m.agent.to_lowercase().contains(&needle)
            })
            .collect()
    }

    /// Gives the names rows are remembered by.
    pub(crate) fn row_ids(&self) -> Vec<String> {
        self.rows().iter().map(|m| m.id.to_string()).collect()
    }

    /// Gives the entry under the cursor.
    pub(crate) fn selected(&self) -> Option<&MergeView> {
        let ids = self.row_ids();
        let ids: Vec<_> = ids.iter().map(String::as_str).collect();
        let index = self.cursor.resolve(&ids)?;
        self.rows().get(index).copied()
    }

    /// Counts entries not landed yet, and those among them that wait for a person.
    pub(crate) fn open(&self) -> (usize, usize) {
        let open = self
            .items
            .iter()
            .filter(|m| m.state != QueueState::Merged)
            .count();
        let review = self
            .items
            .iter()
            .filter(|m| waits_for_person(m.state))
            .count();
        (open, review)
    }
}

fn waits_for_person(state: QueueState) -> bool {
    match state {
        QueueState::Review | QueueState::Conflict | QueueState::Failed => true,
        QueueState::Pending | QueueState::Merging | QueueState::Merged => false,
    }
}
