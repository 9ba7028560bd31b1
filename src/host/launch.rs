//! Starting a host, and the one line it reports back.

use super::HostError;
use crate::platform::{ProjectPaths, env, fs};
use crate::process::detach;
use crate::types::host::{ExitReport, LaunchRecord};
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::Write;

/// What a host says once it knows whether the CLI runs.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ready {
    pub pid: Option<i32>,
    pub error: Option<String>,
    /// The last lines the CLI printed, when it ended at once.
    pub screen: Option<String>,
}

/// Starts the host of a stored launch and waits until it has reported. Returns the CLI's pid.
pub fn start(paths: &ProjectPaths, launch: &LaunchRecord) -> Result<i32, StartFailure> {
    let dir = paths.host_dir(&launch.agent);
    fs::create_private_dir(&dir).map_err(HostError::from)?;
    let log_path = dir.join("host.log");
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&log_path)
        .map_err(|source| fs::FsError {
            op: "open",
            path: log_path,
            source,
        })
        .map_err(HostError::from)?;
    let root = launch.root.to_string_lossy();
    let args = ["host", "--root", &root, "--session", &launch.session_id];
    let host = detach::spawn_self(
        &args,
        &launch.root,
        log,
        &[env::HOST_SOCKET, env::ACTING_FOR],
    )
    .map_err(HostError::from)?;
    let line = host
        .wait_ready()
        .map_err(|e| HostError::Protocol(format!("the host did not report: {e}")))?;
    let ready: Ready = serde_json::from_str(&line).map_err(|_| {
        HostError::Protocol(format!(
            "the host ended without a word; its log is {}",
            dir.join("host.log").display()
        ))
    })?;
    match (ready.pid, ready.error) {
        (Some(pid), None) => Ok(pid),
        (_, error) => Err(StartFailure {
            message: error.unwrap_or_else(|| "the host gave no reason".to_owned()),
            screen: ready.screen.unwrap_or_default(),
        }),
    }
}

/// Why an agent did not start.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct StartFailure {
    pub message: String,
    /// The last lines the CLI printed; may be empty.
    pub screen: String,
}

impl From<HostError> for StartFailure {
    fn from(error: HostError) -> Self {
        Self {
            message: error.to_string(),
            screen: String::new(),
        }
    }
}

fn report(ready: &mut dyn Write, message: &Ready) {
    let line = serde_json::json!(message).to_string();
    let written = writeln!(ready, "{line}").and_then(|()| ready.flush());
    if let Err(e) = written {
        // The starter has gone away; the agent runs all the same.
        tracing::warn!("the starter does not listen: {e}");
    }
}

pub(super) fn report_ready(ready: &mut dyn Write, pid: i32) {
    report(
        ready,
        &Ready {
            pid: Some(pid),
            error: None,
            screen: None,
        },
    );
}

pub(super) fn report_failure(ready: &mut dyn Write, exit: &ExitReport) {
    let lines: Vec<&str> = exit
        .last_screen
        .lines()
        .filter(|l| !l.trim().is_empty())
        .collect();
    let tail = lines
        .iter()
        .rev()
        .take(20)
        .rev()
        .copied()
        .collect::<Vec<_>>()
        .join("\n");
    let error = Some(format!("the agent ended at once: {}", exit.cause));
    report(
        ready,
        &Ready {
            pid: None,
            error,
            screen: Some(tail),
        },
    );
}

/// For a host that could not start at all.
pub fn report_error(ready: &mut dyn Write, error: &HostError) {
    report(
        ready,
        &Ready {
            pid: None,
            error: Some(error.to_string()),
            screen: None,
        },
    );
}
