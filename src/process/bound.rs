//! A command that ends with the process it was started for, however that one ends.
//!
//! Between the two stands one more process of this program. It adopts what the command leaves behind, waits for
//! whichever of the two ends first, and takes everything else with it. Linux tells a process when another one has
//! gone; on other systems a command is started as it is, and outlives a starter that is killed.

use std::path::PathBuf;
use std::sync::OnceLock;

/// This program, where it is one that can be started for this.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Lets [`words`] start this program; for the program itself, and not for others that use its library.
pub fn may_start_this_program() {
    if let Ok(program) = std::env::current_exe() {
        PROGRAM.get_or_init(|| program);
    }
}

/// Words to put in front of a command that is to end with this process; none where there is no such way.
pub fn words() -> Vec<String> {
    // A new version may have been put in its place meanwhile.
    let program = PROGRAM.get().filter(|program| program.is_file());
    let program = program.and_then(|program| program.to_str());
    let Some(program) = program.filter(|_| cfg!(target_os = "linux")) else {
        return Vec::new();
    };
    let own = std::process::id().to_string();
    let words = [program, "sandbox-exec", "--ends-with", &own, "--"];
    words.map(str::to_owned).to_vec()
}

#[cfg(target_os = "linux")]
pub use linux::run;

/// Runs nothing: no words lead here.
#[cfg(not(target_os = "linux"))]
pub fn run(_starter: i32, _argv: &[std::ffi::OsString], _enclose: fn()) -> std::io::Result<u8> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::process::{Child, Command};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    use rustix::process::{
        Pid, PidfdFlags, Signal as Kind, getpid, kill_process, pidfd_open, test_kill_process,
    };

    use crate::platform::liveness;
    use crate::process::{SpawnError, detach, tree};

    /// How often what is left is looked for, and how long it may take to go.
    const LOOKS: u32 = 20;
    const GONE_WITHIN: Duration = Duration::from_secs(1);
    /// What a shell says of a command that was killed.
    const KILLED: u8 = 137;

    /// Runs a command and returns its exit code; ends all it has started when it ends, or `starter` does.
    /// `enclose` is called on the thread that starts the command, where signals of the command would reach the starter's
    /// sandbox: from then on they must not reach this process.
    ///
    /// # Errors
    /// The starter has gone already, the system does not tell when it goes, or the command cannot be started.
    pub fn run(starter: i32, argv: &[OsString], enclose: fn()) -> io::Result<u8> {
        let Some((program, args)) = argv.split_first() else {
            return Err(io::Error::other(SpawnError::Empty));
        };
        detach::adopt_orphans();
        let pid = Pid::from_raw(starter).ok_or(io::ErrorKind::InvalidInput)?;
        let gone = pidfd_open(pid, PidfdFlags::empty())?;
        // Its number may belong to somebody else by now, and then this is not its child any more.
        if liveness::parent(getpid().as_raw_nonzero().get()) != Some(starter) {
            return Err(Errno::SRCH.into());
        }
        // In a sandbox that keeps signals in, all that can be reached is the command's.
        let is_enclosed = test_kill_process(pid) == Err(Errno::PERM);
        let mut command = Command::new(program);
        command.args(args);
        let start = || {
            if is_enclosed {
                enclose();
            }
            command.spawn()
        };
        let started = std::thread::scope(|scope| scope.spawn(start).join());
        let mut child = started.map_err(|_| io::Error::other("the command was not started"))??;
        let ended = first_of(&gone, &child)?;
        let code = match ended {
            First::Command => code(&child.wait()?),
            First::Starter => {
                child.kill()?;
                child.wait()?;
                Some(KILLED)
            }
        };
        end_what_is_left(is_enclosed);
        Ok(code.unwrap_or(KILLED))
    }

    enum First {
        Command,
        Starter,
    }

    fn first_of(starter: &OwnedFd, child: &Child) -> io::Result<First> {
        let child = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
        loop {
            let mut ends = [starter, &child].map(|end| PollFd::new(end, PollFlags::IN));
            match poll(&mut ends, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let [starter, child] = ends.map(|end| !end.revents().is_empty());
            if child {
                return Ok(First::Command);
            }
            if starter {
                return Ok(First::Starter);
            }
        }
    }

    /// The exit code; a command that a signal ended takes this process with it, so that it is seen to have been one.
    fn code(status: &std::process::ExitStatus) -> Option<u8> {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            if let Some(kind) = Kind::from_named_raw(signal)
                && let Err(error) = kill_process(getpid(), kind)
            {
                tracing::debug!(%error, "the signal is told by a code");
            }
            return u8::try_from(128 + signal).ok();
        }
        status.code().and_then(|code| u8::try_from(code).ok())
    }

    /// Ends what the command has left behind; what forks meanwhile is found by the next look.
    fn end_what_is_left(is_enclosed: bool) {
        for _ in 0..LOOKS {
            let mut left = tree::descendants(getpid().as_raw_nonzero().get());
            if is_enclosed {
                left.extend(tree::reachable());
            }
            if left.is_empty() {
                return;
            }
            for process in &left {
                tree::signal(*process, tree::Signal::Kill);
            }
            tree::wait_gone(&left, GONE_WITHIN);
        }
    }
}
