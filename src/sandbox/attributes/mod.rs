//! Modes, owners and times of files, which Landlock has no rules for: the kernel stops each call that
//! would change them and asks a thread outside of the sandbox, which does it where the rules allow writing.
//!
//! The thread does the change itself, on the file that it has opened and looked at, instead of letting the call go on: what a
//! path leads to, and the memory it stands in, may be another a moment later. It keeps of root's rights no more than
//! an agent does.

mod handover;
mod supervise;
mod supervisor;
mod target;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;

use grove_seccomp::Connections;

use crate::config::Network;

pub use grove_seccomp::is_supported;
pub(super) use handover::{Line, give_away, take_from_child};
pub(super) use supervisor::supervisor;

/// What the filter has to do for rules about the network: those about ports are Landlock's, which knows TCP alone.
pub(super) fn connections(network: &Network) -> Connections {
    match network {
        Network::Allow | Network::Loopback => Connections::Open,
        Network::Ports(_) => Connections::Ports,
    }
}

/// Has the kernel refuse this thread, and everything it becomes or starts, what is refused without asking anybody.
pub(super) fn refuse_unasked(connections: Connections) {
    if let Err(error) = grove_seccomp::refuse_unasked(connections) {
        tracing::warn!(%error, "no filter: the sandbox is Landlock alone");
    }
}
