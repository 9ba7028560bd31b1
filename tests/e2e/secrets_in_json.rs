//! Secrets where JSON holds them without quotes, as names, or in fields of their own: none of them is stored.

use crate::support::{LONG, TestProject, wait_until};

const NUMBER: &str = "8291746153980417";
const WORD: &str = "zq8Kd93LmXv02Ppq";
const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ0123456";

#[test]
fn keys_numbers_and_names_of_tools_that_are_secrets_are_in_no_store() {
    let mut project = TestProject::initialised();
    project.set_env("NUM_SECRET_TOKEN", NUMBER);
    project.set_env("WORD_TOKEN", WORD);
    project.write(
        "tell.sh",
        r#"#!/bin/sh
grove mail send --to coordinator --subject s --body b --payload "{\"env\":{\"$1\":\"key\"},\"id\":$NUM_SECRET_TOKEN}"
call() { printf '%s' "$2" | grove hook "$1"; }
call pre-tool "{\"tool_name\":\"Read\",\"tool_input\":{\"file_path\":\"a\",\"offset\":$NUM_SECRET_TOKEN}}"
call pre-tool "{\"tool_name\":\"M0:[$WORD_TOKEN]\",\"session_id\":\"c-$WORD_TOKEN\",\"tool_input\":{\"a\":1}}"
call post-tool "{\"tool_name\":\"M0:[$WORD_TOKEN]\",\"tool_input\":{\"a\":1}}"
true
"#,
    );
    project.commit_all();
    project.sling(
        "ann",
        &format!("- run: \"sh ./tell.sh {TOKEN}\"\n- done: told\n"),
    );
    project.wait_for_state("ann", "completed", LONG);
    wait_until(
        "the host has left",
        LONG,
        || project.processes().is_empty().then_some(()),
        || project.report(),
    );
    let mail = project.sql(
        "mail.db",
        "SELECT payload FROM messages WHERE subject = 's'",
    );
    assert_eq!(
        mail[0][0],
        r#"{"env":{"[REDACTED]":"key"},"id":"[REDACTED]"}"#
    );
    let tools = "SELECT tool_name FROM events WHERE tool_name LIKE 'M0%'";
    let tools = project.sql("events.db", tools);
    assert!(!tools.is_empty(), "{}", project.report());
    assert!(tools.iter().all(|row| row[0] == "M0:[[REDACTED]]"));
    let reads = "SELECT tool_args FROM events WHERE tool_name = 'Read'";
    let reads = project.sql("events.db", reads);
    assert!(
        reads[0][0].contains(r#""offset":"[REDACTED]""#),
        "{reads:?}"
    );
    for store in ["events.db", "mail.db", "sessions.db", "metrics.db"] {
        let bytes = std::fs::read(project.overstory(store)).unwrap();
        let wal = std::fs::read(project.overstory(&format!("{store}-wal"))).unwrap_or_default();
        let text = String::from_utf8_lossy(&[bytes, wal].concat()).into_owned();
        for secret in [NUMBER, WORD, TOKEN] {
            assert!(!text.contains(secret), "{secret} is in {store}");
        }
    }
}
