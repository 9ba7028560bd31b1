//! A lock that dies with its holder: an advisory lock on an open file.
//!
//! The text in the file (pid and start time of the holder) is for display only; who holds
//! the lease is decided by the operating system.

use super::fs::{AtPath, FsError};
use super::liveness::{self, Liveness};
use crate::types::host::ProcessId;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest pause between two tries to take a lease.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// How long a lease is waited for whose holder was killed: a child that it was just starting has the
/// file open until it runs its program.
const AFTER_DEATH: Duration = Duration::from_secs(5);

/// A held lease; dropping it releases it.
#[derive(Debug)]
pub struct Lease {
    file: File,
}

impl Lease {
    /// The same lock for a process that is about to be started: it lives until both have ended, however that is.
    pub fn lend(&self) -> std::io::Result<File> {
        self.file.try_clone()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Closing is not enough: a child that is just being started has the file open until it
        // runs its program, and the lock lives as long.
        if let Err(e) = self.file.unlock() {
            tracing::warn!("a lease is given back late: {e}");
        }
    }
}

/// Result of trying to take a lease.
#[derive(Debug)]
pub enum Taken {
    Mine(Lease),
    /// Somebody else holds it; who, if the file says so.
    HeldBy(Option<ProcessId>),
}

/// Who can read a file can lock it: a new one is not for everybody.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o660);
    options
}

fn open(path: &Path) -> Result<File, FsError> {
    let mut options = options();
    options.create(true).truncate(false);
    options.open(path).at("open", path)
}

/// Takes the lease if it is free; waits for nobody who lives.
pub fn try_take(path: &Path) -> Result<Taken, FsError> {
    try_take_to(path, "")
}

/// As `try_take`, and notes what for, in one word.
pub fn try_take_to(path: &Path, purpose: &str) -> Result<Taken, FsError> {
    let mut file = open(path)?;
    let end = Instant::now() + AFTER_DEATH;
    let mut pause = Duration::from_millis(1);
    loop {
        match file.try_lock() {
            Ok(()) => {
                note_holder(&mut file, path, purpose);
                return Ok(Taken::Mine(Lease { file }));
            }
            Err(TryLockError::WouldBlock) => {
                // The name is written after the lease is taken, so it may be that of an earlier holder.
                let holder = read_holder(&mut file, path)?;
                let is_dead = holder.is_some_and(|who| liveness::check(who) == Liveness::Dead);
                if !is_dead || Instant::now() >= end {
                    return Ok(Taken::HeldBy(holder));
                }
                std::thread::sleep(pause);
            }
            Err(TryLockError::Error(e)) => return Err(e).at("lock", path),
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn note_holder(file: &mut File, path: &Path, purpose: &str) {
    let me = liveness::own_identity();
    let line = format!("{} {} {purpose}", me.pid, me.start);
    let noted = file
        .set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| writeln!(file, "{}", line.trim_end()));
    if let Err(e) = noted {
        // The lock is held all the same; on a full disk this may be what makes room.
        tracing::warn!("{} does not say who holds it: {e}", path.display());
    }
}

fn read_holder(file: &mut File, path: &Path) -> Result<Option<ProcessId>, FsError> {
    let mut text = String::new();
    file.rewind()
        .and_then(|()| file.read_to_string(&mut text))
        .at("read", path)?;
    Ok(parse_holder(&text))
}

/// Takes the lease, and waits for whoever holds it. For work that takes moments: the system gives
/// the lease back when its holder ends, however it ends.
pub fn wait_for(path: &Path) -> Result<Lease, FsError> {
    let file = open(path)?;
    file.lock().at("lock", path)?;
    Ok(Lease { file })
}

/// A new file with a text, held from its beginning. Nobody may look at it before: who makes it and who
/// looks must agree on that.
pub fn create(path: &Path, text: &str) -> Result<Lease, FsError> {
    let mut file = options().create_new(true).open(path).at("create", path)?;
    let held = file.lock().and_then(|()| file.write_all(text.as_bytes()));
    if let Err(e) = held {
        // The first error is the one to report.
        drop(std::fs::remove_file(path));
        return Err(e).at("write", path);
    }
    Ok(Lease { file })
}

/// Whether anybody holds the lease; `false` where there is no such file.
pub fn is_held(path: &Path) -> Result<bool, FsError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(e).at("open", path),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(e)) => Err(e).at("lock", path),
    }
}

