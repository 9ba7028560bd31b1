//! `expertise`: what a project has learnt without any other program, and the files that `ml` has written.

use crate::support::TestProject;
use serde_json::Value;

/// A project with the records that `ml` 0.10.7 has made.
fn recorded() -> TestProject {
    let project = TestProject::initialised();
    project.write(
        ".mulch/mulch.config.yaml",
        include_str!("recorded/mulch.config.yaml"),
    );
    project.write(".mulch/expertise/cli.jsonl", CLI);
    project.write(
        ".mulch/expertise/db.jsonl",
        include_str!("recorded/db.jsonl"),
    );
    project
}

const CLI: &str = include_str!("recorded/cli.jsonl");

fn json_of(project: &TestProject, args: &[&str]) -> Value {
    let all: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let done = project.grove(&all);
    assert_eq!(done.code, Some(0), "{all:?}: {done:#?}");
    done.json()
}

fn found(project: &TestProject, query: &str) -> Vec<(String, Vec<String>)> {
    let answer = json_of(project, &["expertise", "search", query]);
    let domains = answer["domains"].as_array().unwrap().iter();
    domains
        .map(|domain| {
            let ids = domain["records"].as_array().unwrap().iter();
            let ids = ids.map(|r| r["id"].as_str().unwrap().to_owned());
            (domain["domain"].as_str().unwrap().to_owned(), ids.collect())
        })
        .collect()
}

/// Ids by domain, in the order found.
type Hits = &'static [(&'static str, &'static [&'static str])];

/// What `ml search --json` printed for the same records.
#[test]
fn searching_finds_what_ml_finds_in_the_same_order() {
    let project = recorded();
    let expected: &[(&str, Hits)] = &[
        (
            "errors",
            &[
                ("cli", &["mx-4ebe1a", "mx-dc44be", "mx-724ae4", "mx-8a0986"]),
                ("db", &["mx-747db5"]),
            ],
        ),
        (
            "printer output",
            &[("cli", &["mx-8a0986", "mx-00b3a9", "mx-724ae4"])],
        ),
        (
            "a line in the list",
            &[
                (
                    "cli",
                    &[
                        "mx-876392",
                        "mx-00b3a9",
                        "mx-dc44be",
                        "mx-4ebe1a",
                        "mx-724ae4",
                    ],
                ),
                ("db", &["mx-747db5"]),
            ],
        ),
        (
            "src/cli/printer.rs",
            &[("cli", &["mx-8a0986", "mx-00b3a9", "mx-724ae4"])],
        ),
    ];
    for (query, expected) in expected {
        let found = found(&project, query);
        let found: Vec<(&str, Vec<&str>)> = found
            .iter()
            .map(|(d, ids)| (d.as_str(), ids.iter().map(String::as_str).collect()))
            .collect();
        let expected: Vec<(&str, Vec<&str>)> =
            expected.iter().map(|(d, ids)| (*d, ids.to_vec())).collect();
        assert_eq!(found, expected, "{query}");
    }
}

#[test]
fn the_same_content_has_the_id_that_ml_gives_it() {
    let project = recorded();
    for line in CLI.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let kind = record["type"].as_str().unwrap();
        let mut args = vec![
            "expertise",
            "record",
            "copies",
            "--type",
            kind,
            "--files",
            "",
        ];
        let options = [
            ("content", "--content"),
            ("name", "--name"),
            ("description", "--description"),
            ("resolution", "--resolution"),
            ("title", "--title"),
            ("rationale", "--rationale"),
        ];
        for (field, option) in options {
            args.extend(record[field].as_str().into_iter().flat_map(|v| [option, v]));
        }
        let made = json_of(&project, &args);
        assert_eq!(made["record"]["id"], record["id"], "{line}");
        let order = |value: &Value| -> Vec<String> {
            let names = value.as_object().unwrap().keys().cloned();
            names
                .filter(|n| !["tags", "files", "relates_to", "outcomes"].contains(&n.as_str()))
                .collect()
        };
        assert_eq!(order(&made["record"]), order(&record));
    }
    assert_eq!(project.read(".mulch/expertise/cli.jsonl"), CLI);
    let config = project.read(".mulch/mulch.config.yaml");
    assert!(
        config.contains("  db: {}\n  copies: {}\ngovernance:"),
        "{config}"
    );
}

#[test]
fn an_outcome_changes_one_line() {
    let project = recorded();
    let args = [
        "expertise",
        "outcome",
        "cli",
        "4ebe",
        "--status",
        "success",
        "--agent",
        "b1",
    ];
    let added = json_of(&project, &args);
    assert_eq!(added["id"], "mx-4ebe1a");
    let now = project.read(".mulch/expertise/cli.jsonl");
    let changed: Vec<(&str, &str)> = CLI
        .lines()
        .zip(now.lines())
        .filter(|(a, b)| a != b)
        .collect();
    assert_eq!(changed.len(), 1);
    let start = changed[0].0.strip_suffix('}').unwrap();
    assert!(
        changed[0]
            .1
            .starts_with(&format!("{start},\"outcomes\":[{{\"status\":\"success\""))
    );
    let list = json_of(&project, &["expertise", "outcome", "cli", "mx-4ebe1a"]);
    assert_eq!(list["outcomes"][0]["agent"], "b1");
}

