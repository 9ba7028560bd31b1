//! After a merge was killed: reading the journal and bringing each unfinished merge to an end, either
//! landed or as if it had never begun; the same for one that was being taken back. A checkout that git had half updated is put back first, file
//! by file, and only where a file provably is git's own doing.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::git::{DRIVERS_MAY_TAKE, Oid, Pinned, Repo, update_ref};
use crate::platform::holders::Holder;
use crate::platform::lease::Lease;
use crate::platform::leftovers;
use crate::types::merge::MergeReceipt;

use super::checkout::{
    LeftLock, checkouts_of, holder, index_lock, lock_of_git, poll, remove_left_lock,
};
use super::error::{LockHolder, MergeError};
use super::journal::{
    JournalEntry, Step, TakingBack, hold, journal_dir, mover, settle_journal, unsettled,
    write as write_journal,
};
use super::land::{LandOutcome, hung, land};
use super::lock::MergeLock;
use super::plan::is_rewritten;
use super::put_back::{put_back, put_back_behind};
use super::scratch::sweep;

/// How long a git that outlived its grove is waited for: it may be at a checkout, or in a hook of the user's.
const GIT_MAY_TAKE: Duration = Duration::from_secs(10);
/// How long a lock that no process seems to hold is left alone.
const LOCK_MAY_STAY: Duration = Duration::from_secs(3);

/// How an unfinished merge ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The target is at the merged commit. Store the receipt, then settle the journal.
    Landed(Box<MergeReceipt>),
    /// The target is as it was; the branch can be queued again.
    RolledBack { reason: String },
    /// The target was at the merged commit, and somebody has set it back since: nobody lands it unasked.
    SetBack,
    /// Taking the merge back had moved the target to this commit. Store that, then settle the journal.
    Undone {
        receipt: Box<MergeReceipt>,
        undo: TakingBack,
    },
    /// Taking the merge back had not moved the target: the merge is there as before.
    UndoRolledBack { reason: String },
    /// The checkout cannot be put right yet; the next start tries again.
    Waits { reason: String },
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
    /// Locks of killed gits that were in the way.
    pub removed_locks: Vec<PathBuf>,
}

/// Brings every merge in the journal to an end and removes what killed merges left lying about.
/// Landed merges are reported again until their journal is settled.
pub fn recover(root: &Path) -> Result<Vec<Recovery>, MergeError> {
    recover_within(root, DRIVERS_MAY_TAKE)
}

/// The same, with how long the hooks and filters of each checkout may take.
pub fn recover_within(root: &Path, limit: Duration) -> Result<Vec<Recovery>, MergeError> {
    let entries = unsettled(root)?;
    leftovers::sweep(&journal_dir(root));
    let scratch = super::scratch::scratch_dir(root);
    if entries.is_empty() && !scratch.exists() {
        return Ok(Vec::new());
    }
    let repo = Repo::discover(root)?.with_driver_limit(limit);
    sweep(&repo, root)?;
    let mut recoveries = Vec::new();
    for entry in entries {
        let mut removed_locks = Vec::new();
        let verdict = match MergeLock::acquire(root, entry.moving_branch()) {
            Ok(lock) => {
                let patience = hung::patience(&entry.id, limit);
                let verdict = match end((root, &repo), patience, &entry, &mut removed_locks) {
                    // A filter that hangs still: nobody else's merge waits for that.
                    Err(error) if is_half_way(&error) => {
                        hung::remember(&entry.id, &error);
                        Verdict::Waits {
                            reason: error.to_string(),
                        }
                    }
                    ended => ended?,
                };
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
            removed_locks,
        });
    }
    Ok(recoveries)
}

/// Whether a checkout could not be put right for now.
fn is_half_way(error: &MergeError) -> bool {
    !error.is_out_of_room()
        && (matches!(
            error,
            MergeError::HalfLanded { .. } | MergeError::NotPutBack { .. }
        ) || error.is_of_ended_git())
}

