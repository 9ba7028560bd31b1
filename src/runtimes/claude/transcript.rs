//! Claude Code's transcripts: where they are, and what a line of them says about usage.

use crate::runtimes::Usage;
use crate::text::read_json;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Folders below Claude Code's own that may hold the transcripts of conversations started in `place`. The name is the
/// path with its separators replaced; newer versions replace everything but letters and digits.
pub(super) fn folders(kept: &Path, place: &Path) -> Vec<PathBuf> {
    let projects = kept.join("projects");
    let path = place.to_string_lossy();
    let plain = path.replace(['/', '\\', ':'], "-");
    let strict: String = path
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let mut found = vec![projects.join(&plain)];
    if strict != plain {
        found.push(projects.join(strict));
    }
    found
}

/// A count however it is spelled: `1e3` and `1000.0` are 1000.
fn whole(value: &Value) -> Option<i64> {
    value
        .as_i64()
        .or_else(|| value.as_f64().map(|count| count as i64))
}

/// The usage in a line, with the id of the message it belongs to.
pub(super) fn usage(line: &str) -> Option<(Option<String>, Usage)> {
    // Most of a transcript is tool output: leave it unparsed.
    if !line.contains("\"assistant\"") {
        return None;
    }
    let value: Value = read_json(line).ok()?;
    if value.get("type").and_then(Value::as_str) != Some("assistant") {
        return None;
    }
    let message = value.get("message")?;
    let used = message.get("usage")?;
    let number = |name: &str| used.get(name).and_then(whole).unwrap_or(0);
    let text = |name: &str| message.get(name).and_then(Value::as_str).map(str::to_owned);
    let usage = Usage {
        input: number("input_tokens"),
        output: number("output_tokens"),
        cache_read: number("cache_read_input_tokens"),
        cache_creation: number("cache_creation_input_tokens"),
        total_cost_usd: None,
        // Messages the CLI makes up itself name no real model.
        model: text("model").filter(|model| !model.starts_with('<')),
    };
    Some((text("id"), usage))
}
