//! A lock that is a file: whoever creates it has it. For data that other programs lock the same way,
//! so their rules apply: a lock that was left behind is taken over after a time.
//!
//! Our own locks also say which process holds them. One whose process is gone is taken over at once,
//! and nobody removes or writes under a lock that has meanwhile been taken from them.

use super::fs::{AtPath, FsError};
use super::liveness::{self, Liveness};
use super::random;
use crate::types::host::ProcessId;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// How the programs that share a lock deal with it.
#[derive(Debug, Clone, Copy)]
pub struct LockRules {
    /// A lock older than this was left behind.
    pub stale: Duration,
    /// How long a lock is waited for.
    pub patience: Duration,
    /// The longest pause between two tries.
    pub pause: Duration,
}

impl LockRules {
    /// Those of `sd` and `ml`, but that we look more often and wait a little longer.
    pub const OF_SEEDS_AND_MULCH: Self = Self {
        stale: Duration::from_secs(30),
        // Longer than what was left behind counts: else a lock that came a moment later outlasts us.
        patience: Duration::from_secs(35),
        pause: Duration::from_millis(20),
    };
}

/// Why a lock was not had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The lock file could not be made or looked at.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// Somebody else has it.
    #[error(
        "{} is held by another program; try again, or remove the file if no program uses it",
        path.display()
    )]
    Busy {
        /// The lock file.
        path: PathBuf,
    },
    /// A folder is in its place.
    #[error("{} is a folder where a lock file belongs; remove it and try again", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
}

/// A held lock; dropping it releases it.
#[derive(Debug)]
pub struct LockFile {
    path: PathBuf,
    token: String,
}

impl LockFile {
    /// Waits for the lock of `target`, the file `<target>.lock`.
    pub fn acquire(target: &Path, rules: &LockRules) -> Result<Self, LockError> {
        let mut path = target.as_os_str().to_owned();
        path.push(".lock");
        let path = PathBuf::from(path);
        let me = liveness::own_identity();
        let token = format!("{} {} {}\n", me.pid, me.start, random::hex(16));
        let started = Instant::now();
        loop {
            if create(&path, &token)? {
                return Ok(Self { path, token });
            }
            let Some(seen) = look(&path)? else { continue };
            if seen.is_dir() {
                return Err(LockError::Folder { path });
            }
            if is_left_behind(&path, &seen, rules) {
                take_away(&path, &seen)?;
                continue;
            }
            if started.elapsed() > rules.patience {
                return Err(LockError::Busy { path });
            }
            // A file gives no sign when it goes, and the others look for it in the same way.
            std::thread::sleep(short_of(rules.pause));
        }
    }

    /// Whether the lock is still ours: after a long suspension somebody may have taken it over.
    pub fn is_held(&self) -> bool {
        fs::read_to_string(&self.path).is_ok_and(|text| text == self.token)
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        if self.is_held()
            && let Err(e) = super::fs::remove_file(&self.path)
        {
            tracing::warn!("a lock is given back late: {e}");
        }
    }
}

fn create(path: &Path, token: &str) -> Result<bool, FsError> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => {
            let written = file.write_all(token.as_bytes());
            if written.is_err() {
                // Nobody knows whose it is; the error of the write is the one to report.
                drop(fs::remove_file(path));
            }
            written.at("write", path).map(|()| true)
        }
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(e).at("create", path),
    }
}

fn look(path: &Path) -> Result<Option<Metadata>, FsError> {
    match fs::symlink_metadata(path) {
        Ok(seen) => Ok(Some(seen)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e).at("inspect", path),
    }
}

fn is_left_behind(path: &Path, seen: &Metadata, rules: &LockRules) -> bool {
    let age = seen
        .modified()
        .ok()
        .and_then(|time| SystemTime::now().duration_since(time).ok());
    if age.is_some_and(|age| age > rules.stale) {
        return true;
    }
    holder(path).is_some_and(|id| liveness::check(id) == Liveness::Dead)
}

/// The process that one of our own locks names.
fn holder(path: &Path) -> Option<ProcessId> {
    let text = fs::read_to_string(path).ok()?;
    let mut words = text.split_whitespace();
    let pid = words.next()?.parse().ok()?;
    let start = words.next()?.parse().ok()?;
    Some(ProcessId { pid, start })
}

