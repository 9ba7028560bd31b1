//! The watchdog: one process watches, silence goes through its stages, and whoever is given up
//! leaves its work behind.

use crate::support::{LONG, SHORT, TestProject, alive, kill_9, wait_until};

/// A project in which silence counts quickly.
fn impatient() -> TestProject {
    let project = TestProject::initialised();
    project.write(
        ".overstory/config.local.yaml",
        "watchdog:\n  staleThresholdMs: 600\n  zombieThresholdMs: 60000\n  nudgeIntervalMs: 400\n",
    );
    project
}

fn pid_file(project: &TestProject) -> Option<i64> {
    project.read(".overstory/watchdog.pid").trim().parse().ok()
}

/// Starts the watchdog in the background; gives its pid.
fn watch(project: &TestProject) -> i64 {
    let started = project.grove(&["watch", "--background", "--interval", "500", "--json"]);
    assert_eq!(started.code, Some(0), "{started:?}");
    started.json()["pid"].as_i64().unwrap()
}

#[test]
fn a_pid_file_that_names_nobody_keeps_no_watchdog_out() {
    let project = TestProject::initialised();
    for content in ["abc", "12x", "0", "", "\0", "99999999999999"] {
        project.write(".overstory/watchdog.pid", content);
        let started = project.grove(&["watch", "--background", "--kill-others"]);
        assert_eq!(started.code, Some(0), "{content:?}: {started:?}");
        assert!(started.stderr.contains("names no process"), "{started:?}");
        let pid = pid_file(&project).unwrap();
        assert!(alive(pid), "{content:?}");
        kill_9(pid);
    }
    project.write(".overstory/watchdog.pid", "abc");
    let started = project.grove(&["coordinator", "start", "--json"]);
    assert!(started.stderr.contains("names no process"), "{started:?}");
    assert_eq!(started.json()["watchdog"], true, "{started:?}");
    project.grove_ok(&["coordinator", "stop"]);
}

#[test]
fn one_watchdog_at_a_time_and_a_killed_one_is_replaced() {
    let project = TestProject::initialised();
    let first = watch(&project);
    assert_eq!(pid_file(&project), Some(first));
    let second = project.grove(&["watch", "--background", "--json"]);
    assert_eq!(second.code, Some(1), "{second:?}");
    let told = second.json();
    assert_eq!(
        (&told["success"], &told["running"], &told["pid"]),
        (&true.into(), &true.into(), &first.into())
    );

    kill_9(first);
    project.wait_gone("it is gone", &[first]);
    assert_eq!(pid_file(&project), Some(first), "what it leaves is stale");
    let third = watch(&project);
    assert_eq!(pid_file(&project), Some(third));

    let killing = project.grove(&["watch", "--background", "--kill-others", "--json"]);
    let lines: Vec<serde_json::Value> = killing
        .stdout
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(lines[0]["killed"][0], third);
    assert_eq!(pid_file(&project), lines[1]["pid"].as_i64());
    assert!(!alive(third));
}

