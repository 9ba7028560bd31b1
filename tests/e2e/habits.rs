//! What a host records about the way its agent works: files outside of its scope, and looking for mail
//! again and again.

use crate::support::{LONG, TestProject, wait_until};

fn sling(project: &TestProject, name: &str, steps: &str) {
    let script = project.script(name, &format!("steps:\n{steps}"));
    let task = format!("t-{name}");
    let args = ["--files", "src/a.rs,docs", "--spec", &script];
    let start = ["sling", &task, "--name", name, "--runtime", "script"];
    project.grove_ok(&[&start[..], &args].concat());
}

/// Agent, level and one field of all events of a type.
fn events(project: &TestProject, kind: &str, field: &str) -> Vec<Vec<String>> {
    project.sql(
        "events.db",
        &format!(
            "SELECT agent_name, level, json_extract(data, '$.{field}') FROM events \
             WHERE event_type = 'custom' AND json_extract(data, '$.type') = '{kind}'"
        ),
    )
}

#[test]
fn files_outside_of_the_scope_are_recorded_unless_a_reason_is_given() {
    let project = TestProject::initialised();
    let write = "- write: {path: src/a.rs, content: a}\n- write: {path: docs/a.md, content: a}\n";
    let outside = "- write: {path: b.txt, content: b}\n";
    let mail = "- mail: {to: orchestrator, subject: \"scope_expansion: b.txt\"}\n";
    for (name, steps) in [
        ("within", format!("{write}- commit: Add\n")),
        (
            "reason",
            format!("{write}{outside}- commit: \"Add\\n\\nexpansion_reason: needed\"\n"),
        ),
        ("told", format!("{write}{outside}- commit: Add\n{mail}")),
        ("outside", format!("{write}{outside}- commit: Add\n")),
    ] {
        sling(
            &project,
            name,
            &format!("{steps}- done: added\n- exit: 0\n"),
        );
        project.wait_for_state(name, "completed", LONG);
    }
    let seen = wait_until(
        "the files outside are recorded",
        LONG,
        || Some(events(&project, "scope_violation", "files")).filter(|seen| !seen.is_empty()),
        || project.report(),
    );
    assert_eq!(seen, [["outside", "warn", "[\"b.txt\"]"]]);
}

#[test]
fn looking_for_mail_in_a_loop_is_recorded() {
    let project = TestProject::initialised();
    let looping = "for i in 1; do grove mail check; sleep 0.01; done";
    sling(
        &project,
        "ann",
        &format!("- run: grove mail check\n- run: \"{looping}\"\n- hang\n"),
    );
    let seen = wait_until(
        "the loop is recorded",
        LONG,
        || Some(events(&project, "mail_poll_detected", "command")).filter(|seen| !seen.is_empty()),
        || project.report(),
    );
    assert_eq!(seen, [["ann", "warn", looping]]);
}
