//! `task`: a project's tasks without any other program, and the files that `sd` has written.

use crate::support::TestProject;
use serde_json::{Value, json};

/// A project with the tasks that `sd` 0.5.13 has recorded.
fn recorded(issues: &str) -> TestProject {
    let project = TestProject::initialised();
    project.write(
        ".seeds/config.yaml",
        include_str!("recorded/seeds-config.yaml"),
    );
    project.write(".seeds/issues.jsonl", issues);
    project
}

fn json_of(project: &TestProject, args: &[&str]) -> Value {
    let all: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let done = project.grove(&all);
    assert_eq!(done.code, Some(0), "{all:?}: {done:#?}");
    done.json()
}

fn ids(answer: &Value) -> Vec<&str> {
    let issues = answer["issues"].as_array().unwrap();
    issues.iter().map(|i| i["id"].as_str().unwrap()).collect()
}

const BEFORE: &str = include_str!("recorded/issues.jsonl");
const AFTER: &str = include_str!("recorded/issues-closed.jsonl");

#[test]
fn what_sd_has_written_is_read_as_sd_reads_it() {
    let project = recorded(BEFORE);
    assert_eq!(ids(&json_of(&project, &["task", "ready"])), ["app-7a32"]);
    let list = json_of(&project, &["task", "list", "--all"]);
    assert_eq!(
        ids(&list),
        ["app-0f94", "app-cc42", "app-f25a", "app-a24f", "app-7a32"]
    );
    let stored: Vec<Value> = BEFORE
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for issue in list["issues"].as_array().unwrap() {
        assert!(stored.contains(issue), "{issue}");
    }
    let put_off = json_of(&project, &["task", "ready", "--respect-schedule"]);
    assert!(ids(&put_off).is_empty());
    assert_eq!(project.read(".seeds/issues.jsonl"), BEFORE);
}

/// The times of the change, which are the only difference.
fn without_times(text: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| {
        let mut issue: Value = serde_json::from_str(line).unwrap();
        let fields = issue.as_object_mut().unwrap();
        let order: Vec<String> = fields.keys().cloned().collect();
        fields.remove("updatedAt");
        fields.remove("closedAt");
        fields.insert("order".into(), order.into());
        issue
    });
    lines.collect()
}

#[test]
fn closing_writes_what_sd_writes() {
    let project = recorded(BEFORE);
    project.grove_ok(&["task", "close", "app-0f94"]);
    let now = project.read(".seeds/issues.jsonl");
    assert_eq!(without_times(&now), without_times(AFTER));
    assert_eq!(
        ids(&json_of(&project, &["task", "ready"])),
        ["app-cc42", "app-7a32"]
    );
    // Lines that did not change kept their bytes.
    assert!(now.contains(BEFORE.lines().nth(3).unwrap()));
}

