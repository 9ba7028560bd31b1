//! Taking a landed merge back, for a front end.

use super::load::words;
use super::view::Revert;
use crate::config;
use crate::coordinator::landing;
use crate::coordinator::receipts::{self, StoredMerge};
use crate::git::git;
use crate::merge::{GateProgress, UndoOutcome};
use crate::platform::ProjectPaths;

/// A longer patch is cut.
const PATCH_LINES: usize = 2000;

/// How undoing ended.
pub(in crate::engine) enum Undone {
    Done(String),
    /// The target has gone on: this would take the merge out again.
    Prepared(Box<Revert>),
}

/// Takes an entry's merge back, or prepares that.
pub(in crate::engine) fn undo(paths: &ProjectPaths, id: i64) -> Result<Undone, String> {
    let stored = stored(paths, id)?;
    let outcome = receipts::undo(paths, &stored).map_err(words)?;
    if let UndoOutcome::RevertPrepared { commit, .. } = &outcome {
        let text = git(&paths.root)
            .args(["show", "--format=%s", "--stat", "--patch", "--no-color"])
            .arg(commit)
            .text()
            .map_err(words)?;
        let mut patch: Vec<String> = text.lines().map(str::to_owned).collect();
        let cut = patch.len().saturating_sub(PATCH_LINES);
        if cut > 0 {
            patch.truncate(PATCH_LINES);
            patch.push(format!("… {cut} more lines: git show {commit}"));
        }
        return Ok(Undone::Prepared(Box::new(Revert {
            id,
            branch: stored.row.entry.branch_name.clone(),
            target: target(&stored),
            commit: commit.clone(),
            patch,
        })));
    }
    told(&stored, &outcome).map(Undone::Done)
}

/// Lands a prepared revert after the gates.
pub(in crate::engine) fn land_revert(
    paths: &ProjectPaths,
    id: i64,
    commit: &str,
    observer: &mut dyn FnMut(GateProgress<'_>),
) -> Result<String, String> {
    let stored = stored(paths, id)?;
    let config = config::load(&paths.root).map_err(words)?.config;
    let context = landing::context(paths, &config, &target(&stored));
    let outcome =
        receipts::land_revert(paths, &context, &stored, commit, observer).map_err(words)?;
    told(&stored, &outcome)
}

fn stored(paths: &ProjectPaths, id: i64) -> Result<StoredMerge, String> {
    let all = receipts::list(paths).map_err(words)?;
    let stored = all.into_iter().find(|stored| stored.row.id == id);
    let stored = stored.ok_or("the entry is no longer in the queue")?;
    if stored.is_undone() {
        return Err(format!(
            "{} was taken back already",
            stored.row.entry.branch_name
        ));
    }
    Ok(stored)
}

fn target(stored: &StoredMerge) -> String {
    stored
        .receipt()
        .map_or_else(|| "the target".to_owned(), |receipt| receipt.target)
}

fn told(stored: &StoredMerge, outcome: &UndoOutcome) -> Result<String, String> {
    let (branch, target) = (&stored.row.entry.branch_name, target(stored));
    let short = |commit: &str| commit.get(..8).unwrap_or(commit).to_owned();
    match outcome {
        UndoOutcome::Restored { to, .. } => Ok(format!(
            "{target} is back at {}, byte for byte as it was",
            short(to)
        )),
        UndoOutcome::Reverted { commit } => {
            Ok(format!("{target} has the revert {}", short(commit)))
        }
        UndoOutcome::RevertPrepared { commit, .. } => {
            Ok(format!("a revert is prepared as {}", short(commit)))
        }
        UndoOutcome::GateRed { gate } => Err(format!(
            "gate {gate} is red on the revert; {target} is untouched"
        )),
        UndoOutcome::RevertConflicts { files } => Err(format!(
            "{target} has changed the same places since: {}; revert by hand",
            files.join(", ")
        )),
        UndoOutcome::NotThere => Err(format!("{branch} is not part of {target}")),
        UndoOutcome::Refused { checkout, reason } => Err(format!(
            "{target} is checked out at {}: {reason}",
            checkout.display()
        )),
    }
}
