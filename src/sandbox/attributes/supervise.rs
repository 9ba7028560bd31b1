//! Answering the calls that were stopped.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use grove_seccomp::{Call, Listener, Notice, Time};
use rustix::fs::{AtFlags, FileType, Mode, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use rustix::io::Errno;

use super::target::{Caller, World};
use crate::sandbox::capabilities;

/// Where the processes of one sandbox may change attributes.
#[derive(Debug)]
pub(super) struct Supervised {
    write: Vec<PathBuf>,
    world: World,
}

impl Supervised {
    /// Files and whole folders that may be written, by names that lead through no link.
    pub(super) fn new(write: &[PathBuf]) -> io::Result<Self> {
        Ok(Self {
            write: write.to_vec(),
            world: World::own()?,
        })
    }

    /// Answers until no process of the sandbox is left.
    pub(super) fn answer_all(&self, listener: &Listener) {
        if let Err(error) = capabilities::drop_most_but_looking() {
            tracing::warn!(%error, "modes and owners of files are not changed for the agent");
            return;
        }
        loop {
            let result = match listener.next() {
                Ok(Some(notice)) => {
                    let done = self.carry_out(listener, &notice);
                    listener.answer(&notice, done.map_err(Errno::raw_os_error))
                }
                Ok(None) => return,
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                tracing::warn!(%error, "modes and owners of files are not changed for the agent any more");
                return;
            }
        }
    }

    fn carry_out(&self, listener: &Listener, notice: &Notice) -> Result<(), Errno> {
        let caller = Caller(notice.thread);
        // One that means other files by its names, or cannot be looked at, changes none.
        if caller.world().ok().as_ref() != Some(&self.world) {
            return Err(Errno::PERM);
        }
        let memory = |address, length| caller.memory(address, length);
        let call = Call::read(notice, &memory)
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::PERM))?;
        let (Call::Mode(file, _) | Call::Owner(file, ..) | Call::Times(file, ..)) = &call;
        let handle = caller.open(file)?;
        // The thread may have ended meanwhile, and its number may be another's.
        if !listener.is_waiting(notice) {
            return Err(Errno::INTR);
        }
        if !self.may_change(&handle)? || !has_right(caller, &handle, &call)? {
            return Err(Errno::PERM);
        }
        change(&handle, &call)
    }

    fn may_change(&self, handle: &OwnedFd) -> Result<bool, Errno> {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let name = rustix::fs::readlink(own_link(handle), Vec::new())?;
        let path = Path::new(OsStr::from_bytes(name.as_bytes()));
        // Pipes and sockets have no path, and what was removed is nobody's but who has it open.
        let is_nowhere = !path.is_absolute() || rustix::fs::fstat(handle)?.st_nlink == 0;
        Ok(is_nowhere || self.write.iter().any(|place| path.starts_with(place)))
    }
}

/// Whether the caller has the right to do what this process, if it is root, can do to anybody's files.
fn has_right(caller: Caller, handle: &OwnedFd, call: &Call) -> Result<bool, Errno> {
    if !rustix::process::geteuid().is_root() {
        return Ok(true);
    }
    let user = caller.user().ok_or(Errno::PERM)?;
    let gives_away = matches!(call, Call::Owner(..));
    Ok(user == 0 || (!gives_away && rustix::fs::fstat(handle)?.st_uid == user))
}

fn own_link(handle: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", handle.as_raw_fd())
}

fn change(handle: &OwnedFd, call: &Call) -> Result<(), Errno> {
    match call {
        Call::Mode(_, mode) => {
            let kind = FileType::from_raw_mode(rustix::fs::fstat(handle)?.st_mode);
            // Through this handle's link the mode would be its target's.
            if kind == FileType::Symlink {
                return Err(Errno::OPNOTSUPP);
            }
            rustix::fs::chmod(own_link(handle), Mode::from_raw_mode(mode & 0o7777))
        }
        Call::Owner(_, owner, group) => rustix::fs::chownat(
            handle,
            "",
            owner.map(rustix::fs::Uid::from_raw),
            group.map(rustix::fs::Gid::from_raw),
            AtFlags::EMPTY_PATH,
        ),
        Call::Times(_, used, changed) => {
            let times = Timestamps {
                last_access: timespec(*used),
                last_modification: timespec(*changed),
            };
            rustix::fs::utimensat(handle, "", &times, AtFlags::EMPTY_PATH)
        }
    }
}

fn timespec(time: Time) -> Timespec {
    let (tv_sec, tv_nsec) = match time {
        Time::Now => (0, UTIME_NOW),
        Time::Kept => (0, UTIME_OMIT),
        Time::At(seconds, nanoseconds) => (seconds, nanoseconds),
    };
    Timespec { tv_sec, tv_nsec }
}
