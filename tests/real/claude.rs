//! Two builders, one in a terminal and one over pipes, from an empty repository to `main`.

use crate::support::{LONG, MockModel, SHORT, ScreenProcess, TestProject, alive, wait_until};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

const KEY: &str = "sk-test-dummy-0123456789abcdefghij";
/// The agent in a terminal.
const ANN: &str = "builder-ann";
/// The agent over pipes.
const BEN: &str = "builder-ben";
/// The turn in which the agents wait for this test.
const STANDS_BY: i64 = 3;

/// What the model says: the same for both, told apart by the name in the first message.
fn scenario(project: &TestProject) -> Value {
    let bash = |text: &str, command: &str| json!({"text": text, "tools": [{"name": "bash", "args": {"command": command}}]});
    let write = |text: &str, path: &str| {
        let args = json!({"path": path, "content": "written by {{agent}}\n"});
        json!({"text": text, "tools": [{"name": "write_file", "args": args}]})
    };
    json!({
        "vars": {"root": project.root(), "gate": project.beside()},
        "agents": [{
            "name": "builder",
            "match": {"any_user": "\\[OVERSTORY\\] (?P<agent>builder-[a-z]+)"},
            "turns": [
                write("Writing my file.", "{{cwd}}/{{agent}}.txt"),
                write("Trying the main checkout.", "{{root}}/outside-{{agent}}.txt"),
                bash("Trying to push.", "git push origin HEAD"),
                bash(
                    "Standing by {{agent}}",
                    "until [ -e {{gate}}/go-{{agent}} ]; do sleep 0.1; done; echo released",
                ),
                bash("Committing.", "git add {{agent}}.txt && git commit -q -m 'Add {{agent}}.txt'"),
                bash(
                    "Reporting.",
                    "grove mail send --to orchestrator --type worker_done \
                     --subject 'Done: {{agent}}' --body 'One file added.'",
                ),
                {"text": "Finished {{agent}}."},
            ],
            "after": "text",
            "after_text": "Nothing left to do.",
        }],
    })
}

