//! Serving clients over the host's socket: screens, keys, commands of the agent.
//!
//! Each connection has threads of its own, so a slow one delays nobody, and a hook is answered
//! whatever else the host is doing.

use super::clients::{ClientQueue, Next};
use super::hooks::HookAnswer;
use super::protocol::{self, Frame, Hello, Kind, Nudge, Outcome, Report, Size, Stop, Welcome};
use super::shared::Shared;
use super::{HostError, agent_api, deliver, hooks, stop};
use crate::process::tree::{self, Above};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long no connection is accepted after one that could not be: too many are open, and only time closes some.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

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
                std::thread::sleep(ACCEPT_PAUSE);
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

/// Whether a process belongs to this agent and to no other: an agent that a lead has started is below the
/// lead's host too, but its own host is nearer.
fn belongs_to_agent(pid: i32) -> bool {
    tree::host_above(pid) == Above::Host(std::process::id() as i32)
}

/// What a process of an agent may ask of a host on its own. Everything else, such as keys for a terminal,
/// it gets through the commands that its own host runs for it.
fn is_for_everybody(kind: Kind) -> bool {
    matches!(kind, Kind::Hello | Kind::Poke | Kind::Ack)
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
    let result = (|| {
        while let Some(frame) = protocol::read(&mut reader)? {
            if frame.kind == Kind::Command {
                return command(shared, stream, &mut reader, &frame, pid);
            }
            let watches =
                frame.kind == Kind::Hello && frame.parse::<Hello>().is_ok_and(|hello| hello.attach);
            if (watches || !is_for_everybody(frame.kind)) && pid != 0 && tree::is_of_an_agent(pid) {
                tracing::warn!(pid, kind = ?frame.kind, "refused to a process of an agent");
                let why = format!("process {pid} belongs to an agent, which may not do this");
                return protocol::write(&mut &*stream, &Frame::new(Kind::Refused, why));
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
    if pid != 0 && !belongs_to_agent(pid) {
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
