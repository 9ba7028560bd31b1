//! Who is at the other end of a connection, and what it may ask for.

use super::shared::Shared;
use crate::db::GroveStore;
use crate::db::grove::HostRow;
use crate::platform::liveness::{self, Liveness};
use crate::process::origin::{Origin, origin};
use crate::process::tree;
use std::io;
use std::os::unix::net::UnixStream;

/// The peer's process, if it runs as this user.
#[cfg(target_os = "linux")]
pub(super) fn peer(stream: &UnixStream) -> io::Result<i32> {
    let credentials = rustix::net::sockopt::socket_peercred(stream)?;
    if credentials.uid != rustix::process::getuid() {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "another user",
        ));
    }
    Ok(credentials.pid.as_raw_nonzero().get())
}

/// The folder and file modes keep other users out where the peer cannot be asked for.
#[cfg(not(target_os = "linux"))]
pub(super) fn peer(_stream: &UnixStream) -> io::Result<i32> {
    Ok(0)
}

/// Where a process comes from, seen from this host.
fn origin_of(pid: i32) -> Option<Origin> {
    let own = std::process::id() as i32;
    origin(pid, |pid| pid == own || tree::is_host(pid))
}

/// Who is at the other end, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caller {
    /// Part of what the agent has started: it may run commands.
    Agent,
    /// A person's process, or one that a host runs: it may steer the agent.
    Outside,
    /// Systems that do not tell; the folder's modes have kept others out.
    Unasked,
    /// Anybody else, and why that is.
    Stranger(&'static str),
}

impl Caller {
    /// Whether it may run commands of the agent.
    pub(super) const fn is_the_agent(self) -> bool {
        matches!(self, Self::Agent | Self::Unasked)
    }

    /// Why a process may not do to this agent what people and hosts do.
    pub(super) fn refused(self, shared: &Shared, pid: i32) -> Option<String> {
        let who = match self {
            Self::Outside | Self::Unasked => return None,
            Self::Agent => "it belongs to an agent",
            Self::Stranger(who) => who,
        };
        Some(format!(
            "process {pid} may not steer agent '{}': {who}. Agents talk by `grove mail send` and, if they lead others, by `grove nudge`",
            shared.agent()
        ))
    }
}

/// Tells a process of the agent from people, hosts and all others.
pub(super) fn caller(shared: &Shared, pid: i32) -> Caller {
    if pid == 0 {
        return Caller::Unasked;
    }
    if in_session_of_cli(shared, pid) {
        return Caller::Agent;
    }
    let own = std::process::id() as i32;
    match origin_of(pid) {
        Some(Origin::Agent(host)) if host == own => Caller::Agent,
        // A quality gate, say: it descends from a person's process and runs what agents wrote.
        Some(Origin::Outside) if tree::is_confined(pid) => Caller::Stranger("it runs in a sandbox"),
        Some(Origin::Outside) => Caller::Outside,
        Some(Origin::Host(host)) if host == own || on_record(shared, host) => Caller::Outside,
        Some(Origin::Host(_)) => Caller::Stranger("it only looks like a host"),
        Some(Origin::Agent(_)) => Caller::Stranger("it belongs to an agent"),
        None => Caller::Stranger("it is gone"),
    }
}

/// The CLI is the leader of a session that only its descendants are in, and no host ever is: for
/// most callers one look is enough, where following their parents takes one for each.
#[cfg(target_os = "linux")]
fn in_session_of_cli(shared: &Shared, pid: i32) -> bool {
    let cli = shared.cli().pid;
    // A number that has become free may lead another session.
    cli > 0
        && liveness::stat(pid).is_some_and(|stat| stat.session == cli)
        && !shared.with_turn(|t| t.ended)
}

#[cfg(not(target_os = "linux"))]
fn in_session_of_cli(_shared: &Shared, _pid: i32) -> bool {
    false
}

/// Whether a process is a host of this project, and not just called like one.
fn on_record(shared: &Shared, pid: i32) -> bool {
    let is_it = |row: &HostRow| row.host.pid == pid && liveness::check(row.host) == Liveness::Alive;
    match GroveStore::look(&shared.paths.grove_db()).and_then(|store| store.hosts()) {
        Ok(hosts) => hosts.iter().any(is_it),
        Err(e) => {
            tracing::warn!("the hosts on record cannot be read: {e}");
            false
        }
    }
}
