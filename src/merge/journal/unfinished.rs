//! Merges in the journal that nobody is at, for those who only look: how far they came, and which checkouts they may have
//! half updated. Changes nothing; `recover` does.

use std::path::{Path, PathBuf};

use crate::git::{Pinned, Repo};
use crate::platform::holders::Holder;
use crate::platform::liveness::{self, Liveness};
use crate::types::host::ProcessId;

use super::entries::{JournalEntry, Step, look};
use crate::merge::checkout::{checkouts_of, holder, index_lock};
use crate::merge::error::MergeError;
use crate::merge::lock::held_since;

/// A merge that was broken off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    pub branch: String,
    pub target: String,
    pub step: Step,
    /// Whether the target has moved, which comes last: then only the record of it is missing.
    pub has_moved: bool,
    /// The checkouts that it was updating, as far as they are still there.
    pub checkouts: Vec<LeftCheckout>,
}

/// A checkout that may be half written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftCheckout {
    pub path: PathBuf,
    /// git's lock of its index, and who may hold it.
    pub lock: Option<(PathBuf, Holder)>,
}

/// What the journal has of merges that were broken off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    pub merges: Vec<Unfinished>,
    /// Files of the journal that cannot be read.
    pub unreadable: Vec<PathBuf>,
}

/// Finds the merges that were broken off.
pub fn unfinished(root: &Path) -> Result<Found, MergeError> {
    let (mut entries, unreadable) = look(root)?;
    entries.retain(|entry| !is_at_work(root, entry));
    let merges = if entries.is_empty() {
        Vec::new()
    } else {
        let repo = Repo::discover(root)?;
        let merges = entries.into_iter().map(|entry| seen(&repo, entry));
        merges.collect::<Result<_, _>>()?
    };
    Ok(Found { merges, unreadable })
}

/// The entries of merges whose target has moved, and of those whose target has moved back, whether or not somebody is
/// about to store that. Changes nothing.
pub fn moved(root: &Path) -> Result<Vec<JournalEntry>, MergeError> {
    let (mut entries, _) = look(root)?;
    entries.retain(|entry| match entry.step {
        Step::Landing | Step::Landed | Step::Undoing => true,
        Step::Planned | Step::Gated => false,
    });
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let repo = Repo::discover(root)?;
    let mut found = Vec::new();
    for entry in entries {
        if entry.step == Step::Landed || has_moved(&repo, &entry)? {
            found.push(entry);
        }
    }
    Ok(found)
}

/// Whether the target of a step stands where that was to take it, or has gone on from there.
fn has_moved(repo: &Repo, entry: &JournalEntry) -> Result<bool, MergeError> {
    let name = entry.moving_ref();
    let receipt = &entry.receipt;
    let (from, to) = match &entry.undo {
        Some(undo) => (&undo.from, &undo.to),
        None => (&receipt.target_before, &receipt.merged_commit),
    };
    let (Some(tip), Ok(from), Ok(to)) = (
        repo.ref_target(&name),
        repo.commit_of(from),
        repo.commit_of(to),
    ) else {
        return Ok(false);
    };
    Ok(repo.has_moved(&name, (from, to), tip)?)
}

/// Whether somebody may still bring it to its end. Whoever lands holds the lock of the target; before and after that, only
/// the number of the process tells.
fn is_at_work(root: &Path, entry: &JournalEntry) -> bool {
    let is_running = || {
        let process = i32::try_from(entry.pid).map(|pid| ProcessId { pid, start: 0 });
        process.is_ok_and(|process| liveness::check(process) != Liveness::Dead)
    };
    held_since(root, entry.moving_branch()).is_some()
        || match entry.step {
            Step::Landing | Step::Undoing => false,
            Step::Planned | Step::Gated | Step::Landed => is_running(),
        }
}

fn seen(repo: &Repo, entry: JournalEntry) -> Result<Unfinished, MergeError> {
    let name = entry.moving_ref();
    let JournalEntry {
        step,
        receipt,
        moving,
        undo,
        ..
    } = entry;
    let moved_to = match step {
        Step::Planned | Step::Gated => None,
        Step::Landing | Step::Landed => Some(receipt.merged_commit),
        Step::Undoing => undo.map(|undo| undo.to),
    };
    let has_moved =
        moved_to.is_some() && repo.ref_target(&name).map(|id| id.to_string()) == moved_to;
    let paths = match step {
        Step::Planned | Step::Gated | Step::Landed => Vec::new(),
        Step::Landing | Step::Undoing if has_moved => Vec::new(),
        // Written by an earlier grove.
        Step::Landing | Step::Undoing if moving.name.is_empty() => {
            checkouts_of(repo, &receipt.target)?
        }
        Step::Landing | Step::Undoing => moving.checkouts.into_iter().map(PathBuf::from).collect(),
    };
    // One that the repository does not list any more is nobody's.
    let checkouts = paths
        .iter()
        .filter_map(|path| Pinned::of(repo, path).ok())
        .map(|checkout| LeftCheckout {
            path: checkout.path().to_path_buf(),
            lock: index_lock(&checkout).map(|lock| {
                let by = holder(&checkout, &lock);
                (lock, by)
            }),
        });
    Ok(Unfinished {
        checkouts: checkouts.collect(),
        branch: receipt.branch,
        target: receipt.target,
        step,
        has_moved,
    })
}
