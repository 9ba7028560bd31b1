//! The guard over lines of JSON, for people and tests: one tool call a line in, one decision a line out.
//!
//! A line that cannot be read is a call that is refused.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::judge::{guarded, judge_in, malformed, refuse_repeated};
use super::policy::{CAPABILITIES, Decision, Judged, Policy, Refusal, Role};
use super::shell::text::brief;

/// The gates of a line that names none.
const GATES: &[&str] = &["cargo test", "cargo clippy", "cargo fmt --check"];

/// The rules of a project, for lines about calls in it that give none of their own.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// The main checkout, in each of its spellings.
    pub roots: Vec<PathBuf>,
    pub quality_gates: Vec<String>,
    pub allow: Vec<String>,
    pub block: Vec<String>,
}

/// As [`check_line_by`], with no project around it.
pub fn check_line(line: &str) -> String {
    check_line_by(line, None)
}

/// Answers one line `{id, capability, tool, input, worktree, root}`; `cwd`, `agent`, `temp`, `task_id`,
/// `quality_gates`, `allow` and `block` may be added. Without a task it is the one that the worktree's branch names. What a line about the project's own root leaves out comes from `rules`.
pub fn check_line_by(line: &str, rules: Option<&Rules>) -> String {
    let parsed: Option<Value> = serde_json::from_str(line).ok();
    let id = parsed.as_ref().and_then(|line| line.get("id")).cloned();
    let decision = guarded(|| match &parsed {
        Some(Value::Object(fields)) => {
            refuse_repeated(line.as_bytes()).and_then(|()| judge_line(fields, rules))
        }
        _ => Err(malformed("the line is not a JSON object")),
    });
    let (word, reason) = match decision {
        Decision::Allow => ("allow", String::new()),
        Decision::Block { reason, .. } => ("block", reason),
    };
    json!({"id": id, "decision": word, "reason": reason}).to_string()
}

/// The temporary folder an agent that writes is taken to have where nobody says which: each has one of its own, and
/// `$TMPDIR` leads there.
pub fn usual_temp(capability: &str, agent: &str) -> Option<PathBuf> {
    let plain = !agent.is_empty() && !agent.contains('/');
    (plain && Role::of(capability).writes()).then(|| Path::new("/tmp/grove/tmp").join(agent))
}

/// The task of an agent, as its worktree's branch names it: `overstory/<agent>/<task>`.
fn task_of_branch(worktree: &Path, agent: &str) -> Option<String> {
    let link = std::fs::read_to_string(worktree.join(".git")).ok()?;
    let folder = worktree.join(link.trim_end().strip_prefix("gitdir: ")?);
    let head = std::fs::read_to_string(folder.join("HEAD")).ok()?;
    let branch = head.trim_end().strip_prefix("ref: refs/heads/overstory/")?;
    let (owner, task) = branch.split_once('/')?;
    (owner == agent && !task.is_empty()).then(|| task.to_owned())
}

/// Answers every line of the input.
pub fn run(
    mut input: impl BufRead,
    mut output: impl Write,
    rules: Option<&Rules>,
) -> io::Result<()> {
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let answer = match String::from_utf8(std::mem::take(&mut line)) {
            Ok(text) => check_line_by(text.trim(), rules),
            Err(broken) => not_text(&String::from_utf8_lossy(broken.as_bytes())),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

/// Refuses a line that is not UTF-8, under the id it has when the bytes that are no text are left aside.
fn not_text(line: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(line.trim()).ok();
    let id = parsed.as_ref().and_then(|line| line.get("id")).cloned();
    let reason = "the line is not UTF-8; send text that is";
    json!({"id": id, "decision": "block", "reason": reason}).to_string()
}

fn judge_line(line: &Map<String, Value>, rules: Option<&Rules>) -> Judged<()> {
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
    let root = PathBuf::from(text("root")?);
    let rules = rules.filter(|rules| rules.roots.contains(&root));
    // What the line says, else what its project does.
    let list = |name: &str, other: &dyn Fn() -> Vec<String>| -> Vec<String> {
        let Some(items) = line.get(name).and_then(Value::as_array) else {
            return other();
        };
        let texts = items.iter().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    };
    let quality_gates = list("quality_gates", &|| match rules {
        Some(rules) => rules.quality_gates.clone(),
        None => GATES.iter().map(|gate| (*gate).to_owned()).collect(),
    });
    let allow = list("allow", &|| {
        rules.map(|rules| rules.allow.clone()).unwrap_or_default()
    });
    let block = list("block", &|| {
        rules.map(|rules| rules.block.clone()).unwrap_or_default()
    });
    let capability = text("capability")?;
    if !CAPABILITIES.contains(&capability) {
        return Err(malformed(format!(
            "{} is no capability; use one of {}",
            brief(capability),
            CAPABILITIES.join(", ")
        )));
    }
    let policy = Policy {
        agent: agent.clone(),
        capability: capability.to_owned(),
        root,
        temp: optional("temp")
            .map(PathBuf::from)
            .or_else(|| usual_temp(capability, &agent)),
        quality_gates,
        task_id: optional("task_id")
            .map(str::to_owned)
            .or_else(|| task_of_branch(&worktree, &agent)),
        worktree,
        allow,
        block,
    };
    let input = line
        .get("input")
        .ok_or_else(|| malformed("the line has no input"))?;
    judge_in(&policy, text("tool")?, input, optional("cwd"))
}
