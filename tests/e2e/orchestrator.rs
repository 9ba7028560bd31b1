//! Agents with a model at the project root, played by scripts: started, asked, looked at, stopped.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::Receiver;

use crate::support::{GROVE, LONG, SHORT, TestProject, alive, wait_until};

/// A project whose persistent agents are scripts.
fn project() -> TestProject {
    let project = TestProject::initialised();
    project.write(
        ".overstory/config.local.yaml",
        "watchdog:\n  tier2Enabled: true\nruntime:\n  capabilities:\n    orchestrator: script\n    monitor: script\n    \
         supervisor: script\n    coordinator: script\n",
    );
    project
}

/// What an agent of this name does.
fn orders(project: &TestProject, name: &str, steps: &str) {
    project.write(
        &format!(".overstory/specs/{name}.yaml"),
        &format!("steps:\n{steps}"),
    );
}

/// Answers the newest dispatch in its thread.
const ANSWER: &str = "- run: \"grove mail reply $(grove mail list --to orchestrator --type dispatch --json | \
                      grep -o 'msg-[a-z0-9]*' | head -1) --body 'three tasks are left'\"\n";

#[test]
fn an_orchestrator_is_started_asked_looked_at_and_stopped() {
    let project = project();
    let before = project.git(&["status", "--porcelain"]);
    orders(
        &project,
        "orchestrator",
        &format!(
            "- print: \"at your service\"\n- write: {{path: forbidden.txt, content: x}}\n\
             - wait_mail: {{from: operator}}\n- print: \"first heard\"\n\
             - wait_mail: {{from: operator}}\n{ANSWER}- hang\n"
        ),
    );
    let started = project.grove(&["orchestrator", "start", "--no-attach", "--json"]);
    let started = started.json();
    assert_eq!(started["command"], "orchestrator start");
    assert_eq!(started["agentName"], "orchestrator");
    assert_eq!(started["tmuxSession"], "");
    assert_eq!(started["watchdogPreexisting"], false);
    let pid = started["pid"].as_i64().unwrap();
    assert!(alive(pid));

    let row = "SELECT capability, worktree_path, branch_name, task_id, run_id FROM sessions";
    let run = project.read(".overstory/current-run.txt");
    let root = project.root().display().to_string();
    assert_eq!(
        project.sql("sessions.db", row),
        [["orchestrator", &root, "main", "", &run]]
    );
    let lead = "SELECT coordinator_name, status FROM runs";
    assert_eq!(
        project.sql("sessions.db", lead),
        [["orchestrator", "active"]]
    );

    let again = project.grove(&["orchestrator", "start", "--no-attach"]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stderr.contains("already running"), "{again:?}");
    let status = project.grove(&["orchestrator", "status", "--json"]).json();
    assert_eq!(
        (&status["running"], &status["pid"]),
        (&true.into(), &pid.into())
    );

    let sent = project.grove(&["orchestrator", "send", "--body", "begin", "--json"]);
    assert_eq!(sent.json()["nudged"], true, "{sent:?}");
    let asked = project.grove(&[
        "orchestrator",
        "ask",
        "--body",
        "what is left?",
        "--timeout",
        "60",
        "--json",
    ]);
    let answer = asked.json();
    assert_eq!(
        answer["body"],
        "three tasks are left",
        "{asked:?}\n{}",
        project.report()
    );
    assert_eq!(answer["subject"], "Re: operator request");
    let read = "SELECT read FROM messages WHERE to_agent = 'operator'";
    assert_eq!(project.sql("mail.db", read), [["1"]]);

    let shown = project
        .grove(&["orchestrator", "output", "--json", "--lines", "40"])
        .json();
    let content = shown["content"].as_str().unwrap();
    assert!(
        content.contains("at your service") && content.contains("refused"),
        "{content}"
    );
    assert_eq!(shown["lines"], 40);
    assert!(
        !project.root().join("forbidden.txt").exists(),
        "it changes nothing"
    );
    assert_eq!(project.git(&["status", "--porcelain"]), before);

    let stopped = project.grove(&["orchestrator", "stop", "--json"]).json();
    assert_eq!(stopped["stopped"], true);
    assert_eq!(stopped["runCompleted"], true);
    project.wait_gone("its processes end", &[pid]);
    assert_eq!(project.state("orchestrator").as_deref(), Some("completed"));
    assert!(!project.overstory("current-run.txt").exists());
    let idle = project.grove(&["orchestrator", "status", "--json"]).json();
    assert_eq!(idle["running"], false);
    let none = project.grove(&["orchestrator", "ask", "--body", "still there?", "--json"]);
    assert_eq!(none.json()["error"], "No active orchestrator session found");
}

