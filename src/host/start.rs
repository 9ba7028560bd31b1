//! Starting an agent's CLI, and the threads that read and feed it.

use super::confine::Confinement;
use super::server::Resizer;
use super::shared::Shared;
use super::stream;
use super::writer::Record;
use crate::platform::env;
use crate::process::{self, SpawnError, SpawnSpec, pipes, pty};
use crate::runtimes::Runtime;
use crate::sandbox;
use crate::term::TermEvent;
use crate::types::event::{EventType, NewEvent};
use crate::types::host::Mode;
use serde_json::json;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

/// A started CLI and what is needed to follow it.
pub(super) struct Started {
    pub(super) pid: i32,
    pub(super) readers: Vec<std::thread::JoinHandle<()>>,
    /// Waits for the end; gives the exit code or the signal.
    pub(super) wait: Box<dyn FnOnce() -> (Option<i32>, Option<String>) + Send>,
    pub(super) resizer: Resizer,
}

/// Starts the CLI through the sandbox seam and the threads that read and feed it.
pub(super) fn start(
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
        let seam = sandbox::await_child(&confinement.attributes);
        let seam = seam.map_err(|e| SpawnError::Failed {
            program: program.clone(),
            message: format!("its sandbox cannot be looked after: {e}"),
        })?;
        argv.extend(
            seam.into_iter()
                .flat_map(|name| ["--seam".to_owned(), name]),
        );
    }
    argv.push("--".to_owned());
    argv.extend(launch.argv.iter().cloned());
    let front = confinement.front.as_ref().map(|folder| {
        let own = || env::var("PATH").unwrap_or_default();
        let path = launch.env.get("PATH").cloned().unwrap_or_else(own);
        ("PATH".to_owned(), format!("{}:{path}", folder.display()))
    });
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
            .chain(front)
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

/// Starts a thread of the host.
pub(super) fn spawn(name: &str, f: impl FnOnce() + Send + 'static) -> Result<(), SpawnError> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(1024 * 1024)
        .spawn(f)
        .map(|_| ())
        .map_err(no_thread)
}

/// A thread that could not be started.
pub(super) fn no_thread(error: std::io::Error) -> SpawnError {
    SpawnError::Failed {
        program: "thread".to_owned(),
        message: error.to_string(),
    }
}