/// As [`wait_for`], for `limit` at most; `None` when somebody has held it all the time.
pub fn wait_at_most(path: &Path, limit: Duration) -> Result<Option<Lease>, FsError> {
    let file = open(path)?;
    let end = Instant::now() + limit;
    let mut pause = Duration::from_millis(1);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(Lease { file })),
            // The system tells of a lock that comes free, or limits the wait, but not both.
            Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(pause),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(e)) => return Err(e).at("lock", path),
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Who holds the lease now, without taking it; `None` when it is free.
pub fn holder(path: &Path) -> Result<Option<ProcessId>, FsError> {
    if !path.exists() {
        return Ok(None);
    }
    let mut file = open(path)?;
    match file.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(Some(
            read_holder(&mut file, path)?.unwrap_or(ProcessId { pid: 0, start: 0 }),
        )),
        Err(TryLockError::Error(e)) => Err(e).at("lock", path),
    }
}

/// What the holder has said it does, if anything.
pub fn purpose(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    text.split_whitespace().nth(2).map(str::to_owned)
}

fn parse_holder(text: &str) -> Option<ProcessId> {
    let mut words = text.split_whitespace();
    let pid = words.next()?.parse().ok()?;
    let start = words.next().and_then(|w| w.parse().ok()).unwrap_or(0);
    Some(ProcessId { pid, start })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_with_a_limit_ends_while_somebody_else_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lease");
        let limit = Duration::from_millis(5);
        let held = wait_at_most(&path, limit).unwrap();
        assert!(held.is_some());
        assert!(wait_at_most(&path, limit).unwrap().is_none());
        drop(held);
        assert!(wait_at_most(&path, limit).unwrap().is_some());
    }

    #[cfg(unix)]
    #[test]
    fn not_everybody_can_lock_a_new_lease() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        for name in ["waited", "created"] {
            let path = dir.path().join(name);
            if name == "waited" {
                wait_for(&path).unwrap();
            } else {
                create(&path, "text").unwrap();
            }
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o007, 0, "{name}");
        }
    }

    #[test]
    fn what_a_killed_holder_was_just_starting_keeps_nobody_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lease");
        let mut killed = std::process::Command::new(std::env::current_exe().unwrap())
            .arg("--list")
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        killed.wait().unwrap();
        let held = create(&path, &format!("{} 1\n", killed.id())).unwrap();
        std::thread::scope(|scope| {
            let (told, answer) = std::sync::mpsc::channel();
            let path = &path;
            scope.spawn(move || told.send(try_take(path).unwrap()).unwrap());
            let early = answer.recv_timeout(Duration::from_millis(50));
            assert!(early.is_err(), "answered for a dead holder: {early:?}");
            drop(held);
            assert!(matches!(answer.recv().unwrap(), Taken::Mine(_)));
        });
    }

    #[test]
    fn a_lease_is_exclusive_and_ends_with_its_holder() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lease");
        let Taken::Mine(lease) = try_take(&path).unwrap() else {
            panic!("free lease not taken")
        };
        let Taken::HeldBy(Some(who)) = try_take(&path).unwrap() else {
            panic!("taken twice")
        };
        assert_eq!(who.pid as u32, std::process::id());
        assert_eq!(
            holder(&path).unwrap().map(|p| p.pid as u32),
            Some(std::process::id())
        );
        drop(lease);
        assert_eq!(holder(&path).unwrap(), None);
        assert!(matches!(try_take(&path).unwrap(), Taken::Mine(_)));
    }
}
