//! Ending an agent and everything it has started.

use super::protocol::Outcome;
use super::shared::Shared;
use crate::platform::env;
use crate::platform::liveness::{self, Liveness};
use crate::process::tree::{self, Signal};
use crate::types::host::ProcessId;
use std::sync::Arc;
use std::time::Duration;

/// How long the CLI has to finish its way.
const ASK: Duration = Duration::from_secs(4);
/// How long its processes have after TERM.
const GRACE: Duration = Duration::from_secs(3);
/// How often the tree is collected again before what is left counts as not to be ended.
const ROUNDS: usize = 5;

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
    let grace = if force {
        Duration::from_millis(200)
    } else {
        GRACE
    };
    describe(&end_all(shared, before, grace))
}

/// Ends an agent that has done what is not let pass, and says why. On a thread of its own: this one may have to serve the
/// agent's end.
pub(super) fn give_up(shared: &Arc<Shared>, why: String) {
    let is_over = shared.with_turn(|t| {
        let is_over = t.ended || t.stopping;
        if !is_over {
            t.given_up = Some(why);
        }
        is_over
    });
    if is_over {
        return;
    }
    let shared = Arc::clone(shared);
    let started = std::thread::Builder::new()
        .name("give-up".to_owned())
        .spawn(move || stop(&shared, true));
    if let Err(e) = started {
        tracing::error!("the agent could not be stopped: {e}");
    }
}

/// Ends whatever the CLI left behind when it exited by itself.
pub fn end_leftovers(shared: &Shared) -> Vec<ProcessId> {
    end_all(shared, Vec::new(), Duration::from_secs(1))
}

/// Ends everything that belongs to the agent, and looks again: what was ended may have started
/// something before it went.
fn end_all(shared: &Shared, mut known: Vec<ProcessId>, grace: Duration) -> Vec<ProcessId> {
    let _running = shared.renewing();
    let socket = shared.socket.to_string_lossy();
    let mut survivors = Vec::new();
    for _ in 0..ROUNDS {
        known.extend(tree::descendants(std::process::id() as i32));
        known.extend(tree::carrying(env::HOST_SOCKET, &socket));
        known.sort_by_key(|p| std::cmp::Reverse((p.start, p.pid)));
        known.dedup();
        known.retain(|p| liveness::check(*p) == Liveness::Alive);
        if known.is_empty() {
            return Vec::new();
        }
        survivors = tree::end(&known, grace);
        known.clear();
    }
    survivors
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
