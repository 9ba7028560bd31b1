//! The guard over lines of JSON, for people and tests: one tool call a line in, one decision a line out.
//!
//! A line that cannot be read is a call that is refused.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::judge::{guarded, judge_in, malformed, refuse_repeated};
use super::policy::{CAPABILITIES, Decision, Judged, Policy, Refusal};
use super::shell::text::brief;

/// The gates of a line that names none.
const GATES: &[&str] = &["cargo test", "cargo clippy", "cargo fmt --check"];

/// Answers one line `{id, capability, tool, input, worktree, root}`; `cwd`, `agent`, `temp`, `task_id`,
/// `quality_gates`, `allow` and `block` may be added.
pub fn check_line(line: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(line).ok();
    let id = parsed.as_ref().and_then(|line| line.get("id")).cloned();
    let decision = guarded(|| match &parsed {
        Some(Value::Object(fields)) => {
            refuse_repeated(line.as_bytes()).and_then(|()| judge_line(fields))
        }
        _ => Err(malformed("the line is not a JSON object")),
    });
    let (word, reason) = match decision {
        Decision::Allow => ("allow", String::new()),
        Decision::Block { reason, .. } => ("block", reason),
    };
    json!({"id": id, "decision": word, "reason": reason}).to_string()
}

/// Answers every line of the input.
pub fn run(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8(std::mem::take(&mut line)).unwrap_or_default();
        writeln!(output, "{}", check_line(text.trim()))?;
        output.flush()?;
    }
    Ok(())
}

fn judge_line(line: &Map<String, Value>) -> Judged<()> {
    let text = |name: &str| -> Result<&str, Refusal> {
        line.get(name)
            .and_then(Value::as_str)
            .filter(|value| !value.is_empty())
            .ok_or_else(|| malformed(format!("the line has no {name}")))
    };
    let optional = |name: &str| line.get(name).and_then(Value::as_str);
    let worktree = PathBuf::from(text("worktree")?);
    let agent = optional("agent").map_or_else(
        || {
            worktree
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default()
        },
        str::to_owned,
    );
    let list = |name: &str| -> Vec<String> {
        let items = line.get(name).and_then(Value::as_array);
        items
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    let quality_gates = match line.get("quality_gates").and_then(Value::as_array) {
        Some(gates) => gates
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        None => GATES.iter().map(|gate| (*gate).to_owned()).collect(),
    };
    let capability = text("capability")?;
    if !CAPABILITIES.contains(&capability) {
        return Err(malformed(format!(
            "{} is no capability; use one of {}",
            brief(capability),
            CAPABILITIES.join(", ")
        )));
    }
    let policy = Policy {
        agent,
        capability: capability.to_owned(),
        root: PathBuf::from(text("root")?),
        worktree,
        temp: optional("temp").map(PathBuf::from),
        quality_gates,
        task_id: optional("task_id").map(str::to_owned),
        allow: list("allow"),
        block: list("block"),
    };
    let input = line
        .get("input")
        .ok_or_else(|| malformed("the line has no input"))?;
    judge_in(&policy, text("tool")?, input, optional("cwd"))
}
