//! Completion in real shells: what TAB makes of a line. Shells that are not installed are left out.

use crate::support::{Finished, SHORT, ScreenProcess, TestProject, wait_until};
use grove::db::{MailStore, SessionStore};
use grove::platform::ProjectPaths;
use grove::types::mail::{MailType, NewMail};
use grove::types::{AgentSession, AgentState};
use std::collections::BTreeMap;
use std::path::Path;

/// A project with two agents, a run, a group, tasks, a message and branches.
fn project() -> (TestProject, String) {
    let project = TestProject::initialised();
    let paths = ProjectPaths::new(project.root());
    let sessions = SessionStore::open(&paths.sessions_db()).unwrap();
    for (name, state) in [
        ("builder-done", AgentState::Completed),
        ("builder-auth", AgentState::Working),
        ("scout-docs", AgentState::Working),
    ] {
        let at = "2026-03-01T00:00:00.000Z".to_owned();
        let session = AgentSession {
            id: format!("session-1-{name}"),
            agent_name: name.to_owned(),
            capability: "builder".to_owned(),
            worktree_path: "/w".to_owned(),
            branch_name: format!("overstory/{name}/t-1"),
            task_id: "t-1".to_owned(),
            tmux_session: String::new(),
            state,
            pid: None,
            parent_agent: None,
            depth: 0,
            run_id: None,
            started_at: at.clone(),
            last_activity: at,
            escalation_level: 0,
            stalled_since: None,
            transcript_path: None,
            prompt_version: None,
            claude_session_id: None,
        };
        sessions.upsert(&session).unwrap();
    }
    sessions
        .insert_run("run-2026-03-01", "2026-03-01T00:00:00.000Z")
        .unwrap();
    project.write(
        ".seeds/issues.jsonl",
        "{\"id\":\"sd-1\",\"title\":\"Login\",\"status\":\"open\"}\n{\"id\":\"sd-2\",\"title\":\"Old\",\"status\":\"closed\"}\n",
    );
    project.grove_ok(&[
        "group",
        "create",
        "first steps",
        "sd-1",
        "--skip-validation",
    ]);
    project.git(&["branch", "overstory/builder-auth/t-1"]);
    let mail = MailStore::open(&paths.mail_db()).unwrap();
    let mail = mail
        .insert(&NewMail::new("a", "b", MailType::Status, "hello", "x"))
        .unwrap();
    (project, mail.id)
}

fn installed(shell: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|dir| dir.join(shell).is_file());
    if !found {
        crate::support::skipped(format!("{shell} is not installed"));
    }
    found
}

/// Asks as the scripts do; the last word is at the cursor.
fn ask(project: &TestProject, words: &[&str]) -> Vec<String> {
    let done = question(project, words);
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert!(done.stderr.is_empty(), "{done:#?}");
    let lines = done.stdout.lines();
    lines
        .map(|l| l.split('\t').next().unwrap().to_owned())
        .collect()
}

fn question(project: &TestProject, words: &[&str]) -> Finished {
    let index = words.len().to_string();
    let args = [&["__complete", "fish", &index, "grove"], words].concat();
    project.grove(&args)
}