/// The path of the CLI that `scripts/install-claude` has printed.
pub(crate) fn claude() -> PathBuf {
    if let Some(path) = std::env::var_os("GROVE_TEST_CLAUDE") {
        return PathBuf::from(path);
    }
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scripts/install-claude");
    let output = Command::new(script).output().unwrap();
    assert!(output.status.success(), "scripts/install-claude failed");
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

/// A fresh repository with a remote, the CLI on its PATH, and the model server.
fn prepare() -> (TestProject, MockModel) {
    prepare_with(scenario)
}

/// The same for another scenario.
pub(crate) fn prepare_with(
    scenario: impl FnOnce(&TestProject) -> Value,
) -> (TestProject, MockModel) {
    let mut project = TestProject::new();
    let remote = project.home().join("remote.git");
    project.git(&["init", "-q", "--bare", remote.to_str().unwrap()]);
    project.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    project.git(&["push", "-q", "origin", "main"]);
    project.install(&claude(), "claude");
    let model = MockModel::start(&scenario(&project));
    for (name, value) in [
        ("ANTHROPIC_BASE_URL", model.url()),
        ("ANTHROPIC_API_KEY", KEY),
        ("DISABLE_AUTOUPDATER", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ] {
        project.set_env(name, value);
    }
    (project, model)
}

#[test]
#[ignore = "needs npm"]
fn two_builders_work_are_watched_told_refused_and_landed() {
    let (project, model) = prepare();
    let report = || format!("{}\n{}", project.report(), model.report());
    project.grove_ok(&["init", "--yes"]);

    project.grove_ok(&["sling", "t-1", "--name", ANN, "--pty"]);
    project.grove_ok(&["sling", "t-2", "--name", BEN, "--headless"]);
    let modes = "SELECT agent, mode FROM hosts ORDER BY agent";
    assert_eq!(
        project.sql("grove.db", modes),
        [[ANN, "pty"], [BEN, "stream"]]
    );
    let mut screen = ScreenProcess::start(&project, &[]);

    // Both have come to the command that waits: they work, and nothing but this test goes on.
    for agent in [ANN, BEN] {
        wait_until(
            &format!("{agent} stands by"),
            LONG,
            || reached(&model, agent, STANDS_BY).then_some(()),
            report,
        );
        refused_with_a_reason(&project, &model, agent);
    }
    both_panes_are_live(&screen, &report);

    // Killing the screen changes nothing for the agents.
    let before = [ANN, BEN].map(|agent| project.pids(agent).expect(agent));
    screen.kill_9();
    let word = |agent: &str| format!("the password is swordfish-{agent}");
    for agent in [ANN, BEN] {
        let (subject, body) = ("A word", word(agent));
        project.grove_ok(&[
            "mail",
            "send",
            "--to",
            agent,
            "--subject",
            subject,
            "--body",
            &body,
        ]);
    }
    for (host, cli) in before {
        assert!(
            alive(host) && alive(cli),
            "an agent died with the screen\n{}",
            report()
        );
    }
    assert_eq!([ANN, BEN].map(|agent| project.pids(agent).unwrap()), before);
    let mut screen = ScreenProcess::start(&project, &[]);
    both_panes_are_live(&screen, &report);

    for agent in [ANN, BEN] {
        std::fs::write(project.beside().join(format!("go-{agent}")), "").unwrap();
    }
    for agent in [ANN, BEN] {
        // The mail came while the agent worked, and the model has seen it.
        wait_until(
            &format!("the mail to {agent} reaches the model"),
            LONG,
            || (!model.bodies_with(agent, &word(agent)).is_empty()).then_some(()),
            report,
        );
        wait_until(
            &format!("{agent} reports its work"),
            LONG,
            || (project.mail(agent, "worker_done") == [format!("Done: {agent}")]).then_some(()),
            report,
        );
        wait_until(
            &format!("{agent}'s branch lands on main"),
            LONG,
            || {
                project
                    .has_revision(&format!("main:{agent}.txt"))
                    .then_some(())
            },
            report,
        );
        project.wait_for_state(agent, "completed", LONG);
    }
    everything_is_accounted_for(&project, &model);

    // Asked to leave, the screen leaves the terminal as it was.
    screen.type_keys("q");
    leave(&mut screen, &report);
}

/// Whether the model has given this agent a turn of the scenario.
fn reached(model: &MockModel, agent: &str, turn: i64) -> bool {
    model.requests_of(agent).iter().any(|r| r["turn"] == turn)
}

/// The write outside and the push were refused, and the model was told why.
fn refused_with_a_reason(project: &TestProject, model: &MockModel, agent: &str) {
    let results = model.tool_results(agent);
    assert_eq!(
        results.len(),
        3,
        "{agent}: {results:#?}\n{}",
        model.report()
    );
    assert!(
        !results[0].is_error,
        "{agent} could not write its own file: {:?}",
        results[0]
    );
    for (result, why) in [(&results[1], "worktree"), (&results[2], "push")] {
        assert!(result.is_error, "{agent} was not refused: {result:?}");
        assert!(
            result.text.contains("grove:") && result.text.contains(why),
            "{agent} was not told about the {why}: {result:?}"
        );
    }
    assert!(!project.root().join(format!("outside-{agent}.txt")).exists());
    let query = format!(
        "SELECT data FROM events WHERE agent_name = '{agent}' AND data LIKE '%guard_refused%'"
    );
    assert_eq!(
        project.sql("events.db", &query).len(),
        2,
        "{agent}: {}",
        project.report()
    );
}

/// Each pane shows the command that its agent runs just now.
fn both_panes_are_live(screen: &ScreenProcess, report: &dyn Fn() -> String) {
    for agent in [ANN, BEN] {
        screen.wait_for(&format!("/go-{agent} ]"), SHORT, report);
    }
}

/// Git, the databases and the model's log agree about what has happened.
fn everything_is_accounted_for(project: &TestProject, model: &MockModel) {
    for agent in [ANN, BEN] {
        let file = format!("{agent}.txt");
        assert_eq!(
            project.git(&["show", &format!("main:{file}")]),
            format!("written by {agent}")
        );
        assert_eq!(
            project.read(&file),
            format!("written by {agent}\n"),
            "the checkout follows"
        );
        let query = format!(
            "SELECT status FROM merge_queue WHERE agent_name = '{agent}' ORDER BY id DESC LIMIT 1"
        );
        assert_eq!(project.sql("merge-queue.db", &query), [["merged"]]);
        let query =
            format!("SELECT read FROM messages WHERE to_agent = '{agent}' AND subject = 'A word'");
        assert_eq!(
            project.sql("mail.db", &query),
            [["1"]],
            "delivered mail counts as read"
        );
    }
    let remote = project.home().join("remote.git");
    let refs = project.git_in(&remote, &["for-each-ref", "--format=%(refname)"]);
    assert_eq!(refs, "refs/heads/main", "nothing was pushed");
    let first = project.git(&["rev-list", "--max-parents=0", "main"]);
    assert_eq!(project.git_in(&remote, &["rev-parse", "main"]), first);
    assert_eq!(
        project.git(&["status", "--porcelain", "--untracked-files=no"]),
        "",
        "the user's checkout is clean"
    );
    let expected = [
        "answered",
        "side call",
        "count_tokens",
        "side channel",
        "models",
    ];
    let other: Vec<Value> = model
        .requests()
        .into_iter()
        .filter(|r| !expected.contains(&r["outcome"].as_str().unwrap_or_default()))
        .collect();
    assert!(other.is_empty(), "{other:#?}");
}

fn leave(screen: &mut ScreenProcess, report: &dyn Fn() -> String) {
    let code = screen.wait_exit(SHORT);
    assert_eq!(code, 0, "{}", report());
    screen.wait_left(SHORT);
}
