//! The rules as a Landlock ruleset (Linux 5.13 and later; everything from 6.12 on).
//!
//! Landlock only allows, so reading is allowed entry by entry around what is hidden. What an older
//! kernel does not know is left out by the crate and reported by [`support`].

use super::kinds;
use super::readable::{entries, readable};
use super::{Rules, SandboxError, Support};
use crate::config::Network;
use crate::git::view_in;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath,
    PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat2};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// The interface all rules below were written for.
pub(super) const KNOWN: ABI = ABI::V6;

/// What the running kernel can enforce.
pub(super) fn support() -> Support {
    let writes = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .and_then(Ruleset::create);
    if writes.is_err() {
        return Support::None(
            "this kernel has no Landlock (Linux 5.13 or later, enabled at boot)".to_owned(),
        );
    }
    let missing: Vec<&str> = [
        (handles(ABI::V3), "truncating files that are only readable"),
        (handles(ABI::V5), "commands to devices"),
        (scopes(), "signals and abstract sockets"),
        (
            super::attributes::is_supported(),
            "changing modes, owners and times of files",
        ),
    ]
    .into_iter()
    .filter(|(enforced, _)| !enforced)
    .map(|(_, what)| what)
    .collect();
    if missing.is_empty() {
        Support::Full
    } else {
        Support::Partial(format!(
            "this kernel does not refuse {}",
            missing.join(", ")
        ))
    }
}

fn handles(abi: ABI) -> bool {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(abi))
        .and_then(Ruleset::create)
        .is_ok()
}

/// Why a wish about the network cannot be enforced here, if it cannot.
pub(super) fn network_note(network: &Network) -> Option<String> {
    match network {
        Network::Allow => None,
        Network::Loopback => Some(
            "Landlock knows ports and no addresses, so 'sandbox.network: loopback' is not enforced on Linux; list the ports instead".to_owned(),
        ),
        Network::Ports(_) => {
            let knows_ports = Ruleset::default()
                .set_compatibility(CompatLevel::HardRequirement)
                .handle_access(AccessNet::ConnectTcp)
                .and_then(Ruleset::create)
                .is_ok();
            if !knows_ports {
                Some("this kernel's Landlock does not refuse connections (Linux 6.7 or later does), so 'sandbox.network' is not enforced".to_owned())
            } else if super::attributes::is_supported() {
                None
            } else {
                Some("this kernel does not refuse other protocols than TCP, so 'sandbox.network' does not hold for MPTCP and the like".to_owned())
            }
        }
    }
}

fn scopes() -> bool {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::from_all(KNOWN))
        .and_then(Ruleset::create)
        .is_ok()
}

/// Takes away signals to everything outside of what this thread starts, and nothing else.
pub(super) fn keep_signals_in() -> Result<(), SandboxError> {
    let refused = |e: landlock::RulesetError| SandboxError::Refused(e.to_string());
    let scoped = Ruleset::default().scope(Scope::Signal).map_err(refused)?;
    let made = scoped.create().map_err(refused)?;
    made.restrict_self().map_err(refused)?;
    Ok(())
}

/// Restricts this thread and everything it becomes or starts.
pub(super) fn apply(rules: &Rules) -> Result<(), SandboxError> {
    let refused = |e: landlock::RulesetError| SandboxError::Refused(e.to_string());
    let handled = Ruleset::default()
        .handle_access(AccessFs::from_all(KNOWN))
        .and_then(|r| r.scope(Scope::from_all(KNOWN)));
    let mut ruleset = match &rules.network {
        Network::Allow | Network::Loopback => handled,
        // Servers of tests choose their ports themselves, so listening stays free.
        Network::Ports(_) => handled.and_then(|r| r.handle_access(AccessNet::ConnectTcp)),
    }
    .and_then(Ruleset::create)
    .map_err(refused)?;
    if let Network::Ports(ports) = &rules.network {
        for port in ports {
            ruleset = ruleset
                .add_rule(NetPort::new(*port, AccessNet::ConnectTcp))
                .map_err(refused)?;
        }
    }
    let read = AccessFs::from_read(KNOWN);
    // Names may be listed everywhere; what is in the files is another matter.
    ruleset = allow(ruleset, Path::new("/"), AccessFs::ReadDir.into())?;
    let hidden: Vec<PathBuf> = rules.hidden.iter().map(|p| resolved(p)).collect();
    for path in readable(Path::new("/"), &hidden, &entries) {
        ruleset = allow(ruleset, &path, read)?;
    }
    for path in &rules.read {
        ruleset = allow(ruleset, path, read)?;
    }
    for path in &rules.devices {
        ruleset = allow(ruleset, path, AccessFs::from_all(KNOWN))?;
    }
    for path in &rules.write {
        ruleset = allow(ruleset, path, kinds::writable(rules, path))?;
    }
    for path in &rules.opened {
        ruleset = allow_itself(ruleset, path, kinds::writable(rules, path))?;
    }
    for path in &rules.git_own {
        ruleset = allow(ruleset, &view_in(path), kinds::view())?;
    }
    let status = ruleset.restrict_self().map_err(refused)?;
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err(SandboxError::Unsupported(
            "this kernel has no Landlock".to_owned(),
        )),
    }
}

/// Adds one path; one that is not there needs no rule.
fn allow(
    ruleset: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, SandboxError> {
    match PathFd::new(path) {
        Ok(fd) => add(ruleset, path, &fd, access),
        Err(_) => Ok(ruleset),
    }
}

/// Adds one path that was found to lead through no link: what an agent has put there since is another place, and gets no rule.
fn allow_itself(
    ruleset: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, SandboxError> {
    let (flags, through) = (OFlags::PATH | OFlags::CLOEXEC, ResolveFlags::NO_SYMLINKS);
    match openat2(CWD, path, flags, Mode::empty(), through) {
        Ok(fd) => add(ruleset, path, &fd, access),
        Err(_) => Ok(ruleset),
    }
}

fn add(
    ruleset: RulesetCreated,
    path: &Path,
    fd: &impl AsFd,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, SandboxError> {
    let refused =
        |e: &dyn std::error::Error| SandboxError::Refused(format!("{}: {e}", path.display()));
    let found = fstat(fd).map_err(|e| refused(&e))?;
    let access = if FileType::from_raw_mode(found.st_mode).is_dir() {
        access
    } else {
        access & AccessFs::from_file(KNOWN)
    };
    ruleset
        .add_rule(PathBeneath::new(fd, access))
        .map_err(|e| refused(&e))
}

fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
