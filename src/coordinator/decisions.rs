//! What a person has decided about contested places. It belongs to the branch: an agent that reports its branch again
//! gets another entry in the queue, and what is contested as before stays decided.

use super::CoordinatorError;
use crate::db::merge_queue::QueueRow;
use crate::db::{GroveStore, MergeQueueStore};
use crate::merge::MergeItem;
use crate::platform::ProjectPaths;
use crate::types::merge::PlaceDecision;
use serde_json::json;
use std::collections::BTreeMap;

/// By the names of the places.
pub type Decisions = BTreeMap<String, PlaceDecision>;

/// What is decided, for those who merge or look.
pub struct Decided {
    grove: GroveStore,
    /// Every entry of the queue: its branch and its number, the oldest first.
    entries: Vec<(String, i64)>,
}

impl Decided {
    /// Opens the stores.
    pub fn open(paths: &ProjectPaths) -> Result<Self, CoordinatorError> {
        let rows = MergeQueueStore::look(&paths.merge_queue_db())?.all()?;
        Ok(Self {
            grove: GroveStore::look(&paths.grove_db())?,
            entries: rows
                .into_iter()
                .map(|row| (row.entry.branch_name, row.id))
                .collect(),
        })
    }

    /// What is decided about a branch; the newer decision about a place counts. What cannot be read decides nothing.
    pub fn of(&self, branch: &str) -> Result<Decisions, CoordinatorError> {
        let mut found = Decisions::new();
        for (_, id) in self.entries.iter().filter(|(name, _)| name == branch) {
            for (place, value) in self.grove.review_decisions(*id)? {
                if let Ok(decision) = serde_json::from_value(value) {
                    found.insert(place, decision);
                }
            }
        }
        Ok(found)
    }

    /// What is merged for an entry, with what is decided about it.
    pub fn item(&self, row: &QueueRow) -> Result<MergeItem, CoordinatorError> {
        Ok(MergeItem {
            decided: self.of(&row.entry.branch_name)?,
            ..undecided(row)
        })
    }
}

/// What is merged for an entry, whatever was decided about it.
pub(super) fn undecided(row: &QueueRow) -> MergeItem {
    MergeItem {
        branch: row.entry.branch_name.clone(),
        agent: row.entry.agent_name.clone(),
        task: row.entry.task_id.clone(),
        decided: Decisions::new(),
    }
}

/// Keeps a decision about a place of an entry; `None` takes it back, for all entries of its branch.
pub fn decide(
    paths: &ProjectPaths,
    id: i64,
    place: &str,
    decision: Option<&PlaceDecision>,
) -> Result<(), CoordinatorError> {
    let grove = GroveStore::open(&paths.grove_db())?;
    if let Some(decision) = decision {
        grove.save_review_decision(id, place, Some(&json!(decision)))?;
        return Ok(());
    }
    let rows = MergeQueueStore::look(&paths.merge_queue_db())?.all()?;
    let this = rows.iter().find(|row| row.id == id);
    let branch = this.map(|row| row.entry.branch_name.as_str());
    let of_branch = rows
        .iter()
        .filter(|row| Some(row.entry.branch_name.as_str()) == branch);
    for row in of_branch {
        grove.save_review_decision(row.id, place, None)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_that_is_reported_again_keeps_what_was_decided_about_it() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".overstory")).unwrap();
        let paths = ProjectPaths::new(dir.path());
        let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
        let add = |branch: &str| queue.enqueue(branch, "t", "a", &[]).unwrap().id;
        let (first, other, second) = (add("b"), add("other"), add("b"));
        let keep = |id, place, decision| decide(&paths, id, place, Some(&decision)).unwrap();
        let of = |branch: &str| Decided::open(&paths).unwrap().of(branch).unwrap();
        keep(first, "x", PlaceDecision::Ours);
        keep(first, "y", PlaceDecision::Ours);
        keep(other, "z", PlaceDecision::Both);
        keep(second, "x", PlaceDecision::Theirs);
        let expected = [("x", PlaceDecision::Theirs), ("y", PlaceDecision::Ours)];
        let expected = expected.map(|(place, it)| (place.to_owned(), it));
        assert_eq!(of("b"), expected.into());
        decide(&paths, second, "x", None).unwrap();
        assert_eq!(of("b").keys().collect::<Vec<_>>(), ["y"]);
        assert_eq!(of("other").keys().collect::<Vec<_>>(), ["z"]);
    }
}
