//! Sleeping until a process that is nobody's child has ended.

use crate::types::host::ProcessId;
use std::io;

/// Sleeps until the identified process has ended, without waking up in between. Fails where the
/// system has no such event: not Linux, or before 5.3.
#[cfg(target_os = "linux")]
pub fn wait(id: ProcessId) -> io::Result<()> {
    use crate::platform::liveness::{self, Liveness};
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    let Some(pid) = Pid::from_raw(id.pid) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let process = match pidfd_open(pid, PidfdFlags::empty()) {
        Err(Errno::SRCH) => return Ok(()),
        opened => opened?,
    };
    // What was opened is whoever has the pid now.
    while liveness::check(id) != Liveness::Dead {
        match poll(&mut [PollFd::new(&process, PollFlags::IN)], None) {
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
            Ok(_) => return Ok(()),
        }
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub fn wait(_id: ProcessId) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::platform::liveness;
    use std::process::Command;

    #[test]
    fn an_end_is_waited_for_and_one_that_was_before_is_none_to_wait_for() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let id = liveness::identify(child.id() as i32);
        let waits = std::thread::spawn(move || wait(id).is_ok());
        child.kill().unwrap();
        assert!(waits.join().unwrap());
        // Nobody has collected it, and then somebody has.
        wait(id).unwrap();
        child.wait().unwrap();
        wait(id).unwrap();
        // Somebody else has its pid now.
        let own = liveness::own_identity();
        let before = ProcessId {
            start: own.start + 1,
            ..own
        };
        wait(before).unwrap();
    }
}
