//! What a person has decided about contested places. It belongs to the branch: an agent that reports its branch again
//! gets another entry in the queue, and what is contested as before stays decided.

use super::CoordinatorError;
use crate::db::merge_queue::QueueRow;
use crate::db::{GroveStore, MergeQueueStore};
use crate::merge::{Decided, MergeItem};
use crate::platform::ProjectPaths;
use crate::types::merge::{PlaceDecision, PlaceProposal};
use serde_json::json;
use std::collections::BTreeMap;

/// What is decided, for those who merge or look.
pub struct AllDecided {
    grove: GroveStore,
    /// Every entry of the queue: its branch and its number, the oldest first.
    entries: Vec<(String, i64)>,
}

impl AllDecided {
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
    pub fn of(&self, branch: &str) -> Result<Decided, CoordinatorError> {
        let mut found = Decided::default();
        for (_, id) in self.entries.iter().filter(|(name, _)| name == branch) {
            for (place, value) in self.grove.review_decisions(*id)? {
                if let Ok(decision) = serde_json::from_value(value) {
                    found.places.insert(place, decision);
                }
            }
            found.is_accepted |= self.grove.is_review_accepted(*id)?;
        }
        Ok(found)
    }

    /// What models answered about places of a branch, or why they did not; the newer answer counts.
    pub fn answers(
        &self,
        branch: &str,
    ) -> Result<BTreeMap<String, Result<PlaceProposal, String>>, CoordinatorError> {
        let mut found = BTreeMap::new();
        for (_, id) in self.entries.iter().filter(|(name, _)| name == branch) {
            for (place, value) in self.grove.review_proposals(*id)? {
                if let Ok(answer) = serde_json::from_value(value) {
                    found.insert(place, answer);
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
        decided: Decided::default(),
    }
}

/// Keeps a decision about a place of an entry; `None` takes it back, for all entries of its branch. What was accepted
/// before was something else.
pub fn decide(
    paths: &ProjectPaths,
    id: i64,
    place: &str,
    decision: Option<&PlaceDecision>,
) -> Result<(), CoordinatorError> {
    let grove = GroveStore::open(&paths.grove_db())?;
    let rows = MergeQueueStore::look(&paths.merge_queue_db())?.all()?;
    let this = rows.iter().find(|row| row.id == id);
    let branch = this.map(|row| row.entry.branch_name.as_str());
    let of_branch = rows
        .iter()
        .filter(|row| Some(row.entry.branch_name.as_str()) == branch);
    for row in of_branch {
        grove.save_review_accepted(row.id, false)?;
        if decision.is_none() {
            grove.save_review_decision(row.id, place, None)?;
        }
    }
    if let Some(decision) = decision {
        grove.save_review_decision(id, place, Some(&json!(decision)))?;
    }
    Ok(())
}

/// Keeps what a model answered about a place of an entry, in the place of its answer before; `None` forgets that. It
/// decides nothing.
pub fn keep_answer(
    paths: &ProjectPaths,
    id: i64,
    place: &str,
    answer: Option<&Result<PlaceProposal, String>>,
) -> Result<(), CoordinatorError> {
    let answer = answer.map(|answer| json!(answer));
    let grove = GroveStore::open(&paths.grove_db())?;
    Ok(grove.save_review_proposal(id, place, answer.as_ref())?)
}

/// Keeps all decisions about an entry, which a person wants landed so.
pub fn accept<'d>(
    paths: &ProjectPaths,
    id: i64,
    decisions: impl IntoIterator<Item = &'d (String, PlaceDecision)>,
) -> Result<(), CoordinatorError> {
    for (place, decision) in decisions {
        decide(paths, id, place, Some(decision))?;
    }
    GroveStore::open(&paths.grove_db())?.save_review_accepted(id, true)?;
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
        let of = |branch: &str| AllDecided::open(&paths).unwrap().of(branch).unwrap();
        keep(first, "x", PlaceDecision::Ours);
        keep(first, "y", PlaceDecision::Ours);
        keep(other, "z", PlaceDecision::Both);
        keep(second, "x", PlaceDecision::Theirs);
        let expected = [("x", PlaceDecision::Theirs), ("y", PlaceDecision::Ours)];
        let expected = expected.map(|(place, it)| (place.to_owned(), it));
        assert_eq!(of("b").places, expected.into());
        assert!(!of("b").is_accepted);
        accept(&paths, second, &[("x".to_owned(), PlaceDecision::Theirs)]).unwrap();
        assert!(of("b").is_accepted && !of("other").is_accepted);
        decide(&paths, second, "x", None).unwrap();
        assert!(!of("b").is_accepted, "that was something else");
        assert_eq!(of("b").places.keys().collect::<Vec<_>>(), ["y"]);
        assert_eq!(of("other").places.keys().collect::<Vec<_>>(), ["z"]);
    }
}
