//! Lines that JavaScript's `JSON.parse` reads and stricter readers do not: half a surrogate pair, numbers
//! beyond a double, deep nesting, bytes that are no text. None of them makes a line disappear.

use std::io::Write;
use std::process::Stdio;

use crate::support::{GROVE, TestProject};
use serde_json::Value;

fn json_of(project: &TestProject, args: &[&str]) -> Value {
    let done = project.grove(&[args, &["--json"]].concat());
    assert_eq!(done.code, Some(0), "{args:?}: {done:#?}");
    done.json()
}

#[test]
fn a_task_with_half_an_emoji_in_its_title_is_there_and_stays_as_it_is() {
    let project = TestProject::initialised();
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    let line = |id: &str, more: &str| {
        format!(
            r#"{{"id":"{id}","title":"\ud83d cut","status":"open","type":"task","priority":2,"createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z"{more}}}"#
        )
    };
    let large = line("s-2", ",\"estimate\":1e400");
    let nested = line("s-3", &format!(",\"extensions\":{{\"deep\":{deep}}}"));
    let text = format!("{}\n{large}\n{nested}\n", line("s-1", ""));
    project.write(".seeds/issues.jsonl", &text);
    let ready = json_of(&project, &["task", "ready"]);
    assert_eq!(ready["issues"].as_array().unwrap().len(), 3, "{ready}");
    let shown = json_of(&project, &["task", "show", "s-1"]);
    assert_eq!(shown["issue"]["title"], "\u{fffd} cut");
    project.grove_ok(&["group", "create", "g", "s-1", "s-3"]);
    project.grove_ok(&["task", "close", "s-1"]);
    project.grove_ok(&["task", "update", "s-3", "--priority", "1"]);
    let now = project.read(".seeds/issues.jsonl");
    assert!(now.contains(&large), "an untouched line: {now}");
    assert_eq!(now.matches(r#""title":"\ud83d cut""#).count(), 3, "{now}");
    assert!(now.contains(&deep), "an untouched field: {now}");
    let closed = json_of(&project, &["task", "show", "s-1"]);
    assert_eq!(closed["issue"]["status"], "closed");
}

#[test]
fn expertise_with_half_an_emoji_is_found() {
    let project = TestProject::initialised();
    project.write(
        ".mulch/mulch.config.yaml",
        include_str!("recorded/mulch.config.yaml"),
    );
    let line = r#"{"type":"convention","content":"\ud83d cut","classification":"tactical","recorded_at":"2026-01-01T00:00:00.000Z","id":"mx-abc123"}"#;
    project.write(".mulch/expertise/cli.jsonl", &format!("{line}\n"));
    let found = project.grove_ok(&["expertise", "query", "cli"]);
    assert!(found.contains("\u{fffd} cut"), "{found}");
}

#[test]
fn a_hook_call_with_half_an_emoji_or_an_odd_byte_is_recorded_whole() {
    let project = TestProject::initialised();
    for command in [&b"echo \\ud83d"[..], b"echo \xff"] {
        let mut payload =
            br#"{"session_id":"s1","transcript_path":"/t.jsonl","tool_name":"Bash","tool_input":{"command":""#
                .to_vec();
        payload.extend_from_slice(command);
        payload.extend_from_slice(b"\"}}");
        let mut child = project
            .command(GROVE)
            .args(["log", "tool-start", "--agent", "b1", "--stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&payload).unwrap();
        assert!(child.wait().unwrap().success());
    }
    let events = json_of(&project, &["trace", "b1"]);
    let events = events["events"].as_array().unwrap();
    assert_eq!(events.len(), 2, "{events:#?}");
    for event in events {
        assert_eq!(event["toolName"], "Bash", "{event}");
        assert_eq!(event["sessionId"], "s1", "{event}");
        let args = event["toolArgs"].as_str().unwrap();
        assert!(args.contains("echo \u{fffd}"), "{args}");
    }
}

#[test]
fn logs_and_payloads_with_half_an_emoji_are_taken() {
    let project = TestProject::initialised();
    project.write(
        ".overstory/logs/a/s/events.ndjson",
        "{\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"event\":\"x\",\"level\":\"info\",\"data\":{\"t\":\"\\ud83d\"}}\n",
    );
    let logs = project.grove_ok(&["logs", "--json"]);
    assert!(logs.contains("\"event\":\"x\""), "{logs}");
    project.grove_ok(&[
        "mail",
        "send",
        "--to",
        "b",
        "--subject",
        "s",
        "--body",
        "x",
        "--payload",
        r#"{"a":"\ud83d"}"#,
    ]);
}
