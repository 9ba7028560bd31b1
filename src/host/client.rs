//! Talking to a host: short requests, the agent's own commands, and attaching.

use super::HostError;
use super::protocol::{self, Answer, Frame, Hello, Kind, Nudge, Outcome, Report, Stop};
use crate::db::grove::HostRow;
use crate::db::{GroveStore, SessionStore};
use crate::platform::ProjectPaths;
use crate::platform::liveness::{self, Liveness};
use crate::platform::patience::{connect_until, left};
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a short request may take.
const LIMIT: Duration = Duration::from_secs(5);
/// How long a stop may take: asking, TERM, KILL.
const STOP_LIMIT: Duration = Duration::from_secs(20);

/// The running host of an agent.
pub fn running(paths: &ProjectPaths, agent: &str) -> Result<HostRow, HostError> {
    let row = GroveStore::look(&paths.grove_db())?.host(agent)?;
    row.filter(|h| h.ended_at.is_none() && liveness::check(h.host) != Liveness::Dead)
        .ok_or_else(|| HostError::NotRunning {
            agent: agent.to_owned(),
        })
}

fn hello(attach: bool, size: Option<(u16, u16)>) -> Frame {
    Frame::json(
        Kind::Hello,
        &Hello {
            version: protocol::VERSION,
            attach,
            size,
        },
    )
}

fn connect(host: &HostRow, limit: Duration) -> Result<UnixStream, HostError> {
    let open = || {
        let stream = UnixStream::connect(&host.socket)?;
        stream.set_read_timeout(Some(limit))?;
        stream.set_write_timeout(Some(LIMIT))?;
        Ok(stream)
    };
    open().map_err(|source| HostError::Unreachable {
        agent: host.agent.clone(),
        source,
    })
}

fn ask(host: &HostRow, frame: &Frame, limit: Duration) -> Result<Frame, HostError> {
    let mut stream = connect(host, limit)?;
    let unreachable = |source| HostError::Unreachable {
        agent: host.agent.clone(),
        source,
    };
    protocol::write(&mut stream, frame).map_err(unreachable)?;
    loop {
        match protocol::read(&mut stream).map_err(unreachable)? {
            Some(answer) if answer.kind == Kind::Report => return Ok(answer),
            Some(answer) if answer.kind == Kind::Refused => {
                let why = String::from_utf8_lossy(&answer.body).into_owned();
                return Err(HostError::Refused(why));
            }
            Some(_) => {}
            None => return Err(unreachable(io::ErrorKind::UnexpectedEof.into())),
        }
    }
}

pub fn status(host: &HostRow) -> Result<Report, HostError> {
    let frame = ask(host, &Frame::new(Kind::Status, []), LIMIT)?;
    frame.parse().map_err(HostError::Protocol)
}

/// Ends the agent and waits until it has ended.
pub fn stop(host: &HostRow, force: bool) -> Result<Outcome, HostError> {
    let stop = Stop {
        force,
        given_up: None,
    };
    let frame = ask(host, &Frame::json(Kind::Stop, &stop), STOP_LIMIT)?;
    frame.parse().map_err(HostError::Protocol)
}

/// Ends an agent that is given up: it counts as dead, for this reason.
pub fn give_up(host: &HostRow, cause: &str) -> Result<Outcome, HostError> {
    let stop = Stop {
        force: false,
        given_up: Some(cause.to_owned()),
    };
    let frame = ask(host, &Frame::json(Kind::Stop, &stop), STOP_LIMIT)?;
    frame.parse().map_err(HostError::Protocol)
}

pub fn nudge(host: &HostRow, from: &str, text: &str) -> Result<Outcome, HostError> {
    let nudge = Nudge {
        from: from.to_owned(),
        text: text.to_owned(),
    };
    let frame = ask(host, &Frame::json(Kind::Nudge, &nudge), LIMIT)?;
    frame.parse().map_err(HostError::Protocol)
}

