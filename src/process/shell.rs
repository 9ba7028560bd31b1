//! Running one command to its end or to a deadline, with everything it starts: its own process
//! group, bounded output, no terminal. Knows nothing of gates, agents or merges.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::ending::{ask_to_end, end_group, wait_for_exit};
use super::leaving::Running;
use super::tree::{self, Signal};
use crate::platform::random;

/// How much of the output's end is kept of a gate.
pub const TAIL_BYTES: usize = 64 * 1024;
/// After the command has ended, how long its pipes may stay open: a daemon may have inherited them.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);
/// How long a command may go on whose own processes have been ended, and how often those are looked for meanwhile.
const CLEANS_UP_WITHIN: Duration = Duration::from_secs(5);
const LOOKS_AGAIN_AFTER: Duration = Duration::from_millis(20);
/// Marks everything a command starts, so that what has left its process group is found too.
const MARK: &str = "GROVE_BOUNDED_RUN";

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// `None` when it was ended from here: it timed out or was called off.
    pub status: Option<ExitStatus>,
    pub called_off: bool,
    pub duration: Duration,
    /// The end of what it printed.
    pub tail: String,
    pub dropped: u64,
    /// The end of stderr, where that was to be kept apart.
    pub errors: String,
}

/// As `Ended`, with what the command said as it said it.
#[derive(Debug)]
pub struct EndedBytes {
    pub status: Option<ExitStatus>,
    pub called_off: bool,
    pub duration: Duration,
    pub out: Vec<u8>,
    pub dropped: u64,
    pub errors: Vec<u8>,
    /// The words of a program that the command had started and that had not ended when the time was up, where the
    /// system tells.
    pub waited_for: Option<Vec<String>>,
}

impl From<EndedBytes> for Ended {
    fn from(ended: EndedBytes) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            status: ended.status,
            called_off: ended.called_off,
            duration: ended.duration,
            tail: text(&ended.out),
            dropped: ended.dropped,
            errors: text(&ended.errors),
        }
    }
}

/// Calls off commands that are running, from another thread.
#[derive(Debug, Default)]
pub struct Cancel {
    is_called: AtomicBool,
    waiting: Mutex<Vec<Sender<Event>>>,
}

impl Cancel {
    pub fn call(&self) {
        self.is_called.store(true, Ordering::Release);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for sender in waiting.drain(..) {
            // A command that has ended meanwhile does not listen any more.
            sender.send(Event::CalledOff).ok();
        }
    }

    pub fn is_called(&self) -> bool {
        self.is_called.load(Ordering::Acquire)
    }

    pub(super) fn listen(&self, sender: &Sender<Event>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(sender.clone());
        drop(waiting);
        if self.is_called() {
            sender.send(Event::CalledOff).ok();
        }
    }
}

/// What to run and within which bounds.
#[derive(Debug)]
pub struct Bounded<'a> {
    pub command: Command,
    pub stdin: Option<Vec<u8>>,
    pub time_limit: Duration,
    /// How many bytes of output are kept, counted from the end.
    pub keep: usize,
    /// Keeps stderr apart instead of in order with stdout.
    pub errors_apart: bool,
    pub cancel: Option<&'a Cancel>,
    /// When the time is up, ends what the command has started before the command, which may then clean up.
    pub may_clean_up: bool,
}

type Pipe = Box<dyn Read + Send>;

#[derive(Debug)]
struct Tail {
    bytes: VecDeque<u8>,
    keep: usize,
    dropped: u64,
}

impl Tail {
    fn shared(keep: usize) -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self {
            bytes: VecDeque::new(),
            keep,
            dropped: 0,
        }))
    }

    fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend(chunk);
        let excess = self.bytes.len().saturating_sub(self.keep);
        self.bytes.drain(..excess);
        self.dropped += excess as u64;
    }

    fn bytes(&self) -> Vec<u8> {
        let (one, two) = self.bytes.as_slices();
        [one, two].concat()
    }
}

