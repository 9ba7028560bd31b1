//! Payloads of every shape: key order, white space, links, directories, nonsense, size and time.
//!
//! Nothing may get through because it looks unusual.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::place::Place;
use grove::guard::{Decision, Policy, explain, judge, judge_raw};
use proptest::prelude::*;
use serde_json::json;

fn policy(place: &Place, capability: &str) -> Policy {
    Policy {
        agent: "ada".to_owned(),
        capability: capability.to_owned(),
        worktree: place.worktree.clone(),
        root: place.root.clone(),
        temp: None,
        quality_gates: vec!["cargo test".to_owned()],
        task_id: Some("task-1".to_owned()),
    }
}

fn allowed(decision: &Decision) -> bool {
    matches!(decision, Decision::Allow)
}

#[test]
fn the_same_payload_gets_the_same_answer_in_every_layout() {
    let place = Place::new();
    let policy = policy(&place, "builder");
    for (command, expected) in [("git push", false), ("git status", true)] {
        let compact = format!(r#"{{"tool_name":"Bash","tool_input":{{"command":"{command}"}}}}"#);
        let turned = format!(
            r#"{{"tool_input":{{"command":"{command}"}},"session_id":"a","tool_name":"Bash"}}"#
        );
        let spread = format!(
            "{{\n  \"tool_input\" : {{\n\t\"command\" :\n \"{command}\"\n }} ,\n \"tool_name\":\"Bash\"\n}}\n"
        );
        let escaped: String = command
            .chars()
            .map(|c| format!("\\u{:04x}", u32::from(c)))
            .collect();
        let escaped = format!(r#"{{"tool_name":"Bash","tool_input":{{"command":"{escaped}"}}}}"#);
        for payload in [compact, turned, spread, escaped] {
            assert_eq!(
                allowed(&judge_raw(&policy, payload.as_bytes())),
                expected,
                "{payload}"
            );
        }
    }
}

#[test]
fn a_payload_that_cannot_be_read_is_refused() {
    let place = Place::new();
    let policy = policy(&place, "builder");
    let broken: [&[u8]; 12] = [
        b"",
        b" ",
        b"null",
        b"[]",
        b"{}",
        b"{",
        b"\xff\xfe",
        b"{\"tool_name\":\"Bash\"}",
        b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls \xff\"}}",
        b"{\"tool_input\":{\"command\":\"ls\"}}",
        b"{\"tool_name\":7,\"tool_input\":{\"command\":\"ls\"}}",
        b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"},\"cwd\":3}",
    ];
    for payload in broken {
        assert!(!allowed(&judge_raw(&policy, payload)), "{payload:?}");
    }
    for line in [
        "",
        "x",
        "{}",
        "[]",
        "{\"id\":1,\"tool\":\"Bash\",\"input\":{\"command\":\"ls\"}}",
    ] {
        assert!(
            grove::guard::check::check_line(line).contains("\"block\""),
            "{line}"
        );
    }
}

#[test]
fn the_directory_of_the_call_counts() {
    let place = Place::new();
    let policy = policy(&place, "builder");
    let ask = |cwd: &PathBuf, command: &str| {
        let payload = json!({"tool_name": "Bash", "tool_input": {"command": command}, "cwd": cwd});
        allowed(&judge_raw(&policy, payload.to_string().as_bytes()))
    };
    assert!(ask(&place.worktree.join("src"), "touch ../a"));
    assert!(!ask(&place.worktree.join("src"), "touch ../../a"));
    assert!(!ask(&place.root, "touch a"));
    assert!(ask(&place.root, "git status"));
    assert!(!ask(&place.root, "git commit -m x"));
}

#[test]
fn links_are_followed_to_where_they_lead() {
    let place = Place::new();
    symlink(&place.root, place.worktree.join("out")).unwrap();
    symlink("src", place.worktree.join("in")).unwrap();
    symlink("loop", place.worktree.join("loop")).unwrap();
    for command in [
        "touch out/a",
        "echo x > out/README.md",
        "rm -rf out/",
        "rm -rf out/*",
        "cd out && touch a",
        "cp a out",
        "tee */a",
        "touch loop/a",
        "sed -i s/a/b/ o*/src/lib.rs",
    ] {
        assert_eq!(place.bash("builder", command).0, "block", "{command}");
    }
    for command in [
        "touch in/a",
        "rm out",
        "ls out",
        "cat out/src/lib.rs",
        "rm in/lib.rs",
    ] {
        assert_eq!(place.bash("builder", command).0, "allow", "{command}");
    }
    let write = |path: &str| {
        place
            .ask(
                "builder",
                "Write",
                &json!({"file_path": path, "content": "x"}),
            )
            .0
    };
    assert_eq!(write("out/a"), "block");
    assert_eq!(write("{{WORKTREE}}/in/a"), "allow");
}

#[test]
fn a_worktree_behind_a_linked_folder_is_the_same_worktree() {
    let place = Place::new();
    let link = place.root.parent().unwrap().join("link");
    symlink(&place.root, &link).unwrap();
    let through = link.join(".overstory/worktrees/ada");
    let mut policy = policy(&place, "builder");
    policy.worktree.clone_from(&through);
    let write = |path: PathBuf| {
        allowed(&judge(
            &policy,
            "Write",
            &json!({"file_path": path, "content": "x"}),
        ))
    };
    assert!(write(through.join("a")));
    assert!(write(place.worktree.join("a")));
    assert!(!write(link.join("a")));
    assert!(!write(place.root.join("a")));
}

#[test]
fn the_temporary_folder_is_writable_and_nothing_beside_it() {
    let place = Place::new();
    let temp = place.root.parent().unwrap().join("temp");
    std::fs::create_dir(&temp).unwrap();
    let mut policy = policy(&place, "scout");
    policy.temp = Some(temp.clone());
    let bash = |command: String| allowed(&judge(&policy, "Bash", &json!({"command": command})));
    assert!(bash(format!("echo x > {}/a", temp.display())));
    assert!(!bash(format!("echo x > {}/../a", temp.display())));
    assert!(!bash("echo x > a".to_owned()));
}

#[test]
fn large_and_deep_commands_are_answered_soon() {
    let place = Place::new();
    let long = [
        "echo aaaaaaaaaa; ".repeat(6_000),
        format!("echo {}", "a ".repeat(50_000)),
        format!("cat > a.txt <<'E'\n{}\nE", "git push\n".repeat(11_000)),
        format!("echo '{}'", "x".repeat(100_000)),
        "x=$x$x; ".repeat(12_000),
        "a|".repeat(50_000),
        format!("echo {}", "{a,b}".repeat(20_000)),
        format!("ls {}", "*".repeat(100_000)),
        format!("python3 -c \"{}\"", "x=1\n".repeat(25_000)),
    ];
    let deep = [
        "(",
        "$(",
        "{ ",
        "`",
        "if ",
        "((",
        "${a:-",
        "\"$(",
        "bash -c '",
        "[[",
    ]
    .map(|open| open.repeat(100_000 / open.len()));
    for command in long.iter().chain(&deep) {
        let start = Instant::now();
        let (decision, _) = place.bash("builder", command);
        let took = start.elapsed();
        assert!(
            took < Duration::from_secs(3),
            "{took:?} for {}…",
            &command[..30]
        );
        assert!(decision == "allow" || decision == "block");
    }
    for hidden in [
        format!("{}git push", "echo a; ".repeat(12_000)),
        format!("echo '{}'; git push", "x".repeat(100_000)),
    ] {
        assert_eq!(place.bash("builder", &hidden).0, "block");
    }
}

#[test]
fn a_usual_call_is_judged_in_a_few_milliseconds() {
    let place = Place::new();
    let policy = policy(&place, "builder");
    let input = json!({"command": "cd src && cargo test 2>&1 | tail -20 && git add -A && git commit -m 'done'"});
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let start = Instant::now();
            assert!(allowed(&judge(&policy, "Bash", &input)));
            start.elapsed()
        })
        .collect();
    times.sort();
    assert!(times[190] < Duration::from_millis(20), "{:?}", times[190]);
}