/// Tells a host that there may be mail. There is nothing to wait for.
pub fn poke(host: &HostRow) -> Result<(), HostError> {
    let mut stream = connect(host, LIMIT)?;
    protocol::write(&mut stream, &Frame::new(Kind::Poke, [])).map_err(|source| {
        HostError::Unreachable {
            agent: host.agent.clone(),
            source,
        }
    })
}

/// Tells the host of a recipient that there is mail, if it has one.
pub fn announce(paths: &ProjectPaths, agent: &str) {
    let active = SessionStore::look(&paths.sessions_db())
        .and_then(|s| s.get(agent))
        .is_ok_and(|s| s.is_some_and(|s| s.state.is_active()));
    if !active {
        return;
    }
    if let Err(e) = running(paths, agent).and_then(|host| poke(&host)) {
        tracing::debug!("{agent} was not told of its mail: {e}");
    }
}

/// A large command is written in parts, each within the time that is left.
const PART: usize = 256 * 1024;

/// A socket whose time is up says that it would block.
fn in_time(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock {
        return io::Error::new(io::ErrorKind::TimedOut, "no answer in time");
    }
    error
}

/// Hands a command of the agent to its host and returns the answer, which must come before
/// `until`.
pub fn command(
    socket: &Path,
    command: &protocol::Command,
    until: Option<Instant>,
    print: impl FnOnce(&Answer) -> io::Result<()>,
) -> io::Result<Answer> {
    let mut stream = connect_until(socket, until)?;
    let mut bytes = hello(false, None).encode();
    bytes.extend(Frame::json(Kind::Command, command).encode());
    for part in bytes.chunks(PART) {
        stream.set_write_timeout(left(until)?)?;
        stream.write_all(part).map_err(in_time)?;
    }
    loop {
        stream.set_read_timeout(left(until)?)?;
        let Some(frame) = protocol::read(&mut stream).map_err(in_time)? else {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the host hung up",
            ));
        };
        match frame.kind {
            Kind::Answer => {
                let answer: Answer = frame.parse().map_err(io::Error::other)?;
                print(&answer)?;
                // The host counts mail as read only now. If it has gone, it will deliver again.
                drop(protocol::write(&mut stream, &Frame::new(Kind::Ack, [])));
                return Ok(answer);
            }
            Kind::Refused => {
                return Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    String::from_utf8_lossy(&frame.body).into_owned(),
                ));
            }
            Kind::Hello
            | Kind::Input
            | Kind::Paste
            | Kind::Resize
            | Kind::Stop
            | Kind::Status
            | Kind::Nudge
            | Kind::Poke
            | Kind::Command
            | Kind::Ack
            | Kind::Welcome
            | Kind::Snapshot
            | Kind::Output
            | Kind::Resized
            | Kind::Exited
            | Kind::Report => {}
        }
    }
}

/// Sleeps until a host has ended. Where the system does not tell of that, it may return before.
pub fn wait_end(host: &HostRow) {
    let Err(e) = crate::process::end::wait(host.host) else {
        return;
    };
    tracing::debug!("{}: {e}", host.agent);
    let connected = UnixStream::connect(&host.socket).and_then(|mut stream| {
        protocol::write(&mut stream, &hello(false, None))?;
        while protocol::read(&mut stream)?.is_some() {}
        Ok(())
    });
    if let Err(e) = connected {
        tracing::debug!("{}: {e}", host.agent);
    }
    // The connection closes a moment before the process is gone.
    crate::process::tree::wait_gone(&[host.host], LIMIT);
}

/// Opens a connection that gets the screen: a snapshot first, then live output.
pub fn attach(host: &HostRow, size: Option<(u16, u16)>) -> Result<UnixStream, HostError> {
    let mut stream = connect(host, LIMIT)?;
    let unreachable = |source| HostError::Unreachable {
        agent: host.agent.clone(),
        source,
    };
    protocol::write(&mut stream, &hello(true, size)).map_err(unreachable)?;
    stream.set_read_timeout(None).map_err(unreachable)?;
    Ok(stream)
}
