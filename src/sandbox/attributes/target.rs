//! The file that a call in another process means, opened as a handle that can only be looked at.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use grove_seccomp::File;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

/// A thread whose names for files are looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caller(pub(super) u32);

/// What names of files mean: a process with another of these means other files by them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct World {
    root: (u64, u64),
    mounts: std::path::PathBuf,
    users: std::path::PathBuf,
}

impl World {
    fn of(process: &str) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let place = Path::new("/proc").join(process);
        let root = std::fs::metadata(place.join("root"))?;
        Ok(Self {
            root: (root.dev(), root.ino()),
            mounts: std::fs::read_link(place.join("ns/mnt"))?,
            users: std::fs::read_link(place.join("ns/user"))?,
        })
    }

    /// That of this process.
    pub(super) fn own() -> io::Result<Self> {
        Self::of("self")
    }
}

impl Caller {
    pub(super) fn world(self) -> io::Result<World> {
        World::of(&self.0.to_string())
    }

    /// The user whose rights count for its files.
    pub(super) fn user(self) -> Option<u32> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
        line.split_whitespace().nth(3)?.parse().ok()
    }

    /// Some bytes of its memory, fewer where it ends.
    pub(super) fn memory(self, address: u64, length: usize) -> io::Result<Vec<u8>> {
        use std::os::unix::fs::FileExt;
        let memory = std::fs::File::open(format!("/proc/{}/mem", self.0))?;
        let mut bytes = vec![0; length];
        let mut read = 0;
        while let Some(rest) = bytes.get_mut(read..).filter(|rest| !rest.is_empty()) {
            match memory.read_at(rest, address.saturating_add(read as u64)) {
                Ok(0) => break,
                Ok(n) => read += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(_) if read > 0 => break,
                Err(_) => return Err(Errno::FAULT.into()),
            }
        }
        bytes.truncate(read);
        Ok(bytes)
    }

    /// Opens what it means by a name.
    pub(super) fn open(self, file: &File) -> Result<OwnedFd, Errno> {
        match file {
            File::Descriptor(descriptor) => self.descriptor(*descriptor),
            File::WorkingFolder => self.link("cwd"),
            File::Path {
                folder,
                path,
                follow,
            } => {
                if let Some(descriptor) = self.descriptor_in(path).filter(|_| *follow) {
                    return self.descriptor(descriptor);
                }
                let last = if *follow {
                    OFlags::empty()
                } else {
                    OFlags::NOFOLLOW
                };
                // Links of the kernel's own, as in /proc/self, lead from here elsewhere than from there.
                let open = |folder: &OwnedFd| {
                    let how = OFlags::PATH | OFlags::CLOEXEC | last;
                    openat2(
                        folder,
                        path.as_slice(),
                        how,
                        Mode::empty(),
                        ResolveFlags::NO_MAGICLINKS,
                    )
                };
                match folder {
                    Some(descriptor) if !path.starts_with(b"/") => {
                        open(&self.descriptor(*descriptor)?)
                    }
                    Some(_) | None => open(&self.link("cwd")?),
                }
            }
        }
    }

    fn descriptor(self, number: i32) -> Result<OwnedFd, Errno> {
        self.link(&format!("fd/{number}")).map_err(|error| {
            if error == Errno::NOENT {
                Errno::BADF
            } else {
                error
            }
        })
    }

    fn link(self, name: &str) -> Result<OwnedFd, Errno> {
        let link = format!("/proc/{}/{name}", self.0);
        openat(CWD, link, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
    }

    /// The open file that a path names by its number, as C libraries do for files they cannot name otherwise.
    fn descriptor_in(self, path: &[u8]) -> Option<i32> {
        let by_thread = format!("/proc/{}/fd/", self.0);
        let places = [
            "/proc/self/fd/",
            "/proc/thread-self/fd/",
            "/dev/fd/",
            &by_thread,
        ];
        let rest = places
            .iter()
            .find_map(|place| path.strip_prefix(place.as_bytes()))?;
        let digits = rest.iter().all(u8::is_ascii_digit);
        digits
            .then(|| std::str::from_utf8(rest).ok()?.parse().ok())
            .flatten()
    }
}
