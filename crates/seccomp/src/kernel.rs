//! The calls of the kernel themselves: installing the filter, and asking and answering the listener.
//!
//! The one module with unsafe code. None of these calls has a safe form in a library; each block is one call with
//! arguments that live as long as it, in structures of the kernel's own layout (`linux/seccomp.h`).
#![allow(unsafe_code, reason = "see above")]

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::filter::{self, Asking, Connections};
use rustix::event::{PollFd, PollFlags, poll};

/// A signal that arrives after a call was taken waits for the answer, so that no call is done twice (Linux 5.19).
const WAIT_KILLABLE: libc::c_ulong = 1 << 5;

// `_IOWR('!', 0, struct seccomp_notif)` and its siblings.
const RECEIVE: u32 = 0xC050_2100;
const SEND: u32 = 0xC018_2101;
const IS_VALID: u32 = 0x4008_2102;

/// A call that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub(crate) id: u64,
    /// The thread that makes it; 0 when it is of no process that can be seen from here.
    pub thread: u32,
    pub(crate) number: libc::c_long,
    pub(crate) arguments: [u64; 6],
}

/// Where the calls of filtered processes come in. Dropping it lets them fail with `ENOSYS`.
#[derive(Debug)]
pub struct Listener(OwnedFd);

/// Puts the filter on this thread and on everything that it becomes or starts from now on, where nobody can be asked:
/// calls that are refused in any case are, and those that a supervisor would judge go on.
///
/// # Errors
/// As [`Listener::install`], but another filter is no reason.
pub fn refuse_unasked(connections: Connections) -> io::Result<()> {
    let filter = filter::program(Asking::Nobody, connections);
    set(&filter.ok_or(io::ErrorKind::Unsupported)?, 0).map(drop)
}

/// Installs a filter; returns what the kernel does, which is a descriptor where the flags ask for one.
fn set(filter: &[libc::sock_filter], flags: libc::c_ulong) -> io::Result<i32> {
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).map_err(io::Error::other)?,
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: `program` points to `len` instructions of `filter`, which both outlive the call; the kernel
    // copies and checks them.
    let made = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            flags,
            &raw const program,
        )
    };
    match i32::try_from(made) {
        Ok(made @ 0..) => Ok(made),
        Ok(_) | Err(_) => Err(io::Error::last_os_error()),
    }
}

impl Listener {
    /// Puts the filter on this thread and on everything that it becomes or starts from now on; there is no way back. The
    /// thread must have given up gaining rights (`no_new_privs`), and has to be answered from another one or
    /// another process.
    ///
    /// # Errors
    /// `Unsupported` where the filter is not known for the machine; what the kernel says otherwise: `EACCES`
    /// without `no_new_privs`, `EBUSY` when the thread has another such filter already.
    pub fn install(connections: Connections) -> io::Result<Self> {
        let filter = filter::program(Asking::Supervisor, connections);
        let filter = filter.ok_or(io::ErrorKind::Unsupported)?;
        let mut flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | WAIT_KILLABLE;
        loop {
            let error = match set(&filter, flags) {
                // SAFETY: the kernel has just made this descriptor, and nobody else knows it.
                Ok(descriptor) => return Ok(Self(unsafe { OwnedFd::from_raw_fd(descriptor) })),
                Err(error) => error,
            };
            let is_unknown = error.raw_os_error() == Some(libc::EINVAL);
            if !is_unknown || flags & WAIT_KILLABLE == 0 {
                return Err(error);
            }
            flags &= !WAIT_KILLABLE;
        }
    }

    /// Waits for the next call; none when no process with the filter is left.
    pub fn next(&self) -> io::Result<Option<Notice>> {
        loop {
            let mut ends = [PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut ends, None) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let [end] = ends;
            if !end.revents().contains(PollFlags::IN) {
                return Ok(None);
            }
            let mut found = libc::seccomp_notif {
                id: 0,
                pid: 0,
                flags: 0,
                data: libc::seccomp_data {
                    nr: 0,
                    arch: 0,
                    instruction_pointer: 0,
                    args: [0; 6],
                },
            };
            // SAFETY: `found` is a zeroed structure of the kind that this command fills.
            let result = unsafe { libc::ioctl(self.0.as_raw_fd(), RECEIVE as _, &raw mut found) };
            if result == 0 {
                return Ok(Some(Notice {
                    id: found.id,
                    thread: found.pid,
                    number: found.data.nr.into(),
                    arguments: found.data.args,
                }));
            }
            let error = io::Error::last_os_error();
            match error.raw_os_error() {
                // The process has ended, or this thread was interrupted.
                Some(libc::ENOENT | libc::EINTR) => {}
                _ => return Err(error),
            }
        }
    }

    /// Whether the call still waits. What was opened of its process before a `true` is of that process.
    pub fn is_waiting(&self, notice: &Notice) -> bool {
        // SAFETY: the command reads the number that is pointed to.
        let result =
            unsafe { libc::ioctl(self.0.as_raw_fd(), IS_VALID as _, &raw const notice.id) };
        result == 0
    }

    /// Lets the call return zero, or this error of the system. One that does not wait any more is no error.
    pub fn answer(&self, notice: &Notice, result: Result<(), i32>) -> io::Result<()> {
        let mut answer = libc::seccomp_notif_resp {
            id: notice.id,
            val: 0,
            error: result.err().map_or(0, |number| -number),
            flags: 0,
        };
        // SAFETY: `answer` is a structure of the kind that this command reads.
        let sent = unsafe { libc::ioctl(self.0.as_raw_fd(), SEND as _, &raw mut answer) };
        let error = io::Error::last_os_error();
        if sent == 0 || error.raw_os_error() == Some(libc::ENOENT) {
            Ok(())
        } else {
            Err(error)
        }
    }
}

/// A listener that came from another process.
impl From<OwnedFd> for Listener {
    fn from(descriptor: OwnedFd) -> Self {
        Self(descriptor)
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
