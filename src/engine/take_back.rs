//! Taking landed merges back, and showing first what that would do. Both results are words for a person; one that
//! is not taken back is an error that says why and what to do.

use super::carry_out::words;
use super::view::{UndoView, UndoWay};
use crate::config;
use crate::coordinator::landing;
use crate::coordinator::receipts::{self, StoredMerge};
use crate::coordinator::recovery;
use crate::git::{Repo, git};
use crate::merge::{CallOff, MergeContext, UndoOutcome, UndoProspect, revert_by_hand};
use crate::platform::ProjectPaths;

/// A longer patch is cut.
const PATCH_LINES: usize = 2000;

fn landed_merge(paths: &ProjectPaths, id: i64) -> Result<StoredMerge, String> {
    receipts::find(paths, &id.to_string())
        .map_err(words)?
        .ok_or_else(|| format!("entry {id} is not in the queue any more"))
}

/// Says what taking a landed merge back would do, and prepares the revert if it takes one.
pub(super) fn plan_undo(paths: &ProjectPaths, id: i64) -> Result<UndoView, String> {
    let stored = landed_merge(paths, id)?;
    let Some(receipt) = stored.receipt() else {
        let branch = &stored.row.entry.branch_name;
        return Err(format!("{branch} has no receipt: revert it with git"));
    };
    let target = receipt.target.clone();
    let (way, files) = match receipts::prospect(paths, &stored).map_err(words)? {
        UndoProspect::Exact { to, files } => (UndoWay::Exact { to }, files),
        UndoProspect::Revert {
            commit,
            on_top,
            files,
        } => {
            let patch = patch_of(paths, &commit)?;
            let way = UndoWay::Revert {
                commit,
                on_top,
                patch,
            };
            (way, files)
        }
        UndoProspect::Conflicts { files } => return Err(revert_by_hand(&receipt, &files)),
        UndoProspect::TakenBack { by } => return Err(UndoOutcome::taken_back(&receipt, &by)),
        UndoProspect::NotThere => return Err(not_there(&target, &receipt.branch)),
    };
    let tip = Repo::discover(&paths.root)
        .and_then(|repo| repo.branch_tip(&target))
        .map_err(words)?;
    Ok(UndoView {
        id,
        branch: receipt.branch,
        target,
        from: tip.to_string(),
        way,
        files,
    })
}

/// What a commit changes, for reading.
fn patch_of(paths: &ProjectPaths, commit: &str) -> Result<Vec<String>, String> {
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
    Ok(patch)
}

fn not_there(target: &str, branch: &str) -> String {
    format!("nothing of the merge of {branch} is left on {target} that could be taken back")
}

fn with_warnings(said: String, warnings: &[String]) -> String {
    let warnings = warnings.iter().map(|warning| format!("; {warning}"));
    said + &warnings.collect::<String>()
}

/// Takes a landed merge back.
pub(super) fn undo(
    paths: &ProjectPaths,
    call_off: &CallOff,
    id: i64,
    revert: Option<&str>,
) -> Result<String, String> {
    recovery::recover(paths).map_err(words)?;
    let stored = landed_merge(paths, id)?;
    let receipt = stored
        .receipt()
        .ok_or_else(|| format!("entry {id} has no receipt"))?;
    let target = &receipt.target;
    let outcome = match revert {
        None => receipts::undo(paths, &stored),
        Some(commit) => {
            let config = config::load(&paths.root).map_err(words)?.config;
            let context = MergeContext {
                call_off: call_off.clone(),
                ..landing::context(paths, &config, target)
            };
            receipts::land_revert(paths, &context, &stored, commit, &mut |_| {})
        }
    };
    let short = |commit: &str| commit.chars().take(8).collect::<String>();
    match outcome.map_err(words)? {
        UndoOutcome::Restored {
            to,
            redo_ref,
            warnings,
        } => Ok(with_warnings(
            format!(
                "{target} is at {} again, byte for byte as it was; the merge is kept as {redo_ref}",
                short(&to)
            ),
            &warnings,
        )),
        UndoOutcome::Reverted { commit, warnings } => Ok(with_warnings(
            format!("{target} is at {}, the revert", short(&commit)),
            &warnings,
        )),
        UndoOutcome::RevertPrepared { .. } => Err(format!(
            "{target} has moved meanwhile; u shows what it takes now"
        )),
        UndoOutcome::GateRed { gate, warnings } => Err(with_warnings(
            format!("gate {gate} is red on the revert; {target} is untouched"),
            &warnings,
        )),
        UndoOutcome::RevertConflicts { files } => Err(revert_by_hand(&receipt, &files)),
        UndoOutcome::TakenBack { by } => Err(UndoOutcome::taken_back(&receipt, &by)),
        UndoOutcome::NotThere => Err(not_there(target, &receipt.branch)),
        UndoOutcome::Refused { checkout, reason } => Err(reason.of(target, &checkout)),
    }
}
