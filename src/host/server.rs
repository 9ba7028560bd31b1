//! Serving clients over the host's socket: screens, keys, commands of the agent.
//!
//! Each connection has threads of its own, so a slow one delays nobody, and a hook is answered
//! whatever else the host is doing.

use super::clients::{ClientQueue, Next};
use super::hooks::HookAnswer;
use super::protocol::{self, Frame, Hello, Kind, Nudge, Outcome, Report, Size, Stop, Welcome};
use super::shared::Shared;
use super::{HostError, agent_api, deliver, hooks, stop};
use crate::db::GroveStore;
use crate::db::grove::HostRow;
use crate::platform::liveness::{self, Liveness};
use crate::process::origin::{Origin, origin};
use crate::process::tree;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a client may take to say that it has printed an answer.
const ACK_LIMIT: Duration = Duration::from_secs(10);

/// Changes the size of the agent's terminal, where it has one.
pub type Resizer = Box<dyn Fn(u16, u16) + Send + Sync>;

/// Listens on a socket that only this user can reach. A socket file left by a dead host is
/// replaced.
pub fn listen(socket: &Path) -> Result<UnixListener, HostError> {
    let failed = |source| HostError::Listen {
        socket: socket.to_owned(),
        source,
    };
    crate::platform::fs::remove_file(socket)?;
    let listener = UnixListener::bind(socket).map_err(failed)?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
    Ok(listener)
}

/// The threads that send to clients; the host waits for them before it leaves.
#[derive(Default)]
pub struct Senders(Mutex<Vec<JoinHandle<()>>>);

impl Senders {
    fn add(&self, thread: JoinHandle<()>) {
        let mut threads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        threads.retain(|t| !t.is_finished());
        threads.push(thread);
    }

    /// Joins all senders. Sockets have a write timeout, so none can hang for ever.
    pub fn join(&self) {
        let threads = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // A sender that panicked has nothing more to send.
            drop(thread.join());
        }
    }
}

/// Accepts connections for as long as the host lives.
pub fn serve(
    shared: &Arc<Shared>,
    listener: &UnixListener,
    resizer: &Arc<Resizer>,
    senders: &Arc<Senders>,
) {
    for stream in listener.incoming() {
        let stream = match stream {
            Ok(stream) => stream,
            Err(e) => {
                tracing::warn!("a connection was not accepted: {e}");
                continue;
            }
        };
        let (shared, resizer, senders) =
            (Arc::clone(shared), Arc::clone(resizer), Arc::clone(senders));
        let started = std::thread::Builder::new()
            .name("client".to_owned())
            .stack_size(1024 * 1024)
            .spawn(move || {
                if let Err(e) = converse(&shared, &stream, &resizer, &senders) {
                    tracing::debug!("connection ended: {e}");
                }
            });
        if let Err(e) = started {
            tracing::warn!("a connection could not be served: {e}");
        }
    }
}

/// The peer's process, if it runs as this user.
#[cfg(target_os = "linux")]
fn peer(stream: &UnixStream) -> io::Result<i32> {
    let credentials = rustix::net::sockopt::socket_peercred(stream)?;
    if credentials.uid != rustix::process::getuid() {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "another user",
        ));
    }
    Ok(credentials.pid.as_raw_nonzero().get())
}

// The folder and file modes keep other users out where the peer cannot be asked for.
#[cfg(not(target_os = "linux"))]
fn peer(_stream: &UnixStream) -> io::Result<i32> {
    Ok(0)
}

