//! The run itself: starting a command, waiting for its end, its deadline or whoever calls it off, and ending what is left.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::cancel::{Cancel, Event};
use super::ended::{Ended, EndedBytes};
use super::output::{Pipe, TAIL_BYTES, Tail, collect};
use super::overdue::{end_below, started_by, until_exit};
use crate::platform::random;
use crate::process::ending::{ask_to_end, end_group, wait_for_exit};
use crate::process::leaving::Running;
use crate::process::tree::{self, Signal};

/// After the command has ended, how long its pipes may stay open: a daemon may have inherited them.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);
/// Marks everything a command starts, so that what has left its process group is found too.
const MARK: &str = "GROVE_BOUNDED_RUN";

/// What to run and within which bounds.
#[derive(Debug)]
pub struct Bounded<'a> {
    pub command: Command,
    pub stdin: Option<Vec<u8>>,
    /// A file that the command itself keeps open until it ends, in place of an empty stdin: what it starts in its turn
    /// gets an input of its own.
    pub keeps_open: Option<File>,
    pub time_limit: Duration,
    /// How many bytes of output are kept, counted from the end.
    pub keep: usize,
    /// Keeps stderr apart instead of in order with stdout.
    pub errors_apart: bool,
    pub cancel: Option<&'a Cancel>,
    /// When the time is up or it is called off, ends what the command has started before the command, which may then
    /// clean up.
    pub may_clean_up: bool,
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
    let input = match (&bounded.stdin, bounded.keeps_open) {
        (Some(_), _) => Stdio::piped(),
        (None, Some(file)) => Stdio::from(file),
        (None, None) => Stdio::null(),
    };
    let mut child = spawn(bounded.command, input, manner, &mark)?;
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
    } else if !exited && bounded.may_clean_up {
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

fn spawn(mut command: Command, input: Stdio, manner: Manner, mark: &str) -> std::io::Result<Child> {
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
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}
