//! Answers that were wrong, empty or in the wrong form, each under the name of what was seen.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use grove::platform::lease::{Taken, try_take_to};

use crate::support::{Finished, GROVE, SHORT, TestProject, wait_until};

/// Runs grove where no file can grow, as on a full disk.
fn without_room(project: &TestProject, args: &str) -> Finished {
    let mut command = project.command("sh");
    let line = format!("trap '' XFSZ; ulimit -f 0; exec {GROVE} {args}");
    done(command.args(["-c", &line]))
}

fn done(command: &mut Command) -> Finished {
    let output = command.output().unwrap();
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn rubbish() -> String {
    "no database, but perhaps all that is left of one. ".repeat(100)
}

fn aside(project: &TestProject, file: &str) -> Option<String> {
    let mut entries = std::fs::read_dir(project.overstory("")).unwrap();
    let path = entries.find_map(|entry| {
        let path = entry.unwrap().path();
        let kept = format!("{file}.corrupt-");
        path.to_string_lossy().contains(&kept).then_some(path)
    })?;
    std::fs::read_to_string(path).ok()
}

#[test]
fn stop_says_branch_kept_although_it_is_gone_with_uncommitted_work() {
    let project = TestProject::initialised();
    let script = project.script(
        "w2",
        "steps:\n- write: {path: loose.txt, content: \"x\\n\"}\n- print: here\n- hang\n",
    );
    let start = ["sling", "t-2", "--name", "w2", "--runtime", "script"];
    project.grove_ok(&[&start[..], &["--spec", &script]].concat());
    let file = project.overstory("worktrees/w2/loose.txt");
    wait_until(
        "w2 writes",
        SHORT,
        || file.exists().then_some(()),
        || project.report(),
    );
    let stopped = project.grove(&["stop", "w2", "--clean-worktree", "--json"]);
    let json = stopped.json();
    assert_eq!(json["worktreeRemoved"], true, "{json}");
    assert_eq!(json["branchDeleted"], true, "{json}");
    assert_eq!(project.git(&["branch", "--list", "overstory/*"]), "");
}

#[test]
fn a_corrupt_events_db_loses_events_without_a_word() {
    let project = TestProject::initialised();
    project.write(".overstory/events.db", &rubbish());
    let logged = project.grove(&["log", "tool-start", "--agent", "z"]);
    assert_eq!(logged.code, Some(0), "a hook never blocks: {logged:?}");
    assert!(
        logged.stderr.contains("could not store the event"),
        "{logged:?}"
    );
    assert!(
        logged.stderr.contains("events.db is not a usable"),
        "{logged:?}"
    );
    let doctor = ["doctor", "--category", "databases", "--json"];
    let sick = project.grove(&doctor).json();
    let found = sick["checks"].as_array().unwrap();
    let found = found
        .iter()
        .any(|check| check["name"] == "events.db integrity");
    assert!(found, "{sick}");
    assert_eq!(sick["summary"]["fail"], 1, "{sick}");
    project.grove_ok(&["doctor", "--category", "databases", "--fix"]);
    assert_eq!(aside(&project, "events.db"), Some(rubbish()));
    let logged = project.grove(&["log", "tool-start", "--agent", "z"]);
    assert_eq!(logged.stderr, "");
    let rows = project.sql("events.db", "SELECT agent_name FROM events");
    assert_eq!(rows, [["z"]]);
}

#[test]
fn clean_cannot_make_room_on_a_full_disk() {
    for target in ["--mail", "--all"] {
        let project = TestProject::initialised();
        let mail = ["mail", "send", "--to", "b", "--subject", "s", "--body", "x"];
        project.grove_ok(&mail);
        let full = project.grove_full(target);
        assert_eq!(full.code, Some(0), "{target}: {full:?}");
        assert!(!project.overstory("mail.db").exists(), "{target}: {full:?}");
    }
}

impl TestProject {
    fn grove_full(&self, target: &str) -> Finished {
        without_room(self, &format!("clean {target}"))
    }
}

#[test]
fn prime_fails_on_a_full_disk() {
    let project = TestProject::initialised();
    let primed = without_room(&project, "prime");
    assert_eq!(primed.code, Some(0), "{primed:?}");
    assert!(primed.stdout.contains("# Overstory Context"), "{primed:?}");
    assert!(primed.stderr.contains("session-branch.txt"), "{primed:?}");
}

#[test]
fn mail_lists_a_help_subcommand_that_it_does_not_know() {
    let project = TestProject::initialised();
    let shown = project.grove(&["mail"]);
    assert_eq!(shown.code, Some(1));
    assert!(shown.stderr.contains("\n  purge"), "{shown:?}");
    assert!(!shown.stderr.contains("\n  help"), "{shown:?}");
}

#[test]
fn commands_without_a_runtime_option_advise_to_use_it() {
    let project = TestProject::initialised();
    for (args, role) in [
        (&["orchestrator", "start"][..], "orchestrator"),
        (
            &["supervisor", "start", "--task", "t", "--name", "s"],
            "supervisor",
        ),
        (&["discover"], "coordinator"),
    ] {
        let refused = project.grove(args);
        assert_eq!(refused.code, Some(1), "{args:?} {refused:?}");
        let way = format!("runtime.capabilities.{role} in .overstory/config.yaml");
        assert!(refused.stderr.contains(&way), "{args:?} {refused:?}");
        assert!(
            !refused.stderr.contains("--runtime"),
            "{args:?} {refused:?}"
        );
    }
    let refused = project.grove(&["sling", "t", "--runtime", "claude", "--skip-task-check"]);
    assert!(refused.stderr.contains("use --runtime"), "{refused:?}");
}

#[test]
fn status_watch_with_json_prints_once_and_ends() {
    let project = TestProject::initialised();
    let mut command = project.command(GROVE);
    command
        .args(["status", "--watch", "--json", "--interval", "500"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut watching = command.spawn().unwrap();
    let lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    let two: Vec<String> = lines.take(2).map(Result::unwrap).collect();
    watching.kill().unwrap();
    watching.wait().unwrap();
    assert_eq!(two.len(), 2);
    for line in two {
        let json: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(json["command"], "status", "{line}");
    }
}

#[test]
fn a_number_that_is_none_is_no_json_with_json() {
    let project = TestProject::initialised();
    for args in [
        &["sling", "t", "--depth", "abc"][..],
        &["sling", "t", "--depth=-1"],
        &["sling", "t", "--max-agents", "abc"],
        &["sling", "t", "--dispatch-max-agents", "abc"],
        &[
            "supervisor",
            "start",
            "--task",
            "t",
            "--name",
            "s",
            "--depth",
            "abc",
        ],
        &["watch", "--interval", "abc"],
        &["costs", "--last", "abc"],
        &["metrics", "--last", "abc"],
        &["feed", "--limit", "abc"],
        &["errors", "--limit", "abc"],
        &["trace", "x", "--limit", "abc"],
        &["replay", "--limit", "abc"],
        &["logs", "--limit", "abc"],
        &["inspect", "a", "--limit", "abc"],
        &["status", "--interval", "abc"],
        &["mail", "list", "--limit", "abc"],
        &["mail", "purge", "--days", "abc"],
        &["mail", "check", "--debounce", "abc"],
        &["serve", "--port", "abc"],
        &["task", "list", "--limit", "abc"],
        &["coordinator", "output", "--lines", "abc"],
        &["coordinator", "ask", "--body", "x", "--timeout", "abc"],
        &["run", "list", "--last", "abc"],
        &["dashboard", "--interval", "abc"],
    ] {
        let refused = project.grove(&[args, &["--json"]].concat());
        assert_eq!(refused.code, Some(1), "{args:?} {refused:?}");
        assert_eq!(refused.json()["success"], false, "{args:?} {refused:?}");
    }
}

#[test]
fn the_sandbox_category_works_and_is_named_nowhere() {
    let project = TestProject::initialised();
    assert!(project.grove_ok(&["doctor", "--help"]).contains("sandbox"));
    let shown = project.grove_ok(&["doctor", "--category", "sandbox", "--verbose"]);
    assert!(shown.contains("[sandbox]\n  "), "{shown}");
    let usual = project.grove(&["doctor", "--verbose"]);
    assert!(!usual.stdout.contains("[sandbox]"), "{usual:?}");
}

#[test]
fn the_loser_of_two_cleans_is_told_of_a_coordinator_with_pid_0() {
    let project = TestProject::initialised();
    let path = project.overstory("coordinator.lease");
    let Taken::Mine(lease) = try_take_to(&path, "clean").unwrap() else {
        panic!("the lease was not free")
    };
    let own = std::process::id();
    let refused = project.grove(&["clean", "--mail"]);
    let words = format!("another 'grove clean' works on this project (PID {own})");
    assert!(refused.stderr.contains(&words), "{refused:?}");
    std::fs::write(&path, "").unwrap();
    let refused = project.grove(&["clean", "--mail"]);
    assert!(
        refused.stderr.contains("another process has just taken"),
        "{refused:?}"
    );
    assert!(!refused.stderr.contains("PID"), "{refused:?}");
    drop(lease);
    project.grove_ok(&["clean", "--mail"]);
}

#[test]
fn an_unreadable_tracker_is_taken_for_one_without_the_task() {
    let project = TestProject::initialised();
    let absent = project.grove(&["group", "create", "g", "a"]);
    assert!(absent.stderr.contains("no task tracker"), "{absent:?}");
    project.grove_ok(&["init", "--tools", "seeds"]);
    let unknown = project.grove(&["group", "create", "g", "a"]);
    assert!(
        unknown.stderr.contains("not found in tracker"),
        "{unknown:?}"
    );
    assert!(!unknown.stderr.contains("no task tracker"), "{unknown:?}");
    let issues = project.root().join(".seeds/issues.jsonl");
    std::fs::remove_file(&issues).unwrap();
    std::fs::create_dir(&issues).unwrap();
    let unreadable = project.grove(&["group", "create", "g", "a"]);
    assert!(
        unreadable.stderr.contains("could not be looked up"),
        "{unreadable:?}"
    );
    assert!(unreadable.stderr.contains("issues.jsonl"), "{unreadable:?}");
}

#[test]
fn wrong_input_is_called_an_output_that_cannot_be_written() {
    let project = TestProject::initialised();
    let mut command = project.command("sh");
    let line = format!("printf '\\377' | {GROVE} spec write sy");
    let refused = done(command.args(["-c", &line]));
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.contains("the spec on standard input"),
        "{refused:?}"
    );
    assert!(refused.stderr.contains("no UTF-8 text"), "{refused:?}");
}

#[test]
fn a_folder_in_place_of_a_database_is_called_a_full_disk() {
    let project = TestProject::initialised();
    std::fs::remove_file(project.overstory("metrics.db")).ok();
    std::fs::create_dir(project.overstory("metrics.db")).unwrap();
    let refused = project.grove(&["metrics"]);
    assert!(
        refused.stderr.contains("metrics.db is a folder"),
        "{refused:?}"
    );
    project.grove_ok(&["doctor", "--category", "databases", "--fix"]);
    project.grove_ok(&["metrics"]);
}

#[test]
fn an_empty_host_is_no_address() {
    let project = TestProject::initialised();
    let refused = project.grove(&["serve", "--host", ""]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("--host is empty"), "{refused:?}");
}

#[test]
fn a_failed_repair_gets_a_check_mark() {
    let project = TestProject::initialised();
    std::fs::remove_dir_all(project.overstory("agent-defs")).unwrap();
    project.write(".overstory/agent-defs", "in the way");
    let tried = project.grove(&["doctor", "--fix", "--category", "structure"]);
    assert_eq!(tried.code, Some(1));
    assert!(tried.stdout.contains("! could not repair"), "{tried:?}");
    assert!(!tried.stdout.contains("✓ could not"), "{tried:?}");
}

#[test]
fn an_uncertain_folder_is_shown_as_unknown_in_brackets() {
    let project = TestProject::initialised();
    let shown = project.grove_ok(&["guard", "explain", "cd \"$(cat f)\" && ls"]);
    assert!(
        shown.contains("(in a folder that cannot be told)"),
        "{shown}"
    );
    assert!(!shown.contains("(in <unknown>)"), "{shown}");
}

/// The reference's line stands alone: programs read it. People at a terminal are told more.
#[test]
fn errors_of_the_contract_have_no_second_line_for_programs() {
    let project = TestProject::initialised();
    project.grove_ok(&["init", "--tools", "seeds"]);
    let cases: [(&[&str], &str); 3] = [
        (
            &["group", "create", "g", "a-1"],
            "Error [GROUP_ERROR]: Issue \"a-1\" not found in tracker\n",
        ),
        (
            &["group", "add", "nope", "a-1"],
            "Error [GROUP_ERROR]: Group \"nope\" not found\n",
        ),
        (
            &["logs", "--level", "loud"],
            "Error [VALIDATION_ERROR]: --level must be one of: debug, info, warn, error\n",
        ),
    ];
    for (args, line) in cases {
        let done = project.grove(args);
        assert_eq!(
            (done.code, done.stderr.as_str()),
            (Some(1), line),
            "{args:?}"
        );
    }
}
