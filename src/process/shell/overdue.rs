//! Ending a command whose time is up: it may have to clean up, and what it has started may hang instead of it.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::cancel::Event;
use crate::process::tree::{self, Signal};

/// How long a command may go on whose own processes have been ended, and how often those are looked for meanwhile.
const CLEANS_UP_WITHIN: Duration = Duration::from_secs(5);
const LOOKS_AGAIN_AFTER: Duration = Duration::from_millis(20);

/// The words of the program that a command has started itself and that runs.
pub(super) fn started_by(pid: u32) -> Option<Vec<String>> {
    let root = i32::try_from(pid).ok()?;
    // The nearest come last.
    let nearest = tree::descendants(root).pop()?;
    Some(tree::arguments(nearest.pid)).filter(|words| !words.is_empty())
}

/// Ends what a command has started, again and again, until the command ends by itself or has had its time. Only Linux
/// tells what it has started. Returns how many of its pipes were closed meanwhile.
pub(super) fn end_below(pid: u32, events: &Receiver<Event>) -> usize {
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
pub(super) fn until_exit(events: &Receiver<Event>) -> usize {
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