/// `patience` is how long a git that is at work still may take, and the filters that put the checkout right.
fn end(
    (root, repo): (&Path, &Repo),
    patience: Duration,
    entry: &JournalEntry,
    removed_locks: &mut Vec<PathBuf>,
) -> Result<Verdict, MergeError> {
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
        Step::Undoing => return end_undo((root, repo), patience, entry, removed_locks),
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
    let (checkouts, held) = match quiet_checkouts((root, repo), patience, entry, removed_locks)? {
        Checkouts::Quiet(checkouts, held) => (Left::of(repo, entry, checkouts, patience)?, held),
        Checkouts::Held { reason } => return Ok(Verdict::Waits { reason }),
    };
    let tip = repo.ref_target(&entry.moving_ref());
    // A branch that was renamed since is checked out still.
    let renamed = || {
        let mut heads = checkouts.switched.iter().map(Pinned::open);
        heads.find_map(|opened| opened.ok()?.ref_target("HEAD"))
    };
    let has_moved = match tip.or_else(renamed) {
        Some(now) => repo.has_moved(&entry.moving_ref(), (before, merged), now)?,
        None => false,
    };
    match tip {
        _ if has_moved => landed(receipt),
        Some(tip)
            if tip == before && repo.was_set_back(&entry.moving_ref(), (before, merged))? =>
        {
            roll_back(String::new())?;
            Ok(Verdict::SetBack)
        }
        Some(tip) if tip == before => {
            for checkout in &checkouts.there {
                // What it leaves is the user's, and landing names it.
                put_back(repo, checkout, before, merged)?;
            }
            let kept = put_back_all(repo, &checkouts.switched, before, merged)?;
            if !kept.is_empty() {
                return roll_back(format!("it was stopped while it landed{kept}"));
            }
            // Nobody lands what was taken out of the branch since.
            let tested = repo.commit_of(&receipt.branch_tip);
            if tested.is_ok_and(|it| is_rewritten(repo, &receipt.branch, it).unwrap_or(true)) {
                return roll_back(format!(
                    "it was stopped while it landed, and {} no longer has what was to land",
                    receipt.branch
                ));
            }
            let reason = format!("grove: merge {} (resumed)", receipt.branch);
            match land(repo, &receipt.target, before, merged, &reason, &held) {
                Ok(LandOutcome::Landed { .. }) => landed(receipt),
                Ok(LandOutcome::TargetMoved { .. }) => roll_back("the target moved".to_owned()),
                Ok(LandOutcome::Refused { checkout, reason }) => {
                    roll_back(reason.of(&receipt.target, &checkout))
                }
                // The checkout is as it was.
                Err(MergeError::Git(error)) if error.was_ended() => roll_back(error.to_string()),
                Err(error) => Err(error),
            }
        }
        Some(_) | None => {
            let kept = put_back_all(repo, &checkouts.all(), before, merged)?;
            roll_back(format!("the target moved{kept}"))
        }
    }
}

/// The checkouts that a killed step was moving.
struct Left {
    /// Where HEAD still is the ref that was to move.
    there: Vec<Pinned>,
    /// Which the user has switched to another branch since.
    switched: Vec<Pinned>,
}

impl Left {
    fn of(
        repo: &Repo,
        entry: &JournalEntry,
        checkouts: Vec<Pinned>,
        patience: Duration,
    ) -> Result<Self, MergeError> {
        let target = &entry.receipt.target;
        let standing = checkouts_of(repo, target)?;
        let checkouts = checkouts
            .into_iter()
            .map(|there| there.with_limit(patience));
        let (there, switched) = checkouts.partition(|known| {
            let is_it = |path: &PathBuf| path == known.path();
            standing.iter().any(is_it)
        });
        Ok(Self { there, switched })
    }

    fn all(self) -> Vec<Pinned> {
        self.there.into_iter().chain(self.switched).collect()
    }
}

/// Takes back what a step left in checkouts whose HEAD is no longer where it began; says what stays.
fn put_back_all(
    repo: &Repo,
    checkouts: &[Pinned],
    at: Oid,
    other: Oid,
) -> Result<String, MergeError> {
    let mut said = String::new();
    for checkout in checkouts {
        let kept = put_back_behind(repo, checkout, at, other)?;
        if !kept.is_empty() {
            let place = checkout.path().display();
            said += &format!("; left as they are at {place}: {}", kept.join(", "));
        }
    }
    Ok(said)
}

/// Brings taking a merge back to an end. A target that had not moved yet stays at the merge: whoever
/// asks for it again gets all of it.
fn end_undo(
    (root, repo): (&Path, &Repo),
    patience: Duration,
    entry: &JournalEntry,
    removed_locks: &mut Vec<PathBuf>,
) -> Result<Verdict, MergeError> {
    let target = &entry.receipt.target;
    let rolled_back = |reason: String| -> Result<Verdict, MergeError> {
        settle_journal(root, &entry.id)?;
        Ok(Verdict::UndoRolledBack { reason })
    };
    let commits = entry.undo.as_ref().and_then(|undo| {
        let (from, to) = (repo.commit_of(&undo.from), repo.commit_of(&undo.to));
        Some((undo, from.ok()?, to.ok()?))
    });
    let Some((undo, from, to)) = commits else {
        return rolled_back("its commits are gone".to_owned());
    };
    let checkouts = match quiet_checkouts((root, repo), patience, entry, removed_locks)? {
        Checkouts::Quiet(checkouts, _) => Left::of(repo, entry, checkouts, patience)?,
        Checkouts::Held { reason } => return Ok(Verdict::Waits { reason }),
    };
    let Some(tip) = repo.ref_target(&entry.moving_ref()) else {
        let kept = put_back_all(repo, &checkouts.all(), from, to)?;
        return rolled_back(format!("{target} is gone{kept}"));
    };
    if tip == from {
        let mut kept = Vec::new();
        for checkout in &checkouts.there {
            kept.extend(put_back(repo, checkout, from, to)?);
        }
        let elsewhere = put_back_all(repo, &checkouts.switched, from, to)?;
        return rolled_back(if kept.is_empty() {
            format!("it was stopped before the branch moved{elsewhere}")
        } else {
            format!(
                "it was stopped before the branch moved{elsewhere}; changed since and left as they are: {}",
                kept.join(", ")
            )
        });
    }
    if repo.has_moved(&entry.moving_ref(), (from, to), tip)? {
        return Ok(Verdict::Undone {
            receipt: Box::new(entry.receipt.clone()),
            undo: undo.clone(),
        });
    }
    let kept = put_back_all(repo, &checkouts.all(), from, to)?;
    rolled_back(format!("the target moved{kept}"))
}

