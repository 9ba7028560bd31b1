//! Answers to Claude Code's first-run dialogs, merged into the file it reads: an agent's own, made from the
//! user's, or the user's where all share it.
//!
//! Each dialog's default is "No", which ends the program, and keys are never typed at a dialog.
//! Only missing answers are added; everything the user has stays as it is.

use super::super::RuntimeError;
use crate::platform::fs;
use crate::text::read_json;
use serde_json::{Map, Value, json};
use std::path::Path;

/// What an agent's own file gets of the user's: who they are and what they have answered. Programs that the
/// user's sessions start and what they have done in other projects are none of an agent's.
const LEFT_OUT: &[&str] = &["mcpServers", "projects", "githubRepoPaths"];

/// Adds what is missing for this project to the user's file.
pub(super) fn answer(path: &Path, root: &Path, api_key: Option<&str>) -> Result<(), RuntimeError> {
    let (before, text) = read(path)?;
    let after = answered(before.clone(), &root.to_string_lossy(), api_key);
    if after != before {
        // Of a file that only JavaScript reads whole, writing would lose a part.
        if let Some(Err(error)) = text.as_deref().map(serde_json::from_str::<Value>) {
            let message = error.to_string();
            let path = path.to_owned();
            return Err(RuntimeError::Settings { path, message });
        }
        fs::write_through(path, format!("{:#}\n", Value::Object(after)))?;
    }
    Ok(())
}

/// The text of an agent's own file, from the user's.
pub(super) fn for_an_agent(
    users: &Path,
    root: &Path,
    api_key: Option<&str>,
) -> Result<String, RuntimeError> {
    let (mut map, _) = read(users)?;
    map.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
    let map = answered(map, &root.to_string_lossy(), api_key);
    Ok(format!("{:#}\n", Value::Object(map)))
}

/// What stands in the file, and its text if it is there.
fn read(path: &Path) -> Result<(Map<String, Value>, Option<String>), RuntimeError> {
    let broken = |message: String| RuntimeError::Settings {
        path: path.to_owned(),
        message,
    };
    let Some(text) = fs::read_optional(path)? else {
        return Ok((Map::new(), None));
    };
    match read_json(&text) {
        Ok(Value::Object(map)) => Ok((map, Some(text))),
        Ok(_) => Err(broken("not an object".to_owned())),
        Err(e) => Err(broken(e.to_string())),
    }
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
        let file = home.path().join(".claude.json");
        std::fs::write(&file, "{oops").unwrap();
        let root = Path::new("/p");
        for error in [
            answer(&file, root, None).unwrap_err(),
            for_an_agent(&file, root, None).unwrap_err(),
        ] {
            let error = error.to_string();
            assert!(error.contains(".claude.json"), "{error}");
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "{oops");
    }

    #[test]
    fn an_agent_gets_the_account_and_none_of_the_other_projects_and_programs() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(".claude.json");
        let text = r#"{"oauthAccount":{"emailAddress":"a@b"},"theme":"light","mcpServers":{"m":{"command":"x"}},
            "projects":{"/q":{"history":["secret"]},"/p":{"mcpServers":{"n":{}}}}}"#;
        std::fs::write(&file, text).unwrap();
        let made = for_an_agent(&file, Path::new("/p"), None).unwrap();
        let made: Value = serde_json::from_str(&made).unwrap();
        assert_eq!(made["oauthAccount"]["emailAddress"], "a@b");
        assert_eq!(made["theme"], "light");
        assert!(made.get("mcpServers").is_none());
        assert_eq!(
            made["projects"],
            json!({"/p": {"hasTrustDialogAccepted": true}})
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}
