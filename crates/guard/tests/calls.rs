//! Fields of tool calls, and what is said where they are refused.

#![allow(clippy::unwrap_used, reason = "tests")]

use grove_guard::check::check_line;
use serde_json::{Value, json};

const W: &str = "/nowhere/repo/.overstory/worktrees/agent-one-with-a-rather-long-name";

/// The decision and the reason.
fn asked(role: &str, tool: &str, input: &Value) -> (String, String) {
    let line = json!({
        "id": 1, "capability": role, "tool": tool, "input": input,
        "worktree": W, "root": "/nowhere/repo",
    });
    let answer: Value = serde_json::from_str(&check_line(&line.to_string())).unwrap();
    let text = |name: &str| answer.get(name).unwrap().as_str().unwrap().to_owned();
    (text("decision"), text("reason"))
}

#[test]
fn a_name_with_a_line_break_is_refused_as_such() {
    for (tool, field) in [("Write", "file_path"), ("write_file", "path")] {
        let input = json!({field: format!("{W}/a\nb.txt"), "content": "x"});
        let (decision, reason) = asked("builder", tool, &input);
        assert_eq!(decision, "block");
        assert!(
            reason.contains("line break") && !reason.contains("must be a path"),
            "{reason}"
        );
    }
}

#[test]
fn a_long_way_round_to_credentials_is_told_by_where_it_ends() {
    let up = "../".repeat(12);
    for glob in [format!("{up}root/.ssh/*"), "/root/.ssh/*".to_owned()] {
        let input = json!({"pattern": "KEY", "path": W, "glob": glob});
        let (decision, reason) = asked("builder", "Grep", &input);
        assert_eq!(decision, "block");
        assert!(
            reason.starts_with("/root/.ssh holds credentials"),
            "{reason}"
        );
    }
}

#[test]
fn a_program_that_is_no_known_shell_does_not_read_the_command() {
    for shell in [
        "/bin/evil",
        "./bash",
        "/tmp/bash",
        "python3",
        "/usr/bin/env",
        "bash -c x",
        "../bin/sh",
        "/bin/../tmp/sh",
    ] {
        for role in ["builder", "scout"] {
            let input = json!({"cmd": "ls", "shell": shell});
            let (decision, reason) = asked(role, "exec_command", &input);
            assert_eq!(decision, "block", "{role} {shell}");
            assert!(reason.contains("; "), "{reason}");
        }
    }
    let input = json!({"cmd": "ls", "shell": 1});
    assert_eq!(asked("builder", "exec_command", &input).0, "block");
    for shell in [
        json!("/bin/bash"),
        json!("/usr/bin/zsh"),
        json!("bash"),
        json!("sh"),
        json!(""),
        json!(null),
        json!(true),
    ] {
        let input = json!({"cmd": "ls", "shell": shell});
        let (decision, reason) = asked("builder", "exec_command", &input);
        assert_eq!(decision, "allow", "{shell} {reason}");
        let input = json!({"cmd": "git push", "shell": shell});
        assert_eq!(asked("builder", "exec_command", &input).0, "block");
    }
}
