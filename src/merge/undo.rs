//! Taking a landed merge back. While the target has not moved, it returns to exactly what it was; when
//! it has, a revert is prepared as a commit for the user to land. Nothing becomes unreachable.

use std::path::{Path, PathBuf};

use crate::git::{Oid, Pinned, RefMove, Repo, merge_trees, update_ref};
use crate::types::merge::MergeReceipt;

use super::checkout::{checkouts_of, holder_of, index_lock, poll};
use super::commit::write_commit;
use super::context::MergeContext;
use super::error::MergeError;
use super::gates::{GateProgress, run_gates};
use super::journal::{TakingBack, settle_undo, write_undo};
use super::land::{
    LandOutcome, OTHERS_MAY_TAKE, RefusalReason, files_in_the_way, land, not_moved,
    operation_under_way,
};
use super::lock::MergeLock;
use super::put_back::put_back;

/// How taking a merge back ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoOutcome {
    /// The target is byte for byte what it was before; `redo_ref` still has the merge.
    Restored { to: String, redo_ref: String },
    /// The target has other commits on top: this commit reverts the merge and can be landed.
    RevertPrepared { commit: String, reference: String },
    /// The prepared revert is on the target.
    Reverted { commit: String },
    /// This gate is red on the prepared revert; nothing was changed.
    GateRed { gate: String },
    /// The target has changed the same places since.
    RevertConflicts { files: Vec<String> },
    /// The merge is not part of the target (any more).
    NotThere,
    /// A checkout is in the way; nothing was changed.
    Refused {
        checkout: PathBuf,
        reason: RefusalReason,
    },
}

/// What taking a merge back would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoProspect {
    /// The target goes back to exactly what it was; these files change.
    Exact { to: String, files: Vec<String> },
    /// The target has moved on by this many commits: this commit would revert the merge.
    Revert {
        commit: String,
        on_top: usize,
        files: Vec<String>,
    },
    /// The target has changed the same places since.
    Conflicts { files: Vec<String> },
    /// The merge is not part of the target (any more).
    NotThere,
}

/// Looks at what taking the merge of a receipt back would do; the target stays as it is.
pub fn undo_prospect(repo: &Repo, receipt: &MergeReceipt) -> Result<UndoProspect, MergeError> {
    let merged = repo.commit_of(&receipt.merged_commit)?;
    let before = repo.commit_of(&receipt.target_before)?;
    let name = format!("refs/heads/{}", receipt.target);
    let tip = repo.ref_target(&name).ok_or_else(|| MergeError::NoTarget {
        branch: receipt.target.clone(),
    })?;
    if tip == merged {
        return Ok(UndoProspect::Exact {
            to: before.to_string(),
            files: repo.changed_files(merged, before)?,
        });
    }
    if !repo.is_ancestor(merged, tip)? {
        return Ok(UndoProspect::NotThere);
    }
    Ok(match prepare_revert(repo, receipt, before, merged, tip)? {
        UndoOutcome::RevertPrepared { commit, .. } => UndoProspect::Revert {
            files: repo.changed_files(tip, repo.commit_of(&commit)?)?,
            on_top: repo.commits_ahead(merged, tip)?,
            commit,
        },
        UndoOutcome::RevertConflicts { files } => UndoProspect::Conflicts { files },
        UndoOutcome::Restored { .. }
        | UndoOutcome::Reverted { .. }
        | UndoOutcome::GateRed { .. }
        | UndoOutcome::NotThere
        | UndoOutcome::Refused { .. } => UndoProspect::NotThere,
    })
}

/// Takes the merge of a receipt back. What was restored stays in the journal until `settle_undo`.
pub fn undo(root: &Path, repo: &Repo, receipt: &MergeReceipt) -> Result<UndoOutcome, MergeError> {
    let lock = MergeLock::acquire(root, &receipt.target)?;
    let result = undo_locked(root, repo, receipt);
    drop(lock);
    result
}

fn undo_locked(
    root: &Path,
    repo: &Repo,
    receipt: &MergeReceipt,
) -> Result<UndoOutcome, MergeError> {
    let merged = repo.commit_of(&receipt.merged_commit)?;
    let before = repo.commit_of(&receipt.target_before)?;
    let name = format!("refs/heads/{}", receipt.target);
    match repo.ref_target(&name) {
        None => Err(MergeError::NoTarget {
            branch: receipt.target.clone(),
        }),
        Some(tip) if tip == merged => journalled(root, repo, receipt, merged, before, || {
            restore(repo, receipt, before, merged)
        }),
        Some(tip) if repo.is_ancestor(merged, tip)? => {
            prepare_revert(repo, receipt, before, merged, tip)
        }
        Some(_) => Ok(UndoOutcome::NotThere),
    }
}

