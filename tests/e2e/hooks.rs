//! Hooks under bad circumstances. A program of the project, run inside an agent, calls the hooks the way
//! its CLI would. The guard refuses on doubt, in time and with a sentence; nothing else refuses.

use crate::support::{LONG, SHORT, TestProject, alive, go_on, kill_9, stop, wait_until};
use std::path::PathBuf;

/// `call NAME EVENT FILE`: what the hook said and how it ended; `cut off` when it had not answered by itself.
const CALLS: &str = r#"#!/bin/sh
trap '' HUP
call() {
  timeout 30 grove hook "$2" < "$3" > "$1.out" 2> "$1.err"
  code=$?
  [ $code = 124 ] && code="cut off"
  echo "$code" > "$1.partial"
  mv "$1.partial" "$1.code"
}
say() {
  name=$1; shift
  timeout 60 grove "$@" > "$name.out" 2> "$name.err"
  echo $? > "$name.partial"
  mv "$name.partial" "$name.code"
}
until_there() { while [ ! -e "$1" ]; do sleep 0.02; done; }
printf '%s' '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"cargo test"}}' > ok.json
printf '%s' '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"}}' > push.json
"#;

/// An agent in which `steps` run; its worktree is where the results are.
struct Inside {
    project: TestProject,
    worktree: PathBuf,
}

impl Inside {
    fn start(steps: &str) -> Self {
        let project = TestProject::initialised();
        project.write("calls.sh", &format!("{CALLS}{steps}\n"));
        project.commit_all();
        let script = project.script("inside", "steps:\n- run: \"sh ./calls.sh\"\n- hang\n");
        // A file that may not grow answers with an error, as a full disk does, and not with a signal.
        let start = format!(
            "trap '' XFSZ; exec grove sling t-1 --name ann --runtime script --spec {script}"
        );
        let started = project.command("sh").args(["-c", &start]).output().unwrap();
        assert!(started.status.success(), "{started:?}");
        Self {
            worktree: project.overstory("worktrees/ann"),
            project,
        }
    }

    /// Waits for a call's end; gives its code and what it said.
    fn ended(&self, name: &str) -> (String, String) {
        let read = |end: &str| {
            let path = self.worktree.join(format!("{name}.{end}"));
            std::fs::read_to_string(path).unwrap_or_default()
        };
        let code = wait_until(
            &format!("the call '{name}' ends"),
            LONG,
            || Some(read("code")).filter(|code| !code.is_empty()),
            || self.project.report(),
        );
        (code.trim().to_owned(), read("err") + &read("out"))
    }

    fn allowed(&self, name: &str) {
        let (code, said) = self.ended(name);
        assert_eq!(code, "0", "{name}: {said}\n{}", self.project.report());
    }

    /// Refused, with one sentence that has this in it.
    fn refused(&self, name: &str, word: &str) {
        let (code, said) = self.ended(name);
        assert_eq!(code, "2", "{name}: {said}");
        assert!(said.contains(word), "{name}: {said}");
        assert_eq!(said.lines().count(), 1, "{name}: {said}");
        assert!(!said.contains("panicked"), "{name}: {said}");
    }

    fn go(&self, name: &str) {
        std::fs::write(self.worktree.join(name), "").unwrap();
    }

    fn host(&self) -> i64 {
        self.project.pids("ann").unwrap().0
    }
}

#[test]
fn a_host_that_is_stopped_has_a_tool_call_refused_in_time_and_lets_the_rest_go_on() {
    let inside = Inside::start(
        "call before pre-tool ok.json\nuntil_there go\ncall pre pre-tool ok.json & call post post-tool ok.json & wait\n\
         say mail mail check\nsay status status\nsay explain guard explain 'git push'\nuntil_there again\ncall after pre-tool ok.json",
    );
    inside.allowed("before");
    let host = inside.host();
    stop(host);
    inside.go("go");
    inside.refused("pre", "try the same once more");
    inside.allowed("post");
    for name in ["mail", "status"] {
        let (code, said) = inside.ended(name);
        assert_eq!(code, "1", "{name}: {said}");
        assert!(said.contains("no sign of life"), "{name}: {said}");
    }
    let (code, said) = inside.ended("explain");
    assert_eq!(code, "0", "{said}");
    assert!(said.contains("push"), "{said}");
    go_on(host);
    inside.go("again");
    inside.allowed("after");
}

