//! The paths in the input of a tool-server call: which fields name files, and whether they may be written or read.

use serde_json::Value;

use crate::judge::malformed;
use crate::patches;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::{FILE, Walker};
use crate::tool_paths::{home, names_variable};
use crate::tools::write_all;

pub(super) fn output_path(input: &Value) -> Option<&str> {
    [
        "output",
        "output_path",
        "outputPath",
        "save_to",
        "destination",
        "dest",
    ]
    .iter()
    .find_map(|name| input.get(name))
    .and_then(Value::as_str)
}

/// Whether a field holds text to be written, which is never a path.
fn is_content(name: &str) -> bool {
    matches!(
        name,
        "content"
            | "contents"
            | "text"
            | "body"
            | "new_string"
            | "old_string"
            | "newText"
            | "oldText"
            | "new_str"
            | "old_str"
            | "file_text"
            | "description"
            | "message"
            | "query"
            | "pattern"
            | "title"
            | "data"
            | "code"
            | "new_text"
            | "old_text"
            | "replacement"
            | "mode"
            | "encoding"
    ) || is_change(name)
}

/// Whether a field holds what is changed in a file, which may name files itself.
fn is_change(name: &str) -> bool {
    matches!(
        name,
        "edits"
            | "diff"
            | "patch"
            | "patches"
            | "diffs"
            | "changes"
            | "replacements"
            | "patchText"
            | "patch_text"
            | "unified_diff"
    )
}

/// Whether a field is the text of a file.
fn is_text(name: &str) -> bool {
    matches!(
        name,
        "content" | "contents" | "text" | "file_text" | "fileText" | "fileContent" | "file_content"
    )
}

/// Whether a field names one file, so that a list or an object cannot be meant.
fn is_one_path(name: &str, files: bool) -> bool {
    let words = super::names::words(name);
    let Some(last) = words.last().map(String::as_str) else {
        return false;
    };
    matches!(last, "path" | "file" | "filename" | "filepath" | "pathname")
        || files
            && words.len() == 1
            && matches!(
                last,
                "source"
                    | "src"
                    | "destination"
                    | "dest"
                    | "dst"
                    | "from"
                    | "to"
                    | "directory"
                    | "dir"
                    | "folder"
            )
}

fn is_path_field(name: &str) -> bool {
    let lower = name.to_lowercase();
    [
        "path",
        "file",
        "dir",
        "folder",
        "source",
        "destination",
        "dest",
        "target",
        "src",
        "dst",
        "uri",
        "location",
        "output",
    ]
    .iter()
    .any(|word| lower.contains(word))
        || matches!(lower.as_str(), "from" | "to" | "root" | "cwd" | "name")
}

/// What a call that changes something is known to be about.
#[derive(Clone, Copy)]
pub(super) struct About {
    /// What stands in a source field is only read.
    pub(super) copies: bool,
    /// The tool works on files, so that a bare name or place is one.
    pub(super) files: bool,
    /// A folder is only where the tool works: what it changes is said there, not the folder itself.
    pub(super) applies: bool,
}

impl About {
    /// Whether what stands in a path field says which file of the worktree is changed.
    ///
    /// The name of a pod, a bucket or a project is a path for those tools only that plainly work on files.
    fn counts(self, name: &str, value: &str) -> bool {
        let lower = name.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let of_file = has(&["path", "file"]) && !has(&["profile"]) && !lower.ends_with("id");
        let of_place = has(&["dest", "output", "src", "dst", "uri", "dir", "folder"]);
        let remote = value.contains("://");
        !remote
            && (self.files && !lower.ends_with("id")
                || of_file
                || of_place && !self.applies && !lower.ends_with("id"))
    }
}

/// Whether the input names a file or folder at all.
pub(super) fn names_file(input: &Value) -> bool {
    let mut fields = input.as_object().into_iter().flatten();
    fields.any(|(name, value)| {
        let lower = name.to_lowercase();
        let named = ["path", "file", "dir", "folder", "dest", "output", "save"];
        value.as_str().is_some_and(|text| !text.is_empty())
            && named.iter().any(|word| lower.contains(word))
            && !lower.ends_with("id")
    })
}

/// Whether a reading call says anywhere what it reads: by its path, address, name or number.
pub(super) fn names_source(input: &Value) -> bool {
    let mut fields = input.as_object().into_iter().flatten();
    fields.any(|(name, value)| {
        let lower = name.to_lowercase();
        let named = ["url", "id", "key", "name", "link", "operations", "reads"];
        let names = is_path_field(name) || named.iter().any(|word| lower.contains(word));
        let given = match value {
            Value::String(text) => !text.trim().is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
            Value::Number(_) => true,
            Value::Null | Value::Bool(_) => false,
        };
        names && given
    })
}

/// What a call that moves, copies or writes a file cannot do without: both ends, or a text to write.
pub(super) fn whole(tool: &str, words: &[String], input: &Value) -> Judged<()> {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let Some(fields) = input.as_object() else {
        return Ok(());
    };
    if !has(&["file"]) {
        return Ok(());
    }
    // Several in one call have their fields in a list.
    if fields.values().any(Value::is_array) {
        return Ok(());
    }
    let texts = |(name, value): (&String, &Value)| !is_content(name) && value.is_string();
    if has(&["move", "copy", "rename"]) && fields.iter().filter(|field| texts(*field)).count() < 2 {
        return Err(malformed(format!(
            "{tool} does not say from where to where"
        )));
    }
    if has(&["write"]) {
        let mut contents = fields.iter().filter(|(name, _)| is_content(name));
        if !contents.any(|(_, value)| value.is_string()) {
            return Err(malformed(format!("{tool} has no text to write")));
        }
    }
    Ok(())
}

