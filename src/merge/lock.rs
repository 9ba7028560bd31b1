//! The merge lock of a target branch: one merge at a time into one branch, also between programs.
//! A file that names its owner; a dead owner's lock is taken over. Nothing here knows what is merged.
//!
//! The file is what other programs look at, and it has only a pid. Beside it grove holds a lease that
//! the system ends with its holder, so that a reused pid cannot keep a lock of grove's own alive.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::platform::lease::{self, Lease, Taken};
use crate::platform::liveness::{self, Liveness};
use crate::platform::{clock, fs, random};
use crate::types::Timestamp;
use crate::types::host::ProcessId;

use super::error::{LockHolder, MergeError};

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
}

impl MergeLock {
    /// Takes the lock for merging into `branch`, or says who has it.
    pub fn acquire(root: &Path, branch: &str) -> Result<Self, MergeError> {
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

/// Returns where the lock for `branch` is.
pub fn lock_path(root: &Path, branch: &str) -> PathBuf {
    let name = branch.replace(['/', '\\', ':'], "-");
    root.join(".overstory").join(format!("merge-{name}.lock"))
}

/// Creates the file with its content in one step, so that nobody reads it half-written.
fn create_whole(path: &Path, content: &str) -> Result<bool, MergeError> {
    let draft = path.with_extension(format!("lock-{}", random::alphanumeric(8)));
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
    let aside = path.with_extension(format!("stale-{}", random::alphanumeric(8)));
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

/// Tells since when a lock is held, for display.
pub fn held_since(root: &Path, branch: &str) -> Option<(u32, Timestamp)> {
    let text = fs::read_optional(&lock_path(root, branch)).ok()??;
    let owner: Owner = serde_json::from_str(&text).ok()?;
    let since = Timestamp::parse(&owner.acquired_at)?;
    is_running(&owner).then_some((owner.pid, since))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_owner_at_a_time_and_the_file_says_who() {
        let dir = tempfile::tempdir().unwrap();
        let lock = MergeLock::acquire(dir.path(), "feature/a:b").unwrap();
        let path = dir.path().join(".overstory/merge-feature-a-b.lock");
        let text = std::fs::read_to_string(&path).unwrap();
        let owner: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(owner["targetBranch"], "feature/a:b");
        assert_eq!(owner["pid"], std::process::id());
        let keys: Vec<&String> = owner.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["pid", "acquiredAt", "targetBranch"]);
        assert!(matches!(
            MergeLock::acquire(dir.path(), "feature/a:b"),
            Err(MergeError::Locked { by, .. }) if by.pid == Some(std::process::id())
        ));
        drop(lock);
        assert!(!path.exists());
        let left: Vec<_> = std::fs::read_dir(path.parent().unwrap())
            .unwrap()
            .flatten()
            .collect();
        assert_eq!(left.len(), 1, "only the lease file stays: {left:?}");
    }

    #[test]
    fn a_holder_that_has_not_written_its_name_yet_is_called_another_process() {
        let dir = tempfile::tempdir().unwrap();
        let lock = MergeLock::acquire(dir.path(), "main").unwrap();
        let path = lock_path(dir.path(), "main");
        let lease = path.with_extension("lease");
        std::fs::remove_file(&path).unwrap();
        let mut gone = std::process::Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        for earlier in [String::new(), format!("{} 1 \n", gone.id())] {
            std::fs::write(&lease, earlier).unwrap();
            let said = MergeLock::acquire(dir.path(), "main")
                .unwrap_err()
                .to_string();
            assert_eq!(
                said,
                "branch main is being merged into by another process: wait for it to finish"
            );
        }
        drop(lock);
    }

    #[test]
    fn a_reused_pid_does_not_keep_our_own_lock_alive() {
        let dir = tempfile::tempdir().unwrap();
        let path = lock_path(dir.path(), "main");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut other = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let text = format!(
            "{{\"pid\":{},\"acquiredAt\":\"x\",\"targetBranch\":\"main\"}}",
            other.id()
        );
        std::fs::write(&path, &text).unwrap();
        let foreign = MergeLock::acquire(dir.path(), "main");
        assert!(
            matches!(foreign, Err(MergeError::Locked { by, .. }) if by.pid == Some(other.id()))
        );
        std::fs::write(path.with_extension("lease"), format!("{} 1\n", other.id())).unwrap();
        let own = MergeLock::acquire(dir.path(), "main");
        other.kill().unwrap();
        other.wait().unwrap();
        own.unwrap();
    }

    #[test]
    fn a_dead_owners_lock_is_taken_over_and_an_unreadable_one_only_when_old() {
        let dir = tempfile::tempdir().unwrap();
        let path = lock_path(dir.path(), "main");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let text = format!(
            "{{\"pid\":{},\"acquiredAt\":\"x\",\"targetBranch\":\"main\"}}",
            child.id()
        );
        std::fs::write(&path, text).unwrap();
        drop(MergeLock::acquire(dir.path(), "main").unwrap());

        std::fs::write(&path, "{").unwrap();
        assert!(matches!(
            MergeLock::acquire(dir.path(), "main"),
            Err(MergeError::LockUnusable { .. })
        ));
        let old = std::time::SystemTime::now() - Duration::from_secs(400);
        std::fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(old)
            .unwrap();
        drop(MergeLock::acquire(dir.path(), "main").unwrap());
    }
}