#[test]
fn values_come_from_the_stores() {
    let (project, mail) = project();
    let agents = ask(&project, &["inspect", ""]);
    assert_eq!(agents.len(), 3);
    assert_eq!(agents[2], "builder-done", "who is at work comes first");
    assert_eq!(ask(&project, &["nudge", "sc"]), ["scout-docs"]);
    assert_eq!(
        ask(&project, &["logs", "--agent", "builder-a"]),
        ["builder-auth"]
    );
    assert_eq!(
        ask(&project, &["mail", "send", "--to", "@bu"]),
        ["@builder", "@builders"]
    );
    assert_eq!(ask(&project, &["run", "show", ""]), ["run-2026-03-01"]);
    assert_eq!(
        ask(&project, &["costs", "--run=r"]),
        ["--run=run-2026-03-01"]
    );
    assert_eq!(ask(&project, &["group", "status", "f"]), ["first steps"]);
    assert_eq!(ask(&project, &["sling", "s"]), ["sd-1"]);
    assert_eq!(ask(&project, &["group", "add", "x", "a", "t"]), ["t-1"]);
    assert_eq!(ask(&project, &["trace", "sd"]), ["sd-1"]);
    assert_eq!(ask(&project, &["mail", "reply", "msg"]), [mail]);
    assert_eq!(
        ask(&project, &["merge", "--branch", ""]),
        ["overstory/builder-auth/t-1"]
    );
    assert_eq!(ask(&project, &["merge", "--into", "m"]), ["main"]);
    let siblings = ask(&project, &["sling", "t", "--siblings", "a,sc"]);
    assert_eq!(siblings, ["a,scout-docs"]);
    // Also from elsewhere.
    let root = project.root();
    let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
    command.args(["__complete", "zsh", "5", "grove", "--project"]);
    command.arg(&root).args(["run", "show", ""]);
    let output = command.current_dir(project.home()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("run-2026-03-01"), "{output:?}");
}

/// Every file below a folder with its bytes.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            let bytes = std::fs::read(&path).unwrap();
            found.insert(path.to_string_lossy().into_owned(), bytes);
        }
    }
    found
}

#[test]
fn asking_changes_nothing_and_never_complains() {
    let (project, _) = project();
    let before = contents(&project.overstory(""));
    for words in [
        &["inspect", ""][..],
        &["mail", "read", ""],
        &["merge", "--branch", ""],
        &["group", "status", ""],
        &["", "x", "--", ""],
        &[],
    ] {
        assert_eq!(question(&project, words).code, Some(0), "{words:?}");
    }
    assert_eq!(contents(&project.overstory("")), before);

    project.write(".overstory/sessions.db", "no database");
    project.write(".overstory/config.yaml", "{{{");
    project.write(".overstory/groups.json", "[");
    project.write(".seeds/issues.jsonl", "\0\0\n[]\n{\"id\":7}\n");
    for words in [
        &["inspect", ""][..],
        &["group", "status", ""],
        &["sling", ""],
    ] {
        assert!(ask(&project, words).is_empty(), "{words:?}");
    }
    let empty = TestProject::bare_folder();
    assert!(ask(&empty, &["inspect", ""]).is_empty());
    assert_eq!(std::fs::read_dir(empty.root()).unwrap().count(), 0);
    for args in [
        &["__complete"][..],
        &["__complete", "x", "y", "z"],
        &["__complete", "bash", "99"],
    ] {
        let done = empty.grove(args);
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{args:?}");
    }
}

/// A shell in a terminal in which the completion is loaded.
fn shell(project: &TestProject, program: &str, args: &[&str], setup: &[&str]) -> ScreenProcess {
    let shell = ScreenProcess::run(project, program, args, 100, 30);
    for line in setup {
        shell.type_keys(&format!("{line}\r"));
    }
    // Written so that the echo of the line is not the answer yet.
    shell.type_keys("echo rea''dy\r");
    wait_until(
        &format!("{program} is ready"),
        SHORT,
        || {
            shell
                .text()
                .lines()
                .any(|l| l.trim() == "ready")
                .then_some(())
        },
        || shell.text(),
    );
    shell
}

/// Types a line with TABs and waits until the screen shows what it should become.
fn becomes(shell: &ScreenProcess, typed: &str, wanted: &str) {
    shell.type_keys(typed);
    wait_until(
        &format!("{typed:?} becomes {wanted:?}"),
        SHORT,
        || shell.shows(wanted).then_some(()),
        || shell.text(),
    );
    // Ctrl-U empties the line.
    shell.type_keys("\x15");
}

