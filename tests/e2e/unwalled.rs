//! Without a sandbox, or without a guard as well, an agent's start, its pane and `inspect` say so.

use crate::support::{SHORT, ScreenProcess, TestProject};

fn started(project: &TestProject, mode: &str) -> String {
    let settings = format!("sandbox: {mode}\n");
    project.write(".overstory/config.local.yaml", &settings);
    let script = project.script("waits", "steps:\n- print: \"I am here\"\n- hang\n");
    let words = ["sling", "t-1", "--name", "ann", "--runtime", "script"];
    let done = project.grove(&[&words[..], &["--spec", &script]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    format!("{}{}", done.stdout, done.stderr)
}

fn says(mode: &str, missing: &str) {
    let project = TestProject::initialised();
    let said = started(&project, mode);
    let line = format!("! {missing}: the configuration sets the sandbox of builder to {mode}");
    assert_eq!(said.matches(&line).count(), 1, "{said}");
    let inspected = project.grove_ok(&["inspect", "ann"]);
    let line = line.replacen('!', "Sandbox:", 1);
    assert!(inspected.contains(&line), "{inspected}");
    let screen = ScreenProcess::start(&project, &[]);
    screen.wait_for(missing, SHORT, || project.report());
}

#[test]
fn an_agent_with_the_guard_alone_is_named_so_on_its_pane_and_at_its_start() {
    says("guard", "guard only");
}

#[test]
fn an_agent_with_neither_guard_nor_sandbox_is_named_so_on_its_pane_and_at_its_start() {
    says("off", "no guard, no sandbox");
}

#[test]
fn a_sandbox_that_works_is_not_spoken_of() {
    let project = TestProject::initialised();
    let said = started(&project, "strict");
    // Where the system has none, that is said.
    let works = !said.contains("guard only: ");
    let inspected = project.grove_ok(&["inspect", "ann"]);
    assert_eq!(!inspected.contains("guard only: "), works, "{inspected}");
    assert!(!said.contains("no guard, no sandbox"), "{said}");
}
