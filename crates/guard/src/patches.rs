//! Patches as a tool call: the files their headers name.

use serde_json::Value;

use super::judge::malformed;
use super::policy::Judged;
use super::shell::state::State;
use super::shell::walk::Walker;
use super::tools::{paths, write_all};

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
    if found.is_empty() {
        return Err(malformed("the patch names no file"));
    }
    write_all(w, &found, st)
}
