//! The life of a host, from its start to the agent's end.

use super::confine::{self, Confinement};
use super::protocol::{Exited, Frame, Kind};
use super::reception::Reception;
use super::recorder::Recorder;
use super::server::{self, Resizer, Senders};
use super::shared::Shared;
use super::terminal::Terminal;
use super::writer::{Record, StoreWriter};
use super::{HostError, deliver, launch, outcome, pointer, stop, stream};
use crate::db::grove::HostRow;
use crate::db::identity::Identity;
use crate::db::{GroveStore, SessionStore, TurnLockStore};
use crate::guard::Policy;
use crate::logging::{learn_secrets, secrets, storable};
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, clock, env, fs};
use crate::process::{self, SpawnError, SpawnSpec, detach, pipes, pty};
use crate::runtimes::{self, Runtime};
use crate::term::TermEvent;
use crate::types::AgentState;
use crate::types::agent::is_persistent;
use crate::types::event::{EventType, Level, NewEvent};
use crate::types::host::{ExitReport, LaunchRecord, Mode, ProcessId};
use serde_json::json;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// How long the starter is kept waiting for a first sign of life. A CLI that ends within this
/// time never started: nothing of it stays behind.
const FIRST_SIGN: Duration = Duration::from_millis(200);
/// How long a guarded CLI may stay silent before it counts as unguarded.
const FIRST_HOOK: Duration = Duration::from_secs(60);

/// How long the host stays to answer those who asked it to stop.
const LAST_ANSWER: Duration = Duration::from_secs(5);

/// A started CLI and what is needed to follow it.
struct Started {
    pid: i32,
    readers: Vec<std::thread::JoinHandle<()>>,
    wait: Box<dyn FnOnce() -> (Option<i32>, Option<String>) + Send>,
    resizer: Resizer,
}

