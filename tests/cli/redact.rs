//! `grove redact`: where secrets are stored, without saying them, and taking them out of files.

use crate::support::TestProject;

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ0123456";
const VALUE: &str = "q7-Zr.0x_Wv9kTp2-Lm";

fn with_secrets() -> TestProject {
    let mut project = TestProject::initialised();
    project.set_env("DEPLOY_TOKEN", VALUE);
    project.write(
        ".overstory/logs/ann/s1/session.log",
        &format!("one\nuse {TOKEN} here\nthree\n"),
    );
    project.write(
        ".overstory/casts/ann/s1.cast",
        "{\"version\":2,\"width\":80,\"height\":24}\n[0.1,\"o\",\"see q7-Zr.0\"]\n[0.2,\"o\",\"x_Wv9kTp2-Lm end\"]\n",
    );
    // A store that another program has written.
    let store = rusqlite::Connection::open(project.overstory("events.db")).unwrap();
    store
        .execute_batch(&format!(
            "INSERT INTO events (id, agent_name, event_type, data) VALUES (7, 'ann', 'custom', '{{\"a\":\"{TOKEN}\"}}');"
        ))
        .unwrap();
    project
}

fn snapshot(project: &TestProject) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![project.overstory("")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let name = entry.path().display().to_string();
                found.push((name, std::fs::read(entry.path()).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn looking_names_every_place_and_no_secret_and_changes_nothing() {
    let project = with_secrets();
    let before = snapshot(&project);
    let done = project.grove(&["redact", "--check"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    for line in [
        ".overstory/logs/ann/s1/session.log:2  GitHub token",
        ".overstory/casts/ann/s1.cast:3  value of DEPLOY_TOKEN",
        ".overstory/events.db: events row 7, data  GitHub token",
    ] {
        assert!(done.stdout.contains(line), "{line}: {done:?}");
    }
    let said = format!("{done:?}");
    assert!(
        !said.contains("0123456789abc") && !said.contains("Wv9k"),
        "{said}"
    );
    assert_eq!(snapshot(&project), before);

    let done = project.grove(&["redact", "--check", "--json", ".overstory/casts"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    let json = done.json();
    assert_eq!(
        json["findings"],
        serde_json::json!([{"file": ".overstory/casts/ann/s1.cast", "line": 3, "kind": "value of DEPLOY_TOKEN"}])
    );
}

#[test]
fn a_clean_project_is_said_to_be_clean() {
    let project = TestProject::initialised();
    let done = project.grove(&["redact", "--check"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("No secrets found"), "{done:?}");
    let done = project.grove(&["redact", "--check", "--json"]);
    assert_eq!(done.json()["findings"], serde_json::json!([]));
    let done = project.grove(&["redact", "--check", "nowhere"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("nowhere"), "{done:?}");
}

#[test]
fn files_are_rewritten_when_that_is_wanted_and_stores_are_not() {
    let project = with_secrets();
    let before = snapshot(&project);
    let asked = project.grove(&["redact"]);
    assert_eq!(asked.code, Some(1), "{asked:?}");
    assert!(asked.stdout.contains("grove redact --yes"), "{asked:?}");
    assert_eq!(snapshot(&project), before);

    let done = project.grove(&["redact", "--yes"]);
    assert_eq!(done.code, Some(1), "the store still holds one: {done:?}");
    assert!(done.stdout.contains("2 files rewritten"), "{done:?}");
    assert_eq!(
        project.read(".overstory/logs/ann/s1/session.log"),
        "one\nuse [REDACTED] here\nthree\n"
    );
    assert_eq!(
        project.read(".overstory/casts/ann/s1.cast"),
        "{\"version\":2,\"width\":80,\"height\":24}\n[0.1,\"o\",\"see \"]\n[0.2,\"o\",\"[REDACTED] end\"]\n"
    );
    let left = project.grove(&["redact", "--check"]);
    assert!(
        left.stdout.contains("events.db") && !left.stdout.contains("session.log"),
        "{left:?}"
    );
}

#[test]
fn what_gzip_has_packed_is_read_and_what_cannot_be_is_said() {
    use std::io::Write;
    let project = TestProject::initialised();
    let packed = |name: &str, text: &str| {
        let file = std::fs::File::create(project.overstory(name)).unwrap();
        let mut packer = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        packer.write_all(text.as_bytes()).unwrap();
        packer.finish().unwrap();
    };
    packed("old.log.gz", &format!("one\nuse {TOKEN}\n"));
    packed("clean.log.gz", "nothing\n");
    project.write(".overstory/broken.log.gz", "no gzip");
    project.write(".overstory/old.log.zst", "\u{28}");
    let before = snapshot(&project);
    for words in [&["redact", "--check"][..], &["redact", "--yes"]] {
        let done = project.grove(words);
        assert_eq!(done.code, Some(1), "{done:?}");
        let found = ".overstory/old.log.gz:2  GitHub token";
        assert!(done.stdout.contains(found), "{done:?}");
        assert!(!done.stdout.contains("clean.log"), "{done:?}");
        for left in ["broken.log.gz", "old.log.zst"] {
            let told = format!("{}{}", done.stdout, done.stderr);
            assert!(told.contains(&format!("{left} was left alone")), "{done:?}");
        }
        assert_eq!(snapshot(&project), before);
    }
    let done = project.grove(&["redact", "--yes"]);
    let told = format!("{}{}", done.stdout, done.stderr);
    assert!(told.contains("old.log.gz was left alone"), "{told}");
}

/// Other programs write there, too, and people commit and push it.
#[test]
fn tasks_and_expertise_are_looked_through_and_cleaned() {
    let mut project = TestProject::initialised();
    project.set_env("DEPLOY_TOKEN", VALUE);
    project.grove_ok(&["task", "create", "first"]);
    project.grove_ok(&["expertise", "record", "cli", "--type", "convention", "c"]);
    let with = |name: &str, line: &str| {
        let text = project.read(name) + line;
        project.write(name, &text);
    };
    with(
        ".seeds/issues.jsonl",
        &format!("{{\"id\":\"x-1a2b\",\"title\":\"use {TOKEN}\",\"status\":\"open\"}}\n"),
    );
    with(
        ".mulch/expertise/cli.jsonl",
        &format!("{{\"type\":\"convention\",\"content\":\"{VALUE}\",\"id\":\"mx-1a2b3c\"}}\n"),
    );
    let found = [
        ".mulch/expertise/cli.jsonl:2  value of DEPLOY_TOKEN",
        ".seeds/issues.jsonl:2  GitHub token",
    ];
    let done = project.grove(&["redact", "--check"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    for line in found {
        assert!(done.stdout.contains(line), "{line}: {done:?}");
    }
    let done = project.grove(&["redact", "--yes"]);
    assert!(done.stdout.contains("2 files rewritten"), "{done:?}");
    assert!(done.stdout.contains("history"), "{done:?}");
    let tasks = project.read(".seeds/issues.jsonl");
    assert!(
        tasks.ends_with("\"title\":\"use [REDACTED]\",\"status\":\"open\"}\n"),
        "{tasks}"
    );
    let listed = project.grove_ok(&["task", "list"]);
    assert!(
        listed.contains("first") && listed.contains("use [REDACTED]"),
        "{listed}"
    );
    let done = project.grove(&["redact", "--check"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for folder in [".seeds", ".mulch/expertise"] {
        let names = std::fs::read_dir(project.root().join(folder)).unwrap();
        let names: Vec<_> = names.map(|e| e.unwrap().file_name()).collect();
        let left = |n: &std::ffi::OsString| n.to_string_lossy().ends_with(".lock");
        assert!(!names.iter().any(left), "{names:?}");
    }
}

/// Its program writes the files from a database: what is taken out of a file alone would come back.
#[test]
fn what_beads_keeps_is_looked_through_and_left_to_its_program() {
    let project = TestProject::initialised();
    let line = format!("{{\"id\":\"bd-1\",\"title\":\"use {TOKEN}\"}}\n");
    project.write(".beads/issues.jsonl", &line);
    let store = rusqlite::Connection::open(project.root().join(".beads/beads.db")).unwrap();
    store
        .execute_batch(&format!(
            "CREATE TABLE issues (id TEXT PRIMARY KEY, title TEXT); INSERT INTO issues VALUES ('bd-1', '{TOKEN}');"
        ))
        .unwrap();
    drop(store);
    let done = project.grove(&["redact", "--check"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    for line in [
        ".beads/issues.jsonl:1  GitHub token",
        ".beads/beads.db: issues row 1, title  GitHub token",
    ] {
        assert!(done.stdout.contains(line), "{line}: {done:?}");
    }
    let done = project.grove(&["redact", "--yes"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    let said = format!("{}{}", done.stdout, done.stderr);
    assert!(said.contains("'bd"), "{said}");
    assert!(!said.contains("grove clean"), "{said}");
    assert_eq!(project.read(".beads/issues.jsonl"), line);
}

#[test]
fn specs_are_looked_through_and_cleaned() {
    let project = TestProject::initialised();
    project.write(".overstory/specs/sy-1.md", &format!("use {TOKEN}\n"));
    let done = project.grove(&["redact", "--check"]);
    assert!(
        done.stdout
            .contains(".overstory/specs/sy-1.md:1  GitHub token"),
        "{done:?}"
    );
    project.grove_ok(&["redact", "--yes"]);
    assert_eq!(project.read(".overstory/specs/sy-1.md"), "use [REDACTED]\n");
}
