//! Quality gates: the project's own checks, run on the merged commit in a scratch checkout before the
//! target moves. Reports; whether a red gate stops a landing is decided in `execute`.

use std::path::Path;
use std::time::Duration;

use crate::git::{Oid, Repo};
use crate::process::run_shell;
use crate::types::merge::GateResult;

use super::error::MergeError;
use super::scratch::Scratch;

/// One check of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    pub name: String,
    /// A command line for the system's shell.
    pub command: String,
    pub description: String,
}

/// What an observer of gates is told.
#[derive(Debug, Clone, Copy)]
pub enum GateProgress<'a> {
    Started {
        index: usize,
        total: usize,
        gate: &'a Gate,
    },
    Finished {
        index: usize,
        total: usize,
        result: &'a GateResult,
    },
}

/// Runs the gates on a commit, in order, up to the first red one.
pub fn run_gates(
    repo: &Repo,
    root: &Path,
    commit: Oid,
    gates: &[Gate],
    time_limit: Duration,
    observer: &mut dyn FnMut(GateProgress<'_>),
) -> Result<Vec<GateResult>, MergeError> {
    if gates.is_empty() {
        return Ok(Vec::new());
    }
    let scratch = Scratch::checkout(repo, root, commit)?;
    let mut results: Vec<GateResult> = Vec::new();
    let total = gates.len();
    for (index, gate) in gates.iter().enumerate() {
        observer(GateProgress::Started { index, total, gate });
        let result = run_gate(gate, scratch.path(), time_limit);
        observer(GateProgress::Finished {
            index,
            total,
            result: &result,
        });
        let passed = result.passed;
        results.push(result);
        if !passed {
            break;
        }
    }
    Ok(results)
}

fn run_gate(gate: &Gate, dir: &Path, time_limit: Duration) -> GateResult {
    match run_shell(&gate.command, dir, time_limit) {
        Ok(ended) => GateResult {
            name: gate.name.clone(),
            passed: ended.status.is_some_and(|status| status.success()),
            exit_code: ended.status.and_then(|status| status.code()),
            timed_out: ended.status.is_none(),
            duration_ms: ended.duration.as_millis() as u64,
            output_tail: ended.tail,
            output_dropped: ended.dropped,
        },
        Err(error) => GateResult {
            name: gate.name.clone(),
            passed: false,
            exit_code: None,
            timed_out: false,
            duration_ms: 0,
            output_tail: format!("could not be started: {error}"),
            output_dropped: 0,
        },
    }
}
