//! The end of an agent: what it leaves behind is stored, and a death is told.

use super::obituary::{self, Death};
use super::protocol::{Exited, Frame, Kind};
use super::shared::Shared;
use super::start::spawn;
use super::writer::Record;
use super::{outcome, scope, stop};
use crate::config;
use crate::db::identity::Identity;
use crate::logging::secrets;
use crate::platform::{clock, fs};
use crate::runtimes::Runtime;
use crate::types::AgentState;
use crate::types::agent::is_persistent;
use crate::types::event::{EventType, Level, NewEvent};
use crate::types::host::ExitReport;
use serde_json::json;
use std::sync::mpsc;
use std::time::Duration;

/// Lets the readers take in what is still in the pipes. A descendant that holds a pipe open
/// must not hold the host.
pub(super) fn drain(shared: &Shared, readers: Vec<std::thread::JoinHandle<()>>) {
    let (done, all) = mpsc::channel();
    let joined = spawn("drain", move || {
        for reader in readers {
            drop(reader.join());
        }
        // Nobody waits any more when the time was up.
        done.send(()).unwrap_or_default();
    });
    let quick = Duration::from_millis(300);
    if joined.is_ok() && all.recv_timeout(quick).is_err() {
        stop::end_leftovers(shared);
        if all.recv_timeout(quick).is_err() {
            tracing::warn!("the agent's last output may be incomplete");
        }
    }
}

/// How an agent has ended.
pub(super) struct Ending {
    pub(super) report: ExitReport,
    /// It went without having reported its work, and nobody had asked it to go.
    pub(super) failed: bool,
}

/// Stores how the agent ended and tells everybody.
pub(super) fn finish(
    shared: &Shared,
    runtime: &dyn Runtime,
    code: Option<i32>,
    signal: Option<String>,
) -> Ending {
    let survivors = stop::end_leftovers(shared);
    let screen = shared.terminal.storable_text(&secrets());
    let (stopped, hooks_seen, given_up) =
        shared.with_turn(|t| (t.stopping, t.hooks_seen, t.given_up.take()));
    let mut cause = runtime.exit_cause(code, signal.as_deref(), &screen);
    if shared.launch.expects_hooks && !hooks_seen && stopped {
        "its hooks never reported in, so it was stopped".clone_into(&mut cause);
    }
    if !survivors.is_empty() {
        cause.push_str(&format!(
            "; {} of its processes could not be ended",
            survivors.len()
        ));
    }
    if let Some(why) = &given_up {
        cause.clone_from(why);
    }
    // Those who live as long as the project have nothing to report when they leave.
    let reported = outcome::has_reported(shared)
        || (is_persistent(&shared.launch.capability) && code == Some(0));
    if !reported && !stopped && code == Some(0) {
        cause.push_str(" without reporting its work");
    }
    if reported {
        let ended = Identity::record_end(
            &shared.paths.identity(shared.agent()),
            &shared.launch.task_id,
        );
        if let Err(e) = ended {
            tracing::warn!("the agent's identity does not tell of this session: {e}");
        }
    }
    if !stopped {
        scope::check(shared);
    }
    let report = ExitReport {
        code,
        signal: signal.clone(),
        cause: cause.clone(),
        last_screen: screen,
        ended_at: clock::now().iso(),
    };
    let snapshot = shared.paths.host_dir(shared.agent()).join("screen.bin");
    if let Err(e) = fs::write_atomic(&snapshot, shared.terminal.storable_snapshot(secrets())) {
        tracing::warn!("the last screen was not kept: {e}");
    }
    let failed = given_up.is_some() || (!reported && !stopped);
    let mut event = NewEvent::new(shared.agent(), EventType::SessionEnd);
    event.session_id = Some(shared.launch.session_id.clone());
    event.run_id.clone_from(&shared.launch.run_id);
    let data = json!({"exitCode": code, "signal": signal, "cause": cause});
    let level = if failed { Level::Error } else { Level::Info };
    shared.store.event(event.level(level).data(&data));
    shared.store.record(Record::Ended(Box::new(report.clone())));
    let state = if failed {
        AgentState::Zombie
    } else {
        AgentState::Completed
    };
    shared.store.record(Record::State(state));
    shared.terminal.end(Frame::json(
        Kind::Exited,
        &Exited {
            code,
            signal,
            cause,
        },
    ));
    Ending { report, failed }
}

/// Tells the parent that the agent has died, and does the rest that follows a death. What cannot be
/// done now is done by whoever watches next.
pub(super) fn mourn(shared: &Shared, cause: &str) {
    let loaded = config::load(&shared.paths.root);
    let death = Death {
        agent: shared.agent(),
        session_id: &shared.launch.session_id,
        cause,
        tell: loaded.map_or(true, |l| l.config.watchdog.notify_parent_on_death),
    };
    if let Err(e) = obituary::publish(&shared.paths, &death, || Ok(())) {
        tracing::warn!("the death of {} was not told: {e}", shared.agent());
    }
}