/// What is written to a file is text.
pub(super) fn texts(words: &[String], input: &Value) -> Judged<()> {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if !has(&["file", "files"]) || !has(&["write", "create", "append"]) {
        return Ok(());
    }
    let mut fields = input.as_object().into_iter().flatten();
    match fields.find(|(name, value)| is_text(name) && !value.is_string() && !value.is_null()) {
        Some((name, _)) => Err(malformed(format!("{name} must be text"))),
        None => Ok(()),
    }
}

/// The paths of a reading call are text, also in a list of reads; where one file is read, it is one that is not empty.
pub(super) fn read_fields(input: &Value, file: bool) -> Judged<()> {
    let names = [
        "path",
        "file_path",
        "filePath",
        "relative_path",
        "absolute_path",
    ];
    for name in names {
        match input.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::String(path)) if !path.is_empty() || !file => {}
            Some(Value::Array(list)) if !file && list.iter().all(Value::is_string) => {}
            Some(_) => return Err(malformed(format!("{name} must be a path"))),
        }
    }
    let listed = ["operations", "reads", "files"]
        .iter()
        .filter_map(|name| input.get(name)?.as_array());
    listed
        .flatten()
        .filter(|item| item.is_object())
        .try_for_each(|item| read_fields(item, true))
}

/// Lists and objects in one another that are followed; what nests deeper is refused before.
const DEEPEST: usize = 101;

/// Checks every path of a writing call; returns how many there were.
pub(super) fn targets(
    w: &mut Walker<'_>,
    value: &Value,
    st: &State,
    about: About,
    depth: usize,
) -> Judged<usize> {
    let mut found = 0;
    if depth > DEEPEST {
        return Err(malformed("the input nests too deep"));
    }
    let Value::Object(fields) = value else {
        return Ok(0);
    };
    for (name, field) in fields {
        if is_change(name) {
            found += changed(w, field, st, depth)?;
        }
        if is_content(name) {
            continue;
        }
        if is_one_path(name, about.files) && (field.is_array() || field.is_object()) {
            return Err(malformed(format!("{name} must be one path")));
        }
        let source = about.copies
            && matches!(
                name.as_str(),
                "source" | "src" | "from" | "source_path" | "sourcePath"
            );
        let items: Vec<&Value> = match field {
            Value::Array(items) => items.iter().collect(),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => {
                vec![field]
            }
        };
        for item in items {
            match item {
                Value::String(path) => {
                    let path = home(path);
                    let looks = path.starts_with('/') || path.split('/').any(|part| part == "..");
                    if is_path_field(name) && path.is_empty() {
                        return Err(malformed(format!("{name} is empty")));
                    }
                    if is_path_field(name) && names_variable(&path) {
                        return Err(malformed(format!(
                            "{name} begins with a variable; write the path out"
                        )));
                    }
                    if is_path_field(name) || looks {
                        found += usize::from(looks || about.counts(name, &path));
                        w.charge(2 * FILE)?;
                        if !source {
                            w.delete_path(&path, true, st)?;
                            w.write_path(&path, st)?;
                        }
                    }
                }
                Value::Object(_) => {
                    // `"files": [{"name": …}]`: the name of a file.
                    let files = about.files || about.counts(name, "");
                    found += targets(w, item, st, About { files, ..about }, depth + 1)?;
                }
                Value::Null | Value::Number(_) | Value::Array(_) if is_path_field(name) => {
                    return Err(malformed(format!("{name} must be a path")));
                }
                Value::Null | Value::Number(_) | Value::Array(_) | Value::Bool(_) => {}
            }
        }
    }
    Ok(found)
}

/// Checks the files that edits and patches name themselves; returns how many there were.
fn changed(w: &mut Walker<'_>, value: &Value, st: &State, depth: usize) -> Judged<usize> {
    match value {
        Value::String(patch) => {
            w.charge(patch.len() / 64)?;
            let named = patches::targets(patch);
            write_all(w, &named, st)?;
            Ok(named.len())
        }
        Value::Array(items) if depth <= DEEPEST => {
            let mut found = 0;
            for item in items {
                found += changed(w, item, st, depth + 1)?;
            }
            Ok(found)
        }
        Value::Object(fields) if depth <= DEEPEST => {
            let mut found = 0;
            for (name, item) in fields {
                match item {
                    // Where a change begins and ends may be called `from` and `to`, in numbers or in words.
                    Value::String(path) if is_one_path(name, false) || name == "uri" => {
                        w.charge(2 * FILE)?;
                        w.delete_path(&home(path), true, st)?;
                        w.write_path(&home(path), st)?;
                        found += 1;
                    }
                    Value::Array(_) | Value::Object(_) if !is_text(name) => {
                        found += changed(w, item, st, depth + 1)?;
                    }
                    Value::Null
                    | Value::Bool(_)
                    | Value::Number(_)
                    | Value::String(_)
                    | Value::Array(_)
                    | Value::Object(_) => {}
                }
            }
            Ok(found)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Ok(0)
        }
    }
}

/// No call reads credentials, whatever its verb.
pub(super) fn secrets(w: &mut Walker<'_>, value: &Value, st: &State, depth: usize) -> Judged<()> {
    match value {
        Value::String(path) if path.contains('\0') => {
            Err(malformed("the input holds a zero byte; leave it out"))
        }
        Value::String(path) => {
            w.charge(FILE)?;
            w.read_path(&home(path), st)
        }
        Value::Array(items) if depth <= DEEPEST => items
            .iter()
            .try_for_each(|item| secrets(w, item, st, depth + 1)),
        Value::Object(fields) if depth <= DEEPEST => fields
            .iter()
            .filter(|(name, _)| !is_content(name))
            .try_for_each(|(_, item)| secrets(w, item, st, depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Ok(())
        }
    }
}
