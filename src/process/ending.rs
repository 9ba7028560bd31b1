//! The end of a command that was started here: waiting for it, asking for it, and making it so.

use std::process::Child;

/// Blocks until the process has ended, without taking its exit status.
#[cfg(unix)]
pub(super) fn wait_for_exit(pid: u32) {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
        return;
    };
    while let Err(rustix::io::Errno::INTR) = waitid(
        WaitId::Pid(pid),
        WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
    ) {}
}

#[cfg(unix)]
pub(super) fn end_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Err(error) = kill_process_group(Pid::from_child(child), Signal::KILL)
        && error != rustix::io::Errno::SRCH
        && error != rustix::io::Errno::PERM
    {
        tracing::warn!(%error, "processes of a command not ended");
    }
}

#[cfg(unix)]
pub(super) fn ask_to_end(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    // It is not reaped yet: nobody else has its number.
    if let Err(error) = kill_process(Pid::from_child(child), Signal::TERM) {
        tracing::debug!(%error, "a command was not asked to end");
    }
}

#[cfg(not(unix))]
pub(super) fn ask_to_end(_child: &Child) {}

#[cfg(not(unix))]
pub(super) fn wait_for_exit(_pid: u32) {}

#[cfg(not(unix))]
pub(super) fn end_group(child: &mut Child) {
    if let Err(error) = child.kill() {
        tracing::warn!(%error, "command not ended");
    }
}
