//! The thread that answers for what this same process starts inside of a sandbox.

use std::path::PathBuf;
use std::sync::mpsc;

use grove_seccomp::{Connections, Listener};

use super::supervise::Supervised;

/// A thread that answers for a filter which is still to be installed. It must not be started by the thread that
/// gets the filter, since it would get it too.
#[derive(Debug)]
pub(in crate::sandbox) struct Supervisor(mpsc::Sender<Listener>);

/// Starts a supervisor. `write`: files and whole folders where attributes may be changed.
pub(in crate::sandbox) fn supervisor(write: &[PathBuf]) -> std::io::Result<Supervisor> {
    let (sender, receiver) = mpsc::channel();
    let supervised = Supervised::new(write)?;
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
    pub(in crate::sandbox) fn take_over(self, connections: Connections) -> std::io::Result<()> {
        match Listener::install(connections) {
            Ok(listener) => self.0.send(listener).map_err(std::io::Error::other),
            Err(error) => {
                tracing::debug!(%error, "modes and times of files are not looked after");
                super::refuse_unasked(connections);
                Ok(())
            }
        }
    }
}