#[test]
fn without_its_host_a_tool_call_is_refused_and_no_other_hook_is() {
    let inside = Inside::start(
        "call before pre-tool ok.json\nuntil_there go\ncall pre pre-tool ok.json\ncall post post-tool ok.json\ncall stop stop ok.json",
    );
    inside.allowed("before");
    let host = inside.host();
    kill_9(host);
    wait_until(
        "the host is gone",
        SHORT,
        || (!alive(host)).then_some(()),
        || inside.project.report(),
    );
    inside.go("go");
    inside.refused("pre", "end your turn and say so");
    inside.allowed("post");
    inside.allowed("stop");
}

#[test]
fn a_host_that_is_flooded_still_decides() {
    let inside = Inside::start(
        "i=0; while [ $i -lt 60 ]; do (head -c 8000000 /dev/zero | tr '\\0' 'x' | timeout 20 grove hook post-tool >/dev/null 2>&1) & i=$((i+1)); done\n\
         call ok pre-tool ok.json\ncall push pre-tool push.json\nwait",
    );
    inside.allowed("ok");
    inside.refused("push", "push");
}

#[test]
fn two_hundred_calls_at_once_are_all_answered_rightly() {
    let inside = Inside::start(
        "i=0; while [ $i -lt 100 ]; do call ok$i pre-tool ok.json & call push$i pre-tool push.json & i=$((i+1)); done; wait",
    );
    for n in 0..100 {
        inside.allowed(&format!("ok{n}"));
        inside.refused(&format!("push{n}"), "push");
    }
}

#[test]
fn input_that_makes_no_sense_is_refused_where_it_matters_only() {
    let inside = Inside::start(
        "printf '\\377\\376{' > bytes.json\n: > empty.json\nprintf '[]' > list.json\n\
         printf '%s' '{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"' > huge.json\nhead -c 100000000 /dev/zero | tr '\\0' x >> huge.json\nprintf '\"}}' >> huge.json\n\
         head -c 3000000 huge.json > large.json; printf '\"}}' >> large.json; head -c 1500000 huge.json > long.json; printf '\"}}' >> long.json\n\
         head -c 20000 /dev/zero | tr '\\0' '[' > deep.json\n\
         for kind in bytes empty list huge deep; do call $kind pre-tool $kind.json; call $kind-post post-tool $kind.json; done\n\
         call large pre-tool large.json; call long pre-tool long.json; call large-post post-tool large.json\n\
         rm huge.json large.json long.json",
    );
    for kind in ["bytes", "empty", "list", "deep"] {
        inside.refused(kind, "grove: ");
        inside.allowed(&format!("{kind}-post"));
    }
    inside.refused(
        "huge",
        "larger than 2 MiB; make the call smaller, in several steps",
    );
    inside.refused("large", "larger than 2 MiB");
    inside.allowed("large-post");
    let (_, said) = inside.ended("long");
    assert!(!said.contains("MiB") && !said.contains("busy"), "{said}");
    inside.allowed("huge-post");
}

