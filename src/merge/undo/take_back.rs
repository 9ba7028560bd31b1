//! Taking a landed merge back. While the target has not moved, it returns to exactly what it was; when
//! it has, `revert` makes a commit for the user to land. Nothing becomes unreachable.

use std::path::{Path, PathBuf};

use crate::git::{GitError, Oid, Pinned, RefMove, Repo, update_ref_holding, update_ref_telling};
use crate::platform::lease::Lease;
use crate::types::merge::MergeReceipt;

use super::revert::prepare_revert;
use crate::merge::checkout::{checkouts_of, lock_of_git, poll};
use crate::merge::error::{LockHolder, MergeError};
use crate::merge::journal::{Moving, TakingBack, settle_undo, taken_back_by, write_undo};
use crate::merge::land::{
    InTheWay, OTHERS_MAY_TAKE, RefusalReason, elsewhere, files_in_the_way, not_kept, not_moved,
    operation_under_way,
};
use crate::merge::lock::MergeLock;
use crate::merge::put_back::put_back;
use crate::text::named;

/// How taking a merge back ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoOutcome {
    /// The target is byte for byte what it was before; `redo_ref` still has the merge. The warnings say what went wrong
    /// when that was done.
    Restored {
        to: String,
        redo_ref: String,
        warnings: Vec<String>,
    },
    /// The target has other commits on top: this commit reverts the merge and can be landed. `known`: it is the one
    /// that was prepared the last time, and not one that nobody has seen.
    RevertPrepared {
        commit: String,
        reference: String,
        known: bool,
    },
    /// The prepared revert is on the target. The warnings say what its gates did besides.
    Reverted {
        commit: String,
        warnings: Vec<String>,
    },
    /// This gate is red on the prepared revert; nothing was changed.
    GateRed { gate: String, warnings: Vec<String> },
    /// The target has changed the same places since.
    RevertConflicts { files: Vec<String> },
    /// This commit on the target has reverted the merge already.
    TakenBack { by: String },
    /// The merge is not part of the target (any more).
    NotThere,
    /// A checkout is in the way; nothing was changed.
    Refused {
        checkout: PathBuf,
        reason: RefusalReason,
    },
}

/// Says that the same places were changed since a merge landed, and with which command it is reverted all the same.
pub fn revert_by_hand(receipt: &MergeReceipt, files: &[String]) -> String {
    let MergeReceipt {
        target,
        merged_commit,
        ..
    } = receipt;
    format!(
        "{target} has changed the same places since: {}; revert by hand on {target}: git revert -m 1 {}",
        named(files),
        merged_commit.get(..12).unwrap_or(merged_commit)
    )
}

impl UndoOutcome {
    /// Says that a merge was reverted before, and by which commit.
    pub fn taken_back(receipt: &MergeReceipt, by: &str) -> String {
        format!(
            "the merge of {} was taken back on {} already, by {}; nothing has changed",
            receipt.branch,
            receipt.target,
            by.get(..12).unwrap_or(by)
        )
    }
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
    /// This commit on the target has reverted the merge already.
    TakenBack { by: String },
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
        UndoOutcome::TakenBack { by } => UndoProspect::TakenBack { by },
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
        Some(tip) if tip == merged => journalled(root, repo, receipt, merged, before, |entry| {
            restore(repo, receipt, (merged, before), entry)
        }),
        Some(tip) if repo.is_ancestor(merged, tip)? => {
            prepare_revert(repo, receipt, before, merged, tip)
        }
        Some(_) => Ok(UndoOutcome::NotThere),
    }
}

/// Writes down what is about to move, so that the next start can bring it to an end if this process
/// is killed; forgets it when nothing has moved.
pub(super) fn journalled(
    root: &Path,
    repo: &Repo,
    receipt: &MergeReceipt,
    from: Oid,
    to: Oid,
    take_back: impl FnOnce(&Lease) -> Result<UndoOutcome, MergeError>,
) -> Result<UndoOutcome, MergeError> {
    // An entry that waits for a git in the checkout must not be replaced.
    for checkout in checkouts_of(repo, &receipt.target)? {
        let there = Pinned::of(repo, &checkout)?;
        poll(OTHERS_MAY_TAKE, || Ok(lock_of_git(&there).is_none()))?;
        if let Some(lock) = lock_of_git(&there) {
            let reason = RefusalReason::Locked { lock };
            return Ok(UndoOutcome::Refused { checkout, reason });
        }
    }
    let undo = TakingBack {
        from: from.to_string(),
        to: to.to_string(),
    };
    if let Some(by) = taken_back_by(root, &receipt.id)? {
        let pid = by.map(i32::unsigned_abs);
        return Err(MergeError::Locked {
            branch: receipt.target.clone(),
            by: LockHolder { pid, since: None },
        });
    }
    let entry = write_undo(root, receipt, undo, Moving::with(repo, &receipt.target)?)?;
    let result = take_back(&entry);
    match &result {
        Ok(UndoOutcome::Restored { .. } | UndoOutcome::Reverted { .. })
        | Err(MergeError::HalfLanded { .. }) => {}
        Ok(_) | Err(_) => settle_undo(root, &receipt.id)?,
    }
    result
}