/// Runs the host of one session until its agent has ended. `ready` gets one JSON line once it
/// is known whether the CLI runs.
pub fn run(root: &Path, session: &str, ready: &mut dyn Write) -> Result<(), HostError> {
    detach::leave_session();
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
    // Before there is anybody who could bend them.
    let pointers = pointer::keep(&shared);
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
    })?;
    let sessions = SessionStore::open(&paths.sessions_db())?;
    sessions.set_pid(&launch.agent, Some(i64::from(started.pid)))?;
    sessions.transition_session(&launch.agent, &launch.session_id, AgentState::Working)?;
    drop(sessions);

    let own_pid = i64::from(std::process::id());
    hold_turn(&shared, own_pid);
    if let Some(note) = &confinement.note {
        let event = NewEvent::new(shared.agent(), EventType::Custom).level(Level::Warn);
        let data = json!({"type": "sandbox", "note": note});
        shared.store.event(event.data(&data));
    }

    let resizer = Arc::new(started.resizer);
    let senders = Arc::new(Senders::default());
    Reception::open(Arc::clone(&shared), listener, resizer, Arc::clone(&senders))
        .map_err(no_thread)?;
    if outcome::must_commit(&launch.capability) {
        let shared = Arc::clone(&shared);
        spawn("unsaved", move || {
            let look = || outcome::changed_files(&shared);
            shared.unsaved.keep_looking(look);
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
    drain(&shared, started.readers);
    if !never_started {
        shared.store.record(Record::Metrics { code });
    }
    let report = finish(&shared, runtime, code, signal);
    if let Some(pointers) = pointers {
        pointers.end();
    }
    if never_started {
        launch::report_failure(ready, &report);
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

fn spawn(name: &str, f: impl FnOnce() + Send + 'static) -> Result<(), SpawnError> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(1024 * 1024)
        .spawn(f)
        .map(|_| ())
        .map_err(no_thread)
}

fn no_thread(error: std::io::Error) -> SpawnError {
    SpawnError::Failed {
        program: "thread".to_owned(),
        message: error.to_string(),
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

/// Starts the CLI through the sandbox seam and the threads that read and feed it.
fn start(
    shared: &Arc<Shared>,
    runtime: &'static dyn Runtime,
    confinement: &Confinement,
    input: Receiver<Vec<u8>>,
) -> Result<Started, SpawnError> {
    let launch = &shared.launch;
    let program = launch.argv.first().ok_or(SpawnError::Empty)?;
    let path = launch.env.get("PATH").map(String::as_str);
    if process::find_program(program, path).is_none() {
        return Err(SpawnError::NotFound {
            program: program.clone(),
        });
    }
    let grove = std::env::current_exe().map_err(|e| SpawnError::Failed {
        program: "grove".to_owned(),
        message: e.to_string(),
    })?;
    let mut argv = vec![
        grove.to_string_lossy().into_owned(),
        "sandbox-exec".to_owned(),
    ];
    if let Some(rules) = &confinement.rules {
        argv.extend(["--rules".to_owned(), rules.to_string_lossy().into_owned()]);
    }
    argv.push("--".to_owned());
    argv.extend(launch.argv.iter().cloned());
    let spec = SpawnSpec {
        argv,
        env: confinement
            .env
            .iter()
            .map(|(k, v)| (k.clone(), v.clone()))
            .chain(launch.env.iter().map(|(k, v)| (k.clone(), v.clone())))
            .chain(launch.env_from.iter().filter_map(|(name, from)| {
                let value = env::var(from)?;
                Some((name.clone(), value))
            }))
            .collect(),
        env_remove: launch
            .env_remove
            .iter()
            .chain(&confinement.env_remove)
            .cloned()
            .collect(),
        cwd: launch.cwd.clone(),
    };
    match launch.mode {
        Mode::Pty => start_pty(shared, &spec, input),
        Mode::Stream => start_stream(shared, runtime, &spec, input),
    }
}

fn start_pty(
    shared: &Arc<Shared>,
    spec: &SpawnSpec,
    input: Receiver<Vec<u8>>,
) -> Result<Started, SpawnError> {
    let pty::PtyProcess {
        pid,
        mut reader,
        writer,
        control,
        mut child,
    } = pty::spawn(spec, shared.launch.cols, shared.launch.rows)?;
    spawn("input", move || feed(writer, &input))?;
    let reading = Arc::clone(shared);
    let reader = std::thread::Builder::new()
        .name("read".to_owned())
        .stack_size(2 * 1024 * 1024)
        .spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            // A terminal whose last process is gone reports an error, not an end.
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                let events = reading.terminal.output(buffer.get(..n).unwrap_or_default());
                reading.store.record(Record::Activity);
                for event in events {
                    terminal_event(&reading, event);
                }
            }
        })
        .map_err(no_thread)?;
    Ok(Started {
        pid,
        readers: vec![reader],
        wait: Box::new(move || match child.wait() {
            Ok(status) => match status.signal() {
                Some(signal) => (None, Some(signal.to_owned())),
                None => (Some(status.exit_code() as i32), None),
            },
            Err(e) => (None, Some(format!("unknown: {e}"))),
        }),
        resizer: {
            let control = std::sync::Mutex::new(control);
            Box::new(move |cols, rows| {
                let control = control
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                if let Err(e) = control.resize(cols, rows) {
                    tracing::warn!("the terminal could not be resized: {e}");
                }
            })
        },
    })
}

fn terminal_event(shared: &Shared, event: TermEvent) {
    match event {
        TermEvent::Reply(bytes) => {
            if !shared.try_input(bytes) {
                tracing::debug!("an answer to a terminal query was dropped: input is full");
            }
        }
        TermEvent::Notification { title, body } => {
            let event = NewEvent::new(shared.agent(), EventType::Custom);
            shared
                .store
                .event(event.data(&json!({"type": "notification", "title": title, "body": body})));
        }
        TermEvent::EngineReset => tracing::error!("the terminal engine failed and was reset"),
        TermEvent::Title(_)
        | TermEvent::Bell
        | TermEvent::Cwd(_)
        | TermEvent::Prompt(..)
        | TermEvent::ClipboardStore(_) => {}
    }
}

fn start_stream(
    shared: &Arc<Shared>,
    runtime: &'static dyn Runtime,
    spec: &SpawnSpec,
    input: Receiver<Vec<u8>>,
) -> Result<Started, SpawnError> {
    let mut child = pipes::spawn(spec)?;
    let pid = child.id() as i32;
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
        return Err(SpawnError::Empty);
    };
    spawn("input", move || feed(Box::new(stdin), &input))?;
    let reader = |name: &str, f: Box<dyn FnOnce() + Send>| {
        std::thread::Builder::new()
            .name(name.to_owned())
            .stack_size(1024 * 1024)
            .spawn(f)
            .map_err(no_thread)
    };
    let (lines, errors) = (Arc::clone(shared), Arc::clone(shared));
    Ok(Started {
        pid,
        readers: vec![
            reader(
                "read",
                Box::new(move || stream::read_lines(&lines, runtime, stdout)),
            )?,
            reader(
                "errors",
                Box::new(move || stream::read_errors(&errors, stderr)),
            )?,
        ],
        wait: Box::new(move || match child.wait() {
            Ok(status) => exit_parts(status),
            Err(e) => (None, Some(format!("unknown: {e}"))),
        }),
        resizer: Box::new(|_, _| {}),
    })
}

#[cfg(unix)]
fn exit_parts(status: std::process::ExitStatus) -> (Option<i32>, Option<String>) {
    use std::os::unix::process::ExitStatusExt;
    (status.code(), status.signal().map(|s| s.to_string()))
}

#[cfg(not(unix))]
fn exit_parts(status: std::process::ExitStatus) -> (Option<i32>, Option<String>) {
    (status.code(), None)
}

fn feed(mut writer: Box<dyn Write + Send>, input: &Receiver<Vec<u8>>) {
    while let Ok(bytes) = input.recv() {
        if writer
            .write_all(&bytes)
            .and_then(|()| writer.flush())
            .is_err()
        {
            // The agent has closed its input; what is left in the queue has nowhere to go.
            return;
        }
    }
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

/// Lets the readers take in what is still in the pipes. A descendant that holds a pipe open
/// must not hold the host.
fn drain(shared: &Shared, readers: Vec<std::thread::JoinHandle<()>>) {
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

/// Stores how the agent ended and tells everybody.
fn finish(
    shared: &Shared,
    runtime: &dyn Runtime,
    code: Option<i32>,
    signal: Option<String>,
) -> ExitReport {
    let survivors = stop::end_leftovers(shared);
    let screen = storable(&shared.terminal.screen_text()).into_owned();
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
    report
}
