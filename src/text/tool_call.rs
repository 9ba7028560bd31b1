//! What is recorded of a tool call: a part of its input, and one line that says what it does.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::number::format_number;
use super::utf16::truncate_utf16;

/// How much of a shell command its summary shows.
const COMMAND_UNITS: usize = 80;
/// How much of a longer one is looked at for secrets, in bytes: of one that the summary cuts, the rest must be there to
/// know it by.
const COMMAND_READ: usize = 64 * 1024;

/// The part of a tool's input that is recorded, by ov's list.
pub fn recorded_args(tool: &str, input: Option<&Value>) -> Value {
    let keys: &[&str] = match tool {
        "Bash" => &["command", "description"],
        "Read" => &["file_path", "offset", "limit"],
        "Write" | "Edit" => &["file_path"],
        "Glob" => &["pattern", "path"],
        "Grep" => &["pattern", "path", "glob", "output_mode"],
        "WebFetch" => &["url"],
        "WebSearch" => &["query"],
        "Task" => &["description", "subagent_type"],
        _ => &[],
    };
    let mut kept = Map::new();
    for key in keys {
        if let Some(value) = input.and_then(|i| i.get(*key)) {
            kept.insert((*key).to_owned(), value.clone());
        }
    }
    Value::Object(kept)
}

/// One line about a tool call; the tool's name when nothing more is known. `storable` takes the secrets out of a text; it is
/// asked before anything is cut, since a part of a secret is not known for one any more.
pub fn tool_summary(
    tool: &str,
    input: Option<&Value>,
    storable: impl for<'t> Fn(&'t str) -> Cow<'t, str>,
) -> String {
    let Some(input) = input else {
        return tool.to_owned();
    };
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let shown = |key: &str| text(key).unwrap_or_default();
    let within = text("path").map_or_else(String::new, |path| format!(" in {path}"));
    match tool {
        "Bash" => {
            let command = shown("command");
            let read = command.get(..command.floor_char_boundary(COMMAND_READ));
            let command = storable(read.unwrap_or_default());
            format!("bash: {}", truncate_utf16(&command, COMMAND_UNITS))
        }
        "Read" => format!("read: {}{}", shown("file_path"), line_range(input)),
        "Write" => format!("write: {}", shown("file_path")),
        "Edit" => format!("edit: {}", shown("file_path")),
        "Glob" => format!("glob: {}{within}", shown("pattern")),
        "Grep" => format!("grep: \"{}\"{within}", shown("pattern")),
        "WebFetch" => format!("fetch: {}", shown("url")),
        "WebSearch" => format!("search: {}", shown("query")),
        "Task" => {
            let kind = text("subagent_type").map_or_else(String::new, |kind| format!(" ({kind})"));
            format!("task: {}{kind}", shown("description"))
        }
        _ => tool.to_owned(),
    }
}

fn line_range(input: &Value) -> String {
    let number = |key: &str| input.get(key).and_then(Value::as_f64);
    match (number("offset"), number("limit")) {
        (Some(from), Some(count)) => format!(
            " (lines {}-{})",
            format_number(from),
            format_number(from + count)
        ),
        (Some(from), None) => format!(" (from line {})", format_number(from)),
        (None, Some(count)) => format!(" (first {} lines)", format_number(count)),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn only_listed_parts_of_an_input_are_recorded() {
        let input = json!({"command": "ls", "description": "list", "timeout": 5});
        assert_eq!(
            recorded_args("Bash", Some(&input)),
            json!({"command": "ls", "description": "list"})
        );
        let write = json!({"content": "secret", "file_path": "a.rs"});
        assert_eq!(
            recorded_args("Write", Some(&write)),
            json!({"file_path": "a.rs"})
        );
        assert_eq!(recorded_args("Other", Some(&input)), json!({}));
        assert_eq!(recorded_args("Bash", None), json!({}));
    }

    #[test]
    fn summaries_say_what_the_call_does() {
        for (tool, input, expected) in [
            ("Bash", json!({"command": "ls -l"}), "bash: ls -l"),
            (
                "Read",
                json!({"file_path": "a", "offset": 10, "limit": 5}),
                "read: a (lines 10-15)",
            ),
            ("Read", json!({"file_path": "a"}), "read: a"),
            (
                "Glob",
                json!({"pattern": "*.rs", "path": "src"}),
                "glob: *.rs in src",
            ),
            ("Grep", json!({"pattern": "x"}), "grep: \"x\""),
            (
                "Task",
                json!({"description": "look", "subagent_type": "scout"}),
                "task: look (scout)",
            ),
            ("Odd", json!({"a": 1}), "Odd"),
        ] {
            assert_eq!(
                tool_summary(tool, Some(&input), |text| text.into()),
                expected
            );
        }
        assert_eq!(tool_summary("Bash", None, |text| text.into()), "Bash");
    }

    #[test]
    fn a_secret_is_taken_out_before_a_command_is_cut() {
        let secret = "s3cr3t-of-thirty-characters-and-more";
        for at in 0..=COMMAND_UNITS {
            let input = json!({"command": format!("{}{secret}", "x".repeat(at))});
            let summary = tool_summary("Bash", Some(&input), |text| {
                text.replace(secret, "***").into()
            });
            assert!(!summary.contains("s3"), "{summary}");
        }
    }

    proptest! {
        #[test]
        fn a_summary_of_a_command_is_never_long(command in "\\PC{0,200}") {
            let summary = tool_summary("Bash", Some(&json!({"command": command})), |text| text.into());
            prop_assert!(super::super::utf16_len(&summary) <= COMMAND_UNITS + 6);
        }
    }
}