#[test]
fn one_that_has_died_is_said_to_be_dead_and_can_be_started_again() {
    let project = project();
    orders(&project, "orchestrator", "- hang\n");
    project.grove_ok(&["orchestrator", "start"]);
    let (host, cli) = project.pids("orchestrator").unwrap();
    for pid in [host, cli] {
        crate::support::kill_9(pid);
    }
    project.wait_gone("it is gone", &[host, cli]);
    let asked = project.grove(&["orchestrator", "ask", "--body", "x", "--timeout", "60"]);
    assert_eq!(asked.code, Some(1), "{asked:?}");
    assert!(asked.stderr.contains("process is gone"), "{asked:?}");
    assert_eq!(project.state("orchestrator").as_deref(), Some("zombie"));
    project.grove_ok(&["orchestrator", "start"]);
    assert_eq!(project.state("orchestrator").as_deref(), Some("working"));
    project.grove_ok(&["orchestrator", "stop"]);
}

#[test]
fn nobody_waits_longer_than_asked() {
    let project = project();
    orders(&project, "orchestrator", "- hang\n");
    project.grove_ok(&["orchestrator", "start"]);
    let asked = project.grove(&[
        "orchestrator",
        "ask",
        "--body",
        "x",
        "--timeout",
        "1",
        "--json",
    ]);
    let error = asked.json()["error"].as_str().unwrap().to_owned();
    assert!(
        error.starts_with("Timed out after 1s waiting for orchestrator reply"),
        "{error}"
    );
    project.grove_ok(&["orchestrator", "stop"]);
}

/// A followed output and its lines as they come.
fn followed(project: &TestProject, extra: &[&str]) -> (Child, Receiver<String>) {
    let mut command = project.command(GROVE);
    command
        .args(["orchestrator", "output", "--follow"])
        .args(extra);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            // Nobody listens any more: then the pipe is closed.
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    (child, lines)
}

fn until_line(lines: &Receiver<String>, text: &str) {
    while !lines.recv_timeout(SHORT).unwrap().contains(text) {}
}

/// The interval is a day: what is shown was not waited for.
#[test]
fn followed_output_shows_lines_as_they_come_and_ends_with_the_agent() {
    let project = project();
    let steps = "- print: first\n- wait_mail: {from: operator}\n- print: second\n- hang\n";
    orders(&project, "orchestrator", steps);
    project.grove_ok(&["orchestrator", "start"]);
    let (mut child, lines) = followed(&project, &["--interval", "86400000"]);
    until_line(&lines, "first");
    project.grove_ok(&["orchestrator", "send", "--body", "go on"]);
    until_line(&lines, "second");
    assert_eq!(child.try_wait().unwrap(), None);
    project.grove_ok(&["orchestrator", "stop"]);
    let ended = || child.try_wait().unwrap();
    let status = wait_until("it ends with the agent", SHORT, ended, || project.report());
    assert_eq!(status.code(), Some(0));
}

