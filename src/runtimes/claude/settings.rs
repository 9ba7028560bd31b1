//! The per-process settings of Claude Code: the guard's hooks, and what the user has set up.
//!
//! The CLI is started without its own setting sources, because any of those files can switch
//! hooks off. What is the user's own is carried over, minus what could weaken the guard.

use super::super::RuntimeError;
use super::own_state::OfUser;
use crate::platform::fs;
use crate::text::read_json;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Settings that are carried over from the user's and the project's files. Everything that is
/// not named here stays behind: permissions, hooks and switches for them above all.
const CARRIED: &[&str] = &[
    "apiKeyHelper",
    "attribution",
    "awsAuthRefresh",
    "awsCredentialExport",
    "cleanupPeriodDays",
    "env",
    "forceLoginMethod",
    "forceLoginOrgUUID",
    "includeCoAuthoredBy",
    "language",
    "model",
    "otelHeadersHelper",
    "outputStyle",
    "spinnerTipsEnabled",
    "statusLine",
];

/// Variables that would undo the isolation.
const REFUSED_ENV: &[&str] = &[
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_SECURESTORAGE_CONFIG_DIR",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_TMPDIR",
    "TMPDIR",
    "PATH",
];

/// Reads the user's, the project's and the project's local settings; later ones win.
pub(super) fn carried_over(
    user: Option<&OfUser>,
    root: &Path,
) -> Result<Map<String, Value>, RuntimeError> {
    let files = user.map(file_of_user).into_iter().chain([
        root.join(".claude/settings.json"),
        root.join(".claude/settings.local.json"),
    ]);
    carried(files)
}

/// Of the user's settings alone what is carried over.
pub(super) fn of_user(user: &OfUser) -> Result<Map<String, Value>, RuntimeError> {
    carried([file_of_user(user)].into_iter())
}

fn file_of_user(user: &OfUser) -> PathBuf {
    user.folder.join("settings.json")
}

fn carried(files: impl Iterator<Item = PathBuf>) -> Result<Map<String, Value>, RuntimeError> {
    let mut merged = Map::new();
    for path in files {
        let Some(text) = fs::read_optional(&path)? else {
            continue;
        };
        let Value::Object(map) = read_json(&text).map_err(|e| RuntimeError::Settings {
            path: path.clone(),
            message: e.to_string(),
        })?
        else {
            return Err(RuntimeError::Settings {
                path,
                message: "not an object".to_owned(),
            });
        };
        merge(&mut merged, map);
    }
    Ok(merged)
}

fn merge(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (key, value) in from {
        if !CARRIED.contains(&key.as_str()) {
            continue;
        }
        match (into.get_mut(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => old.extend(new),
            (_, new) => {
                into.insert(key, new);
            }
        }
    }
    if let Some(Value::Object(env)) = into.get_mut("env") {
        env.retain(|name, _| {
            let ours = ["GROVE_", "OVERSTORY_", "GIT_", "HOOK"];
            !REFUSED_ENV.contains(&name.as_str()) && !ours.iter().any(|p| name.starts_with(p))
        });
    }
}

/// The settings file as text.
pub(super) fn render(carried: &Map<String, Value>, grove: &Path) -> String {
    let command = |event: &str| format!("{} hook {event}", shell_quote(&grove.to_string_lossy()));
    let all = |event: &str, timeout: u32| {
        json!([{"matcher": "*", "hooks": [
            {"type": "command", "command": command(event), "timeout": timeout}]}])
    };
    let plain = |event: &str| json!([{"hooks": [{"type": "command", "command": command(event), "timeout": 20}]}]);
    let mut settings = carried.clone();
    settings.insert(
        "hooks".to_owned(),
        json!({
            "PreToolUse": all("pre-tool", 30),
            "PostToolUse": all("post-tool", 20),
            "PostToolUseFailure": all("post-tool", 20),
            "UserPromptSubmit": plain("prompt"),
            "Notification": plain("notification"),
            "Stop": plain("stop"),
            "SessionStart": plain("session-start"),
            "PreCompact": plain("pre-compact"),
            "SessionEnd": plain("session-end"),
        }),
    );
    format!("{:#}\n", Value::Object(settings))
}

/// The MCP servers the user and the project have configured, as a file of their own.
pub(super) fn mcp_servers(
    user: Option<&OfUser>,
    root: &Path,
) -> Result<Option<String>, RuntimeError> {
    let mut servers = Map::new();
    let files = user
        .map(|user| user.state.clone())
        .into_iter()
        .chain([root.join(".mcp.json")]);
    for path in files {
        let Some(text) = fs::read_optional(&path)? else {
            continue;
        };
        let value: Value = read_json(&text).map_err(|e| RuntimeError::Settings {
            path: path.clone(),
            message: e.to_string(),
        })?;
        let own = value.pointer("/mcpServers");
        let of_project = value
            .get("projects")
            .and_then(|p| p.get(&*root.to_string_lossy())?.get("mcpServers"));
        for found in [own, of_project]
            .into_iter()
            .flatten()
            .filter_map(Value::as_object)
        {
            servers.extend(found.clone());
        }
    }
    Ok((!servers.is_empty()).then(|| format!("{:#}\n", json!({"mcpServers": servers}))))
}

/// One word for `sh`: hook commands are run by a shell, and a path may contain anything.
fn shell_quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::super::own_state::of_user;
    use super::*;

    #[test]
    fn the_users_setup_is_carried_and_what_weakens_the_guard_is_not() {
        let root = tempfile::tempdir().unwrap();
        let home = tempfile::tempdir().unwrap();
        for (dir, text) in [
            (
                home.path(),
                r#"{"env":{"A":"1","B":"1"},"apiKeyHelper":"x","permissions":{"allow":["*"]}}"#,
            ),
            (
                root.path(),
                r#"{"env":{"B":"2","PATH":"/evil"},"disableAllHooks":true,"hooks":{},"model":"m"}"#,
            ),
        ] {
            std::fs::create_dir(dir.join(".claude")).unwrap();
            std::fs::write(dir.join(".claude/settings.json"), text).unwrap();
        }
        let user = of_user(home.path(), &|_| None);
        let carried = carried_over(Some(&user), root.path()).unwrap();
        let text = render(&carried, Path::new("/opt/my tools/grove"));
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["env"], json!({"A": "1", "B": "2"}));
        assert_eq!(value["apiKeyHelper"], "x");
        assert_eq!(value["model"], "m");
        assert!(value.get("disableAllHooks").is_none() && value.get("permissions").is_none());
        assert_eq!(
            value["hooks"]["PreToolUse"][0]["hooks"][0]["command"],
            "'/opt/my tools/grove' hook pre-tool"
        );
    }

    #[test]
    fn a_broken_settings_file_is_named() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join(".claude")).unwrap();
        std::fs::write(root.path().join(".claude/settings.local.json"), "{").unwrap();
        let error = carried_over(None, root.path()).unwrap_err().to_string();
        assert!(error.contains("settings.local.json"), "{error}");
    }
}
