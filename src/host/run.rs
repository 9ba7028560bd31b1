//! The life of a host, from its start to the agent's end.

use super::confine;
use super::login::Keeper;
use super::reception::Reception;
use super::recorder::Recorder;
use super::server::{self, Senders};
use super::shared::Shared;
use super::start::{no_thread, spawn, start};
use super::terminal::Terminal;
use super::writer::{Record, StoreWriter};
use super::{HostError, deliver, ending, launch, outcome, pointer, stop};
use crate::db::grove::HostRow;
use crate::db::{GroveStore, SessionStore, TurnLockStore};
use crate::guard::Policy;
use crate::logging::{learn_secrets, secrets};
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, clock, fs, landed};
use crate::process::detach;
use crate::runtimes::{self, Runtime};
use crate::types::AgentState;
use crate::types::event::{EventType, Level, NewEvent};
use crate::types::host::{LaunchRecord, Mode, ProcessId};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

/// How long the starter is kept waiting for a first sign of life. A CLI that ends within this
/// time never started: nothing of it stays behind.
const FIRST_SIGN: Duration = Duration::from_millis(200);
/// How long a guarded CLI may stay silent before it counts as unguarded.
const FIRST_HOOK: Duration = Duration::from_secs(60);

/// How long the host stays to answer those who asked it to stop.
const LAST_ANSWER: Duration = Duration::from_secs(5);

/// Runs the host of one session until its agent has ended. `ready` gets one JSON line once it
/// is known whether the CLI runs.
pub fn run(root: &Path, session: &str, ready: &mut dyn Write) -> Result<(), HostError> {
    detach::leave_session();
    landed::works_unattended();
    detach::adopt_orphans();
    let paths = ProjectPaths::new(root);
    let grove = GroveStore::open(&paths.grove_db())?;
    let launch = grove.launch(session)?.ok_or_else(|| HostError::NoLaunch {
        session: session.to_owned(),
    })?;
    // What the agent is given must not come back in what is stored of it.
    learn_secrets(launch.env.clone());
    let runtime =
        runtimes::find(&launch.runtime).map_err(|e| HostError::Protocol(e.to_string()))?;
    let socket = paths.host_socket(&launch.agent)?;
    let listener = server::listen(&socket)?;
    let confinement = confine::prepare(&launch, &paths, runtime)?;
    let (input, input_queue) = mpsc::sync_channel(256);
    let shared = Arc::new(build(
        launch,
        runtime,
        &paths,
        &socket,
        input,
        confinement.guarded,
    )?);
    shared.git_settings.renew();
    // Before there is anybody who could bend them.
    let pointers = pointer::keep(&shared);
    // Without a sandbox the CLI renews it itself.
    let confined = confinement.rules.as_ref();
    let login = confined.and_then(|_| Keeper::of(&shared, runtime));
    if let Some(login) = &login {
        login.before_the_start();
    }
    let started = match start(&shared, runtime, &confinement, input_queue) {
        Ok(started) => started,
        Err(e) => {
            fs::remove_file(&socket)?;
            return Err(e.into());
        }
    };
    let cli = liveness::identify(started.pid);
    shared.set_cli(cli);
    let launch = &shared.launch;
    let protection = confinement.protection();
    grove.host_started(&HostRow {
        agent: launch.agent.clone(),
        session_id: launch.session_id.clone(),
        host: liveness::own_identity(),
        cli: Some(cli),
        socket: socket.clone(),
        mode: launch.mode.as_str().to_owned(),
        runtime: launch.runtime.clone(),
        started_at: clock::now().iso(),
        first_hook_at: None,
        waiting_for: None,
        exit: None,
        ended_at: None,
        protection: Some(protection.clone()),
    })?;
    let sessions = SessionStore::open(&paths.sessions_db())?;
    sessions.set_pid(&launch.agent, Some(i64::from(started.pid)))?;
    sessions.transition_session(&launch.agent, &launch.session_id, AgentState::Working)?;
    drop(sessions);

    let own_pid = i64::from(std::process::id());
    hold_turn(&shared, own_pid);
    if let Some(note) = protection.line() {
        let event = NewEvent::new(shared.agent(), EventType::Custom).level(Level::Warn);
        let data = json!({"type": "sandbox", "note": note});
        shared.store.event(event.data(&data));
    }

    if let Some(login) = login {
        spawn("login", move || login.stay())?;
    }

    let resizer = Arc::new(started.resizer);
    let senders = Arc::new(Senders::default());
    Reception::open(Arc::clone(&shared), listener, resizer, Arc::clone(&senders))
        .map_err(no_thread)?;
    if outcome::must_commit(&launch.capability) {
        let shared = Arc::clone(&shared);
        spawn("unsaved", move || {
            let look = || outcome::changed_files(&shared);
            let reported = || outcome::has_reported(&shared);
            shared.unsaved.keep_looking(look, reported);
        })?;
    }
    let (exited, exit) = mpsc::channel();
    {
        let shared = Arc::clone(&shared);
        let wait = started.wait;
        spawn("wait", move || {
            let status = wait();
            shared.with_turn(|t| t.ended = true);
            shared.unsaved.leave();
            // The main thread holds the receiver until it has this.
            drop(exited.send(status));
        })?;
    }
    if launch.mode == Mode::Stream
        && let Some(prompt) = &launch.first_prompt
    {
        deliver::say(&shared, prompt);
    }
    if launch.expects_hooks {
        let shared = Arc::clone(&shared);
        spawn("hooks", move || require_hooks(&shared))?;
    }

    shared.wait_turn(Some(FIRST_SIGN), |t| t.ended || t.hooks_seen);
    let never_started = shared.with_turn(|t| t.ended && !t.hooks_seen);
    if !never_started {
        launch::report_ready(ready, started.pid);
    }
    let (code, signal) = exit.recv().unwrap_or((None, None));
    ending::drain(&shared, started.readers);
    if !never_started {
        shared.store.record(Record::Metrics { code });
    }
    let ending = ending::finish(&shared, runtime, code, signal);
    if let Some(pointers) = pointers {
        pointers.end();
    }
    if never_started {
        launch::report_failure(ready, &ending.report);
    }
    shared.terminal.close_clients();
    senders.join();
    if !shared.wait_turn(Some(LAST_ANSWER), |t| t.stops_open == 0) {
        tracing::warn!("a request to stop was not answered");
    }
    let lost = shared.store.finish();
    if lost > 0 {
        tracing::error!(lost, "records could not be stored");
    }
    // What never started is taken back by who has started it.
    if ending.failed && !never_started {
        ending::mourn(&shared, &ending.report.cause);
    }
    TurnLockStore::open(&paths.turn_locks_db())?.release(shared.agent(), own_pid)?;
    fs::remove_dir_all(&shared.launch.temp)?;
    fs::remove_file(&socket)?;
    Ok(())
}

