//! Answers to Claude Code's first-run dialogs, merged into the file it reads.
//!
//! Each dialog's default is "No", which ends the program, and keys are never typed at a dialog.
//! Only missing answers are added; everything the user has stays as it is.

use super::super::RuntimeError;
use crate::platform::fs;
use crate::text::read_json;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Adds what is missing in `~/.claude.json` for this project.
pub(super) fn answer(home: &Path, root: &Path, api_key: Option<&str>) -> Result<(), RuntimeError> {
    let path = home.join(".claude.json");
    let text = fs::read_optional(&path)?;
    let before = match &text {
        None => Map::new(),
        Some(text) => match read_json(text) {
            Ok(Value::Object(map)) => map,
            Ok(_) => {
                let message = "not an object".to_owned();
                return Err(RuntimeError::Settings { path, message });
            }
            Err(e) => {
                return Err(RuntimeError::Settings {
                    path,
                    message: e.to_string(),
                });
            }
        },
    };
    let after = answered(before.clone(), &root.to_string_lossy(), api_key);
    if after != before {
        // Of a file that only JavaScript reads whole, writing would lose a part.
        if let Some(Err(error)) = text.as_deref().map(serde_json::from_str::<Value>) {
            let message = error.to_string();
            return Err(RuntimeError::Settings { path, message });
        }
        fs::write_through(&path, format!("{:#}\n", Value::Object(after)))?;
    }
    Ok(())
}

fn answered(mut map: Map<String, Value>, root: &str, api_key: Option<&str>) -> Map<String, Value> {
    map.entry("hasCompletedOnboarding").or_insert(json!(true));
    map.entry("theme").or_insert(json!("dark"));
    if let Some(tail) = api_key.and_then(last_twenty) {
        let answers = map.entry("customApiKeyResponses").or_insert(json!({}));
        if let Value::Object(answers) = answers {
            let has = |v: Option<&Value>| {
                v.and_then(Value::as_array)
                    .is_some_and(|a| a.iter().any(|k| k == tail))
            };
            // A key the user has refused stays refused.
            if !has(answers.get("rejected")) && !has(answers.get("approved")) {
                let approved = answers.entry("approved").or_insert(json!([]));
                if let Value::Array(keys) = approved {
                    keys.push(json!(tail));
                }
                answers.entry("rejected").or_insert(json!([]));
            }
        }
    }
    let projects = map.entry("projects").or_insert(json!({}));
    if let Value::Object(projects) = projects {
        let project = projects.entry(root).or_insert(json!({}));
        if let Value::Object(project) = project {
            // Trusting the project is what starting an agent in it means.
            project.insert("hasTrustDialogAccepted".to_owned(), json!(true));
        }
    }
    map
}

fn last_twenty(key: &str) -> Option<&str> {
    let start = key.char_indices().rev().nth(19).map_or(0, |(i, _)| i);
    key.get(start..).filter(|t| !t.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_has_is_never_changed() {
        let map = json!({
            "theme": "light", "hasCompletedOnboarding": false, "custom": [1],
            "customApiKeyResponses": {"approved": ["x"], "rejected": ["abcdefghijklmnopqrst"]},
            "projects": {"/p": {"allowedTools": ["Bash"]}, "/q": {"hasTrustDialogAccepted": false}},
        });
        let Value::Object(map) = map else {
            unreachable!()
        };
        let after = Value::Object(answered(map, "/p", Some("sk-abcdefghijklmnopqrst")));
        assert_eq!(after["theme"], "light");
        assert_eq!(after["hasCompletedOnboarding"], false);
        assert_eq!(after["custom"], json!([1]));
        assert_eq!(after["customApiKeyResponses"]["approved"], json!(["x"]));
        assert_eq!(after["projects"]["/p"]["allowedTools"], json!(["Bash"]));
        assert_eq!(after["projects"]["/p"]["hasTrustDialogAccepted"], true);
        assert_eq!(after["projects"]["/q"]["hasTrustDialogAccepted"], false);
    }

    #[test]
    fn a_new_key_is_approved_by_its_last_twenty_characters() {
        let after = Value::Object(answered(
            Map::new(),
            "/p",
            Some("sk-ant-0123456789abcdefghij"),
        ));
        assert_eq!(
            after["customApiKeyResponses"]["approved"],
            json!(["0123456789abcdefghij"])
        );
    }

    #[test]
    fn a_broken_file_is_named_and_left_alone() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(".claude.json"), "{oops").unwrap();
        let error = answer(home.path(), Path::new("/p"), None)
            .unwrap_err()
            .to_string();
        assert!(error.contains(".claude.json"), "{error}");
        assert_eq!(
            std::fs::read_to_string(home.path().join(".claude.json")).unwrap(),
            "{oops"
        );
    }
}