/// The checkouts of a target whose merge was killed.
enum Checkouts {
    /// No git is at work in them, and none moves the target: the journal's entry is had.
    Quiet(Vec<Pinned>, Lease),
    Held {
        reason: String,
    },
}

/// Finds the checkouts of a target, and those that were on it when it was to move; waits for a git that outlived its grove, and removes the lock of
/// one that did not. The merge lock of the target is held here, so the process in the journal is not
/// at work any more, whoever has its number now; its git may be.
fn quiet_checkouts(
    (root, repo): (&Path, &Repo),
    patience: Duration,
    entry: &JournalEntry,
    removed_locks: &mut Vec<PathBuf>,
) -> Result<Checkouts, MergeError> {
    let target = &entry.receipt.target;
    let standing = checkouts_of(repo, target)?;
    let mut checkouts = standing
        .iter()
        .map(|path| Pinned::of(repo, path))
        .collect::<Result<Vec<_>, _>>()?;
    let known = entry.moving.checkouts.iter().map(PathBuf::from);
    let switched = known.filter(|path| !standing.contains(path));
    // One that the repository does not list any more is nobody's.
    checkouts.extend(switched.filter_map(|path| Pinned::of(repo, &path).ok()));
    let Some(held) = hold(root, &entry.id, patience.min(GIT_MAY_TAKE))? else {
        let reason = at_work_still((root, repo), entry, &checkouts);
        return Ok(Checkouts::Held { reason });
    };
    await_orphaned_git(&checkouts)?;
    for checkout in &checkouts {
        match remove_left_lock(checkout)? {
            LeftLock::None => {}
            LeftLock::Removed(lock) => removed_locks.push(lock),
            LeftLock::Held { lock, by } => {
                let by = by.map_or_else(
                    || "if no git is running there".to_owned(),
                    |pid| {
                        format!("process {pid} may hold it: let it end, or if it is no git at work")
                    },
                );
                return Ok(Checkouts::Held {
                    reason: format!(
                        "git was stopped while it updated {}; {by}, remove {}",
                        checkout.path().display(),
                        lock.display()
                    ),
                });
            }
        }
    }
    Ok(Checkouts::Quiet(checkouts, held))
}

/// Says which git outlived its grove and is at work still.
fn at_work_still(
    (root, repo): (&Path, &Repo),
    entry: &JournalEntry,
    checkouts: &[Pinned],
) -> String {
    let who = mover(root, &entry.id).map_or_else(String::new, |pid| format!(" (process {pid})"));
    let of_ref = repo
        .common_dir()
        .join(format!("{}.lock", entry.moving_ref()));
    let locks = checkouts.iter().filter_map(lock_of_git);
    let lock = locks.chain([of_ref]).find(|lock| lock.exists());
    let lock = lock.map_or_else(String::new, |lock| {
        format!(" ({} is there)", lock.display())
    });
    format!(
        "the git{who} that grove had started to move {} is at work still{lock}: wait for it to end, or end it; until then \
         nothing is touched",
        entry.receipt.target
    )
}

/// A git that grove had not started to move the branch may be at work in a checkout: waits, ever more patiently, until it
/// lets go of the index. A lock that nobody holds is waited for only a little.
fn await_orphaned_git(checkouts: &[Pinned]) -> Result<(), MergeError> {
    let is_locked = || checkouts.iter().any(|there| index_lock(there).is_some());
    let is_held = || {
        checkouts.iter().any(|there| {
            index_lock(there).is_some_and(|lock| holder(there, &lock) != Holder::Nobody)
        })
    };
    let since = Instant::now();
    poll(GIT_MAY_TAKE, || {
        Ok(!is_locked() || (since.elapsed() > LOCK_MAY_STAY && !is_held()))
    })
}
