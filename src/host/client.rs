//! Talking to a host: short requests, the agent's own commands, and attaching.

use super::HostError;
use super::protocol::{self, Answer, Frame, Hello, Kind, Nudge, Outcome, Report, Stop};
use crate::db::grove::HostRow;
use crate::db::{GroveStore, SessionStore};
use crate::platform::ProjectPaths;
use crate::platform::liveness::{self, Liveness};
use crate::platform::patience::{connect_until, left};
use std::io::{self, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a short request may take.
const LIMIT: Duration = Duration::from_secs(5);
/// How long a host may take to see who tells it of mail. One that is stopped sees it when it goes on.
const TAKEN_LIMIT: Duration = Duration::from_secs(1);
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
        let stream = connect_until(&host.socket, Some(Instant::now() + limit))?;
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

/// Tells a host that there may be mail, and stays until it has seen who says so: those who are gone by then count as
/// strangers, and a crowd of these leaves no place for one more.
pub fn poke(host: &HostRow) -> Result<(), HostError> {
    let mut stream = connect(host, TAKEN_LIMIT)?;
    let mut taken = || {
        protocol::write(&mut stream, &Frame::new(Kind::Poke, []))?;
        stream.shutdown(Shutdown::Write)?;
        protocol::read(&mut stream)
    };
    match taken() {
        Ok(Some(answer)) if answer.kind == Kind::Refused => {
            let why = String::from_utf8_lossy(&answer.body).into_owned();
            Err(HostError::Refused(why))
        }
        Ok(_) => Ok(()),
        Err(e)
            if matches!(
                e.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
            ) =>
        {
            Ok(())
        }
        Err(source) => Err(HostError::Unreachable {
            agent: host.agent.clone(),
            source,
        }),
    }
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

/// How long the client of a host that works waits, and how long one of a host that shows no sign of life.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// When the answer must have come.
    pub answer: Option<Instant>,
    /// How long the host may take to take up a connection, or the next part of a command.
    pub sign: Option<Duration>,
}

impl Limits {
    /// The moment before which the host must have moved.
    fn moves_before(self) -> Option<Instant> {
        let sign = self.sign.map(|sign| Instant::now() + sign);
        [sign, self.answer].into_iter().flatten().min()
    }
}

/// A socket whose time is up says that it would block.
fn in_time(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock {
        return io::Error::new(io::ErrorKind::TimedOut, "no answer in time");
    }
    error
}

/// The same of a host that has not moved at all.
fn silent(error: io::Error) -> io::Error {
    let is_late = [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut].contains(&error.kind());
    if is_late {
        return io::Error::new(io::ErrorKind::HostUnreachable, "no sign of life");
    }
    error
}

/// Hands a command of the agent to its host and returns the answer, which must come within the limits.
pub fn command(
    socket: &Path,
    command: &protocol::Command,
    limits: Limits,
    print: impl FnOnce(&Answer) -> io::Result<()>,
) -> io::Result<Answer> {
    let until = limits.answer;
    let mut stream = connect_until(socket, limits.moves_before()).map_err(silent)?;
    let mut bytes = hello(false, None).encode();
    bytes.extend(Frame::json(Kind::Command, command).encode());
    for part in bytes.chunks(PART) {
        stream.set_write_timeout(left(limits.moves_before())?)?;
        stream.write_all(part).map_err(silent)?;
    }
    stream.set_read_timeout(left(limits.moves_before())?)?;
    let mut first = Some(protocol::read(&mut stream).map_err(silent)?);
    loop {
        let read = match first.take() {
            Some(read) => read,
            None => {
                stream.set_read_timeout(left(until)?)?;
                protocol::read(&mut stream).map_err(in_time)?
            }
        };
        let Some(frame) = read else {
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
                let why = String::from_utf8_lossy(&frame.body).into_owned();
                let kind = if why.contains(protocol::CROWDED) {
                    io::ErrorKind::ResourceBusy
                } else {
                    io::ErrorKind::PermissionDenied
                };
                return Err(io::Error::new(kind, why));
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_host_that_takes_up_no_connection_is_given_up_long_before_one_that_works() {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("s");
        let _listener = UnixListener::bind(&socket).unwrap();
        let limits = Limits {
            answer: None,
            sign: Some(Duration::from_millis(50)),
        };
        // Larger than what the system keeps for a reader, and smaller.
        for size in [16 * 1024 * 1024, 1] {
            let asked = protocol::Command {
                argv: vec!["status".to_owned()],
                cwd: "/".into(),
                stdin: vec![b'x'; size],
            };
            let refused = command(&socket, &asked, limits, |_| Ok(())).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::HostUnreachable, "{refused}");
        }
    }

    #[test]
    fn who_tells_of_mail_stays_until_the_host_has_seen_who_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("s");
        let listener = UnixListener::bind(&socket).unwrap();
        let host = HostRow {
            socket,
            ..HostRow::example("vic")
        };
        let told = std::thread::spawn(move || poke(&host));
        let (mut stream, _) = listener.accept().unwrap();
        let frame = protocol::read(&mut stream).unwrap().unwrap();
        assert_eq!(frame.kind, Kind::Poke);
        // Nothing more comes, and the other end still listens.
        assert!(protocol::read(&mut stream).unwrap().is_none());
        protocol::write(&mut stream, &Frame::new(Kind::Refused, "later")).unwrap();
        let said = told.join().unwrap().unwrap_err();
        assert!(
            matches!(&said, HostError::Refused(why) if why == "later"),
            "{said}"
        );
    }
}
