//! Running one shell command to its end or to a deadline, with everything it starts: its own process
//! group, bounded output, no terminal, no input. For the project's own quality gates.

use std::collections::VecDeque;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much of the output's end is kept.
const TAIL_BYTES: usize = 64 * 1024;
/// After the command has ended, how long its pipes may stay open: a daemon may have inherited them.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// `None` when it timed out.
    pub status: Option<ExitStatus>,
    pub duration: Duration,
    pub tail: String,
    pub dropped: u64,
}

#[derive(Default)]
struct Tail {
    bytes: VecDeque<u8>,
    dropped: u64,
}

impl Tail {
    fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend(chunk);
        let excess = self.bytes.len().saturating_sub(TAIL_BYTES);
        self.bytes.drain(..excess);
        self.dropped += excess as u64;
    }
}

/// Runs `command` with the system's shell in `dir`.
pub fn run_shell(command: &str, dir: &Path, time_limit: Duration) -> std::io::Result<Ended> {
    let started = Instant::now();
    let mut child = spawn(command, dir)?;
    let tail = Arc::new(Mutex::new(Tail::default()));
    let (event, events) = channel();
    for pipe in [
        child
            .stdout
            .take()
            .map(|pipe| Box::new(pipe) as Box<dyn Read + Send>),
        child
            .stderr
            .take()
            .map(|pipe| Box::new(pipe) as Box<dyn Read + Send>),
    ]
    .into_iter()
    .flatten()
    {
        let tail = Arc::clone(&tail);
        let event = event.clone();
        std::thread::spawn(move || {
            collect(pipe, &tail);
            // The receiver is gone only when nobody waits any more.
            event.send(Event::PipeClosed).ok();
        });
    }
    let pid = child.id();
    std::thread::spawn(move || {
        wait_for_exit(pid);
        event.send(Event::Exited).ok();
    });

    let mut exited = false;
    let mut open_pipes = 2;
    let deadline = started + time_limit;
    while !exited {
        match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Event::Exited) => exited = true,
            Ok(Event::PipeClosed) => open_pipes -= 1,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    // The group goes in every case: a finished gate must not leave servers running. The leader is
    // not reaped yet, so its id still names this group.
    end_group(&mut child);
    let status = child.wait()?;
    let duration = started.elapsed();
    let drained_by = Instant::now() + DRAIN_LIMIT;
    while open_pipes > 0 {
        match events.recv_timeout(drained_by.saturating_duration_since(Instant::now())) {
            Ok(Event::PipeClosed) => open_pipes -= 1,
            Ok(Event::Exited) => {}
            Err(_) => break,
        }
    }
    let tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
    let bytes: Vec<u8> = tail.bytes.iter().copied().collect();
    Ok(Ended {
        status: exited.then_some(status),
        duration,
        tail: String::from_utf8_lossy(&bytes).into_owned(),
        dropped: tail.dropped,
    })
}

enum Event {
    Exited,
    PipeClosed,
}

fn collect(mut pipe: Box<dyn Read + Send>, tail: &Mutex<Tail>) {
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

fn spawn(command: &str, dir: &Path) -> std::io::Result<Child> {
    #[cfg(unix)]
    let mut shell = {
        use std::os::unix::process::CommandExt;
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(command).process_group(0);
        shell
    };
    #[cfg(not(unix))]
    let mut shell = {
        let mut shell = Command::new("cmd");
        shell.arg("/C").arg(command);
        shell
    };
    for (key, _) in std::env::vars_os() {
        // A gate's own git must look at the scratch checkout, not at the caller's repository.
        let key_text = key.to_string_lossy();
        if matches!(
            key_text.as_ref(),
            "GIT_DIR" | "GIT_WORK_TREE" | "GIT_INDEX_FILE" | "GIT_PREFIX" | "GIT_COMMON_DIR"
        ) {
            shell.env_remove(&key);
        }
    }
    shell
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// Blocks until the process has ended, without taking its exit status.
#[cfg(unix)]
fn wait_for_exit(pid: u32) {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
        return;
    };
    while let Err(rustix::io::Errno::INTR) = waitid(
        WaitId::Pid(pid),
        WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
    ) {}
}

#[cfg(unix)]
fn end_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Err(error) = kill_process_group(Pid::from_child(child), Signal::KILL)
        && error != rustix::io::Errno::SRCH
        && error != rustix::io::Errno::PERM
    {
        tracing::warn!(%error, "processes of a gate not ended");
    }
}

#[cfg(not(unix))]
fn wait_for_exit(_pid: u32) {}

#[cfg(not(unix))]
fn end_group(child: &mut Child) {
    if let Err(error) = child.kill() {
        tracing::warn!(%error, "gate not ended");
    }
}