#[test]
fn the_loop_leaves_watching_to_a_watchdog_that_is_there_and_takes_it_over() {
    let project = TestProject::initialised();
    let dog = watch(&project);
    let refused = project.grove(&["coordinator", "start"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.stderr.contains("--accept-existing-watchdog"),
        "{refused:?}"
    );
    let started = project.grove(&["coordinator", "start", "--watchdog", "--json"]);
    let started = started.json();
    assert_eq!(started["watchdogPreexisting"], true);
    assert_eq!(pid_file(&project), Some(dog));
    kill_9(dog);
    // Any change wakes the loop, which then sees that nobody watches.
    let pid = started["pid"].as_i64();
    wait_until(
        "the loop watches",
        SHORT,
        || {
            project.grove(&["mail", "send", "--to", "x", "--subject", "s", "--body", "b"]);
            (pid_file(&project) == pid).then_some(())
        },
        || project.report(),
    );
    let watch = project.grove(&["watch", "--kill-others"]);
    assert_eq!(
        watch.code,
        Some(1),
        "the loop is not a watchdog to kill: {watch:?}"
    );
    project.grove_ok(&["coordinator", "stop"]);
}

/// Levels at which something was done about an agent, as recorded.
fn levels(project: &TestProject, agent: &str) -> Vec<String> {
    let query = format!(
        "SELECT DISTINCT json_extract(data, '$.type') || json_extract(data, '$.escalationLevel') FROM events \
         WHERE agent_name = '{agent}' AND json_extract(data, '$.escalationLevel') IS NOT NULL ORDER BY id"
    );
    project
        .sql("events.db", &query)
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn an_agent_whose_work_is_too_large_to_be_saved_is_given_up_and_told_so() {
    let project = impatient();
    project.sling("ann", "- run: \"truncate -s 3G huge.bin\"\n- hang\n");
    let (host, cli) = project.pids("ann").unwrap();
    watch(&project);
    project.wait_for_state("ann", "zombie", LONG);
    project.wait_gone("nothing of it runs", &[host, cli]);
    let body = wait_until(
        "its death is reported",
        SHORT,
        || {
            let query = "SELECT body FROM messages WHERE type = 'worker_died'";
            project.sql("mail.db", query).pop()?.pop()
        },
        || project.report(),
    );
    assert!(body.contains("in the worktree only"), "{body}");
    assert!(body.contains("huge.bin"), "{body}");
    assert!(project.overstory("worktrees/ann/huge.bin").exists());
}

#[test]
fn an_agent_that_stays_silent_is_given_up_with_its_work_saved() {
    let project = impatient();
    project.grove_ok(&["init", "--tools", "mulch"]);
    project.sling(
        "ann",
        "- write: {path: half.txt, content: \"half done\\n\"}\n- hang\n",
    );
    let (host, cli) = project.pids("ann").unwrap();
    watch(&project);
    project.wait_for_state("ann", "zombie", LONG);
    project.wait_gone("nothing of it runs", &[host, cli]);
    let mail = wait_until(
        "its death is reported",
        SHORT,
        || project.mail("ann", "worker_died").pop(),
        || project.report(),
    );
    assert_eq!(mail, "[WATCHDOG] worker_died: ann");
    let body = project.sql(
        "mail.db",
        "SELECT body FROM messages WHERE type = 'worker_died'",
    );
    assert!(body[0][0].contains("given up after"), "{body:?}");
    let remembered = wait_until(
        "its death is remembered",
        SHORT,
        || std::fs::read_to_string(project.root().join(".mulch/expertise/agents.jsonl")).ok(),
        || project.report(),
    );
    let record: serde_json::Value = serde_json::from_str(remembered.trim()).unwrap();
    assert_eq!(record["type"], "failure");
    assert_eq!(
        record["tags"],
        serde_json::json!(["watchdog", "auto-recorded"])
    );
    assert_eq!(record["evidence"]["bead"], "t-ann");
    let what = record["description"].as_str().unwrap();
    assert!(
        what.starts_with("Agent ann (builder) on task t-ann died: given up after"),
        "{what}"
    );
    assert_eq!(
        levels(&project, "ann"),
        ["escalation0", "nudge1", "nudge2", "escalation3"]
    );
    let saved = project.git(&[
        "for-each-ref",
        "--format=%(refname)",
        "refs/grove/saved/ann",
    ]);
    let first = saved.lines().next().unwrap_or_default();
    assert_eq!(
        project.git(&["show", &format!("{first}:half.txt")]),
        "half done"
    );
    assert_eq!(
        project.read(".overstory/worktrees/ann/half.txt"),
        "half done\n"
    );
}

#[test]
fn a_nudge_that_helps_ends_the_silence() {
    let project = impatient();
    project.sling(
        "ann",
        "- stall\n- write: {path: on.txt, content: x}\n- wait_mail: {type: question}\n",
    );
    watch(&project);
    let on = project.overstory("worktrees/ann/on.txt");
    wait_until(
        "it goes on",
        LONG,
        || on.exists().then_some(()),
        || project.report(),
    );
    project.wait_for_state("ann", "working", SHORT);
    let level = "SELECT escalation_level FROM sessions WHERE agent_name = 'ann'";
    wait_until(
        "the silence is forgotten",
        SHORT,
        || (project.sql("sessions.db", level) == [["0"]]).then_some(()),
        || project.report(),
    );
    assert!(project.mail("ann", "worker_died").is_empty());
}

#[test]
fn who_asks_a_person_or_runs_a_tool_is_not_silent() {
    let project = impatient();
    let gate = project.beside().join("go");
    project.sling("ann", "- ask: \"which one?\"\n");
    project.sling(
        "ben",
        &format!(
            "- run: \"until [ -e {} ]; do sleep 0.05; done\"\n- hang\n",
            gate.display()
        ),
    );
    project.sling("cat", "- hang\n");
    watch(&project);
    // When the third is given up, the others have been silent for as long.
    project.wait_for_state("cat", "zombie", LONG);
    for name in ["ann", "ben"] {
        assert_eq!(levels(&project, name), Vec::<String>::new(), "{name}");
        assert_eq!(project.state(name).as_deref(), Some("working"), "{name}");
    }
}

#[test]
fn a_model_is_asked_before_an_agent_is_given_up_where_the_project_wants_it() {
    let mut project = impatient();
    project.write(
        ".overstory/config.local.yaml",
        "watchdog:\n  staleThresholdMs: 600\n  zombieThresholdMs: 60000\n  nudgeIntervalMs: 400\n  tier0IntervalMs: 30000\n  \
         tier1Enabled: true\n  triageTimeoutMs: 20000\n\
         providers:\n  mine:\n    type: gateway\n    baseUrl: http://127.0.0.1:9\n    authTokenEnv: MY_TOKEN\n\
         models:\n  merger: mine/big\n",
    );
    project.set_env("MY_TOKEN", "t0");
    // Asked as agents are: through the project's gateway.
    project.install_script(
        "claude",
        "[ \"$ANTHROPIC_BASE_URL $ANTHROPIC_AUTH_TOKEN\" = 'http://127.0.0.1:9 t0' ] && echo terminate",
    );
    project.sling("ann", "- print: \"error: out of ideas\"\n- hang\n");
    watch(&project);
    project.wait_for_state("ann", "zombie", LONG);
    let triage = "SELECT json_extract(data, '$.verdict') FROM events WHERE json_extract(data, '$.type') = 'triage'";
    assert_eq!(project.sql("events.db", triage), [["terminate"]]);
}

#[test]
fn the_end_of_a_run_is_told_once() {
    let project = TestProject::initialised();
    project.sling(
        "ann",
        "- write: {path: a.txt, content: a}\n- commit: Add\n- done: added\n",
    );
    project.grove_ok(&["coordinator", "start"]);
    let told = "SELECT level FROM events WHERE agent_name = 'watchdog' AND json_extract(data, '$.type') = 'run_complete'";
    wait_until(
        "it is told",
        LONG,
        || (!project.sql("events.db", told).is_empty()).then_some(()),
        || project.report(),
    );
    let run = project.read(".overstory/current-run.txt");
    assert_eq!(project.read(".overstory/run-complete-notified.txt"), run);
    let nudge = project.read(".overstory/pending-nudges/coordinator.json");
    assert!(nudge.contains("run_complete"), "{nudge}");
    project.grove_ok(&["coordinator", "ask", "--body", "anything new?"]);
    assert_eq!(project.sql("events.db", told), [["info"]]);
    project.grove_ok(&["coordinator", "stop"]);
}

#[test]
fn an_agent_of_the_other_program_that_is_gone_is_reported() {
    let project = TestProject::initialised();
    watch(&project);
    project.record_theirs();
    project.wait_for_state("theirs", "zombie", SHORT);
    let to = "SELECT to_agent FROM messages WHERE type = 'worker_died'";
    wait_until(
        "its parent is told",
        SHORT,
        || (project.sql("mail.db", to) == [["boss"]]).then_some(()),
        || project.report(),
    );
}
