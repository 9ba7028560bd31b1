//! Paths put together by the text of a program alone: joined, taken apart, listed.

use super::{Source, Value};
use crate::shell::text::PATH;

pub(super) fn joined(items: &[Value], separator: &str) -> Value {
    let mut whole = Value::text("");
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            whole = whole.concat(&Value::text(separator));
        }
        whole = whole.concat(item);
    }
    whole
}

/// A leading `~` stands for the home directory here.
pub(super) fn expanded(value: &Value) -> Value {
    match value.as_text() {
        Some(text) => match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                Value::Text(format!("{}{rest}", crate::shell::text::HOME).into())
            }
            Some(_) => Value::Unknown(Source::Outside),
            None => Value::text(text),
        },
        None => Value::Unknown(Source::Outside),
    }
}

pub(super) fn parent(path: &str) -> String {
    let trimmed = path.trim_end_matches('/');
    match trimmed.rsplit_once('/') {
        Some((_, ".." | ".")) => format!("{trimmed}/.."),
        Some(("", _)) => "/".to_owned(),
        Some((before, _)) => before.to_owned(),
        None if matches!(trimmed, "." | "..") => format!("{trimmed}/.."),
        None if trimmed.is_empty() => "/".to_owned(),
        None => ".".to_owned(),
    }
}

/// What is found below a folder.
pub(super) fn below(folder: &str) -> Value {
    Value::Text(format!("{}/{PATH}", if folder.is_empty() { "." } else { folder }).into())
}

/// What a pattern matches: something below the part before its first sign.
pub(super) fn listing(pattern: &str) -> Value {
    let cut = pattern.find(['*', '?', '[', '{']);
    let value = match cut {
        None => Value::text(pattern),
        Some(at) => {
            let (before, rest) = pattern.split_at(at);
            if rest.contains("..") {
                return Value::Unknown(Source::Outside);
            }
            match before.rsplit_once('/') {
                Some(("", _)) => Value::Text(format!("/{PATH}").into()),
                Some((folder, _)) => below(folder),
                None => Value::Text(PATH.to_string().into()),
            }
        }
    };
    Value::List(vec![value].into())
}

/// What is found by a pattern, or by several.
pub(super) fn found_by(patterns: &Value) -> Value {
    if let Value::List(items) = patterns
        && items.iter().all(|item| item.as_text().is_some())
    {
        let found = items.iter().filter_map(Value::as_text);
        return Value::any_of(
            found
                .filter(|pattern| !pattern.starts_with('!'))
                .map(listing),
        );
    }
    match patterns.as_text() {
        Some(pattern) => listing(pattern),
        None => Value::Unknown(patterns.source().max(Source::Content)),
    }
}

/// Whether a command, in one text or in words, does nothing but list files of the project below the folder it runs in.
pub(super) fn lists_names(args: &[Value]) -> bool {
    let words: Option<Vec<String>> = match args {
        [Value::List(items), ..] => items
            .iter()
            .map(|item| item.as_text().map(str::to_owned))
            .collect(),
        [program, Value::List(items), ..] => std::iter::once(program)
            .chain(items.iter())
            .map(|item| item.as_text().map(str::to_owned))
            .collect(),
        [only, ..] => only
            .as_text()
            .filter(|text| !text.contains(['|', ';', '&', '$', '`', '<', '>', '\n', '(']))
            .map(|text| text.split_whitespace().map(str::to_owned).collect()),
        [] => None,
    };
    let Some(words) = words else {
        return false;
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let has = |asked: &[&str]| words.iter().any(|word| asked.contains(word));
    let lists = match words.as_slice() {
        ["git", "ls-files", ..] => !has(&["--full-name", "-s", "--stage", "-t", "--debug"]),
        ["git", "diff", ..] => has(&["--name-only"]),
        ["git", "grep", ..] => has(&["-l", "--files-with-matches", "--name-only"]),
        ["rg", ..] => has(&["-l", "--files", "--files-with-matches"]),
        _ => false,
    };
    lists
        && !words
            .iter()
            .any(|word| word.starts_with('/') || word.contains(".."))
}