/// Removes the lock that was looked at, and no newer one: it is moved aside first, which only one
/// process can do, and put back when it turns out to be another.
fn take_away(path: &Path, seen: &Metadata) -> Result<(), FsError> {
    let aside = path.with_file_name(super::leftovers::temporary_name());
    match fs::rename(path, &aside) {
        Ok(()) => {}
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(e).at("move", path),
    }
    let moved = look(&aside)?;
    if moved.is_some_and(|moved| !is_same(&moved, seen))
        && let Err(e) = fs::hard_link(&aside, path)
    {
        tracing::warn!("a lock could not be put back: {e}");
    }
    super::fs::remove_file(&aside)
}

fn is_same(a: &Metadata, b: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if a.ino() != b.ino() {
            return false;
        }
    }
    a.modified().ok() == b.modified().ok()
}

/// Somewhere between half the pause and the pause, so that waiting processes do not march in step.
fn short_of(pause: Duration) -> Duration {
    let spread = u32::from_str_radix(&random::hex(2), 16).unwrap_or(0);
    pause / 2 + pause / 2 * spread / 255
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: LockRules = LockRules {
        stale: Duration::from_secs(30),
        patience: Duration::from_millis(1),
        pause: Duration::from_millis(1),
    };

    fn place() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("x.jsonl");
        let lock = dir.path().join("x.jsonl.lock");
        (dir, target, lock)
    }

    #[test]
    fn one_at_a_time_and_nothing_stays() {
        let (_dir, target, lock) = place();
        let held = LockFile::acquire(&target, &RULES).unwrap();
        assert!(matches!(
            LockFile::acquire(&target, &RULES),
            Err(LockError::Busy { .. })
        ));
        assert!(held.is_held());
        drop(held);
        assert!(!lock.exists());
    }

    #[test]
    fn a_folder_in_place_of_a_lock_is_named_and_stays() {
        let (_dir, target, lock) = place();
        fs::create_dir(&lock).unwrap();
        let old = SystemTime::now() - Duration::from_secs(31);
        fs::File::open(&lock).unwrap().set_modified(old).unwrap();
        let refused = LockFile::acquire(&target, &RULES).unwrap_err();
        assert!(refused.to_string().contains("is a folder"), "{refused}");
        assert!(lock.is_dir());
    }

    #[test]
    fn a_foreign_lock_is_respected_until_it_is_old() {
        let (_dir, target, lock) = place();
        fs::write(&lock, "").unwrap();
        assert!(LockFile::acquire(&target, &RULES).is_err());
        let old = SystemTime::now() - Duration::from_secs(31);
        fs::File::options()
            .write(true)
            .open(&lock)
            .unwrap()
            .set_modified(old)
            .unwrap();
        assert!(LockFile::acquire(&target, &RULES).is_ok());
        assert_eq!(fs::read_dir(target.parent().unwrap()).unwrap().count(), 0);
    }

    #[test]
    fn the_lock_of_a_dead_process_is_taken_over_at_once() {
        let (_dir, target, lock) = place();
        fs::write(&lock, "999999999 1 abc\n").unwrap();
        if liveness::check(ProcessId {
            pid: 999_999_999,
            start: 1,
        }) == Liveness::Dead
        {
            assert!(LockFile::acquire(&target, &RULES).is_ok());
        }
    }

    #[test]
    fn a_lock_that_was_taken_over_is_not_removed() {
        let (_dir, target, lock) = place();
        let held = LockFile::acquire(&target, &RULES).unwrap();
        fs::write(&lock, "somebody else").unwrap();
        assert!(!held.is_held());
        drop(held);
        assert!(lock.exists());
    }

    #[test]
    fn a_newer_lock_is_put_back() {
        let (_dir, target, lock) = place();
        fs::write(&lock, "old").unwrap();
        let seen = look(&lock).unwrap().unwrap();
        // Made before the old one goes, so that the system cannot give it the same inode.
        let newer = target.with_extension("newer");
        fs::write(&newer, "newer").unwrap();
        fs::rename(&newer, &lock).unwrap();
        take_away(&lock, &seen).unwrap();
        assert_eq!(fs::read_to_string(&lock).unwrap(), "newer");
    }
}
