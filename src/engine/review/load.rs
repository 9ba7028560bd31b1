//! Finding out what is contested, with everything needed to decide it.

use super::exact::Exact;
use super::shown::shown;
use super::view::{Decision, ReviewView};
use crate::config;
use crate::coordinator::landing;
use crate::db::merge_queue::QueueRow;
use crate::db::{GroveStore, MergeQueueStore};
use crate::git::Repo;
use crate::merge::{self, Contested};
use crate::platform::ProjectPaths;
use crate::types::merge::DisplacedHunk;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// An entry with what is contested in it.
pub(super) struct Loaded {
    pub(super) row: QueueRow,
    pub(super) target: String,
    pub(super) contested: Contested,
    pub(super) keys: Vec<String>,
}

/// Loads the review of an entry; the error is a sentence.
pub(in crate::engine) fn load(paths: &ProjectPaths, id: i64) -> Result<ReviewView, String> {
    let loaded = plan(paths, id)?;
    let decided = decisions(paths, id)?;
    let Loaded {
        row,
        target,
        contested,
        keys,
    } = loaded;
    let repo = Repo::discover(&paths.root).map_err(words)?;
    let exact = Exact::new(&repo, contested.target, contested.branch);
    let places = contested
        .places
        .iter()
        .zip(&keys)
        .map(|(place, key)| shown(&exact, place, key, decided.get(key).cloned()))
        .collect();
    Ok(ReviewView {
        id,
        branch: row.entry.branch_name,
        agent: row.entry.agent_name,
        target,
        target_tip: contested.target.to_string(),
        branch_tip: contested.branch.to_string(),
        places,
        warnings: contested.warnings,
        moved: None,
    })
}

/// Plans the merge of an entry and names its contested places.
pub(super) fn plan(paths: &ProjectPaths, id: i64) -> Result<Loaded, String> {
    let row = entry(paths, id)?;
    let config = config::load(&paths.root).map_err(words)?.config;
    let target = landing::target(paths, &config, None).map_err(words)?;
    let repo = Repo::discover(&paths.root).map_err(words)?;
    let contested = merge::contested(&repo, &target, &row.entry.branch_name)
        .map_err(words)?
        .map_err(|failure| format!("this cannot be decided place by place: {failure}"))?;
    let mut seen: HashMap<String, usize> = HashMap::new();
    let keys = contested
        .places
        .iter()
        .map(|place| key(&place.hunk, &mut seen))
        .collect();
    Ok(Loaded {
        row,
        target,
        contested,
        keys,
    })
}

pub(super) fn entry(paths: &ProjectPaths, id: i64) -> Result<QueueRow, String> {
    let queue = MergeQueueStore::look(&paths.merge_queue_db()).map_err(words)?;
    let rows = queue.all().map_err(words)?;
    rows.into_iter()
        .find(|row| row.id == id)
        .ok_or_else(|| "the entry is no longer in the queue".to_owned())
}

pub(super) fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn decisions(paths: &ProjectPaths, id: i64) -> Result<HashMap<String, Decision>, String> {
    let store = GroveStore::look(&paths.grove_db()).map_err(words)?;
    let rows = store.review_decisions(id).map_err(words)?;
    Ok(rows
        .into_iter()
        .filter_map(|(place, value)| Some((place, serde_json::from_value(value).ok()?)))
        .collect())
}

/// Names a place by all that a decision depends on, and by how often that has occurred before.
fn key(hunk: &DisplacedHunk, seen: &mut HashMap<String, usize>) -> String {
    let mut hash = Sha256::new();
    let kind = format!("{:?}", hunk.kind);
    for part in [&hunk.file, &kind, &hunk.base, &hunk.text, &hunk.incoming] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let name: String = hash
        .finalize()
        .iter()
        .take(12)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let count = seen.entry(name.clone()).or_default();
    *count += 1;
    match *count {
        1 => name,
        n => format!("{name}-{n}"),
    }
}
