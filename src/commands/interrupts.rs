//! Ctrl-C, SIGTERM and SIGHUP while a command runs programs of the user's: those are ended, what was begun is taken back
//! or finished, and then the command ends. Asked a second time, it ends at once, and the journal tells the next start.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::cli::{CliError, CliResult, Outcome};
use crate::merge::CallOff;
use crate::platform::signals;
use crate::process::leaving;

/// Runs a command that is to end so; its merges are cancelled by `merges`.
pub(super) fn during(merges: &CallOff, run: impl FnOnce() -> CliResult) -> CliResult {
    leaving::listen();
    let first = Arc::new(AtomicI32::new(0));
    let (noted, merges) = (Arc::clone(&first), merges.clone());
    let heeded = signals::heed(move |signal| {
        if noted.load(Ordering::Acquire) == 0 {
            noted.store(signal, Ordering::Release);
            merges.all();
            leaving::ask();
        } else if !signals::is_hangup(signal) {
            leaving::ask_again();
            leave(signal);
        }
    });
    if let Err(error) = heeded {
        tracing::debug!("signals end this process as they come: {error}");
    }
    let result = run();
    match first.load(Ordering::Acquire) {
        0 => result,
        signal => told(signal, result),
    }
}

/// Fails when the command was asked to end that only looks: what it has seen may be half of it.
pub(super) fn go_on() -> CliResult<()> {
    if leaving::is_asked() {
        return Err(CliError::new("nothing was changed"));
    }
    Ok(())
}

/// How a process ends that a signal has ended.
fn code(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(1)
}

#[allow(
    clippy::exit,
    reason = "the command may be at work where nothing ends it"
)]
fn leave(signal: i32) -> ! {
    std::process::exit(i32::from(code(signal)))
}

/// The end of a command that was asked to end; one that has come to its own end says so itself.
fn told(signal: i32, result: CliResult) -> CliResult {
    match result {
        Ok(Outcome::Failed) => Ok(Outcome::Code(code(signal))),
        Ok(outcome @ (Outcome::Done | Outcome::Code(_))) => Ok(outcome),
        Err(error) => Err(CliError {
            message: format!("interrupted: {}", error.message),
            exit: code(signal),
            ..error
        }),
    }
}
