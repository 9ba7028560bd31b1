//! A command in the same terminal as this process, which stays beside it until it has ended.

use std::ffi::OsString;
use std::io;
use std::process::{Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process};

use super::SpawnError;
use crate::platform::signals;

/// What a shell adds to the number of a signal that ended a command.
const BY_SIGNAL: i32 = 128;

/// Runs a command, which gets this process's input, output and terminal, and returns its exit code, or 128 and the
/// number of the signal that ended it. What asks this process to end is passed on to the command instead.
///
/// # Errors
/// There is no command, it cannot be started, or the system lets no signal be heard.
pub fn run(argv: &[OsString]) -> io::Result<u8> {
    let Some((program, args)) = argv.split_first() else {
        return Err(io::Error::other(SpawnError::Empty));
    };
    let mut child = Command::new(program).args(args).spawn()?;
    let pid = Pid::from_child(&child);
    signals::heed(move |number| pass_on(pid, number))?;
    child.wait().map(code)
}

fn pass_on(command: Pid, number: i32) {
    let signal = Signal::from_named_raw(number);
    // A terminal sends these two to both by itself.
    let Some(signal) = signal.filter(|signal| ![Signal::INT, Signal::QUIT].contains(signal)) else {
        return;
    };
    if let Err(error) = kill_process(command, signal) {
        tracing::debug!(%error, "the command hears no signal");
    }
}

fn code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let by_signal = || status.signal().map(|number| BY_SIGNAL + number);
    let code = status.code().or_else(by_signal);
    code.and_then(|code| u8::try_from(code).ok())
        .unwrap_or(u8::MAX)
}