/// Keeps ov from starting a second CLI for this agent. The agent runs whether or not that works.
fn hold_turn(shared: &Shared, own_pid: i64) {
    let alive = |pid: i64| {
        i32::try_from(pid)
            .is_ok_and(|pid| liveness::check(ProcessId { pid, start: 0 }) != Liveness::Dead)
    };
    let claimed = TurnLockStore::open(&shared.paths.turn_locks_db())
        .and_then(|locks| locks.claim(shared.agent(), own_pid, alive));
    match claimed {
        Ok(true) => {}
        Ok(false) => tracing::warn!("another process holds the turn of {}", shared.agent()),
        Err(e) => tracing::warn!("the turn of {} is not locked: {e}", shared.agent()),
    }
}

fn build(
    launch: LaunchRecord,
    runtime: &'static dyn Runtime,
    paths: &ProjectPaths,
    socket: &Path,
    input: mpsc::SyncSender<Vec<u8>>,
    guarded: bool,
) -> Result<Shared, HostError> {
    let policy = guarded.then(|| Policy {
        agent: launch.agent.clone(),
        capability: launch.capability.clone(),
        worktree: launch.cwd.clone(),
        root: launch.root.clone(),
        temp: Some(launch.temp.clone()),
        quality_gates: launch.quality_gates.clone(),
        task_id: Some(launch.task_id.clone()).filter(|t| !t.is_empty()),
        allow: launch.guard_allow.clone(),
        block: launch.guard_block.clone(),
    });
    let cast = paths
        .casts(&launch.agent)
        .join(format!("{}.cast", launch.session_id));
    let recorder =
        match Recorder::create(&cast, (launch.cols, launch.rows), &launch.agent, secrets()) {
            Ok(recorder) => Some(recorder),
            Err(e) => {
                tracing::warn!("no recording: {e}");
                None
            }
        };
    let terminal = Terminal::new(launch.cols, launch.rows, recorder);
    let store = StoreWriter::start(
        paths.clone(),
        launch.agent.clone(),
        launch.session_id.clone(),
        runtime,
    )
    .map_err(no_thread)?;
    Ok(Shared::new(
        launch,
        paths.clone(),
        socket.to_owned(),
        policy,
        terminal,
        store,
        input,
    ))
}

/// Stops an agent whose hooks stay silent: it would run without a guard.
fn require_hooks(shared: &Shared) {
    let reported = shared.wait_turn(Some(FIRST_HOOK), |t| t.hooks_seen || t.ended || t.stopping);
    if reported {
        return;
    }
    let why = format!(
        "no hook of the CLI reported within {} s: the guard would not see its tool calls",
        FIRST_HOOK.as_secs()
    );
    tracing::error!("{why}");
    let event = NewEvent::new(shared.agent(), EventType::Error).level(Level::Error);
    shared
        .store
        .event(event.data(&json!({"type": "unguarded", "message": why})));
    stop::stop(shared, true);
}
