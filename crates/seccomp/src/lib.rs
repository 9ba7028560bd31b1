//! System calls of other processes, handed to a supervisor before they happen.
//!
//! Landlock has rules for opening and naming files, and none for what a file's modes, owners and times
//! are. A seccomp filter cannot look at paths, but it can stop a call and ask: [`Listener::install`] gives a thread,
//! and everything it becomes or starts, such a filter; whoever holds the listener reads each call
//! ([`Listener::next`]), does it itself or does not, and says what came of it ([`Listener::answer`]).
//! When nobody holds the listener any more, the calls fail with `ENOSYS`.
//!
//! Source: seccomp(2), seccomp_unotify(2).
#![cfg(target_os = "linux")]

mod call;
mod filter;
mod kernel;

pub use call::{Call, File, Time};
pub use filter::Connections;
pub use kernel::{Listener, Notice};

/// Whether the running kernel can stop calls and ask (Linux 5.0 and later, if it was built so).
#[must_use]
pub fn is_supported() -> bool {
    filter::NATIVE.is_some()
        && std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail")
            .is_ok_and(|actions| actions.split_whitespace().any(|a| a == "user_notif"))
}
