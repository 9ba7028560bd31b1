//! Modes, owners and times of files, which Landlock has no rules for: the kernel stops each call that
//! would change them and asks a thread outside of the sandbox, which does it where the rules allow writing.
//!
//! The thread does the change itself, on the file that it has opened and looked at, instead of letting the call go on: what a
//! path leads to, and the memory it stands in, may be another a moment later. It keeps of root's rights no more than
//! an agent does.

mod handover;
mod supervise;
mod target;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;

use std::path::PathBuf;
use std::sync::mpsc;

pub(super) use grove_seccomp::is_supported;
pub(super) use handover::{Line, give_away, take_from_child};

use grove_seccomp::Listener;

/// A thread that answers for a filter which is still to be installed. It must not be started by the thread that
/// gets the filter, since it would get it too.
#[derive(Debug)]
pub(super) struct Supervisor(mpsc::Sender<Listener>);

/// Starts a supervisor. `write`: files and whole folders where attributes may be changed.
pub(super) fn supervisor(write: &[PathBuf]) -> std::io::Result<Supervisor> {
    let (sender, receiver) = mpsc::channel();
    let supervised = supervise::Supervised::new(write)?;
    std::thread::Builder::new()
        .name("attributes".to_owned())
        .stack_size(256 * 1024)
        .spawn(move || {
            // Nothing comes when the filter could not be installed.
            if let Ok(listener) = receiver.recv() {
                supervised.answer_all(&listener);
            }
        })?;
    Ok(Supervisor(sender))
}

impl Supervisor {
    /// Puts this thread, and everything it becomes or starts, under the supervisor; where the system refuses that,
    /// attributes are not looked after.
    pub(super) fn take_over(self) -> std::io::Result<()> {
        match Listener::install() {
            Ok(listener) => self.0.send(listener).map_err(std::io::Error::other),
            Err(error) => {
                tracing::debug!(%error, "modes and times of files are not looked after");
                Ok(())
            }
        }
    }
}
