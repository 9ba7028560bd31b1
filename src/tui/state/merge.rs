//! The merge screen: the queue and the entry looked at.

use crate::engine::command::CommandId;
use crate::engine::view::{
    AttemptView, GateProgress, LookedOver, MergeState as QueueState, MergeView,
};
use crate::tui::state::RowCursor;

/// An entry that was taken out of the queue a moment ago.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dropped {
    pub id: i64,
    pub branch: String,
    /// Until then one key puts it back.
    pub until_ms: i64,
}

/// A merge, or an undo, that was asked for here and is still going on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Foreground {
    pub command: CommandId,
    /// `merging builder-api`.
    pub what: String,
    pub ids: Vec<i64>,
    pub began_ms: i64,
    /// The view was detached; the merge goes on.
    pub hidden: bool,
}

/// All attempts to land one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attempts {
    pub id: i64,
    /// The state of the entry when they were asked for: another one makes them old.
    pub asked_in: (QueueState, Option<i64>, Option<i64>),
    /// The newest first; empty until they are known.
    pub list: Vec<AttemptView>,
}

impl Attempts {
    /// Tells what the attempts of an entry depend on.
    pub(crate) fn depends_on(entry: &MergeView) -> (QueueState, Option<i64>, Option<i64>) {
        (entry.state, entry.merged_ms, entry.undone_ms)
    }
}

/// Queue and cursor.
#[derive(Debug, Clone, Default)]
pub(crate) struct MergeState {
    pub items: Vec<MergeView>,
    pub known: bool,
    pub cursor: RowCursor,
    pub filter: String,
    pub dropped: Option<Dropped>,
    pub foreground: Option<Foreground>,
    /// What was tried before, of the entry looked at.
    pub attempts: Option<Attempts>,
    /// The engine knows that the queue is looked at.
    pub watched: bool,
    /// The engine knows that overlaps are told elsewhere.
    pub overlaps_watched: bool,
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

    /// Keeps the cursor at the entry that is seen to be selected.
    pub(crate) fn settle_cursor(&mut self) {
        let ids = self.row_ids();
        let ids: Vec<_> = ids.iter().map(String::as_str).collect();
        self.cursor.settle(&ids);
    }

    /// Gives the entry of this number.
    pub(crate) fn entry(&self, id: i64) -> Option<&MergeView> {
        self.items.iter().find(|m| m.id == id)
    }

    /// Lists the attempts to land an entry, the newest first, as far as they are known.
    pub(crate) fn attempts_of(&self, id: i64) -> &[AttemptView] {
        let known = self.attempts.as_ref().filter(|known| known.id == id);
        known.map_or(&[], |known| &known.list)
    }

    /// Gives the landed entry that an undo would take back: the selected one, else the last one.
    pub(crate) fn undo_target(&self) -> Option<&MergeView> {
        let landed = |m: &&MergeView| m.state == QueueState::Merged;
        self.selected()
            .filter(landed)
            .or_else(|| self.items.iter().find(landed))
    }

    /// Gives the entry that was dropped a moment ago, if it can be put back with one key.
    pub(crate) fn recently_dropped(&self, now_ms: i64) -> Option<&Dropped> {
        self.dropped.as_ref().filter(|d| d.until_ms > now_ms)
    }

    /// Gives how far the merge is that was asked for here, while it is in view.
    pub(crate) fn in_front(&self) -> Option<(&Foreground, Option<&GateProgress>)> {
        let front = self.foreground.as_ref().filter(|f| !f.hidden)?;
        let mut items = self.items.iter().filter(|m| front.ids.contains(&m.id));
        Some((front, items.find_map(|m| m.gates.as_ref())))
    }

    /// Gives the place of a waiting entry among those that wait, and how many there are.
    pub(crate) fn place_in_line(&self, id: i64) -> Option<(usize, usize)> {
        let waiting: Vec<i64> = self
            .items
            .iter()
            .filter(|m| m.state == QueueState::Pending)
            .map(|m| m.id)
            .collect();
        let at = waiting.iter().position(|w| *w == id)?;
        Some((at + 1, waiting.len()))
    }

    /// Counts entries that are not done with yet, and those among them that wait for a person.
    pub(crate) fn open(&self) -> (usize, usize) {
        let open = self
            .items
            .iter()
            .filter(|m| m.state != QueueState::Merged || waits_for_person(m))
            .filter(|m| m.undone_ms.is_none())
            .count();
        let review = self
            .items
            .iter()
            .filter(|m| waits_for_person(m) && m.undone_ms.is_none())
            .count();
        (open, review)
    }
}

fn waits_for_person(entry: &MergeView) -> bool {
    match entry.state {
        QueueState::Review | QueueState::Conflict | QueueState::Failed => true,
        QueueState::Merged => entry.looked_over == LookedOver::Waits,
        QueueState::Pending | QueueState::Merging => false,
    }
}
