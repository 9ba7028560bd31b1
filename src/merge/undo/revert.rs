//! Taking a merge back from a target that has moved on: a commit that reverts it, and landing that through
//! the same gates as any merge.

use crate::git::{Oid, Repo, merge_trees, update_ref};
use crate::types::merge::MergeReceipt;

use super::take_back::{UndoOutcome, journalled};
use crate::merge::commit::{
    post_merge_not_run, revert_hooks_not_run, signed_as_asked, write_commit,
};
use crate::merge::context::MergeContext;
use crate::merge::error::MergeError;
use crate::merge::gates::{
    GateProgress, NOTHING_LANDS, REVERT_LANDS_WITHOUT, flaky, meddling, run_gates, unconfined,
};
use crate::merge::land::{LandOutcome, in_the_way, land, not_kept};
use crate::merge::lock::MergeLock;
use crate::merge::reverted::revert_of;

/// Lands a prepared revert if the target still is where the revert was made for, after the same gates
/// as any merge. What was reverted stays in the journal until `settle_undo`.
pub fn land_revert(
    context: &MergeContext,
    repo: &Repo,
    receipt: &MergeReceipt,
    commit: &str,
    observer: &mut dyn FnMut(GateProgress<'_>),
) -> Result<UndoOutcome, MergeError> {
    let lock = MergeLock::acquire(&context.root, &receipt.target)?;
    let commit = repo.commit_of(commit)?;
    let parent = repo.commit_info(commit)?.parents.first().copied();
    let Some(parent) = parent else {
        return Ok(UndoOutcome::NotThere);
    };
    if !context.gates.is_empty()
        && let Some((checkout, reason)) = in_the_way(repo, &receipt.target, (parent, commit))?
    {
        return Ok(UndoOutcome::Refused { checkout, reason });
    }
    let commit = signed_as_asked(repo, commit)?;
    let at_commit = revert_hooks_not_run(repo)?;
    let after = post_merge_not_run(repo, &receipt.target)?;
    let cancel = context.call_off.token(&receipt.branch);
    let gates = run_gates(context, repo.path(), commit, Some(&cancel), observer)?;
    context.call_off.check(&receipt.branch)?;
    let gates = gates.unwrap_or_default();
    let red = gates.iter().find(|gate| !gate.passed);
    let end = red.map_or(REVERT_LANDS_WITHOUT, |_| NOTHING_LANDS);
    let mut warnings: Vec<String> = flaky(&gates)
        .chain(meddling(&gates, end))
        .chain(unconfined(context, &gates))
        .collect();
    if let Some(red) = red {
        let gate = red.name.clone();
        return Ok(UndoOutcome::GateRed { gate, warnings });
    }
    let reason = format!("grove: revert the merge of {}", receipt.branch);
    let result = journalled(
        &context.root,
        repo,
        receipt,
        parent,
        commit,
        |entry| match land(repo, &receipt.target, parent, commit, &reason, entry)? {
            LandOutcome::Landed { checkout, said } => {
                warnings.extend(at_commit);
                warnings.extend(after.filter(|_| checkout.is_none()));
                warnings.extend(said);
                Ok(UndoOutcome::Reverted {
                    commit: commit.to_string(),
                    warnings,
                })
            }
            LandOutcome::TargetMoved { .. } => Err(MergeError::TargetKeepsMoving {
                branch: receipt.target.clone(),
                attempts: 1,
            }),
            LandOutcome::Refused { checkout, reason } => {
                Ok(UndoOutcome::Refused { checkout, reason })
            }
        },
    );
    drop(lock);
    result
}

/// Merges "the state before" into the tip with the merge as their ancestor: what is left of the
/// difference is exactly the merge taken out. While the tip stays where it is, the commit stays the same: it may
/// have been looked at.
pub(super) fn prepare_revert(
    repo: &Repo,
    receipt: &MergeReceipt,
    before: Oid,
    merged: Oid,
    tip: Oid,
) -> Result<UndoOutcome, MergeError> {
    let reverted = merge_trees(repo, tip, before, Some(merged))?;
    if !reverted.conflicts.is_empty() {
        return Ok(UndoOutcome::RevertConflicts {
            files: reverted.conflicts.iter().map(|c| c.name()).collect(),
        });
    }
    if reverted.tree == repo.tree_of(tip)? {
        return Ok(match revert_of(repo, tip, merged)? {
            Some(revert) => UndoOutcome::TakenBack {
                by: revert.to_string(),
            },
            None => UndoOutcome::NotThere,
        });
    }
    let message = format!(
        "Revert \"Merge branch '{}' into {}\"\n\nThis reverts commit {}, reversing\nchanges made to {}.",
        receipt.branch, receipt.target, receipt.merged_commit, receipt.target_before
    );
    let reference = format!("refs/grove/revert/{}", receipt.id);
    let earlier = repo.ref_target(&reference);
    if let Some(earlier) = earlier
        && repo.tree_of(earlier)? == reverted.tree
        && repo.commit_info(earlier)?.parents == [tip]
    {
        return Ok(UndoOutcome::RevertPrepared {
            commit: earlier.to_string(),
            reference,
            known: true,
        });
    }
    let commit = write_commit(repo, reverted.tree, &[tip], &message, None)?;
    update_ref(
        repo,
        &reference,
        earlier,
        Some(commit),
        "grove: prepared revert",
    )
    .map_err(|error| not_kept("refs/grove/revert", error))?;
    Ok(UndoOutcome::RevertPrepared {
        commit: commit.to_string(),
        reference,
        known: false,
    })
}
