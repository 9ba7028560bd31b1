//! What a process that is about to become an agent's CLI and its host have to hand over; nothing on systems
//! where the rules need nobody who looks after them.

use std::io;
use std::path::PathBuf;

#[cfg(target_os = "linux")]
use super::attributes;
use crate::config::Network;

/// Looks after the child of this process that is started next with the name that is returned, and after all it
/// starts; without a name there is nothing to look after. `write`: files and whole folders where it may change attributes.
#[cfg(target_os = "linux")]
pub fn await_child(write: &[PathBuf]) -> io::Result<Option<String>> {
    attributes::take_from_child(write)
}

/// Looks after the child of this process that is started next with the name that is returned, and after all it
/// starts; without a name there is nothing to look after. `write`: files and whole folders where it may change attributes.
#[cfg(not(target_os = "linux"))]
pub fn await_child(_write: &[PathBuf]) -> io::Result<Option<String>> {
    Ok(None)
}

/// The child's end.
#[derive(Debug)]
pub struct Seam {
    #[cfg(target_os = "linux")]
    line: attributes::Line,
}

impl Seam {
    /// Reaches the process that waits by a name; before the sandbox, which closes this way.
    #[cfg(target_os = "linux")]
    pub fn reach(name: &str) -> io::Result<Self> {
        let line = attributes::Line::connect(name)?;
        Ok(Self { line })
    }

    /// Reaches the process that waits by a name; before the sandbox, which closes this way.
    #[cfg(not(target_os = "linux"))]
    pub fn reach(_name: &str) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Puts this thread under that process; returns once it looks after it. `network`: where the thread may connect to.
    #[cfg(target_os = "linux")]
    pub fn close(self, network: &Network) -> io::Result<()> {
        attributes::give_away(self.line, attributes::connections(network))
    }

    /// Puts this thread under that process; returns once it looks after it. `network`: where the thread may connect to.
    #[cfg(not(target_os = "linux"))]
    pub fn close(self, _network: &Network) -> io::Result<()> {
        Ok(())
    }
}

/// Has the system refuse this thread, and everything it becomes or starts, what can be refused without anybody who looks
/// after it; after the sandbox was applied.
#[cfg(target_os = "linux")]
pub fn unattended(network: &Network) {
    attributes::refuse_unasked(attributes::connections(network));
}

/// Has the system refuse this thread, and everything it becomes or starts, what can be refused without anybody who looks
/// after it; after the sandbox was applied.
#[cfg(not(target_os = "linux"))]
pub fn unattended(_network: &Network) {}