/// Writes down what is about to move, so that the next start can bring it to an end if this process
/// is killed; forgets it when nothing has moved.
fn journalled(
    root: &Path,
    repo: &Repo,
    receipt: &MergeReceipt,
    from: Oid,
    to: Oid,
    take_back: impl FnOnce() -> Result<UndoOutcome, MergeError>,
) -> Result<UndoOutcome, MergeError> {
    // An entry that waits for a git in the checkout must not be replaced.
    for checkout in checkouts_of(repo, &receipt.target)? {
        let there = Pinned::of(repo, &checkout)?;
        poll(OTHERS_MAY_TAKE, || Ok(index_lock(&there).is_none()))?;
        if let Some(lock) = index_lock(&there) {
            let reason = RefusalReason::Locked { lock };
            return Ok(UndoOutcome::Refused { checkout, reason });
        }
    }
    let undo = TakingBack {
        from: from.to_string(),
        to: to.to_string(),
    };
    write_undo(root, receipt, undo)?;
    let result = take_back();
    match &result {
        Ok(UndoOutcome::Restored { .. } | UndoOutcome::Reverted { .. })
        | Err(MergeError::HalfLanded { .. }) => {}
        Ok(_) | Err(_) => settle_undo(root, &receipt.id)?,
    }
    result
}

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
    let gates = run_gates(context, repo.path(), commit, None, observer)?.unwrap_or_default();
    if let Some(red) = gates.iter().find(|gate| !gate.passed) {
        return Ok(UndoOutcome::GateRed {
            gate: red.name.clone(),
        });
    }
    let reason = format!("grove: revert the merge of {}", receipt.branch);
    let result = journalled(&context.root, repo, receipt, parent, commit, || match land(
        repo,
        &receipt.target,
        parent,
        commit,
        &reason,
    )? {
        LandOutcome::Landed { .. } => Ok(UndoOutcome::Reverted {
            commit: commit.to_string(),
        }),
        LandOutcome::TargetMoved { .. } => Err(MergeError::TargetKeepsMoving {
            branch: receipt.target.clone(),
            attempts: 1,
        }),
        LandOutcome::Refused { checkout, reason } => Ok(UndoOutcome::Refused { checkout, reason }),
    });
    drop(lock);
    result
}

fn restore(
    repo: &Repo,
    receipt: &MergeReceipt,
    before: Oid,
    merged: Oid,
) -> Result<UndoOutcome, MergeError> {
    if let Some((checkout, while_in)) = holder_of(repo, &receipt.target) {
        let reason = RefusalReason::ComesBack { while_in };
        return Ok(UndoOutcome::Refused { checkout, reason });
    }
    let redo_ref = format!("refs/grove/redo/{}", receipt.id);
    let known = repo.ref_target(&redo_ref);
    update_ref(repo, &redo_ref, known, Some(merged), "grove: undone merge")?;
    let done = Ok(UndoOutcome::Restored {
        to: before.to_string(),
        redo_ref,
    });
    let checkouts = checkouts_of(repo, &receipt.target)?;
    let refused = |checkout: &PathBuf, reason| {
        Ok(UndoOutcome::Refused {
            checkout: checkout.clone(),
            reason,
        })
    };
    match checkouts.as_slice() {
        [] => {
            let name = format!("refs/heads/{}", receipt.target);
            match update_ref(repo, &name, Some(merged), Some(before), "grove: undo merge")
                .map_err(|error| not_moved(&receipt.target, error))?
            {
                RefMove::Moved => done,
                // It moved this instant: the next attempt sees why.
                RefMove::Lost { .. } => Err(MergeError::TargetKeepsMoving {
                    branch: receipt.target.clone(),
                    attempts: 1,
                }),
            }
        }
        [checkout] => {
            let there = Pinned::of(repo, checkout)?;
            if let Some(with) = operation_under_way(&there.open()?) {
                return refused(
                    checkout,
                    RefusalReason::Busy {
                        with: with.to_owned(),
                    },
                );
            }
            let files = files_in_the_way(repo, &there, merged, before)?;
            if !files.is_empty() {
                return refused(checkout, RefusalReason::UncommittedFiles { files });
            }
            // Only what differs between the two is touched, in the index too: whatever else the
            // user has staged stays. It stops rather than touch a file with uncommitted changes.
            let taken_back = there
                .git()
                .args(["read-tree", "-m", "-u"])
                .args([merged.to_string(), before.to_string()])
                .run()
                .and_then(|_| {
                    let name = format!("refs/heads/{}", receipt.target);
                    update_ref(repo, &name, Some(merged), Some(before), "grove: undo merge")
                });
            let put_back = |said: String| {
                put_back(repo, &there, merged, before).map_err(|source| MergeError::HalfLanded {
                    checkout: checkout.clone(),
                    said,
                    source: Box::new(source),
                })
            };
            match taken_back {
                Ok(RefMove::Moved) => done,
                Ok(RefMove::Lost { .. }) => {
                    put_back(format!("{} moved meanwhile", receipt.target))?;
                    Err(MergeError::TargetKeepsMoving {
                        branch: receipt.target.clone(),
                        attempts: 1,
                    })
                }
                Err(error) => {
                    put_back(error.to_string())?;
                    Err(not_moved(&receipt.target, error))
                }
            }
        }
        [checkout, other, ..] => refused(
            checkout,
            RefusalReason::CheckedOutTwice {
                other: other.clone(),
            },
        ),
    }
}

/// Merges "the state before" into the tip with the merge as their ancestor: what is left of the
/// difference is exactly the merge taken out.
fn prepare_revert(
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
        // A revert has taken it back already.
        return Ok(UndoOutcome::NotThere);
    }
    let message = format!(
        "Revert \"Merge branch '{}' into {}\"\n\nThis reverts commit {}, reversing\nchanges made to {}.",
        receipt.branch, receipt.target, receipt.merged_commit, receipt.target_before
    );
    let commit = write_commit(repo, reverted.tree, &[tip], &message)?;
    let reference = format!("refs/grove/revert/{}", receipt.id);
    let known = repo.ref_target(&reference);
    update_ref(
        repo,
        &reference,
        known,
        Some(commit),
        "grove: prepared revert",
    )?;
    Ok(UndoOutcome::RevertPrepared {
        commit: commit.to_string(),
        reference,
    })
}