#[test]
fn the_first_task_starts_the_files_and_nothing_does_before() {
    let project = TestProject::initialised();
    let done = project.grove(&["task", "list"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(done.stderr.contains("grove task create"), "{done:#?}");
    assert!(!project.root().join(".seeds").exists());
    let first = json_of(&project, &["task", "create", "First", "--priority", "P1"]);
    let first = first["id"].as_str().unwrap().to_owned();
    assert!(first.starts_with("repo-"), "{first}");
    assert!(
        project
            .read(".gitattributes")
            .contains(".seeds/issues.jsonl merge=union")
    );
    let second = json_of(
        &project,
        &[
            "task",
            "create",
            "--title",
            "Second",
            "--depends-on",
            &first,
            "--labels",
            "A,b",
        ],
    );
    assert_eq!(second["issue"]["labels"], json!(["a", "b"]));
    let second = second["id"].as_str().unwrap();
    let show = project.grove_ok(&["task", "show", second]);
    assert!(show.contains(&format!("Waits for: {first}")), "{show}");
    let update = [
        "task",
        "update",
        &first,
        "--status",
        "in_progress",
        "--assignee",
        "me",
    ];
    project.grove_ok(&update);
    assert!(
        project
            .grove_ok(&["task", "list"])
            .contains(&format!("> {first}  First  [high, task] @me"))
    );
    project.grove_ok(&["task", "close", &first, "--reason", "done"]);
    assert_eq!(ids(&json_of(&project, &["task", "ready"])), [second]);
    project.grove_ok(&["task", "dep", "add", second, &first]);
    project.grove_ok(&["task", "dep", "remove", second, &first]);
}

#[test]
fn refusals_say_what_would_be_right_and_change_nothing() {
    let project = recorded(BEFORE);
    for (args, words) in [
        (&["task", "show", "nope"][..], "Task \"nope\" not found"),
        (&["task", "close", "app-7a32", "nope"], "not found"),
        (
            &["task", "update", "app-7a32", "--status", "done"],
            "open, in_progress, closed",
        ),
        (&["task", "update", "app-7a32"], "nothing to change"),
        (&["task", "create", " "], "title"),
        (
            &["task", "create", "x", "--priority", "7"],
            "0 (critical) to 4",
        ),
        (&["task", "dep", "add", "app-0f94", "app-f25a"], "circle"),
        (&["task", "dep", "add", "app-0f94", "app-0f94"], "itself"),
    ] {
        let done = project.grove(args);
        assert_eq!(done.code, Some(1), "{args:?}: {done:#?}");
        assert!(done.stderr.contains(words), "{args:?}: {done:#?}");
    }
    assert_eq!(project.read(".seeds/issues.jsonl"), BEFORE);
}

#[test]
fn beads_is_asked_through_its_own_program() {
    let project = TestProject::initialised();
    project.write(".beads/config", "");
    project.install_script(
        "bd",
        "echo \"$@\" >> \"$HOME/asked\"\n\
         case $1 in create) echo '{\"id\":\"bd-1\"}';; *) echo '[{\"id\":\"bd-1\",\"title\":\"T\",\"status\":\"open\",\"issue_type\":\"bug\"}]';; esac",
    );
    let created = json_of(&project, &["task", "create", "T", "--priority", "1"]);
    assert_eq!(created["id"], "bd-1");
    project.grove_ok(&["task", "close", "bd-1", "--reason", "because it works"]);
    project.grove_ok(&["task", "create", "--", "-v is ignored"]);
    // It shows ten unless it is told otherwise.
    project.grove_ok(&["task", "ready"]);
    let asked = std::fs::read_to_string(project.home().join("asked")).unwrap();
    assert_eq!(
        asked,
        "create T --priority=1 --json\nshow bd-1 --json\nclose bd-1 --reason=because it works --json\nshow bd-1 --json\n\
         create --title=-v is ignored --json\nshow bd-1 --json\nready --limit 100000 --json\n"
    );
    assert!(!project.root().join(".seeds").exists());
}

#[test]
fn sd_is_asked_where_the_project_has_no_files_of_its_own() {
    let project = TestProject::initialised();
    project.install_script(
        "sd",
        "[ \"$1 $2\" = 'show t-1' ] && echo 'note: {' >&2 && echo 'remark' && echo '{\"success\":true,\"issue\":{\"id\":\"t-1\",\"status\":\"open\"}}' && exit\nexit 1",
    );
    let done = project.grove(&["group", "create", "g", "t-1"]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    let done = project.grove(&["group", "create", "g", "t-2"]);
    assert!(done.stderr.contains("not found in tracker"), "{done:#?}");
}

#[test]
fn sling_takes_only_tasks_that_can_be_worked_on() {
    let project = recorded(BEFORE);
    for (task, words) in [
        ("app-none", "not found in seeds"),
        ("app-a24f", "not workable (status: closed)"),
    ] {
        let done = project.grove(&["sling", task, "--runtime", "script"]);
        assert_eq!(done.code, Some(1), "{done:#?}");
        assert!(done.stderr.contains(words), "{done:#?}");
        assert!(!project.has_revision(&format!("overstory/builder-{task}/{task}")));
    }
}

#[test]
fn beads_without_its_program_says_that_it_cannot_be_started_with_os_error_2() {
    let project = TestProject::initialised();
    project.write(".beads/config", "");
    let listed = project.grove(&["task", "list"]);
    assert_eq!(listed.code, Some(1));
    assert!(
        listed.stderr.contains("keeps its tasks in beads")
            && listed
                .stderr
                .contains("'bd' is not installed or not on PATH")
            && listed.stderr.contains("\n  install beads"),
        "{listed:#?}"
    );
    assert!(!listed.stderr.contains("os error"), "{listed:#?}");
    let grouped = project.grove(&["group", "create", "g", "bd-1"]);
    assert!(
        grouped.stderr.contains("could not be looked up") && grouped.stderr.contains("'bd' is not"),
        "{grouped:#?}"
    );
    assert!(!grouped.stderr.contains("not found"), "{grouped:#?}");
}

#[test]
fn a_first_task_that_is_refused_makes_no_files() {
    let project = TestProject::initialised();
    for args in [
        &["task", "create", ""][..],
        &["task", "create", "x", "--priority", "9"],
        &["task", "create", "x", "--type", "bogus"],
        &["task", "create", "x", "--depends-on", "app-none"],
    ] {
        let done = project.grove(args);
        let found = (done.code, done.stdout.as_str());
        assert_eq!(found, (Some(1), ""), "{args:?}: {done:#?}");
        assert!(!project.root().join(".seeds").exists(), "{args:?}");
    }
}

#[test]
fn a_line_that_is_no_text_stops_no_task_and_keeps_its_bytes() {
    let project = recorded("");
    let odd = b"{\"id\":\"app-1\",\"title\":\"\xff\xfe\"} \t";
    let mut content = BEFORE.as_bytes().to_vec();
    content.extend_from_slice(odd);
    content.push(b'\n');
    let path = project.root().join(".seeds/issues.jsonl");
    std::fs::write(&path, &content).unwrap();
    assert_eq!(ids(&json_of(&project, &["task", "ready"])), ["app-7a32"]);
    json_of(&project, &["task", "close", "app-7a32"]);
    json_of(&project, &["task", "create", "another"]);
    let after = std::fs::read(&path).unwrap();
    assert!(after.split(|b| *b == b'\n').any(|line| line == odd));
}

/// The name of a temporary file of that process.
fn half_written(process: &str) -> String {
    format!(".grove-{process}-abcdefghij.lock")
}

/// Whether git would add something of that name; the folders are as `sd init` and grove make them.
fn git_sees(project: &TestProject, name: &str) -> bool {
    let seen = project.git(&["status", "--porcelain", "-uall"]);
    seen.contains(name)
}

#[test]
fn what_a_killed_writer_has_left_goes_with_the_next_write_and_git_does_not_add_it() {
    let project = TestProject::initialised();
    project.grove_ok(&["init", "--tools", "seeds,mulch"]);
    let gone = half_written("999999999-1");
    let living = half_written(&format!("{}-0", std::process::id()));
    let foreign = "x.jsonl.tmp.0a1b2c3d";
    let make = |folder: &str, name: &str| {
        let path = project.root().join(folder).join(name);
        std::fs::write(&path, "half a fi").unwrap();
        path
    };
    for folder in [".seeds", ".mulch/expertise"] {
        make(folder, &gone);
        make(folder, &living);
        make(folder, foreign);
        make(folder, "x.jsonl.lock");
    }
    for name in [&*gone, &*living, foreign, "x.jsonl.lock"] {
        assert!(!git_sees(&project, name), "{name}");
    }
    // As `sd` makes it.
    project.write(".seeds/.gitignore", "*.lock\n");
    assert!(!git_sees(&project, &gone));
    project.grove_ok(&["task", "create", "first"]);
    project.grove_ok(&["expertise", "record", "x", "said", "--type", "convention"]);
    for folder in [".seeds", ".mulch/expertise"] {
        let there = |name: &str| project.root().join(folder).join(name).exists();
        assert!(!there(&gone), "{folder}");
        assert!(
            there(&living) && there(foreign),
            "somebody may still be writing it"
        );
    }
}

#[test]
fn what_killed_writers_without_a_name_have_left_goes_after_a_day() {
    let project = TestProject::initialised();
    project.grove_ok(&["init", "--tools", "seeds"]);
    let yesterday = std::time::SystemTime::now() - std::time::Duration::from_hours(25);
    for name in [".grove-abcdefghij", "issues.jsonl.tmp.0a1b2c3d"] {
        let left = project.root().join(".seeds").join(name);
        std::fs::write(&left, "half a fi").unwrap();
        project.grove_ok(&["task", "create", "first"]);
        assert!(left.exists(), "somebody may still be writing it");
        let file = std::fs::File::options().write(true).open(&left).unwrap();
        file.set_modified(yesterday).unwrap();
        project.grove_ok(&["task", "create", "second"]);
        assert!(!left.exists());
    }
}

#[test]
fn a_folder_in_place_of_the_lock_is_named_and_left_alone() {
    let project = recorded(BEFORE);
    let lock = project.root().join(".seeds/issues.jsonl.lock");
    std::fs::create_dir(&lock).unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_mins(5);
    std::fs::File::open(&lock)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let done = project.grove(&["task", "create", "x"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(
        done.stderr.contains("issues.jsonl.lock is a folder"),
        "{done:#?}"
    );
    assert!(lock.is_dir());
}

const VALUE: &str = "zq9X7vbT4kLm,P2wR8sYd";
const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ0123456";

/// The files of tasks are committed and pushed.
#[test]
fn no_secret_gets_into_the_files_of_tasks() {
    let mut project = TestProject::initialised();
    project.set_env("MY_API_TOKEN", VALUE);
    let with = |word: &str| format!("{word} {VALUE} {TOKEN} end");
    let created = json_of(
        &project,
        &[
            "task",
            "create",
            &with("title"),
            "--description",
            &with("more\nlines"),
            "--labels",
            &format!("plain,{VALUE},{TOKEN}"),
            "--assignee",
            VALUE,
        ],
    );
    let issue = &created["issue"];
    assert_eq!(issue["title"], "title [REDACTED] [REDACTED] end");
    assert_eq!(
        issue["description"],
        "more\nlines [REDACTED] [REDACTED] end"
    );
    assert_eq!(issue["labels"], json!(["plain", "[redacted]"]));
    assert_eq!(issue["assignee"], "[REDACTED]");
    let id = created["id"].as_str().unwrap();
    let clean = |after: &str| {
        let stored = project.read(".seeds/issues.jsonl");
        for half in ["zq9X7vbT4kLm", "P2wR8sYd", "0123456789abc"] {
            let found = stored.to_lowercase().contains(&half.to_lowercase());
            assert!(!found, "{half} after {after}: {stored}");
        }
    };
    clean("create");
    let updated = json_of(
        &project,
        &[
            "task",
            "update",
            id,
            "--title",
            &with("new"),
            "--description",
            VALUE,
            "--add-label",
            &format!("x-{VALUE}"),
            "--assignee",
            TOKEN,
        ],
    );
    assert_eq!(updated["issue"]["title"], "new [REDACTED] [REDACTED] end");
    assert_eq!(
        updated["issue"]["labels"],
        json!(["plain", "[redacted]", "x-[redacted]"])
    );
    clean("update");
    project.grove_ok(&["task", "close", id, "--reason", &with("why")]);
    clean("close");
    assert!(
        project
            .read(".seeds/issues.jsonl")
            .contains("why [REDACTED] [REDACTED] end")
    );
}

/// A label that another program has stored can still be taken away by its name.
#[test]
fn a_label_with_a_secret_can_be_removed() {
    let project = recorded(&format!(
        "{{\"id\":\"app-1a2b\",\"title\":\"t\",\"status\":\"open\",\"labels\":[\"a\",\"{}\"]}}\n",
        TOKEN.to_lowercase()
    ));
    project.grove_ok(&["task", "update", "app-1a2b", "--remove-label", TOKEN]);
    let stored = project.read(".seeds/issues.jsonl");
    assert!(stored.contains("\"labels\":[\"a\"]"), "{stored}");
}
