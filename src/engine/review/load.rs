//! Finding out what is contested, with everything needed to decide it.

use super::view::{CodeLine, Decision, Place, PlaceKind, ReviewView, Side};
use crate::config;
use crate::coordinator::landing;
use crate::db::merge_queue::QueueRow;
use crate::db::{GroveStore, MergeQueueStore};
use crate::git::Repo;
use crate::merge::{self, Around, Contested};
use crate::platform::ProjectPaths;
use crate::text::{Run, align, changed_words, highlight};
use crate::types::Timestamp;
use crate::types::merge::{DisplacedHunk, DisplacedKind};
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
    let places = contested
        .places
        .iter()
        .zip(&keys)
        .map(|(place, key)| view(place, key, decided.get(key).cloned()))
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

fn view(place: &merge::Place, key: &str, decision: Option<Decision>) -> Place {
    let hunk = &place.hunk;
    let kind = kind(hunk.kind);
    let (mut ours, mut theirs) = (
        side(&hunk.file, &place.ours, &hunk.text),
        side(&hunk.file, &place.theirs, &hunk.incoming),
    );
    if matches!(
        kind,
        PlaceKind::DeletedByBranch | PlaceKind::DeletedByTarget
    ) {
        (ours.first, theirs.first) = (Some(1), Some(1));
    }
    let (old, new) = (texts(&ours.lines), texts(&theirs.lines));
    let rows = align(
        &old.iter().map(String::as_str).collect::<Vec<_>>(),
        &new.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    for row in rows.iter().filter(|row| !row.same) {
        let (Some(at), Some(beside)) = (row.old, row.new) else {
            continue;
        };
        if let (Some(a), Some(b)) = (ours.lines.get_mut(at), theirs.lines.get_mut(beside)) {
            (a.changed, b.changed) = changed_words(&a.text, &b.text);
        }
    }
    let is_text = kind == PlaceKind::Text;
    let own = [&hunk.text, &hunk.incoming];
    Place {
        key: key.to_owned(),
        file: hunk.file.clone(),
        kind,
        agent: Some(hunk.agent.clone()).filter(|agent| !agent.is_empty()),
        at_ms: Timestamp::parse(&hunk.committed_at).map(|t| t.0),
        ours_go: hunk.line_count as usize,
        theirs_go: merge::lines_without(&hunk.incoming, &hunk.text).len(),
        base: code(&hunk.file, &hunk.base.lines().collect::<Vec<_>>()),
        ours,
        theirs,
        result: side(&hunk.file, &place.result, ""),
        rows,
        // What is not UTF-8 would come back as something else.
        is_editable: (is_text && own.iter().all(|text| is_plain(text)))
            || kind == PlaceKind::Renamed,
        decision,
    }
}

fn is_plain(text: &str) -> bool {
    !text.contains('\u{fffd}')
        && !text
            .chars()
            .any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
}

fn kind(kind: DisplacedKind) -> PlaceKind {
    match kind {
        DisplacedKind::Text => PlaceKind::Text,
        DisplacedKind::DeletedByBranch => PlaceKind::DeletedByBranch,
        DisplacedKind::DeletedByTarget => PlaceKind::DeletedByTarget,
        DisplacedKind::Binary => PlaceKind::Binary,
        DisplacedKind::Symlink => PlaceKind::Symlink,
        DisplacedKind::Mode => PlaceKind::Mode,
        DisplacedKind::Renamed => PlaceKind::Renamed,
    }
}

fn texts(lines: &[CodeLine]) -> Vec<String> {
    lines.iter().map(|line| line.text.clone()).collect()
}

/// One version with its surroundings, coloured in one go so that a comment or text that began before
/// the place is known.
fn side(file: &str, around: &Around, text: &str) -> Side {
    let own: Vec<&str> = text.lines().collect();
    let all: Vec<&str> = around
        .before
        .iter()
        .map(String::as_str)
        .chain(own.iter().copied())
        .chain(around.after.iter().map(String::as_str))
        .collect();
    let mut lines = code(file, &all);
    let after = lines.split_off(around.before.len() + own.len());
    let place = lines.split_off(around.before.len());
    Side {
        first: around.first,
        before: lines,
        lines: place,
        after,
    }
}

fn code(file: &str, lines: &[&str]) -> Vec<CodeLine> {
    let runs: Vec<Vec<Run>> = highlight(file, lines);
    lines
        .iter()
        .zip(runs)
        .map(|(text, runs)| CodeLine {
            text: (*text).to_owned(),
            runs,
            changed: Vec::new(),
        })
        .collect()
}
