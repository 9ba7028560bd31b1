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

use std::sync::OnceLock;

mod call;
mod filter;
mod kernel;

pub use call::{Call, File, Time};
pub use filter::Connections;
pub use kernel::{Listener, Notice, refuse_unasked};

/// Whether calls can be stopped and asked about here: Linux 5.0 and later, if it was built so, and no such filter around
/// this process already, as some containers have. Found out once, by trying on a thread that ends.
#[must_use]
pub fn is_supported() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        std::thread::spawn(|| {
            rustix::thread::set_no_new_privs(true).is_ok()
                && Listener::install(Connections::Open).is_ok()
        })
        .join()
        .unwrap_or(false)
    })
}
