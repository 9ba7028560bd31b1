//! What the tests over lists of cases have in common: one line of a list as a call, and the question about it.

use std::path::Path;

use grove_guard::check::check_line;
use serde_json::{Value, json};

/// One line of a list.
pub(crate) struct Case {
    pub(crate) capability: String,
    pub(crate) tool: String,
    pub(crate) input: Value,
    pub(crate) expect: Option<String>,
}

impl Case {
    /// `None` for a line of another kind: some lists hold pairs of spellings, which have a test of their own.
    pub(crate) fn of(line: &str) -> Option<Self> {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| case.get(name).and_then(Value::as_str).map(str::to_owned);
        let input = match (case.get("command"), case.get("input")) {
            (Some(command), _) => json!({"command": command}),
            (None, Some(input)) => input.clone(),
            (None, None) => return None,
        };
        Some(Self {
            capability: text("capability")?,
            tool: text("tool").unwrap_or_else(|| "Bash".to_owned()),
            input,
            expect: text("expect"),
        })
    }
}

/// The decision about a call in a worktree, and the reason.
pub(crate) fn ask(
    (root, worktree): (&Path, &Path),
    capability: &str,
    tool: &str,
    input: &Value,
) -> (String, String) {
    let input = input
        .to_string()
        .replace("{{WORKTREE}}", &worktree.to_string_lossy())
        .replace("{{ROOT}}", &root.to_string_lossy());
    let input: Value = serde_json::from_str(&input).unwrap();
    let line = json!({
        "id": 1, "capability": capability, "tool": tool, "input": input,
        "worktree": worktree, "root": root,
    });
    let answer: Value = serde_json::from_str(&check_line(&line.to_string())).unwrap();
    let text = |name: &str| answer.get(name).and_then(Value::as_str).unwrap().to_owned();
    (text("decision"), text("reason"))
}