#[test]
fn the_first_record_starts_the_files_and_nothing_does_before() {
    let project = TestProject::initialised();
    let done = project.grove(&["expertise", "query"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(done.stderr.contains("grove expertise record"), "{done:#?}");
    assert!(!project.root().join(".mulch").exists());
    assert!(!project.grove_ok(&["prime"]).contains("Expertise"));
    let args = [
        "expertise",
        "record",
        "cli",
        "Errors name the next step",
        "--type",
        "convention",
    ];
    project.grove_ok(&args);
    assert!(
        project
            .read(".gitattributes")
            .contains(".mulch/expertise/*.jsonl merge=union")
    );
    let prime = project.grove_ok(&["expertise", "prime"]);
    assert!(
        prime.contains(
            "## cli (1 record)\n\n### Conventions\n- [mx-4ebe1a] Errors name the next step\n"
        ),
        "{prime}"
    );
    assert!(project.grove_ok(&["prime"]).contains("mx-4ebe1a"));
    assert!(
        !project
            .grove_ok(&["prime", "--compact"])
            .contains("mx-4ebe1a")
    );
    let xml = project.grove_ok(&["expertise", "prime", "--format", "xml"]);
    assert!(
        xml.starts_with("<expertise>\n<domain name=\"cli\" entries=\"1\">\n"),
        "{xml}"
    );
    let json = json_of(&project, &["expertise", "prime"]);
    assert_eq!(json["domains"][0]["entry_count"], 1);
}

#[test]
fn refusals_say_what_would_be_right() {
    let project = recorded();
    for (args, words) in [
        (
            &["expertise", "record", "cli", "--type", "failure"][..],
            "--description and --resolution",
        ),
        (
            &["expertise", "record", "cli", "x", "--type", "idea"],
            "convention, pattern",
        ),
        (
            &["expertise", "record", "../x", "x", "--type", "convention"],
            "Invalid domain name",
        ),
        (
            &["expertise", "query", "nope"],
            "Available domains: cli, db",
        ),
        (
            &[
                "expertise",
                "outcome",
                "cli",
                "mx-ffff",
                "--status",
                "success",
            ],
            "not found",
        ),
        (
            &[
                "expertise",
                "outcome",
                "cli",
                "mx-4ebe1a",
                "--status",
                "good",
            ],
            "success, failure, partial",
        ),
        (
            &["expertise", "prime", "--format", "html"],
            "markdown, xml, json",
        ),
    ] {
        let done = project.grove(args);
        assert_eq!(done.code, Some(1), "{args:?}: {done:#?}");
        assert!(done.stderr.contains(words), "{args:?}: {done:#?}");
    }
    assert_eq!(project.read(".mulch/expertise/cli.jsonl"), CLI);
}

const VALUE: &str = "zq9X7vbT4kLm,P2wR8sYd";
const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ0123456";

/// What the project has learnt is committed and pushed.
#[test]
fn no_secret_gets_into_the_files_of_expertise() {
    let mut project = TestProject::initialised();
    project.set_env("MY_API_TOKEN", VALUE);
    let with = |word: &str| format!("{word} {VALUE} {TOKEN} end");
    let hidden = |word: &str| format!("{word} [REDACTED] [REDACTED] end");
    let record = |kind: &str, more: &[&str]| {
        let mut words = vec!["expertise", "record", "cli", "--type", kind];
        words.extend(more);
        json_of(&project, &words)["record"].clone()
    };
    let list = format!("plain,{VALUE},x-{TOKEN}");
    let convention = record("convention", &[&with("say"), "--tags", &list]);
    assert_eq!(convention["content"], hidden("say"));
    assert_eq!(
        convention["tags"],
        serde_json::json!(["plain", "[REDACTED]", "x-[REDACTED]"])
    );
    let pattern = record(
        "pattern",
        &[
            "--name",
            &with("name"),
            "--description",
            &with("what"),
            "--files",
            &list,
            "--evidence-issue",
            &with("issue"),
            "--evidence-commit",
            TOKEN,
        ],
    );
    assert_eq!(pattern["name"], hidden("name"));
    assert_eq!(pattern["description"], hidden("what"));
    assert_eq!(pattern["files"], convention["tags"]);
    assert_eq!(pattern["evidence"]["issue"], hidden("issue"));
    assert_eq!(pattern["evidence"]["commit"], "[REDACTED]");
    let failure = record(
        "failure",
        &["--description", &with("a"), "--resolution", &with("b")],
    );
    assert_eq!(failure["resolution"], hidden("b"));
    let decision = record(
        "decision",
        &["--title", &with("c"), "--rationale", &with("d")],
    );
    assert_eq!(decision["rationale"], hidden("d"));
    let id = convention["id"].as_str().unwrap();
    let outcome = json_of(
        &project,
        &[
            "expertise",
            "outcome",
            "cli",
            id,
            "--status",
            "success",
            "--agent",
            VALUE,
            "--notes",
            &with("n"),
            "--test-results",
            &with("r"),
        ],
    );
    assert_eq!(outcome["outcome"]["notes"], hidden("n"));
    assert_eq!(outcome["outcome"]["test_results"], hidden("r"));
    assert_eq!(outcome["outcome"]["agent"], "[REDACTED]");
    // A domain is the name of a file.
    let refused = project.grove(&["expertise", "record", TOKEN, "--type", "convention", "x"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(!said.contains("0123456789abc"), "{said}");
    for name in [".mulch/expertise/cli.jsonl", ".mulch/mulch.config.yaml"] {
        let stored = project.read(name);
        for half in ["zq9X7vbT4kLm", "P2wR8sYd", "0123456789abc"] {
            assert!(!stored.contains(half), "{half}: {stored}");
        }
    }
}