/// The system's shell with a command line, in `dir`.
pub fn shell(command: &str, dir: &Path) -> Command {
    #[cfg(unix)]
    let mut shell = {
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(command);
        shell
    };
    #[cfg(not(unix))]
    let mut shell = {
        let mut shell = Command::new("cmd");
        shell.arg("/C").arg(command);
        shell
    };
    shell.current_dir(dir);
    shell
}

/// Runs a command within its bounds.
pub fn run(bounded: Bounded<'_>) -> std::io::Result<Ended> {
    run_for_bytes(bounded).map(Ended::from)
}

/// Runs a command within its bounds; what it says need not be text.
pub fn run_for_bytes(bounded: Bounded<'_>) -> std::io::Result<EndedBytes> {
    run_in(bounded, Manner::Closed)
}

/// The same for a program of the user's that keeps locks and starts others: when its time is up it is asked to end, so
/// that it takes the locks away, and ended with everything a moment later. What it leaves running when it ends by itself
/// goes on.
pub fn run_asking(bounded: Bounded<'_>) -> std::io::Result<EndedBytes> {
    run_in(bounded, Manner::Open)
}

/// As `run_asking`, in the process group of this process: only that may ask something at the terminal.
pub fn run_at_terminal(bounded: Bounded<'_>) -> std::io::Result<EndedBytes> {
    run_in(bounded, Manner::Shared)
}

/// Whether everything that a command starts ends with it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Closed,
    Open,
    /// As `Open`, without a process group of its own.
    Shared,
}

fn run_in(bounded: Bounded<'_>, manner: Manner) -> std::io::Result<EndedBytes> {
    let started = Instant::now();
    let running = Running::begin(bounded.time_limit)?;
    let mark = random::alphanumeric(16);
    let mut child = spawn(bounded.command, bounded.stdin.is_some(), manner, &mark)?;
    let tail = Tail::shared(bounded.keep);
    let errors = if bounded.errors_apart {
        Tail::shared(TAIL_BYTES)
    } else {
        Arc::clone(&tail)
    };
    let (event, events) = channel();
    if let Some(cancel) = bounded.cancel {
        cancel.listen(&event);
    }
    if let Some(running) = &running {
        running.token.listen(&event);
    }
    let pipes: [(Option<Pipe>, &Arc<Mutex<Tail>>); 2] = [
        (child.stdout.take().map(|pipe| Box::new(pipe) as _), &tail),
        (child.stderr.take().map(|pipe| Box::new(pipe) as _), &errors),
    ];
    for (pipe, tail) in pipes {
        let Some(pipe) = pipe else { continue };
        let (tail, event) = (Arc::clone(tail), event.clone());
        std::thread::spawn(move || {
            collect(pipe, &tail);
            // The receiver is gone only when nobody waits any more.
            event.send(Event::PipeClosed).ok();
        });
    }
    if let (Some(mut pipe), Some(bytes)) = (child.stdin.take(), bounded.stdin) {
        std::thread::spawn(move || {
            // A command may answer without reading everything.
            pipe.write_all(&bytes).ok();
        });
    }
    let pid = child.id();
    std::thread::spawn(move || {
        wait_for_exit(pid);
        event.send(Event::Exited).ok();
    });

    let (mut exited, mut called_off) = (false, false);
    let mut open_pipes: usize = 2;
    let time_limit = running.as_ref().map_or(bounded.time_limit, |r| r.limit);
    let deadline = started + time_limit;
    while !exited && !called_off {
        match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Event::Exited) => exited = true,
            Ok(Event::CalledOff) => called_off = true,
            Ok(Event::PipeClosed) => open_pipes -= 1,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    let waited_for = (!exited && !called_off).then(|| started_by(pid)).flatten();
    if !exited && manner != Manner::Closed {
        ask_to_end(&child);
        open_pipes -= until_exit(&events);
    } else if !exited && !called_off && bounded.may_clean_up {
        open_pipes -= end_below(pid, &events);
    }
    let all_go = !exited || manner == Manner::Closed;
    // The group goes: a finished gate must not leave servers running. The leader is not reaped yet, so its id still
    // names this group.
    match manner {
        Manner::Shared if all_go => child.kill()?,
        Manner::Closed | Manner::Open if all_go => end_group(&mut child),
        Manner::Closed | Manner::Open | Manner::Shared => {}
    }
    let status = child.wait()?;
    let duration = started.elapsed();
    if all_go {
        for left in tree::carrying(MARK, &mark) {
            tree::signal(left, Signal::Kill);
        }
    }
    let drained_by = Instant::now() + DRAIN_LIMIT;
    while open_pipes > 0 {
        match events.recv_timeout(drained_by.saturating_duration_since(Instant::now())) {
            Ok(Event::PipeClosed) => open_pipes -= 1,
            Ok(Event::Exited | Event::CalledOff) => {}
            Err(_) => break,
        }
    }
    let (out, dropped) = {
        let tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        (tail.bytes(), tail.dropped)
    };
    let errors = if bounded.errors_apart {
        let errors = errors.lock().unwrap_or_else(PoisonError::into_inner);
        errors.bytes()
    } else {
        Vec::new()
    };
    Ok(EndedBytes {
        status: exited.then_some(status),
        called_off,
        duration,
        out,
        dropped,
        errors,
        waited_for,
    })
}

