//! What root inside an agent keeps of being root: the file owner's rights, and nothing that
//! reaches other processes, devices or the kernel.
//!
//! A process that is not root has no such rights, and nothing happens.

use super::SandboxError;
use rustix::thread::{
    CapabilitySet, capabilities, capability_is_in_bounding_set,
    remove_capability_from_bounding_set, set_capabilities,
};

/// What installing packages and running tests as root needs; as in usual containers.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Takes everything else away from what this process becomes next.
pub(super) fn drop_most() -> Result<(), SandboxError> {
    drop_all_but(KEPT)
}

/// The same, but for looking at processes of other users that root has started.
pub(super) fn drop_most_but_looking() -> Result<(), SandboxError> {
    drop_all_but(KEPT | CapabilitySet::SYS_PTRACE)
}

fn drop_all_but(kept: CapabilitySet) -> Result<(), SandboxError> {
    for capability in CapabilitySet::all().difference(kept).iter() {
        // One the kernel does not know cannot be had either.
        if !capability_is_in_bounding_set(capability).unwrap_or(false) {
            continue;
        }
        match remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // Not root: there is nothing to take away.
            Err(rustix::io::Errno::PERM) => return Ok(()),
            Err(e) => {
                return Err(SandboxError::Refused(format!(
                    "dropping root's rights: {e}"
                )));
            }
        }
    }
    // And from this thread itself, which may go on without becoming anything.
    let narrowed = capabilities(None).and_then(|mut sets| {
        sets.effective &= kept;
        sets.permitted &= kept;
        sets.inheritable &= kept;
        set_capabilities(None, sets)
    });
    narrowed.map_err(|e| SandboxError::Refused(format!("dropping root's rights: {e}")))
}