#[test]
fn json_that_readers_understand_differently_or_that_is_very_large_is_refused() {
    let call = r#"{"tool_name":"Bash","tool_input":{"command":"#;
    let inside = Inside::start(&format!(
        "many() {{ head -c $2 /dev/zero | tr '\\0' x | sed \"s/x/$1/g\"; }}\n\
         printf '%s' '{call}\"ls\",\"command\":\"ls -l\"}}}}' > twice.json\n\
         printf '%s' '{call}\"ls\",\"\\u0063ommand\":\"ls -l\"}}}}' > spelled.json\n\
         printf '%s' '{call}7}}}}' > number.json\n\
         printf '%s' '{call}\"cat < \\ud800; git push\"}}}}' > lone.json\n\
         printf '%s' '{{\"tool_name\":\"Write\",\"tool_input\":{{\"file_path\":1e9,\"content\":\"\"}}}}' > path.json\n\
         (printf '%s' '{call}\"ls\"'; many ',\"a\":1' 250000; printf '}}}}') > same.json\n\
         (printf '%s' '{call}\"'; many 'ls;' 600000; printf '\"}}}}') > long.json\n\
         (printf '%s' '{call}['; many '\"a\",' 450000; printf '1]}}}}') > list.json\n\
         (printf '%s' '{call}'; many '[' 900000; many ']' 900000; printf '}}}}') > deep.json\n\
         for kind in twice spelled number lone path same long list deep; do call $kind pre-tool $kind.json; done\n\
         rm same.json long.json list.json deep.json",
    ));
    for kind in [
        "twice", "spelled", "number", "lone", "path", "same", "long", "list", "deep",
    ] {
        inside.refused(kind, "grove: ");
    }
}

#[test]
fn input_that_never_ends_is_refused_in_time() {
    let inside = Inside::start(
        "half=$TMPDIR/half\nmkfifo $half\n(printf '{\"tool_name\":'; sleep 60) > $half &\ncall half pre-tool $half",
    );
    inside.refused("half", "no answer in time");
}

#[test]
fn outside_of_any_project_a_tool_call_is_refused_and_no_other_hook_is() {
    let project = TestProject::bare_folder();
    let pre = project.grove(&["hook", "pre-tool"]);
    assert_eq!(pre.code, Some(2), "{pre:?}");
    assert!(pre.stderr.contains("grove sling"), "{pre:?}");
    for event in ["post-tool", "stop", "session-start", "prompt"] {
        let done = project.grove(&["hook", event]);
        assert_eq!(done.code, Some(0), "{event}: {done:?}");
    }
    // They may have been meant for tool calls.
    for event in ["nonsense", "PreToolUse", ""] {
        let done = project.grove(&["hook", event]);
        assert_eq!(done.code, Some(2), "{event}: {done:?}");
    }
}

#[test]
fn a_hook_whose_name_is_misspelt_lets_no_call_through() {
    let inside = Inside::start(
        "call misspelt PreToolUse push.json\ncall none '' ok.json\ncall future of-the-future ok.json",
    );
    inside.refused("future", "'of-the-future' is not known here");
    inside.refused("misspelt", "'PreToolUse' is not known here");
    inside.refused("none", "is not known here");
}

#[test]
fn a_worktree_that_was_moved_refuses_what_would_be_written_elsewhere() {
    let inside = Inside::start(
        "W=$PWD\nuntil_there go\n\
         printf '%s' \"{\\\"tool_name\\\":\\\"Write\\\",\\\"cwd\\\":\\\"$W-moved\\\",\\\"tool_input\\\":{\\\"file_path\\\":\\\"$W-moved/x\\\",\\\"content\\\":\\\"x\\\"}}\" > write.json\n\
         call moved pre-tool write.json\ncall gone pre-tool ok.json\ncall post post-tool ok.json\ncall push pre-tool push.json",
    );
    let moved = inside.project.overstory("worktrees/ann-moved");
    wait_until(
        "the program runs",
        LONG,
        || inside.worktree.join("push.json").exists().then_some(()),
        || inside.project.report(),
    );
    std::fs::rename(&inside.worktree, &moved).unwrap();
    std::fs::write(moved.join("go"), "").unwrap();
    let inside = Inside {
        worktree: moved,
        project: inside.project,
    };
    for name in ["moved", "gone", "push"] {
        inside.refused(name, "worktrees/ann any more");
    }
    inside.allowed("post");
}

