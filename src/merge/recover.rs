//! After a merge was killed: reading the journal and bringing each unfinished merge to an end, either
//! landed or as if it had never begun. A checkout that git had half updated is put back first, file
//! by file, and only where a file provably is git's own doing.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::git::{ChangedPath, Entry, Oid, Repo, dirty_files, git, update_ref};
use crate::platform::fs;
use crate::types::merge::MergeReceipt;

use super::error::MergeError;
use super::journal::{JournalEntry, Step, settle_journal, unsettled, write as write_journal};
use super::land::{LandOutcome, checkouts_of, land};
use super::lock::MergeLock;
use super::plan::{in_checkout, os_path};
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
    InProgress { pid: u32 },
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
            Err(MergeError::Locked { pid, .. }) => Verdict::InProgress { pid },
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
    let checkouts = checkouts_of(repo, &receipt.target)?;
    await_orphaned_git(repo, &receipt.target, before, &checkouts)?;
    match repo.ref_target(&format!("refs/heads/{}", receipt.target)) {
        Some(tip) if repo.is_ancestor(merged, tip)? => landed(receipt),
        Some(tip) if tip == before => {
            for checkout in &checkouts {
                if let Some(lock) = index_lock(checkout)? {
                    return roll_back(format!(
                        "git was stopped while it updated {}; if no git is running there, remove {}",
                        checkout.display(),
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

fn index_lock(checkout: &Path) -> Result<Option<PathBuf>, MergeError> {
    let lock = Repo::open(checkout)?.raw().path().join("index.lock");
    Ok(lock.exists().then_some(lock))
}

/// The git that the killed process had started may still be at work: waits, ever more patiently, until
/// it lets go of the index and then, because it moves the branch last, until the branch has moved.
fn await_orphaned_git(
    repo: &Repo,
    target: &str,
    before: Oid,
    checkouts: &[PathBuf],
) -> Result<(), MergeError> {
    let is_locked = || -> Result<bool, MergeError> {
        for checkout in checkouts {
            if index_lock(checkout)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    };
    if !is_locked()? {
        return Ok(());
    }
    poll(GIT_MAY_TAKE, || Ok(!is_locked()?))?;
    let name = format!("refs/heads/{target}");
    poll(BRANCH_FOLLOWS_WITHIN, || {
        Ok(repo.ref_target(&name) != Some(before))
    })
}

fn poll(
    limit: Duration,
    mut is_done: impl FnMut() -> Result<bool, MergeError>,
) -> Result<(), MergeError> {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(5);
    while !is_done()? && Instant::now() < deadline {
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(200));
    }
    Ok(())
}

/// Undoes what a killed fast-forward did to a checkout. When the landing began, none of the files it
/// changes had been touched by the user; so a file that is absent, or whose content is the beginning
/// of the new version, is git's unfinished work. Anything else is left for the user.
fn put_back(repo: &Repo, checkout: &Path, before: Oid, merged: Oid) -> Result<(), MergeError> {
    let changed = repo.changed_paths(repo.tree_of(before)?, repo.tree_of(merged)?)?;
    let dirty = dirty_files(checkout)?;
    for change in &changed {
        if !dirty.iter().any(|file| file.raw_path == change.path) {
            continue;
        }
        if !is_gits_own(repo, checkout, change)? {
            continue;
        }
        if change.old.is_some() {
            git(checkout)
                .args(["checkout", "-q"])
                .arg(before.to_string())
                .arg("--")
                .arg(os_path(&change.path))
                .run()?;
        } else {
            fs::remove_file(&in_checkout(checkout, &change.path))?;
        }
    }
    Ok(())
}

fn is_gits_own(repo: &Repo, checkout: &Path, change: &ChangedPath) -> Result<bool, MergeError> {
    let path = in_checkout(checkout, &change.path);
    let Ok(metadata) = path.symlink_metadata() else {
        return Ok(true);
    };
    let Some(new) = change.new else {
        return Ok(false);
    };
    if !metadata.is_file() || !new.kind.is_regular() {
        return Ok(metadata.is_symlink() && is_same_link(repo, &path, new)?);
    }
    let Ok(found) = std::fs::read(&path) else {
        return Ok(false);
    };
    if repo.blob(new.id)?.starts_with(&found) {
        return Ok(true);
    }
    // Line ends or other filters may make the file differ from what is stored.
    let id = git(checkout)
        .args(["hash-object", "--path"])
        .arg(os_path(&change.path))
        .arg("--")
        .arg(&path)
        .text()?;
    Ok(id == new.id.to_string())
}

fn is_same_link(repo: &Repo, path: &Path, new: Entry) -> Result<bool, MergeError> {
    let Ok(target) = std::fs::read_link(path) else {
        return Ok(false);
    };
    Ok(repo.blob(new.id)? == target.as_os_str().as_encoded_bytes())
}
