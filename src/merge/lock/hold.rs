//! Taking and releasing the lock of a name; a dead owner's lock is taken over.
//!
//! The file is what other programs look at, and it has only a pid. Beside it grove holds a lease that
//! the system ends with its holder, so that a reused pid cannot keep a lock of grove's own alive.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::platform::lease::{self, Lease, Taken};
use crate::platform::liveness::{self, Liveness};
use crate::platform::{clock, fs};
use crate::types::Timestamp;
use crate::types::host::ProcessId;

use super::names::{lock_path, moving_name};
use crate::merge::error::{LockHolder, MergeError};

/// An unreadable lock may be one that is just being written; after this time it is not.
const UNREADABLE_FOR: Duration = Duration::from_mins(5);

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner {
    pid: u32,
    acquired_at: String,
    target_branch: String,
}

/// A held lock; dropping it releases it.
#[derive(Debug)]
pub struct MergeLock {
    path: PathBuf,
    content: String,
    /// Released after the file is gone: fields are dropped after `drop` has run.
    _lease: Lease,
    /// The lock by the name that was given, where the branch that moves has another one: ov goes by that name.
    _by_name: Option<Box<Self>>,
}

impl MergeLock {
    /// Takes the lock for merging into `branch`, or says who has it.
    pub fn acquire(root: &Path, branch: &str) -> Result<Self, MergeError> {
        let moves = moving_name(root, branch);
        let by_name = if lock_path(root, &moves) == lock_path(root, branch) {
            None
        } else {
            Some(Box::new(Self::acquire_one(root, branch, None)?))
        };
        Self::acquire_one(root, &moves, by_name)
    }

    /// Takes the lock of one name.
    fn acquire_one(
        root: &Path,
        branch: &str,
        by_name: Option<Box<Self>>,
    ) -> Result<Self, MergeError> {
        let path = lock_path(root, branch);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let lease_path = path.with_extension("lease");
        let last_holder = lease_holder(&lease_path)?;
        let lease = match lease::try_take(&lease_path)? {
            Taken::Mine(lease) => lease,
            Taken::HeldBy(holder) => {
                return Err(MergeError::Locked {
                    branch: branch.to_owned(),
                    by: who_holds(&path, holder)?,
                });
            }
        };
        let owner = Owner {
            pid: std::process::id(),
            acquired_at: clock::now().iso(),
            target_branch: branch.to_owned(),
        };
        let content = serde_json::to_string(&owner).map_err(|source| MergeError::BadRecord {
            what: "merge lock",
            path: path.clone(),
            source,
        })? + "\n";
        // A second round after a stale lock was moved away; somebody else may win that one.
        for _ in 0..3 {
            if create_whole(&path, &content)? {
                return Ok(Self {
                    path,
                    content,
                    _lease: lease,
                    _by_name: by_name,
                });
            }
            match holder(&path, branch, last_holder)? {
                Holder::Gone => {}
                Holder::Alive(owner) => {
                    return Err(MergeError::Locked {
                        branch: branch.to_owned(),
                        by: LockHolder {
                            pid: Some(owner.pid),
                            since: Some(owner.acquired_at),
                        },
                    });
                }
                Holder::Unreadable => {
                    return Err(MergeError::LockUnusable {
                        path,
                        detail: "it cannot be read; remove it if no merge is running".to_owned(),
                    });
                }
                Holder::Dead(seen) => move_away(&path, &seen)?,
            }
        }
        Err(MergeError::LockUnusable {
            path,
            detail: "others keep taking it; try again".to_owned(),
        })
    }
}

/// Names the holder of a lease that somebody has right now. Both files are written after the lease is
/// taken, so each may still name an earlier holder, or nobody.
fn who_holds(path: &Path, lease: Option<ProcessId>) -> Result<LockHolder, MergeError> {
    let alive = |holder: &ProcessId| liveness::check(*holder) != Liveness::Dead;
    let owner = fs::read_optional(path)?
        .and_then(|text| serde_json::from_str::<Owner>(&text).ok())
        .filter(is_running);
    let holder = lease.filter(alive).map(|holder| holder.pid.unsigned_abs());
    Ok(match (owner, holder) {
        (Some(owner), holder) if holder.is_none_or(|pid| pid == owner.pid) => LockHolder {
            pid: Some(owner.pid),
            since: Some(owner.acquired_at),
        },
        (_, holder) => LockHolder {
            pid: holder.filter(|pid| *pid != 0),
            since: None,
        },
    })
}

