//! Serving clients over the host's socket: screens, keys, commands of the agent.
//!
//! Each connection has a thread of its own (see `reception`), so a slow one delays nobody, and a hook is
//! answered whatever else the host is doing.

use super::callers::Caller;
use super::clients::{ClientQueue, Next};
use super::hooks::HookAnswer;
use super::incoming::{InTime, Incoming};
use super::outbox::Held;
use super::protocol::{self, Frame, Hello, Kind, Nudge, Outcome, Report, Size, Stop, Welcome};
use super::seldom::Seldom;
use super::shared::Shared;
use super::{HostError, agent_api, deliver, hooks, stop};
use std::io::{self, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a client may take to say that it has printed an answer.
const ACK_LIMIT: Duration = Duration::from_secs(10);

/// How long a caller may take to say what it wants.
const REQUEST_LIMIT: Duration = Duration::from_secs(30);
/// The same for those who have no business here, and for how long they may stay.
const STRANGER_LIMIT: Duration = Duration::from_secs(2);
/// The largest frame that is read of such a caller; bytes.
const STRANGER_BODY: usize = 64 * 1024;

/// How often it is told that somebody was refused.
static REFUSED: Seldom = Seldom::new(Duration::from_secs(10));

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

/// Who has come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visit {
    /// Its process; 0 where the system does not tell.
    pub(super) pid: i32,
    pub(super) caller: Caller,
}

/// Tells somebody that there is no place; those who have no business here are told nothing.
pub(super) fn turn_away(
    shared: &Shared,
    caller: Caller,
    mut stream: &UnixStream,
) -> io::Result<()> {
    match caller {
        Caller::Stranger(_) => Ok(()),
        Caller::Agent | Caller::Outside | Caller::Unasked => {
            stream.set_write_timeout(Some(STRANGER_LIMIT))?;
            let why = format!(
                "agent '{}' {}; try the same again in a moment",
                shared.agent(),
                protocol::CROWDED
            );
            protocol::write(&mut stream, &Frame::new(Kind::Refused, why))
        }
    }
}

/// Serves one connection to its end.
pub(super) fn converse(
    shared: &Arc<Shared>,
    visit: Visit,
    stream: &UnixStream,
    resizer: &Resizer,
    senders: &Senders,
) -> io::Result<()> {
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    let (limit, most) = match visit.caller {
        Caller::Stranger(_) => (STRANGER_LIMIT, STRANGER_BODY),
        Caller::Agent | Caller::Outside | Caller::Unasked => (REQUEST_LIMIT, protocol::MAX_BODY),
    };
    let mut reader = InTime::reader(stream, limit);
    let mut attached: Option<Arc<ClientQueue>> = None;
    let result = (|| {
        while let Some(frame) = protocol::read_at_most(&mut reader, most)? {
            if frame.kind == Kind::Command {
                return command(shared, stream, &mut reader, &frame, visit);
            }
            if steers(&frame)
                && let Some(why) = visit.caller.refused(shared, visit.pid)
            {
                if let Some(more) = REFUSED.speaks(Instant::now()) {
                    tracing::warn!(more, "{why}");
                }
                return protocol::write(&mut &*stream, &Frame::new(Kind::Refused, why));
            }
            if let Some(queue) = request(shared, stream, resizer, senders, &frame)? {
                attached = Some(queue);
            }
            match visit.caller {
                // A screen is looked at for hours, and who waits for the end says nothing.
                Caller::Outside | Caller::Unasked => reader.get_mut().within(None)?,
                Caller::Agent | Caller::Stranger(_) => {}
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
            // For those who ask for something, this is the sign that the host is alive.
            reply(&Frame::json(Kind::Welcome, &welcome))?;
            if !hello.attach {
                return Ok(None);
            }
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
        Kind::Poke => {
            // Whoever tells of mail waits for no agent that is slow to take its input.
            if let Err(e) = stream.shutdown(Shutdown::Write) {
                tracing::debug!("who told of mail is gone: {e}");
            }
            deliver::poke(shared);
        }
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
    shared: &Arc<Shared>,
    stream: &UnixStream,
    reader: &mut Incoming<'_>,
    frame: &Frame,
    visit: Visit,
) -> io::Result<()> {
    let mut out = stream;
    if !visit.caller.is_the_agent() {
        let why = format!(
            "process {} does not belong to agent '{}'",
            visit.pid,
            shared.agent()
        );
        return protocol::write(&mut out, &Frame::new(Kind::Refused, why));
    }
    let command: protocol::Command = match frame.parse() {
        Ok(command) => command,
        Err(e) => return protocol::write(&mut out, &Frame::new(Kind::Refused, e)),
    };
    let (found, held) = match command.argv.split_first() {
        Some((verb, rest)) if verb == "hook" => {
            let event = rest.first().map_or("", String::as_str);
            // The answer is not kept waiting by what is stored about it.
            let held = (!hooks::sleeps(event)).then(|| shared.store.hold());
            (hooks::answer(shared, event, &command.stdin), held)
        }
        Some(_) | None => (agent_api::run(shared, &command, stream).into(), None),
    };
    let arrived = hand_over(stream, reader, &found, held);
    if matches!(arrived, Ok(true)) {
        deliver::confirm(shared, found.mail);
    } else {
        deliver::release(shared, found.mail);
    }
    if let Some(why) = found.given_up {
        stop::give_up(shared, why);
    }
    arrived.map(|_| ())
}

/// Writes an answer, lets go what is to be stored about it, and tells whether mail in it has arrived.
fn hand_over(
    mut stream: &UnixStream,
    reader: &mut Incoming<'_>,
    found: &HookAnswer,
    held: Option<Held<'_>>,
) -> io::Result<bool> {
    stream.write_all(&Frame::json(Kind::Answer, &found.answer).encode())?;
    stream.flush()?;
    drop(held);
    if found.mail.is_empty() {
        return Ok(true);
    }
    reader.get_mut().within(Some(ACK_LIMIT))?;
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