/// Where a process comes from, seen from this host.
fn origin_of(pid: i32) -> Option<Origin> {
    let own = std::process::id() as i32;
    origin(pid, |pid| pid == own || tree::is_host(pid))
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

/// Why a process may not do to this agent what people and hosts do.
fn refused(shared: &Shared, pid: i32) -> Option<String> {
    let own = std::process::id() as i32;
    let who = match origin_of(pid) {
        // A quality gate, say: it descends from a person's process and runs what agents wrote.
        Some(Origin::Outside) if tree::is_confined(pid) => "it runs in a sandbox",
        Some(Origin::Outside) => return None,
        Some(Origin::Host(host)) if host == own || on_record(shared, host) => return None,
        Some(Origin::Host(_)) => "it only looks like a host",
        Some(Origin::Agent(_)) => "it belongs to an agent",
        None => "it is gone",
    };
    Some(format!(
        "process {pid} may not steer agent '{}': {who}. Agents talk by `grove mail send` and, if they lead others, by `grove nudge`",
        shared.agent()
    ))
}

fn converse(
    shared: &Arc<Shared>,
    stream: &UnixStream,
    resizer: &Resizer,
    senders: &Senders,
) -> io::Result<()> {
    let pid = peer(stream)?;
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    let mut reader = io::BufReader::new(stream.try_clone()?);
    let mut attached: Option<Arc<ClientQueue>> = None;
    // Asked once: keys come one frame at a time.
    let mut trusted = pid == 0;
    let result = (|| {
        while let Some(frame) = protocol::read(&mut reader)? {
            if frame.kind == Kind::Command {
                return command(shared, stream, &mut reader, &frame, pid);
            }
            if !trusted && steers(&frame) {
                if let Some(why) = refused(shared, pid) {
                    tracing::warn!("{why}");
                    return protocol::write(&mut &*stream, &Frame::new(Kind::Refused, why));
                }
                trusted = true;
            }
            if let Some(queue) = request(shared, stream, resizer, senders, &frame)? {
                attached = Some(queue);
            }
        }
        Ok(())
    })();
    if let Some(queue) = attached {
        shared.terminal.detach(&queue);
        queue.close();
    }
    result
}

/// Whether a frame looks into the agent's terminal, types there, or ends the agent.
fn steers(frame: &Frame) -> bool {
    match frame.kind {
        Kind::Hello => frame.parse::<Hello>().map_or(true, |hello| hello.attach),
        Kind::Input | Kind::Paste | Kind::Resize | Kind::Stop | Kind::Nudge => true,
        Kind::Status
        | Kind::Poke
        | Kind::Command
        | Kind::Ack
        | Kind::Welcome
        | Kind::Snapshot
        | Kind::Output
        | Kind::Resized
        | Kind::Exited
        | Kind::Report
        | Kind::Answer
        | Kind::Refused => false,
    }
}

/// Does what one frame asks for; returns the queue of a client that has just attached.
fn request(
    shared: &Arc<Shared>,
    stream: &UnixStream,
    resizer: &Resizer,
    senders: &Senders,
    frame: &Frame,
) -> io::Result<Option<Arc<ClientQueue>>> {
    let bad = |e: String| io::Error::new(io::ErrorKind::InvalidData, e);
    let reply = |frame: &Frame| protocol::write(&mut &*stream, frame);
    match frame.kind {
        Kind::Hello => {
            let hello: Hello = frame.parse().map_err(bad)?;
            let welcome = Welcome {
                version: protocol::VERSION,
                agent: shared.agent().to_owned(),
                mode: shared.launch.mode,
            };
            if !hello.attach {
                return Ok(None);
            }
            reply(&Frame::json(Kind::Welcome, &welcome))?;
            if let Some((cols, rows)) = hello.size {
                resize(shared, resizer, cols, rows);
            }
            let queue = Arc::new(ClientQueue::default());
            shared.terminal.attach(&queue);
            senders.add(start_sender(
                shared,
                stream.try_clone()?,
                Arc::clone(&queue),
            )?);
            return Ok(Some(queue));
        }
        Kind::Input => {
            shared.send_input(frame.body.clone());
        }
        Kind::Paste => {
            deliver::paste(shared, &String::from_utf8_lossy(&frame.body));
        }
        Kind::Resize => {
            let size: Size = frame.parse().map_err(bad)?;
            resize(shared, resizer, size.cols, size.rows);
        }
        Kind::Stop => {
            let ask: Stop = frame.parse().map_err(bad)?;
            // The host must not leave before it has answered.
            shared.with_turn(|t| {
                t.stops_open += 1;
                if ask.given_up.is_some() {
                    t.given_up = ask.given_up;
                }
            });
            let replied = reply(&Frame::json(Kind::Report, &stop::stop(shared, ask.force)));
            shared.with_turn(|t| t.stops_open -= 1);
            replied?;
        }
        Kind::Nudge => {
            let nudge: Nudge = frame.parse().map_err(bad)?;
            let outcome: Outcome = deliver::nudge(shared, &nudge.from, &nudge.text);
            reply(&Frame::json(Kind::Report, &outcome))?;
        }
        Kind::Poke => deliver::poke(shared),
        Kind::Status => reply(&Frame::json(Kind::Report, &report(shared)))?,
        Kind::Command
        | Kind::Ack
        | Kind::Welcome
        | Kind::Snapshot
        | Kind::Output
        | Kind::Resized
        | Kind::Exited
        | Kind::Report
        | Kind::Answer
        | Kind::Refused => tracing::debug!(kind = ?frame.kind, "frame out of place"),
    }
    Ok(None)
}

fn resize(shared: &Shared, resizer: &Resizer, cols: u16, rows: u16) {
    if shared.terminal.resize(cols, rows) {
        let (cols, rows) = shared.terminal.size();
        resizer(cols, rows);
    }
}

fn report(shared: &Shared) -> Report {
    let (in_tool, in_turn, last_hook_ms) =
        shared.with_turn(|t| (t.tools_running > 0, t.in_turn, t.last_hook_ms));
    Report {
        agent: shared.agent().to_owned(),
        session_id: shared.launch.session_id.clone(),
        cli_pid: shared.cli().pid,
        in_tool,
        in_turn,
        last_output_ms: shared.terminal.last_output_ms(),
        last_hook_ms,
        clients: shared.terminal.client_count(),
    }
}

/// Runs a command of the agent and answers; mail counts as read when the answer was printed.
fn command(
    shared: &Shared,
    stream: &UnixStream,
    reader: &mut impl io::Read,
    frame: &Frame,
    pid: i32,
) -> io::Result<()> {
    let mut out = stream;
    let own = std::process::id() as i32;
    if pid != 0 && origin_of(pid) != Some(Origin::Agent(own)) {
        let why = format!(
            "process {pid} does not belong to agent '{}'",
            shared.agent()
        );
        return protocol::write(&mut out, &Frame::new(Kind::Refused, why));
    }
    let command: protocol::Command = match frame.parse() {
        Ok(command) => command,
        Err(e) => return protocol::write(&mut out, &Frame::new(Kind::Refused, e)),
    };
    let found = match command.argv.split_first() {
        Some((verb, rest)) if verb == "hook" => {
            let event = rest.first().map_or("", String::as_str);
            hooks::answer(shared, event, &command.stdin)
        }
        Some(_) | None => agent_api::run(shared, &command).into(),
    };
    let arrived = hand_over(stream, reader, &found);
    if matches!(arrived, Ok(true)) {
        deliver::confirm(shared, &found.delivered);
    } else {
        deliver::release(shared, &found.delivered);
    }
    arrived.map(|_| ())
}

/// Writes an answer; tells whether mail in it has arrived.
fn hand_over(
    mut stream: &UnixStream,
    reader: &mut impl io::Read,
    found: &HookAnswer,
) -> io::Result<bool> {
    stream.write_all(&Frame::json(Kind::Answer, &found.answer).encode())?;
    stream.flush()?;
    if found.delivered.is_empty() {
        return Ok(true);
    }
    stream.set_read_timeout(Some(ACK_LIMIT))?;
    Ok(protocol::read(reader)?.is_some_and(|f| f.kind == Kind::Ack))
}

fn start_sender(
    shared: &Arc<Shared>,
    mut stream: UnixStream,
    queue: Arc<ClientQueue>,
) -> io::Result<JoinHandle<()>> {
    let shared = Arc::clone(shared);
    std::thread::Builder::new()
        .name("send".to_owned())
        .stack_size(256 * 1024)
        .spawn(move || {
            loop {
                let sent = match queue.next() {
                    Next::Send(frames) => frames
                        .iter()
                        .try_for_each(|f| stream.write_all(&f.encode())),
                    Next::Snapshot => stream.write_all(&shared.terminal.resync(&queue).encode()),
                    Next::Close => return,
                };
                if sent.is_err() {
                    shared.terminal.detach(&queue);
                    queue.close();
                    return;
                }
            }
        })
}