/// The words of the program that a command has started itself and that runs.
fn started_by(pid: u32) -> Option<Vec<String>> {
    let root = i32::try_from(pid).ok()?;
    // The nearest come last.
    let nearest = tree::descendants(root).pop()?;
    Some(tree::arguments(nearest.pid)).filter(|words| !words.is_empty())
}

/// Ends what a command has started, again and again, until the command ends by itself or has had its time. Only Linux
/// tells what it has started. Returns how many of its pipes were closed meanwhile.
fn end_below(pid: u32, events: &Receiver<Event>) -> usize {
    let mut closed = 0;
    let Some(root) = i32::try_from(pid)
        .ok()
        .filter(|_| cfg!(target_os = "linux"))
    else {
        return closed;
    };
    let deadline = Instant::now() + CLEANS_UP_WITHIN;
    while Instant::now() < deadline {
        for process in tree::descendants(root) {
            tree::signal(process, Signal::Kill);
        }
        match events.recv_timeout(LOOKS_AGAIN_AFTER) {
            Ok(Event::Exited) | Err(RecvTimeoutError::Disconnected) => break,
            Ok(Event::PipeClosed) => closed += 1,
            Ok(Event::CalledOff) | Err(RecvTimeoutError::Timeout) => {}
        }
    }
    closed
}

/// Waits a moment for the end of a command. Returns how many of its pipes were closed meanwhile.
fn until_exit(events: &Receiver<Event>) -> usize {
    let mut closed = 0;
    let deadline = Instant::now() + CLEANS_UP_WITHIN;
    loop {
        match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Event::Exited) | Err(_) => return closed,
            Ok(Event::PipeClosed) => closed += 1,
            Ok(Event::CalledOff) => {}
        }
    }
}

/// What the waiting thread hears.
#[derive(Debug)]
pub(super) enum Event {
    Exited,
    PipeClosed,
    CalledOff,
}

fn collect(mut pipe: Pipe, tail: &Mutex<Tail>) {
    let mut chunk = [0; 8192];
    loop {
        match pipe.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => {
                let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
                tail.push(chunk.get(..length).unwrap_or_default());
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn spawn(
    mut command: Command,
    has_input: bool,
    manner: Manner,
    mark: &str,
) -> std::io::Result<Child> {
    #[cfg(unix)]
    if manner != Manner::Shared {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    for key in [
        // A git of the command's own must look at its directory, not at what this process was told.
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_PREFIX",
        "GIT_COMMON_DIR",
    ] {
        let mut given = command.get_envs();
        let is_meant = given.any(|(name, value)| name == key && value.is_some());
        drop(given);
        if !is_meant {
            command.env_remove(key);
        }
    }
    command
        .env(MARK, mark)
        .stdin(if has_input {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}