#[test]
fn the_explanation_shows_what_would_run() {
    let place = Place::new();
    let shown = explain(
        &policy(&place, "builder"),
        "cd src && X=push; bash -c \"git $X\"",
    );
    assert!(shown.contains("git push"), "{shown}");
    assert!(shown.contains("block (publish)"), "{shown}");
}

#[test]
fn own_work_is_known_by_name() {
    let place = Place::new();
    let policy = policy(&place, "builder");
    let bash = |command: &str| allowed(&judge(&policy, "Bash", &json!({"command": command})));
    assert!(bash("git checkout -b overstory/ada/more"));
    assert!(!bash("git checkout -b overstory/bob/more"));
    assert!(bash("sd close task-1"));
    assert!(!bash("sd close task-2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_makes_the_guard_fail(command in "\\PC{0,60}", tool in "[A-Za-z_]{0,12}") {
        let policy = Policy {
            agent: "a".to_owned(), capability: "builder".to_owned(), worktree: PathBuf::from("/w/x"), root: PathBuf::from("/w"),
            temp: None, quality_gates: Vec::new(), task_id: None,
        };
        for tool in ["Bash", tool.as_str()] {
            if let Decision::Block { rule, reason } = judge(&policy, tool, &json!({"command": command})) {
                prop_assert!(!reason.contains("could not be judged"), "{rule}: {reason}");
            }
        }
    }

    #[test]
    fn no_mixture_of_shell_signs_makes_the_guard_fail(words in proptest::collection::vec(
        proptest::sample::select(vec![
            "git", "push", "(", ")", "{", "}", "$(", "`", "'", "\"", "\\", "\n", " ", ";", "&&", "||", "|", "&", "<", ">", "<<E", "E", "<<<", "${", "x", "=", "[[", "]]",
            "((", "))", "if", "then", "fi", "for", "in", "do", "done", "case", "esac", "*", "?", "[", "]", "~", "!", "#", "$", "a/b", "..", "-c", "bash", "eval", "sed", "awk",
            "python3", "1", ":", "-", "@", "%", "function", "é", "\u{10FF00}",
        ]), 0..25)) {
        let policy = Policy {
            agent: "a".to_owned(), capability: "builder".to_owned(), worktree: PathBuf::from("/w/x"), root: PathBuf::from("/w"),
            temp: None, quality_gates: Vec::new(), task_id: None,
        };
        let command = words.concat();
        for command in [command.clone(), words.join(" ")] {
            if let Decision::Block { reason, .. } = judge(&policy, "Bash", &json!({"command": command})) {
                prop_assert!(!reason.contains("could not be judged"), "{reason}");
            }
        }
    }
}
