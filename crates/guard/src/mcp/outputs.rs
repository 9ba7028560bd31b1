//! What a reading call of a tool server writes all the same: files its arguments name for the result, and data
//! its statement changes.

use serde_json::Value;

use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::Walker;
use crate::tool_paths::home;

/// Steps that a look at the name of a field takes.
const FIELD: usize = 4;

/// Whether a field says by its name that something is put there.
fn names_output(name: &str) -> bool {
    let lower: String = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    let puts = [
        "out", "save", "dest", "download", "write", "export", "dump", "store",
    ]
    .iter()
    .any(|word| lower.contains(word));
    let place = ["file", "path", "dir", "folder", "location", "to", "as"]
        .iter()
        .any(|word| lower.ends_with(word));
    puts && place
}

/// Whether a field names a file at all.
fn names_file(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["path", "file", "dir", "folder", "dest"]
        .iter()
        .any(|word| lower.contains(word))
        && !lower.ends_with("id")
}

/// Judges every argument that names where a result is put; what is downloaded is put wherever a file is named.
pub(super) fn outputs(
    w: &mut Walker<'_>,
    input: &Value,
    downloads: bool,
    st: &State,
    depth: usize,
) -> Judged<()> {
    for (name, value) in input.as_object().into_iter().flatten() {
        w.charge(FIELD)?;
        match value {
            Value::String(path) if names_output(name) || downloads && names_file(name) => {
                if !path.is_empty() {
                    w.write_path(&home(path), st)?;
                }
            }
            Value::Object(_) if depth < 8 => outputs(w, value, downloads, st, depth + 1)?,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => {}
        }
    }
    Ok(())
}

/// Whether a query is a statement that changes data. Words in a search are no statement.
pub(super) fn changes_data(words: &[String], input: &Value) -> bool {
    let queries = words
        .iter()
        .any(|word| matches!(word.as_str(), "query" | "sql" | "statement" | "select"));
    let statement = ["sql", "query", "statement"]
        .iter()
        .find_map(|name| input.get(name))
        .and_then(Value::as_str);
    queries
        && statement
            .is_some_and(|text| !crate::rules::only_selects(text) && text.split(';').any(changes))
}

fn changes(statement: &str) -> bool {
    let lower = statement.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    match words.as_slice() {
        ["drop" | "create" | "alter" | "truncate", kind, ..] => matches!(
            *kind,
            "table"
                | "index"
                | "view"
                | "database"
                | "schema"
                | "trigger"
                | "user"
                | "role"
                | "column"
                | "temp"
                | "temporary"
                | "unique"
                | "function"
                | "sequence"
                | "type"
                | "materialized"
                | "or"
                | "extension"
        ),
        ["delete", "from", ..]
        | ["insert" | "replace", "into" | "or", ..]
        | ["merge", "into", ..] => true,
        ["update", rest @ ..] => rest.contains(&"set"),
        [
            "attach" | "detach" | "vacuum" | "reindex" | "grant" | "revoke",
            ..,
        ] => true,
        ["copy", rest @ ..] => rest.contains(&"to") || rest.contains(&"from"),
        ["with", rest @ ..] => rest.windows(2).any(|pair| {
            matches!(pair, ["delete", "from"] | ["insert", "into"])
                || pair.first() == Some(&"update")
        }),
        _ => false,
    }
}
