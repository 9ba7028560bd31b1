//! After a merge was killed: reading the journal and bringing each unfinished merge to an end, either
//! landed or as if it had never begun. A checkout that git had half updated is put back first, file
//! by file, and only where a file provably is git's own doing.

use std::path::Path;
use std::time::Duration;

use crate::git::{Oid, Pinned, Repo, update_ref};
use crate::types::merge::MergeReceipt;

use super::checkout::{checkouts_of, index_lock, poll, put_back};
use super::error::{LockHolder, MergeError};
use super::journal::{JournalEntry, Step, settle_journal, unsettled, write as write_journal};
use super::land::{LandOutcome, land};
use super::lock::MergeLock;
use super::scratch::sweep;

/// How long a git that outlived its grove may need to finish updating a checkout.
const GIT_MAY_TAKE: Duration = Duration::from_secs(10);
/// How long after that it may need to move the branch.
const BRANCH_FOLLOWS_WITHIN: Duration = Duration::from_secs(3);

/// How an unfinished merge ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The target is at the merged commit. Store the receipt, then settle the journal.
    Landed(Box<MergeReceipt>),
    /// The target is as it was; the branch can be queued again.
    RolledBack { reason: String },
    /// Another process is at it.
    InProgress { by: LockHolder },
}

/// One merge found in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    pub id: String,
    pub branch: String,
    pub target: String,
    pub verdict: Verdict,
}

/// Brings every merge in the journal to an end and removes what killed merges left lying about.
/// Landed merges are reported again until their journal is settled.
pub fn recover(root: &Path) -> Result<Vec<Recovery>, MergeError> {
    let entries = unsettled(root)?;
    let scratch = super::scratch::scratch_dir(root);
    if entries.is_empty() && !scratch.exists() {
        return Ok(Vec::new());
    }
    let repo = Repo::discover(root)?;
    sweep(&repo, root)?;
    let mut recoveries = Vec::new();
    for entry in entries {
        let verdict = match MergeLock::acquire(root, &entry.receipt.target) {
            Ok(lock) => {
                let verdict = end(root, &repo, &entry)?;
                drop(lock);
                verdict
            }
            Err(MergeError::Locked { by, .. }) => Verdict::InProgress { by },
            Err(error) => return Err(error),
        };
        recoveries.push(Recovery {
            id: entry.id,
            branch: entry.receipt.branch,
            target: entry.receipt.target,
            verdict,
        });
    }
    Ok(recoveries)
}

fn end(root: &Path, repo: &Repo, entry: &JournalEntry) -> Result<Verdict, MergeError> {
    let receipt = &entry.receipt;
    let roll_back = |reason: String| -> Result<Verdict, MergeError> {
        if let Some(before) = repo.ref_target(&receipt.undo_ref) {
            update_ref(
                repo,
                &receipt.undo_ref,
                Some(before),
                None,
                "grove: merge did not land",
            )?;
        }
        settle_journal(root, &entry.id)?;
        Ok(Verdict::RolledBack { reason })
    };
    match entry.step {
        Step::Landed => return Ok(Verdict::Landed(Box::new(receipt.clone()))),
        Step::Planned => return roll_back("it was stopped before its gates were green".to_owned()),
        Step::Gated => return roll_back("it was stopped before landing".to_owned()),
        Step::Landing => {}
    }
    let landed = |receipt: &MergeReceipt| -> Result<Verdict, MergeError> {
        write_journal(root, Step::Landed, receipt)?;
        Ok(Verdict::Landed(Box::new(receipt.clone())))
    };
    let (Ok(before), Ok(merged)) = (
        repo.commit_of(&receipt.target_before),
        repo.commit_of(&receipt.merged_commit),
    ) else {
        return roll_back("its commits are gone".to_owned());
    };
    let checkouts = checkouts_of(repo, &receipt.target)?
        .iter()
        .map(|path| Pinned::of(repo, path))
        .collect::<Result<Vec<_>, _>>()?;
    await_orphaned_git(repo, &receipt.target, before, &checkouts)?;
    match repo.ref_target(&format!("refs/heads/{}", receipt.target)) {
        Some(tip) if repo.is_ancestor(merged, tip)? => landed(receipt),
        Some(tip) if tip == before => {
            for checkout in &checkouts {
                if let Some(lock) = index_lock(checkout) {
                    return roll_back(format!(
                        "git was stopped while it updated {}; if no git is running there, remove {}",
                        checkout.path().display(),
                        lock.display()
                    ));
                }
                put_back(repo, checkout, before, merged)?;
            }
            let reason = format!("grove: merge {} (resumed)", receipt.branch);
            match land(repo, &receipt.target, before, merged, &reason)? {
                LandOutcome::Landed { .. } => landed(receipt),
                LandOutcome::TargetMoved { .. } => roll_back("the target moved".to_owned()),
                LandOutcome::Refused { reason, .. } => roll_back(reason.to_string()),
            }
        }
        Some(_) | None => roll_back("the target moved".to_owned()),
    }
}

/// The git that the killed process had started may still be at work: waits, ever more patiently, until
/// it lets go of the index and then, because it moves the branch last, until the branch has moved.
fn await_orphaned_git(
    repo: &Repo,
    target: &str,
    before: Oid,
    checkouts: &[Pinned],
) -> Result<(), MergeError> {
    let is_locked = || checkouts.iter().any(|there| index_lock(there).is_some());
    if !is_locked() {
        return Ok(());
    }
    poll(GIT_MAY_TAKE, || Ok(!is_locked()))?;
    let name = format!("refs/heads/{target}");
    poll(BRANCH_FOLLOWS_WITHIN, || {
        Ok(repo.ref_target(&name) != Some(before))
    })
}
