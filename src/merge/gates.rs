//! Quality gates: the project's own checks, run on the merged commit in a scratch checkout before the
//! target moves: in a sandbox, for what they run was written by agents. Reports; whether a red gate stops a landing is decided by the caller.

use std::collections::BTreeSet;
use std::path::Path;

use crate::config::GATES;
use crate::git::Oid;
use crate::logging::storable;
use crate::platform::ProjectPaths;
use crate::process::shell::{Bounded, Cancel, Ended, TAIL_BYTES, shell};
use crate::text::counted;
use crate::types::merge::GateResult;
use crate::worktree::{Confined, Confinement, gates_note};

use super::context::MergeContext;
use super::error::MergeError;
use super::scratch::{Scratch, set_up};

/// How many files that a gate changed are named.
const NAMED_FILES: usize = 5;

/// What becomes of what a gate has changed: after a merge, a revert, and one with a red gate.
pub(super) const LANDS_WITHOUT: &str = "the merge lands without that";
pub(super) const REVERT_LANDS_WITHOUT: &str = "the revert lands without that";
pub(super) const NOTHING_LANDS: &str = "that was put back";

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

/// Runs the context's gates on a commit, in order, up to the first red one. A red one is tried again
/// as often as the context allows. `None` when the run was called off.
pub(super) fn run_gates(
    context: &MergeContext,
    repo_dir: &Path,
    commit: Oid,
    cancel: Option<&Cancel>,
    observer: &mut dyn FnMut(GateProgress<'_>),
) -> Result<Option<Vec<GateResult>>, MergeError> {
    if cancel.is_some_and(Cancel::is_called) {
        return Ok(None);
    }
    if context.gates.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let limit = context.driver_time_limit;
    let scratch = Scratch::checkout((repo_dir, &context.root), commit, limit)?;
    let Some(missing) = set_up(context, repo_dir, &scratch, commit, cancel)? else {
        return Ok(None);
    };
    let confined = Confined::prepare(&Confinement {
        paths: &ProjectPaths::new(&context.root),
        config: &context.sandbox,
        role: GATES,
        folder: scratch.path(),
        state: &[],
    })?;
    let mut results: Vec<GateResult> = Vec::new();
    let total = context.gates.len();
    for (index, gate) in context.gates.iter().enumerate() {
        observer(GateProgress::Started { index, total, gate });
        let mut attempts = 0;
        let (mut changed, mut left) = (BTreeSet::new(), BTreeSet::new());
        let mut result = loop {
            attempts += 1;
            scratch.stand_anew(confined.is_inside())?;
            let bounded = Bounded {
                command: shell(&gate.command, scratch.path()),
                stdin: None,
                keeps_open: None,
                time_limit: context.gate_time_limit,
                keep: TAIL_BYTES,
                errors_apart: false,
                cancel,
                may_clean_up: false,
            };
            let Some(mut result) = run_gate(gate, &confined, bounded) else {
                return Ok(None);
            };
            result.attempts = attempts;
            // The next one, and the next attempt, is about the tree that lands and nothing else.
            let wrecked = |error| left_nothing(gate, error);
            changed.extend(scratch.put_back().map_err(wrecked)?);
            let is_over = result.passed || attempts > context.gate_retries;
            if !is_over || (result.passed && index + 1 < total) {
                left.extend(scratch.clear().map_err(wrecked)?);
            }
            if is_over {
                break result;
            }
        };
        result.changed = changed.into_iter().collect();
        result.left = left.into_iter().collect();
        for said in &missing {
            result.output_tail += &format!("note: {}\n", storable(said));
        }
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
    Ok(Some(results))
}

/// Says which gates were green only after they had been red.
pub(super) fn flaky(results: &[GateResult]) -> impl Iterator<Item = String> {
    results
        .iter()
        .filter(|gate| gate.passed && gate.attempts > 1)
        .map(|gate| {
            format!(
                "gate {} is flaky: green only at attempt {}",
                gate.name, gate.attempts
            )
        })
}

/// Says which gates changed the tree they were to judge, or added to it; `end` is what becomes of the changes.
pub(super) fn meddling(results: &[GateResult], end: &str) -> impl Iterator<Item = String> {
    results.iter().flat_map(move |gate| {
        let name = &gate.name;
        let changed = some_of(&gate.changed)
            .map(|(count, names)| format!("gate {name} changed {count}: {names}; {end}"));
        let left = some_of(&gate.left).map(|(count, names)| {
            format!(
                "gate {name} left {count} that git does not ignore: {names}; removed before what ran next"
            )
        });
        changed.into_iter().chain(left)
    })
}

/// How many files there are, and the names of the first.
fn some_of(files: &[String]) -> Option<(String, String)> {
    let named = files.iter().take(NAMED_FILES).map(String::as_str);
    let names = named.collect::<Vec<_>>().join(", ");
    let names = match files.len().saturating_sub(NAMED_FILES) {
        0 => names,
        more => format!("{names} and {more} more"),
    };
    (!files.is_empty()).then(|| (counted(files.len() as u64, "file"), names))
}

/// Says that gates ran without the sandbox that the configuration wants.
pub(super) fn unconfined(context: &MergeContext, results: &[GateResult]) -> Option<String> {
    (!results.is_empty()).then(|| gates_note(&context.sandbox))?
}

/// What a gate has removed from under itself, git only tells in its own words.
fn left_nothing(gate: &Gate, error: MergeError) -> MergeError {
    if error.is_of_ended_git() {
        return error;
    }
    MergeError::GateWreckedCheckout {
        gate: gate.name.clone(),
        source: Box::new(error),
    }
}

/// `None` when it was called off.
fn run_gate(gate: &Gate, confined: &Confined, bounded: Bounded<'_>) -> Option<GateResult> {
    let time_limit = bounded.time_limit;
    match confined.run(bounded) {
        Ok(ended) if ended.called_off => None,
        Ok(ended) => Some(GateResult {
            name: gate.name.clone(),
            passed: ended.status.is_some_and(|status| status.success()),
            exit_code: ended.status.and_then(|status| status.code()),
            timed_out: ended.status.is_none(),
            // One that did not finish had its limit: ending it is not its time.
            duration_ms: ended
                .status
                .map_or(time_limit, |_| ended.duration)
                .as_millis() as u64,
            attempts: 1,
            // It goes into receipts and mail.
            output_tail: storable(&tail(&ended, confined)).into_owned(),
            output_dropped: ended.dropped,
            changed: Vec::new(),
            left: Vec::new(),
        }),
        Err(error) => Some(GateResult {
            name: gate.name.clone(),
            passed: false,
            exit_code: None,
            timed_out: false,
            duration_ms: 0,
            attempts: 1,
            output_tail: format!("could not be started: {error}"),
            output_dropped: 0,
            changed: Vec::new(),
            left: Vec::new(),
        }),
    }
}

fn tail(ended: &Ended, confined: &Confined) -> String {
    match confined.hint(ended) {
        Some(hint) => format!("{}\n{hint}\n", ended.tail.trim_end()),
        None => ended.tail.clone(),
    }
}