#[test]
fn a_disk_without_room_refuses_nothing() {
    let inside = Inside::start(
        "call before pre-tool ok.json\nuntil_there go\ncall pre pre-tool ok.json\ncall post post-tool ok.json\ncall push pre-tool push.json",
    );
    inside.allowed("before");
    // From now on no file of the host's can grow: stores, recording and log alike.
    let host = rustix::process::Pid::from_raw(i32::try_from(inside.host()).unwrap());
    let nothing = rustix::process::Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    rustix::process::prlimit(host, rustix::process::Resource::Fsize, nothing).unwrap();
    inside.go("go");
    inside.allowed("pre");
    inside.allowed("post");
    inside.refused("push", "push");
    assert!(alive(inside.host()));
    let calls = "SELECT id FROM events WHERE event_type = 'tool_end'";
    assert_eq!(
        inside.project.sql("events.db", calls).len(),
        0,
        "it could be stored after all"
    );
}

#[test]
fn times_that_are_wrong_refuse_nothing() {
    let inside = Inside::start(
        "call before pre-tool ok.json\nuntil_there go\ncall pre pre-tool ok.json\ncall prompt prompt ok.json\ncall push pre-tool push.json",
    );
    inside.allowed("before");
    // As a clock that was years ahead, and one that began at zero, would have left them.
    let sessions = rusqlite::Connection::open(inside.project.overstory("sessions.db")).unwrap();
    sessions
        .execute_batch("UPDATE sessions SET started_at = '2099-01-01T00:00:00.000Z', last_activity = '1970-01-01T00:00:00.000Z'")
        .unwrap();
    let mail = rusqlite::Connection::open(inside.project.overstory("mail.db")).unwrap();
    for (id, at) in [
        ("msg-late", "2099-01-01T00:00:00.000Z"),
        ("msg-early", "1970-01-01T00:00:00.000Z"),
        ("msg-odd", "no time"),
    ] {
        mail.execute(
            "INSERT INTO messages (id, from_agent, to_agent, subject, body, created_at) VALUES (?1, 'lead', 'ann', ?1, 'b', ?2)",
            [id, at],
        )
        .unwrap();
    }
    inside.go("go");
    inside.allowed("pre");
    let (code, said) = inside.ended("prompt");
    assert_eq!(code, "0", "{said}");
    for id in ["msg-late", "msg-early", "msg-odd"] {
        assert!(said.contains(id), "{id}: {said}");
    }
    inside.refused("push", "push");
}

/// Calls hooks as its CLI would, and as somebody who has answered in the place of one.
const FORGE: &str = r#"#!/bin/sh
hook() { printf '{"hook_event_name":"x","tool_name":"Bash","tool_use_id":"%s","tool_input":{"command":"%s"}}' "$2" "$3" | grove hook "$1"; }
hook pre-tool one ls
hook post-tool one ls
printf '{"tool_name":"Other","tool_use_id":"two"}' | grove hook post-tool
grove hook post-tool < /dev/null
echo "as a CLI does"
hook pre-tool three "git push"
hook post-tool three "git push"
hook post-tool four ls
echo "twice unasked"
hook post-tool five ls
sleep 1000
"#;

#[test]
fn an_agent_that_runs_calls_which_its_guard_was_not_asked_about_is_told_of_and_stopped() {
    let project = TestProject::initialised();
    project.write("forge.sh", FORGE);
    project.commit_all();
    let spec = project.script("mallory", "steps:\n- run: \"sh ./forge.sh\"\n- hang\n");
    let sling = ["sling", "t-1", "--name", "mallory", "--runtime", "script"];
    project.grove_ok(&[&sling[..], &["--spec", &spec]].concat());
    project.wait_for_state("mallory", "zombie", LONG);
    let log = project.grove_ok(&["guard", "log", "--agent", "mallory", "--json"]);
    assert_eq!(
        log.matches("mallory ran a tool call (Bash)").count(),
        3,
        "{log}"
    );
    assert!(!log.contains("(Other)"), "{log}");
}
