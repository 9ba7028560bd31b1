//! Patches, as a tool call and through the shell: the files their headers name.

use serde_json::Value;

use super::commands::Call;
use super::judge::malformed;
use super::policy::{Judged, Refusal, rule};
use super::shell::state::State;
use super::shell::text;
use super::shell::walk::Walker;
use super::tool_paths::paths;
use super::tools::write_all;

/// `*** Add File: path` and its kin, or the headers of a unified diff.
pub(super) fn patch(w: &mut Walker<'_>, input: &Value, st: &State) -> Judged<()> {
    w.need_writer("applies a patch")?;
    let named = ["input", "patch", "patchText", "command", "diff"];
    let body = named.iter().find_map(|name| input.get(name));
    let body = match body {
        Some(Value::String(body)) => body.clone(),
        Some(Value::Array(words)) => words
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join("\n"),
        _ => return Err(malformed("the patch is missing")),
    };
    let mut found = paths(input, false)?;
    found.extend(targets(&body));
    if found.is_empty() {
        return Err(malformed("the patch names no file"));
    }
    write_all(w, &found, st)
}

/// `apply_patch` as a command: the patch is its argument or what it reads. Some CLIs apply it themselves.
pub(super) fn command(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    if matches!(call.args(), [only] if matches!(only.as_str(), "--help" | "-h" | "--version")) {
        return Ok(());
    }
    w.need_writer("applies a patch")?;
    let body = match call.args() {
        [] | [_] => call
            .args()
            .first()
            .map(String::as_str)
            .or(call.stdin.as_deref()),
        [_, _, ..] => None,
    };
    let Some(body) = body.filter(|body| !text::is_any(body)) else {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "which files this patch changes cannot be seen; give it as apply_patch <<'EOF' with the text itself",
        ));
    };
    w.charge(body.len() / 64)?;
    let found = targets(body);
    if found.is_empty() {
        return Err(malformed("the patch names no file"));
    }
    write_all(w, &found, st)
}

/// The files that the headers of a patch name.
pub(super) fn targets(body: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in body.lines() {
        let marks = [
            "*** Add File:",
            "*** Update File:",
            "*** Delete File:",
            "*** Move to:",
            "+++ ",
            "--- ",
            "rename to ",
            "rename from ",
            "copy to ",
        ];
        if let Some(path) = marks
            .iter()
            .find_map(|mark| line.trim_start().strip_prefix(mark))
        {
            let path = path.split('\t').next().unwrap_or("").trim();
            let path = match path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")) {
                Some(inner) if line.starts_with(['+', '-']) => inner,
                _ => path,
            };
            if path != "/dev/null" && !path.is_empty() {
                found.push(path.to_owned());
            }
        }
    }
    found
}