#[test]
fn followed_output_ends_with_its_reader_though_the_agent_is_silent() {
    let project = project();
    orders(&project, "orchestrator", "- print: first\n- hang\n");
    project.grove_ok(&["orchestrator", "start"]);
    let mut command = project.command(GROVE);
    command.args(["orchestrator", "output", "--follow"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("first") {
        assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "{line}");
    }
    drop(stdout);
    let ended = || child.try_wait().unwrap();
    let status = wait_until("it ends with its reader", SHORT, ended, || project.report());
    assert_eq!(status.code(), Some(0));
    project.grove_ok(&["orchestrator", "stop"]);
}

#[test]
fn the_loop_answers_a_question_by_itself() {
    let project = TestProject::initialised();
    let started = project.grove(&["coordinator", "start", "--json"]).json();
    assert_eq!(started["watchdog"], true, "the loop watches");
    let asked = project.grove(&["coordinator", "ask", "--body", "how are things?", "--json"]);
    let body = asked.json()["body"].as_str().unwrap_or_default().to_owned();
    assert!(body.contains("0 agents at work"), "{asked:?}");
    let output = project.grove(&["coordinator", "output"]);
    assert!(output.stderr.contains("running headless"), "{output:?}");
    let logs = project.grove_ok(&["logs", "--agent", "coordinator"]);
    assert!(logs.contains("answered operator"), "{logs}");
    let stopped = project.grove(&["coordinator", "stop", "--json"]).json();
    assert_eq!(stopped["watchdogStopped"], true);
    assert!(!project.overstory("watchdog.pid").exists());
}

#[test]
fn a_shutdown_that_a_person_asks_for_ends_the_loop_and_its_run() {
    let project = TestProject::initialised();
    project.write(
        ".overstory/config.local.yaml",
        "coordinator:\n  exitTriggers:\n    onShutdownSignal: true\n",
    );
    project.grove_ok(&["coordinator", "start"]);
    // An agent's does not count.
    let of_agent = project
        .command(GROVE)
        .env("GROVE_ACTING_FOR", "ann")
        .args(["mail", "send", "--to", "coordinator"])
        .args(["--subject", "shutdown now", "--body", "x"])
        .output()
        .unwrap();
    assert!(of_agent.status.success(), "{of_agent:?}");
    let check = project.grove(&["coordinator", "check-complete", "--json"]);
    let seen = &check.json()["triggers"]["onShutdownSignal"];
    assert_eq!(seen["met"], false, "{seen}");
    project.grove_ok(&[
        "coordinator",
        "send",
        "--subject",
        "Shutdown please",
        "--body",
        "x",
    ]);
    project.wait_for_state("coordinator", "completed", SHORT);
    wait_until(
        "the run is complete",
        SHORT,
        || (!project.overstory("current-run.txt").exists()).then_some(()),
        || project.report(),
    );
    let check = project.grove(&["coordinator", "check-complete", "--json"]);
    assert_eq!(
        check.json()["complete"],
        false,
        "one shutdown ends one coordinator"
    );
}

#[test]
fn monitor_and_supervisor_live_at_the_root_and_are_stopped() {
    let project = project();
    orders(&project, "monitor", "- print: patrol\n- hang\n");
    orders(&project, "sue", "- hang\n");
    let monitor = project.grove(&["monitor", "start", "--json"]).json();
    assert_eq!(monitor["capability"], "monitor");
    let status = project.grove(&["coordinator", "status", "--json"]).json();
    assert_eq!(status["monitorRunning"], true);
    let again = project.grove(&["monitor", "start"]);
    assert!(
        again.stderr.contains("Monitor is already running"),
        "{again:?}"
    );

    let started = project.grove(&[
        "supervisor",
        "start",
        "--task",
        "t-1",
        "--name",
        "sue",
        "--json",
    ]);
    assert!(started.stderr.contains("[DEPRECATED]"), "{started:?}");
    assert_eq!(started.json()["parent"], "coordinator", "{started:?}");
    let listed = project.grove(&["supervisor", "status", "--json"]).json();
    assert_eq!(listed["supervisors"][0]["running"], true, "{listed}");
    assert_eq!(listed["supervisors"][0]["depth"], 1);

    project.grove_ok(&["supervisor", "stop", "--name", "sue"]);
    project.grove_ok(&["monitor", "stop"]);
    let gone = project.grove(&["monitor", "status", "--json"]).json();
    assert_eq!(gone["running"], false);
    wait_until(
        "nothing of them is left",
        LONG,
        || project.processes().is_empty().then_some(()),
        || format!("{:?}", project.processes()),
    );
}

#[test]
fn discovering_starts_a_coordinator_of_its_own() {
    let project = project();
    orders(&project, "discover-coordinator", "- hang\n");
    let started = project.grove(&["discover", "--skip", "apis", "--no-attach", "--json"]);
    let started = started.json();
    assert_eq!(started["command"], "coordinator start");
    assert_eq!(started["agentName"], "discover-coordinator");
    let row = "SELECT capability FROM sessions WHERE agent_name = 'discover-coordinator'";
    assert_eq!(project.sql("sessions.db", row), [["coordinator"]]);
    project.grove_ok(&["stop", "discover-coordinator"]);
}

#[test]
fn stopping_ends_the_run_when_the_last_who_coordinates_goes() {
    let project = project();
    orders(&project, "orchestrator", "- hang\n");
    orders(&project, "discover-coordinator", "- hang\n");
    project.grove_ok(&["orchestrator", "start"]);
    project.grove_ok(&["discover", "--no-attach"]);
    let run = project.read(".overstory/current-run.txt");
    let status = project.grove(&["coordinator", "status", "--json"]).json();
    assert_eq!(status["running"], true, "{status}");
    let stopped = project.grove(&["orchestrator", "stop", "--json"]).json();
    assert_eq!(stopped["runCompleted"], false, "{stopped}");
    assert_eq!(project.read(".overstory/current-run.txt"), run);

    let sent = project.grove(&["coordinator", "send", "--body", "hurry", "--json"]);
    let mail = "SELECT to_agent FROM messages WHERE from_agent = 'operator'";
    assert_eq!(
        project.sql("mail.db", mail),
        [["discover-coordinator"]],
        "{sent:?}"
    );
    let stopped = project.grove(&["coordinator", "stop", "--json"]).json();
    assert_eq!(stopped["runCompleted"], true, "{stopped}");
    assert_eq!(
        project.state("discover-coordinator").as_deref(),
        Some("completed")
    );
    assert!(!project.overstory("current-run.txt").exists());
    let none = project.grove(&["coordinator", "stop", "--json"]).json();
    assert_eq!(none["error"], "No active coordinator session found");
}

#[test]
fn a_monitor_that_is_switched_off_and_a_dashboard_without_a_terminal_say_so() {
    let project = TestProject::initialised();
    let monitor = project.grove(&["monitor", "start"]);
    assert!(monitor.stderr.contains("tier2Enabled"), "{monitor:?}");
    let interval = project.grove(&["dashboard", "--interval", "100"]);
    assert!(
        interval
            .stderr
            .contains("--interval must be a number >= 500"),
        "{interval:?}"
    );
    let screen = project.grove(&["dashboard", "--all"]);
    assert!(screen.stderr.contains("needs a terminal"), "{screen:?}");
}