fn restore(
    repo: &Repo,
    receipt: &MergeReceipt,
    (merged, before): (Oid, Oid),
    entry: &Lease,
) -> Result<UndoOutcome, MergeError> {
    if let Some((checkout, reason)) = elsewhere(repo, &receipt.target)? {
        return Ok(UndoOutcome::Refused { checkout, reason });
    }
    let redo_ref = format!("refs/grove/redo/{}", receipt.id);
    let known = repo.ref_target(&redo_ref);
    let moves = (known, Some(merged));
    let (_, hangs) = update_ref_telling(repo, &redo_ref, moves, "grove: undone merge")
        .map_err(|error| not_kept("refs/grove/redo", error))?;
    let back = Back {
        repo,
        target: &receipt.target,
        merged,
        before,
        entry,
    };
    let checkouts = checkouts_of(repo, &receipt.target)?;
    let (checkout, went) = match checkouts.as_slice() {
        [] => {
            let moved = back.branch();
            let (moved, said) = moved.map_err(|error| not_moved(back.target, error))?;
            back.must_have(moved)?;
            return Ok(restored(before, redo_ref, [hangs, said]));
        }
        [checkout] => (checkout, back.with_checkout(checkout)?),
        [checkout, other, ..] => {
            let other = other.clone();
            (checkout, Err(RefusalReason::CheckedOutTwice { other }))
        }
    };
    let checkout = checkout.clone();
    Ok(match went {
        Ok(said) => restored(before, redo_ref, [hangs, said]),
        Err(reason) => UndoOutcome::Refused { checkout, reason },
    })
}

fn restored(before: Oid, redo_ref: String, said: [Option<String>; 2]) -> UndoOutcome {
    UndoOutcome::Restored {
        to: before.to_string(),
        redo_ref,
        warnings: said.into_iter().flatten().collect(),
    }
}

/// The way of a target back over a merge.
struct Back<'a> {
    repo: &'a Repo,
    target: &'a str,
    merged: Oid,
    before: Oid,
    entry: &'a Lease,
}

impl Back<'_> {
    /// With what there is to say of a hook that was told of it.
    fn branch(&self) -> Result<(RefMove, Option<String>), GitError> {
        let name = self.repo.moving_ref(self.target);
        let moves = (Some(self.merged), Some(self.before));
        let reason = "grove: undo merge";
        update_ref_holding(self.repo, &name, moves, reason, self.entry)
    }

    /// A target that moved this instant: the next attempt sees why.
    fn must_have(&self, moved: RefMove) -> Result<(), MergeError> {
        match moved {
            RefMove::Moved => Ok(()),
            RefMove::Lost { .. } => Err(MergeError::TargetKeepsMoving {
                branch: self.target.to_owned(),
                attempts: 1,
            }),
        }
    }

    /// Takes a checkout along; the reason when it is in the way, else what there is to say of hooks.
    fn with_checkout(
        &self,
        checkout: &Path,
    ) -> Result<Result<Option<String>, RefusalReason>, MergeError> {
        let (repo, merged, before) = (self.repo, self.merged, self.before);
        let there = Pinned::of(repo, checkout)?;
        if let Some(with) = operation_under_way(&there.open()?) {
            let with = with.to_owned();
            return Ok(Err(RefusalReason::Busy { with }));
        }
        let files = files_in_the_way(repo, &there, merged, before)?;
        if !files.is_empty() {
            return Ok(Err(RefusalReason::UncommittedFiles { files }));
        }
        // A file that was only touched is not changed, but what comes next goes by the times that the index has.
        there
            .git_within()
            .holding(self.entry)?
            .args(["update-index", "-q", "--unmerged", "--refresh"])
            .run()?;
        // Only what differs between the two is touched, in the index too: whatever else the
        // user has staged stays. It stops rather than touch a file with uncommitted changes.
        let moved = there
            .git_within()
            .holding(self.entry)?
            .args(["read-tree", "-m", "-u"])
            .args([merged.to_string(), before.to_string()])
            .run()
            .and_then(|_| self.branch());
        let put_back = |said: String| {
            put_back(repo, &there, merged, before).map_err(|source| MergeError::HalfLanded {
                checkout: checkout.to_path_buf(),
                said,
                source: Box::new(source),
            })
        };
        match moved {
            Ok((moved, said)) => {
                if moved != RefMove::Moved {
                    put_back(format!("{} moved meanwhile", self.target))?;
                }
                self.must_have(moved).map(|()| Ok(said))
            }
            Err(error) => {
                if let Some(files) = self.overlooked(&there, &error)? {
                    return Ok(Err(RefusalReason::UncommittedFiles { files }));
                }
                put_back(error.to_string())?;
                Err(not_moved(self.target, error))
            }
        }
    }

    /// The files because of which git stopped before it touched anything, though no status had shown them.
    fn overlooked(&self, there: &Pinned, error: &GitError) -> Result<Option<InTheWay>, MergeError> {
        let Some(said) = error.stderr().filter(|said| said.contains("not uptodate")) else {
            return Ok(None);
        };
        let mut files = files_in_the_way(self.repo, there, self.merged, self.before)?;
        if files.is_empty() {
            files = InTheWay::named_by_git(said);
        }
        Ok((!files.is_empty()).then_some(files))
    }
}
