//! The paths in the fields of file tools, read in every way an agent CLI may read them.
//!
//! One CLI trims what it is given, one takes an `@` before it for a mention, some fill in `~` and `file://`. Which CLI
//! asks is not known here, so that a path has to be right in each of its readings.

use serde_json::Value;

use super::fields::SEVERAL;
use super::judge::malformed;
use super::policy::Judged;
use super::shell::text::HOME;

/// Fields that name the file a file tool works on, in the spelling of each CLI.
const PATHS: &[&str] = &[
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "notebookPath",
    "absolute_path",
    "absolutePath",
    "target_file",
    "targetFile",
    "filename",
    "fileName",
    "file",
    "dir_path",
    "directory",
    "old_path",
    "new_path",
    "relative_workspace_path",
    "AbsolutePath",
    "TargetFile",
    "SearchDirectory",
    "DirectoryPath",
    "dirPath",
    "target_notebook",
    "localPath",
];

/// Tools whose name is spelled so by one CLI only, which takes the file in this field and in no other.
const EXACT: &[(&str, &str)] = &[
    ("Write", "file_path"),
    ("Edit", "file_path"),
    ("MultiEdit", "file_path"),
    ("NotebookEdit", "notebook_path"),
];

/// The paths of a tool that writes: its own field must be there.
pub(super) fn written(tool: &str, input: &Value) -> Judged<Vec<String>> {
    let exact = EXACT.iter().find(|(name, _)| *name == tool);
    match exact {
        Some((_, field)) if input.get(field).is_none() => {
            Err(malformed(format!("{tool} names its file in {field}")))
        }
        Some(_) | None => {
            let mut found = of_parts(input)?;
            found.extend(paths(input, found.is_empty())?);
            Ok(found)
        }
    }
}

/// The files that the edits of one call name each for itself.
fn of_parts(input: &Value) -> Judged<Vec<String>> {
    let mut found = Vec::new();
    let lists = SEVERAL
        .iter()
        .filter_map(|name| input.get(name)?.as_array());
    for part in lists.flatten() {
        found.extend(paths(part, false)?);
    }
    Ok(found)
}

/// The value of every path field. Each one present must be text, and not empty.
pub(super) fn paths(input: &Value, required: bool) -> Judged<Vec<String>> {
    let mut found = Vec::new();
    for name in PATHS {
        match input.get(name) {
            None => {}
            Some(Value::Null) if !required => {}
            Some(Value::String(path))
                if !bare(path).is_empty()
                    && !path.chars().any(char::is_control)
                    && !names_variable(path) =>
            {
                found.push(path.clone());
            }
            Some(Value::String(path)) if path.is_empty() && !required => {}
            Some(Value::String(path)) if path.chars().any(char::is_control) => {
                return Err(malformed(format!(
                    "{name} holds a line break or another control character; name the file without it"
                )));
            }
            Some(_) => return Err(malformed(format!("{name} must be a path"))),
        }
    }
    if required && found.is_empty() {
        return Err(malformed("the call names no file"));
    }
    Ok(found)
}

/// `$HOME/x` and `${X}/y`: some tools fill these in, and then they lead anywhere.
pub(super) fn names_variable(path: &str) -> bool {
    bare(path)
        .trim_start_matches('@')
        .strip_prefix('$')
        .is_some_and(|rest| rest.starts_with(|c: char| c == '{' || c.is_ascii_uppercase()))
}

/// A path without the blanks around it, also those that JavaScript alone takes for blanks and those nobody sees.
fn bare(path: &str) -> &str {
    path.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '\u{feff}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}'
            )
    })
}

/// Every path a tool may take this one for.
pub(crate) fn readings(path: &str) -> Vec<String> {
    let trimmed = bare(path);
    let mut found = vec![home(path)];
    let mentioned = trimmed.strip_prefix('@').map(bare);
    for reading in [Some(trimmed), mentioned].into_iter().flatten() {
        let reading = home(reading);
        if !reading.is_empty() && !found.contains(&reading) {
            found.push(reading);
        }
    }
    found
}

/// A leading `~` or `file://` as file tools understand them.
pub(crate) fn home(path: &str) -> String {
    let path = path.trim().strip_prefix("file://").unwrap_or(path);
    match path.trim_start().strip_prefix('~') {
        Some(rest) => format!(
            "{HOME}{}{rest}",
            if rest.is_empty() || rest.starts_with('/') {
                ""
            } else {
                "/.."
            }
        ),
        None => path.to_owned(),
    }
}

/// The path behind `file:` in an address, its bytes decoded; `None` for any other address.
pub(super) fn of_address(address: &str) -> Option<String> {
    let address = bare(address);
    let scheme = address.get(..5)?;
    if !scheme.eq_ignore_ascii_case("file:") {
        return None;
    }
    let rest = address.get(5..)?;
    // `file://host/path`: the host is nobody but this machine.
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or(rest),
        None => rest,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.as_bytes();
    while let Some((first, more)) = left.split_first() {
        let coded = (*first == b'%')
            .then(|| more.get(..2))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(coded.unwrap_or(*first));
        left = match coded {
            Some(_) => more.get(2..).unwrap_or_default(),
            None => more,
        };
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{of_address, readings};

    #[test]
    fn a_path_is_read_trimmed_and_without_its_mention() {
        assert_eq!(readings("a b"), ["a b"]);
        assert_eq!(
            readings("\u{feff}/etc/x\u{a0}"),
            ["\u{feff}/etc/x\u{a0}", "/etc/x"]
        );
        assert_eq!(readings(" @ ../x"), [" @ ../x", "@ ../x", "../x"]);
    }

    #[test]
    fn the_path_of_an_address_is_decoded() {
        assert_eq!(
            of_address("FILE:///root/%2Essh/a%"),
            Some("/root/.ssh/a%".into())
        );
        assert_eq!(of_address("file://localhost/a"), Some("/a".into()));
        assert_eq!(of_address("https://a/b"), None);
    }
}
