//! Search tools: the folders they walk and the patterns that pick files there.

use serde_json::{Map, Value};

use super::judge::malformed;
use super::paths::names_key;
use super::policy::Judged;
use super::rules::credentials;
use super::shell::state::State;
use super::shell::text;
use super::shell::walk::Walker;
use super::tool_paths::{paths, readings};
use super::tools::read_all;

/// Judges one search: it reads what it finds, or lists names.
pub(super) fn judge(
    w: &mut Walker<'_>,
    tool: &str,
    fields: &Map<String, Value>,
    st: &State,
) -> Judged<()> {
    let found = paths(&Value::Object(fields.clone()), false)?;
    read_all(w, &found, st)?;
    let folders: Vec<String> = found.iter().flat_map(|path| readings(path)).collect();
    if reads_content(tool) {
        for folder in &folders {
            if st.cwd.iter().any(|place| w.paths.is_home(folder, place)) {
                return Err(credentials::home(folder));
            }
        }
    }
    let pattern_is_text = reads_content(tool);
    for name in ["pattern", "query", "glob", "glob_pattern", "include"] {
        match fields.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::String(value)) if value.is_empty() && name == "pattern" => {
                return Err(malformed("the pattern is empty"));
            }
            Some(Value::String(value)) => {
                let text = matches!(name, "pattern" | "query") && pattern_is_text;
                if !text {
                    for reading in readings(value) {
                        picked(w, &folders, &reading, st)?;
                    }
                }
            }
            Some(_) if name == "include" => {}
            Some(_) => return Err(malformed(format!("{name} must be text"))),
        }
    }
    let needs_pattern = matches!(tool, "Grep" | "grep" | "Glob" | "glob");
    if needs_pattern && !fields.get("pattern").is_some_and(Value::is_string) {
        return Err(malformed("the search has no pattern"));
    }
    Ok(())
}

/// Whether a tool looks into the files it finds; the others list names.
fn reads_content(tool: &str) -> bool {
    let plain = tool.to_lowercase().replace(['_', '-'], "");
    matches!(
        plain.as_str(),
        "grep"
            | "grepsearch"
            | "grepfiles"
            | "rg"
            | "searchfilecontent"
            | "codebasesearch"
            | "searchfiles"
    )
}

/// A pattern for file names, in each of the folders it applies to.
fn picked(w: &mut Walker<'_>, folders: &[String], pattern: &str, st: &State) -> Judged<()> {
    let wild = |part: &str| !part.is_empty() && part.chars().all(|c| c == '*');
    // What any name matches tells nothing: the folder before it counts.
    let mut parts: Vec<&str> = pattern.split('/').collect();
    while parts.last().is_some_and(|part| wild(part)) {
        parts.pop();
    }
    if parts.iter().all(|part| part.is_empty()) {
        return Ok(());
    }
    let active = text::activate(&parts.join("/"));
    let here = [".".to_owned()];
    let folders = if folders.is_empty() { &here } else { folders };
    for folder in folders {
        let path = if active.starts_with('/') {
            active.clone()
        } else {
            format!("{}/{active}", folder.trim_end_matches('/'))
        };
        w.read_path(&path, st)?;
        let outside =
            st.cwd.iter().any(|place| !w.paths.is_inside(folder, place)) || active.starts_with('/');
        if outside && names_key(&active) {
            return Err(Walker::holds_credentials(&path));
        }
    }
    Ok(())
}
