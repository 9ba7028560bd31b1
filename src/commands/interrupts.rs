//! Ctrl-C, SIGTERM and SIGHUP while a command runs programs of the user's: those are ended, what was begun is taken back
//! or finished, and then the command ends. Asked a second time, it runs nothing more and has a moment to remove what it
//! has made to try things in: two signals may be one, which somebody has passed on. When that moment is over, or asked a
//! third time, it ends where it is; the journal tells the next start, and the coordinator, the next merge and `doctor
//! --fix` remove what was left.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::time::Duration;

use crate::cli::{CliError, CliResult, Outcome};
use crate::merge::CallOff;
use crate::platform::signals;
use crate::process::leaving;

/// How long a command may go on that was asked twice, when all that it ran has ended.
const CLEARS_UP_WITHIN: Duration = Duration::from_secs(5);

/// Runs a command that is to end so; its merges are cancelled by `merges`.
pub(super) fn during(merges: &CallOff, run: impl FnOnce() -> CliResult) -> CliResult {
    leaving::listen();
    let first = Arc::new(AtomicI32::new(0));
    let (noted, merges) = (Arc::clone(&first), merges.clone());
    let again = AtomicU32::new(0);
    let heeded = signals::heed(move |signal| {
        if noted.load(Ordering::Acquire) == 0 {
            noted.store(signal, Ordering::Release);
            merges.all();
            leaving::ask();
        } else if !signals::is_hangup(signal) {
            if again.fetch_add(1, Ordering::AcqRel) > 0 {
                leave(signal);
            }
            let ends = std::thread::Builder::new().name("ends".to_owned());
            let started = ends.spawn(move || {
                leaving::ask_again();
                std::thread::sleep(CLEARS_UP_WITHIN);
                leave(signal);
            });
            if started.is_err() {
                leave(signal);
            }
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
