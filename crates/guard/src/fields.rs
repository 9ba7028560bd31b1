//! Fields that the file, shell and web tools cannot do without: what is missing or of another type is refused.
//!
//! Each CLI has names of its own for the same thing; one of them is enough.

use serde_json::{Map, Value};

use super::judge::malformed;
use super::policy::Judged;

type Fields = Map<String, Value>;

/// What an edit looks for.
const OLD: &[&str] = &[
    "old_string",
    "oldString",
    "old_str",
    "oldStr",
    "old_text",
    "oldText",
];

/// What it puts there.
const NEW: &[&str] = &[
    "new_string",
    "newString",
    "new_str",
    "newStr",
    "new_text",
    "newText",
];

/// Several edits in one call.
pub(super) const SEVERAL: &[&str] = &["edits", "replacements"];

/// The change in one piece, as some tools take it.
const WHOLE: &[&str] = &[
    "code_edit",
    "codeEdit",
    "content",
    "contents",
    "diff",
    "patch",
    "code",
    "edit",
];

/// How long a call may take, and which part of a file is wanted.
const NUMBERS: &[&str] = &["timeout", "timeout_ms", "timeoutMs", "offset", "limit"];

/// A job of the agent's own that goes on meanwhile.
const JOB: &[&str] = &[
    "bash_id",
    "shell_id",
    "sessionId",
    "session_id",
    "shellId",
    "task_id",
    "id",
];

/// The file that a language server is asked about.
const FILE: &[&str] = &["filePath", "file_path", "path", "file", "uri"];

/// Yes or no.
const SWITCHES: &[&str] = &[
    "run_in_background",
    "is_background",
    "isBackground",
    "replace_all",
    "replaceAll",
];

/// Judges the fields of a tool that puts one text in the place of another.
pub(super) fn edit(fields: &Fields) -> Judged<()> {
    let mut listed = false;
    for name in SEVERAL {
        match fields.get(*name) {
            None | Some(Value::Null) => {}
            Some(Value::Array(edits)) if !edits.is_empty() => {
                for edit in edits {
                    let Value::Object(edit) = edit else {
                        return Err(malformed(format!("an item of {name} is not an object")));
                    };
                    replacement(edit)?;
                }
                listed = true;
            }
            Some(_) => return Err(malformed(format!("{name} must be a list of edits"))),
        }
    }
    let named = OLD.iter().chain(NEW).any(|name| fields.contains_key(*name));
    let whole = WHOLE.iter().any(|name| match fields.get(*name) {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Object(_)) => true,
        Some(_) | None => false,
    });
    if named || !listed && !whole {
        replacement(fields)?;
    }
    Ok(())
}

/// Both texts of a replacement; either may be empty.
fn replacement(fields: &Fields) -> Judged<()> {
    for (names, what) in [(OLD, "the text to replace"), (NEW, "the new text")] {
        let mut found = names.iter().filter_map(|name| fields.get(*name)).peekable();
        if found.peek().is_none() {
            return Err(malformed(format!("the edit does not say {what}")));
        }
        if found.any(|value| !value.is_string()) {
            return Err(malformed(format!("{what} must be text")));
        }
    }
    Ok(())
}

/// The new text of a cell; who deletes one needs none.
pub(super) fn cell(fields: &Fields) -> Judged<()> {
    let mode = fields.get("edit_mode").or_else(|| fields.get("editMode"));
    let deletes = mode.and_then(Value::as_str) == Some("delete");
    let source = fields.get("new_source").or_else(|| fields.get("newSource"));
    match source {
        Some(Value::String(_)) => Ok(()),
        None if deletes => Ok(()),
        Some(_) | None => Err(malformed("the new text of the cell must be text")),
    }
}

/// Numbers and switches, wherever they are given. Models write them as text as well, and CLIs read that.
pub(super) fn plain(fields: &Fields) -> Judged<()> {
    for name in NUMBERS {
        let right = match fields.get(*name) {
            None | Some(Value::Null | Value::Number(_)) => true,
            Some(Value::String(text)) => text.trim().parse::<f64>().is_ok(),
            Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => false,
        };
        if !right {
            return Err(malformed(format!("{name} must be a number")));
        }
    }
    for name in SWITCHES {
        let right = match fields.get(*name) {
            None | Some(Value::Null | Value::Bool(_)) => true,
            Some(Value::String(text)) => {
                matches!(text.to_lowercase().as_str(), "true" | "false")
            }
            Some(Value::Number(_) | Value::Array(_) | Value::Object(_)) => false,
        };
        if !right {
            return Err(malformed(format!("{name} must be true or false")));
        }
    }
    Ok(())
}

/// What is fetched or searched for: some CLIs take the address in a sentence.
pub(super) fn web(tool: &str, fields: &Fields) -> Judged<()> {
    let plain = tool.to_lowercase().replace(['_', '-'], "");
    let names: &[&str] = match plain.as_str() {
        "webfetch" => &["url", "urls", "prompt"],
        "websearch" | "googlewebsearch" => &["query", "search_term", "prompt"],
        _ => return Ok(()),
    };
    let mut given = names
        .iter()
        .filter_map(|name| Some((*name, fields.get(*name)?)))
        .peekable();
    if given.peek().is_none() {
        return Err(malformed("the call does not say what to look for"));
    }
    for (name, value) in given {
        match value {
            Value::String(text) if !text.trim().is_empty() => {}
            Value::Array(list)
                if name == "urls" && !list.is_empty() && list.iter().all(Value::is_string) => {}
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => return Err(malformed("what to look for must be text")),
        }
    }
    Ok(())
}

/// What a tool cannot do without that works on something by its name: a skill, a command, a job of the agent's own.
pub(super) fn named(tool: &str, fields: &Fields) -> Judged<()> {
    let plain = tool.to_lowercase().replace(['_', '-'], "");
    let needed: &[&[&str]] = match plain.as_str() {
        "skill" => &[&["skill", "skill_name", "name", "command"]],
        "slashcommand" => &[&["command"]],
        "taskstop" | "taskoutput" => &[&["task_id", "shell_id", "bash_id"]],
        "bashoutput" | "killshell" | "killbash" | "readbash" | "stopbash" => &[JOB],
        "readmcpresourcetool" | "readmcpresource" => &[&["server", "server_name"], &["uri"]],
        "lsp" => &[FILE],
        "todowrite" | "writetodos" => return listed(tool, fields, "todos"),
        _ => return Ok(()),
    };
    for names in needed {
        let given = names.iter().find_map(|name| fields.get(*name));
        let said = given.and_then(Value::as_str);
        if said.is_none_or(|text| text.trim().is_empty()) {
            return Err(malformed(format!("{tool} does not say which one")));
        }
    }
    Ok(())
}

/// A list that the tool replaces by another; it may be empty.
fn listed(tool: &str, fields: &Fields, name: &str) -> Judged<()> {
    if fields.get(name).is_some_and(Value::is_array) {
        return Ok(());
    }
    Err(malformed(format!("{name} of {tool} must be a list")))
}