impl Drop for MergeLock {
    fn drop(&mut self) {
        // Only our own: after a takeover the file belongs to somebody else.
        match fs::read_optional(&self.path) {
            Ok(Some(text)) if text == self.content => {
                if let Err(error) = fs::remove_file(&self.path) {
                    tracing::warn!(%error, "merge lock stays behind");
                }
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "merge lock not checked"),
        }
    }
}

/// Creates the file with its content in one step, so that nobody reads it half-written. Only who has the lease drafts
/// one: what is there already is from somebody who was killed.
fn create_whole(path: &Path, content: &str) -> Result<bool, MergeError> {
    let draft = path.with_extension("lock-new");
    fs::remove_file(&draft)?;
    fs::create_new(&draft, content)?;
    let linked = std::fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    match linked {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        // Some file systems have no hard links.
        Err(_) => Ok(fs::create_new(path, content)?),
    }
}

enum Holder {
    Gone,
    Alive(Owner),
    /// The lock is stale; its text tells it from a newer one.
    Dead(String),
    Unreadable,
}

fn holder(path: &Path, branch: &str, last: Option<u32>) -> Result<Holder, MergeError> {
    let Some(text) = fs::read_optional(path)? else {
        return Ok(Holder::Gone);
    };
    let Ok(owner) = serde_json::from_str::<Owner>(&text) else {
        let age = std::fs::metadata(path)
            .and_then(|metadata| metadata.modified())
            .ok()
            .and_then(|modified| modified.elapsed().ok())
            .unwrap_or_default();
        tracing::warn!(branch, path = %path.display(), "merge lock is not readable");
        return Ok(if age > UNREADABLE_FOR {
            Holder::Dead(text)
        } else {
            Holder::Unreadable
        });
    };
    // We hold the lease now: whoever held it last is gone, even if its pid is in use again.
    Ok(if is_running(&owner) && last != Some(owner.pid) {
        Holder::Alive(owner)
    } else {
        Holder::Dead(text)
    })
}

/// Returns the pid that last wrote the lease.
fn lease_holder(path: &Path) -> Result<Option<u32>, MergeError> {
    let text = fs::read_optional(path)?.unwrap_or_default();
    Ok(text
        .split_whitespace()
        .next()
        .and_then(|pid| pid.parse().ok()))
}

fn is_running(owner: &Owner) -> bool {
    let Ok(pid) = i32::try_from(owner.pid) else {
        return false;
    };
    match liveness::check(ProcessId { pid, start: 0 }) {
        Liveness::Dead => false,
        // What cannot be known counts as running.
        Liveness::Alive | Liveness::Unknown => true,
    }
}

fn move_away(path: &Path, seen: &str) -> Result<(), MergeError> {
    // Of somebody who was killed here, the next one takes the place.
    let aside = path.with_extension("lock-stale");
    match std::fs::rename(path, &aside) {
        Ok(()) => {}
        // Somebody else took care of it.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(MergeError::LockUnusable {
                path: path.to_path_buf(),
                detail: error.to_string(),
            });
        }
    }
    // Between reading and moving, a new owner may have replaced it: give that one back.
    if fs::read(&aside)? != seen
        && let Err(error) = std::fs::hard_link(&aside, path)
    {
        tracing::warn!(%error, "a newer merge lock could not be put back");
    }
    fs::remove_file(&aside)?;
    Ok(())
}

/// Tells since when a merge into `branch` holds its lock, for display.
pub fn held_since(root: &Path, branch: &str) -> Option<(u32, Timestamp)> {
    let moves = moving_name(root, branch);
    let by_name = || lock_held_since(root, branch).filter(|_| moves != branch);
    lock_held_since(root, &moves).or_else(by_name)
}

/// Tells since when the lock of one name is held.
pub fn lock_held_since(root: &Path, branch: &str) -> Option<(u32, Timestamp)> {
    let text = fs::read_optional(&lock_path(root, branch)).ok()??;
    let owner: Owner = serde_json::from_str(&text).ok()?;
    let since = Timestamp::parse(&owner.acquired_at)?;
    is_running(&owner).then_some((owner.pid, since))
}