fn tries(shell: &ScreenProcess, mail: &str) {
    becomes(shell, "grove stat\t", "grove status");
    becomes(
        shell,
        "grove mail send --to builder-a\t",
        "--to builder-auth",
    );
    becomes(shell, "grove run show \t", "grove run show run-2026-03-01");
    becomes(shell, "grove mail send --priority u\t", "--priority urgent");
    becomes(
        shell,
        "grove mail read m\t",
        &format!("grove mail read {mail}"),
    );
    becomes(
        shell,
        "grove group status f\t",
        r"grove group status first\ steps",
    );
    becomes(
        shell,
        "grove merge --branch \t",
        "--branch overstory/builder-auth/t-1",
    );
    becomes(shell, "grove sling t-1 --spec REA\t", "--spec README.md");
}

#[test]
fn tab_completes_in_bash() {
    if !installed("bash") {
        return;
    }
    let (project, mail) = project();
    let args = ["--norc", "--noprofile", "-i"];
    let shell = shell(
        &project,
        "bash",
        &args,
        &["PS1='$ '; source <(grove completions bash)"],
    );
    tries(&shell, &mail);
    becomes(
        &shell,
        "grove mail send --priority=u\t",
        "--priority=urgent",
    );
    becomes(&shell, "grove mail re\t\t", "read   reply");
}

#[test]
fn tab_between_quotes_puts_no_backslash_into_a_name_in_bash() {
    if !installed("bash") {
        return;
    }
    let (project, _) = project();
    let args = ["--norc", "--noprofile", "-i"];
    let setup = ["PS1='$ '; source <(grove completions bash)"];
    let shell = shell(&project, "bash", &args, &setup);
    becomes(
        &shell,
        "grove group status 'f\t",
        "grove group status 'first steps'",
    );
    becomes(&shell, "grove group list \"f\t", "grove group list \"f");
    becomes(
        &shell,
        "grove group status \"f\t",
        "grove group status \"first steps\"",
    );
}

#[test]
fn tab_completes_in_zsh() {
    if !installed("zsh") {
        return;
    }
    let (project, mail) = project();
    let setup = [
        "PS1='$ '; autoload -U compinit; compinit -u",
        "source <(grove completions zsh)",
    ];
    let shell = shell(&project, "zsh", &["-f", "-i"], &setup);
    tries(&shell, &mail);
    becomes(
        &shell,
        "grove mail send --priority=u\t",
        "--priority=urgent",
    );
    becomes(
        &shell,
        "grove inspect \t",
        "scout-docs  -- builder, working",
    );
    becomes(
        &shell,
        "grove group status \"f\t",
        "grove group status \"first steps\"",
    );
}

#[test]
fn tab_completes_in_fish() {
    if !installed("fish") {
        return;
    }
    let (project, mail) = project();
    let shell = shell(
        &project,
        "fish",
        &["--no-config", "-i"],
        &["grove completions fish | source"],
    );
    tries(&shell, &mail);
    becomes(
        &shell,
        "grove mail send --priority=u\t",
        "--priority=urgent",
    );
    becomes(&shell, "grove inspect \t", "scout-docs");
}

#[test]
fn every_script_is_printed_and_asks_grove() {
    let project = TestProject::initialised();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = project.grove_ok(&["completions", shell]);
        assert!(script.contains(&format!("__complete {shell}")), "{script}");
    }
}

#[test]
fn words_that_are_fixed_are_offered() {
    let project = TestProject::initialised();
    let ask = |words: &[&str]| ask(&project, words);
    assert_eq!(ask(&["log", ""]), ["tool-start", "tool-end", "session-end"]);
    assert_eq!(ask(&["init", "--tools", "se"]), ["seeds"]);
    assert_eq!(ask(&["init", "--tools", "mulch,s"]), ["mulch,seeds"]);
    assert_eq!(ask(&["discover", "--skip", "apis,im"]), ["apis,implicit"]);
}
