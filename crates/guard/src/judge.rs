//! The entry points: one tool call in, one decision out, whatever the input is.
//!
//! A call that cannot be read, and a judgement that fails, are both refusals.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use super::paths::{DiskLinks, Place};
use super::policy::{Decision, Judged, Policy, Refusal, rule};
use super::repeated::{has_repeated_key, has_too_many};
use super::shell::cursor::take_looks;
use super::shell::walk::Walker;
use super::tools;

/// Decides about one tool call, made in the agent's worktree.
pub fn judge(policy: &Policy, tool: &str, input: &Value) -> Decision {
    guarded(|| judge_in(policy, tool, input, None))
}

/// Decides about the JSON a CLI hands to its pre-tool hook.
pub fn judge_raw(policy: &Policy, bytes: &[u8]) -> Decision {
    judge_raw_mended(policy, bytes, |_| None)
}

/// As [`judge_raw`]. What the strict reader refuses is read as `mend` writes it, which gives nothing where the
/// meaning is in doubt.
pub fn judge_raw_mended(
    policy: &Policy,
    bytes: &[u8],
    mend: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> Decision {
    let read = |bytes: &[u8]| -> Judged<Option<Value>> {
        if has_too_many(bytes) {
            return Err(malformed(
                "the tool call has too many lists and objects in it; split it into several calls",
            ));
        }
        let (value, mended) = match serde_json::from_slice(bytes) {
            Ok(value) => (Some(value), None),
            Err(_) => {
                let mended = mend(bytes);
                let value = mended.as_deref().map(serde_json::from_slice);
                (value.and_then(Result::ok), mended)
            }
        };
        if value.is_some() {
            refuse_repeated(mended.as_deref().unwrap_or(bytes))?;
        }
        Ok(value)
    };
    guarded(|| {
        let payload = read(bytes)?.ok_or_else(|| malformed("the tool call is not valid JSON"))?;
        let text = |names: [&str; 2]| names.into_iter().find_map(|name| payload.get(name));
        let tool = text(["tool_name", "toolName"])
            .and_then(Value::as_str)
            .ok_or_else(|| malformed("the tool call names no tool"))?;
        let input = text(["tool_input", "toolArgs"])
            .ok_or_else(|| malformed("the tool call has no input"))?;
        // One CLI sends the arguments as JSON inside a string.
        let unpacked = match input.as_str() {
            Some(text) => read(text.as_bytes())?,
            None => None,
        };
        let cwd = match payload.get("cwd") {
            None | Some(Value::Null) => None,
            Some(Value::String(cwd)) if cwd.starts_with('/') => Some(cwd.as_str()),
            Some(_) => {
                return Err(malformed(
                    "the tool call's directory is not an absolute path",
                ));
            }
        };
        judge_in(policy, tool, unpacked.as_ref().unwrap_or(input), cwd)
    })
}

/// The work one judgement took, in figures that are the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// How often the parser looked at the text.
    pub looks: u64,
    /// Steps of the walk, which end at a fixed number.
    pub steps: usize,
}

/// Judges a shell command and counts the work.
pub fn effort(policy: &Policy, command: &str) -> (Decision, Effort) {
    let mut steps = 0;
    take_looks();
    let decision = guarded(|| {
        let mut walker = Walker::new(policy, &DiskLinks);
        let mut state = walker.start(Place::Known(policy.worktree.clone()));
        let judged = walker.command_line(command, &mut state).map(|_| ());
        steps = walker.steps();
        judged
    });
    let looks = take_looks();
    (decision, Effort { looks, steps })
}

/// Judges a call made in `cwd`, or in the worktree.
pub(super) fn judge_in(
    policy: &Policy,
    tool: &str,
    input: &Value,
    cwd: Option<&str>,
) -> Judged<()> {
    if !policy.worktree.is_absolute() {
        return Err(malformed("the agent's worktree is not known"));
    }
    let mut walker = Walker::new(policy, &DiskLinks);
    let place = Place::Known(cwd.map_or_else(|| policy.worktree.clone(), Into::into));
    tools::judge(&mut walker, tool, input, &place)
}

/// Runs a judgement; a panic inside it is a refusal.
pub(super) fn guarded(run: impl FnOnce() -> Judged<()>) -> Decision {
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|_| {
            Err(malformed(
                "the tool call could not be judged; write it more simply",
            ))
        })
        .into()
}

/// Of a field that is given twice, nobody knows which one the tool takes.
pub(super) fn refuse_repeated(json: &[u8]) -> Judged<()> {
    if has_repeated_key(json) {
        return Err(malformed(
            "the tool call gives a field twice; give every field once",
        ));
    }
    Ok(())
}

pub(super) fn malformed(reason: impl Into<String>) -> Refusal {
    Refusal::new(rule::MALFORMED, reason)
}
