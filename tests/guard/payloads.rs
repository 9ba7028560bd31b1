//! Payloads of every shape: key order, white space, links, directories, nonsense.
//!
//! Nothing may get through because it looks unusual.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::place::Place;
use grove::guard::{Decision, Policy, judge, judge_raw, judge_raw_mended};
use serde_json::{Value, json};

pub(crate) fn policy(place: &Place, capability: &str) -> Policy {
    Policy {
        agent: "ada".to_owned(),
        capability: capability.to_owned(),
        worktree: place.worktree.clone(),
        root: place.root.clone(),
        temp: None,
        quality_gates: vec!["cargo test".to_owned()],
        task_id: Some("task-1".to_owned()),
        allow: Vec::new(),
        block: Vec::new(),
    }
}

pub(crate) fn allowed(decision: &Decision) -> bool {
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
fn a_call_cut_through_a_character_is_judged_by_the_rest_of_it() {
    let place = Place::new();
    let policy = policy(&place, "builder");
    let ask = |payload: &str| {
        let mend = |json: &[u8]| grove::text::mended_json(json);
        allowed(&judge_raw_mended(&policy, payload.as_bytes(), mend))
    };
    let bash = |command: &str| {
        format!(r#"{{"tool_name":"Bash","tool_input":{{"command":"{command}","timeout":1e400}}}}"#)
    };
    assert!(ask(&bash(r"echo \ud83d")));
    assert!(ask(&bash(r"git commit -m 'cut \ude00'")));
    assert!(!ask(&bash(r"git push # \ud83d")));
    assert!(!ask(&bash(r"echo \ud83d > /etc/\ud83d")));
    let packed = r#"{"toolName":"bash","toolArgs":"{\"command\":\"echo \\ud83d\"}"}"#;
    assert!(ask(packed));
    let twice = r#"{"tool_name":"Bash","tool_input":{"\ud83d":1,"\ud83e":2,"command":"ls"}}"#;
    assert!(!ask(twice));
    for broken in [r"echo \udc80", r"echo \ud83", r"echo \x"] {
        assert!(!ask(&bash(broken)), "{broken}");
    }
    let deep = format!("{}\"\\ud83d\"{}", "[".repeat(200), "]".repeat(200));
    let deep = format!(r#"{{"tool_name":"Bash","tool_input":{{"command":"ls","x":{deep}}}}}"#);
    assert!(!ask(&deep));
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
fn own_work_is_known_by_name() {
    let place = Place::new();
    let policy = policy(&place, "builder");
    let bash = |command: &str| allowed(&judge(&policy, "Bash", &json!({"command": command})));
    assert!(bash("git checkout -b overstory/ada/more"));
    assert!(!bash("git checkout -b overstory/bob/more"));
    assert!(bash("sd close task-1"));
    assert!(!bash("sd close task-2"));
}

#[test]
fn a_line_that_is_not_utf8_is_refused_under_its_own_id() {
    let mut input = b"{\"id\":\"x7\",\"capability\":\"builder\",\"tool\":\"Bash\",".to_vec();
    input.extend(b"\"input\":{\"command\":\"echo \xff\"},\"worktree\":\"/w\",\"root\":\"/r\"}\n");
    input.extend(b"\xff\xfe\n");
    let mut output = Vec::new();
    grove::guard::check::run(input.as_slice(), &mut output, None).unwrap();
    let answers: Vec<Value> = String::from_utf8(output)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["id"], "x7");
    assert_eq!(answers[1]["id"], Value::Null);
    assert!(answers.iter().all(|answer| answer["decision"] == "block"));
}
