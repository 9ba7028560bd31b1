//! Ending an agent and everything it has started.

use super::protocol::Outcome;
use super::shared::Shared;
use crate::process::tree::{self, Signal};
use crate::types::host::ProcessId;
use std::time::Duration;

/// How long the CLI has to finish its way.
const ASK: Duration = Duration::from_secs(4);
/// How long its processes have after TERM.
const GRACE: Duration = Duration::from_secs(3);

/// Ends the agent: TERM to the CLI, which saves its conversation; then the whole tree, deepest
/// first; then KILL. With `force` the asking is left out.
pub fn stop(shared: &Shared, force: bool) -> Outcome {
    shared.with_turn(|t| t.stopping = true);
    let cli = shared.cli();
    // Collected before the first signal: a parent that dies first would hide its children.
    let before = tree::descendants(std::process::id() as i32);
    if !force {
        tree::signal(cli, Signal::Terminate);
        tree::wait_gone(&[cli], ASK);
    }
    let mut left = before;
    for late in tree::descendants(std::process::id() as i32) {
        if !left.contains(&late) {
            left.push(late);
        }
    }
    let survivors = tree::end(
        &left,
        if force {
            Duration::from_millis(200)
        } else {
            GRACE
        },
    );
    describe(&survivors)
}

/// Ends whatever the CLI left behind when it exited by itself.
pub fn end_leftovers() -> Vec<ProcessId> {
    let left = tree::descendants(std::process::id() as i32);
    if left.is_empty() {
        left
    } else {
        tree::end(&left, Duration::from_secs(1))
    }
}

fn describe(survivors: &[ProcessId]) -> Outcome {
    if survivors.is_empty() {
        return Outcome {
            done: true,
            queued: false,
            detail: "ended".to_owned(),
        };
    }
    let pids: Vec<String> = survivors.iter().map(|p| p.pid.to_string()).collect();
    Outcome {
        done: false,
        queued: false,
        detail: format!("still alive after KILL: pid {}", pids.join(", ")),
    }
}
