//! What the observing commands promise beyond the recorded cases. Numbers in the remarks are sections
//! of the contract's list of commands.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::Receiver;

use rusqlite::{Connection, params};
use serde_json::Value;

use crate::support::{SHORT, TestProject, wait_until};

fn events(project: &TestProject, rows: &[(&str, &str, &str, &str, &str)]) {
    let connection = Connection::open(project.overstory("events.db")).unwrap();
    for (agent, kind, level, args, at) in rows {
        connection
            .execute(
                "INSERT INTO events (run_id, agent_name, event_type, tool_name, tool_args, level, created_at)
                 VALUES ('run-1', ?1, ?2, 'Bash', ?3, ?4, ?5)",
                params![agent, kind, args, level, at],
            )
            .unwrap();
    }
}

fn ids(json: &Value) -> Vec<i64> {
    let events = json["events"].as_array().unwrap();
    events.iter().map(|e| e["id"].as_i64().unwrap()).collect()
}

fn session(project: &TestProject, agent: &str, task: &str, state: &str, started: &str) {
    let connection = Connection::open(project.overstory("sessions.db")).unwrap();
    connection
        .execute(
            "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, started_at, last_activity)
             VALUES ('session-' || ?1, ?1, 'builder', '/w', 'b', ?2, '', ?3, ?4, ?4)",
            params![agent, task, state, started],
        )
        .unwrap();
}

/// "Comparison of times is textual on the stored strings, so `...000` < `...000Z`" (§6).
#[test]
fn times_are_compared_as_texts() {
    let project = TestProject::initialised();
    let at = "2026-01-01T00:00:00.000";
    events(&project, &[("a", "custom", "info", "{}", at)]);
    let trace = |option: &str, time: &str| {
        ids(&project
            .grove(&["trace", "a", option, time, "--json"])
            .json())
        .len()
    };
    assert_eq!(trace("--since", "2026-01-01T00:00:00.000Z"), 0);
    assert_eq!(trace("--until", "2026-01-01T00:00:00.000Z"), 1);
    assert_eq!(trace("--since", at), 1);
    assert_eq!(trace("--until", "2026-01-01"), 0);
}

/// "Without agent/run: descending; with: ascending. Agent wins over run"; "limit keeps the OLDEST rows" (§6).
#[test]
fn errors_come_newest_first_unless_somebody_is_named() {
    let project = TestProject::initialised();
    let at = |second: i32| format!("2026-01-01T00:00:{second:02}.000");
    let times: Vec<String> = [3, 1, 2, 2].into_iter().map(at).collect();
    let rows: Vec<_> = times
        .iter()
        .zip(["a", "b", "a", "b"])
        .map(|(time, agent)| (agent, "error", "error", "{}", time.as_str()))
        .collect();
    events(&project, &rows);
    let errors = |args: &[&str]| {
        let args = [&["errors", "--json"], args].concat();
        ids(&project.grove(&args).json())
    };
    // Equal times keep the order in which they were stored.
    assert_eq!(errors(&[]), [1, 3, 4, 2]);
    assert_eq!(errors(&["--limit", "2"]), [1, 3]);
    assert_eq!(errors(&["--run", "run-1"]), [2, 3, 4, 1]);
    assert_eq!(errors(&["--run", "none", "--agent", "a"]), [3, 1]);
    assert_eq!(errors(&["--agent", "b", "--limit", "1"]), [2]);
}

/// "Multi-agent: per-agent rows merged by a stable sort on createdAt" (§6).
#[test]
fn of_equal_times_the_agent_named_first_comes_first() {
    let project = TestProject::initialised();
    let at = "2026-01-01T00:00:00.000";
    let row = |agent| (agent, "custom", "info", "{}", at);
    events(&project, &[row("a"), row("b"), row("a")]);
    let args = ["replay", "--agent", "b", "--agent", "a", "--json"];
    assert_eq!(ids(&project.grove(&args).json()), [2, 1, 3]);
}

/// "Task ids (`^[a-z][a-z0-9]*-[a-z0-9]{3,}$`, case-insensitive) map to the earliest-started session
/// with that task" (§6).
#[test]
fn a_task_is_traced_through_its_first_agent() {
    let project = TestProject::initialised();
    session(
        &project,
        "late",
        "demo-a1b",
        "working",
        "2026-01-02T00:00:00.000Z",
    );
    session(
        &project,
        "early",
        "demo-a1b",
        "completed",
        "2026-01-01T00:00:00.000Z",
    );
    let at = "2026-01-01T00:00:00.000";
    let row = |agent| (agent, "custom", "info", "{}", at);
    events(
        &project,
        &[row("late"), row("early"), row("demo-a1b"), row("ab")],
    );
    let trace = |target: &str| ids(&project.grove(&["trace", target, "--json"]).json());
    assert_eq!(trace("demo-a1b"), [2]);
    assert_eq!(trace("late"), [1]);
    assert_eq!(trace("demo-zzz"), [0; 0]);
    let text = project.grove_ok(&["trace", "demo-a1b"]);
    assert!(text.starts_with("Timeline for early\n"), "{text}");
}

/// "only the OLDEST 200 events of the agent are read, and recentToolCalls are the oldest `limit`
/// tool_start events in that window"; "each value cut at 40 (37 + `...`), whole at 100" (§2).
#[test]
fn inspect_looks_at_the_first_two_hundred_events() {
    let project = TestProject::initialised();
    session(&project, "a", "t-1", "working", "2026-01-01T00:00:00.000Z");
    let times: Vec<String> = (0..300)
        .map(|n| format!("2026-01-01T00:{:02}:{:02}.000", n / 60, n % 60))
        .collect();
    let emoji = format!("{{\"command\":\"{}\"}}", "🚀".repeat(30));
    let long = format!(
        "{{\"a\":\"{0}\",\"b\":\"{0}\",\"c\":\"{0}\"}}",
        "x".repeat(40)
    );
    let rows: Vec<_> = times
        .iter()
        .enumerate()
        .map(|(n, time)| {
            let args = match n {
                0 => emoji.as_str(),
                2 => &long,
                4 => "plain words",
                _ => "{}",
            };
            let kind = if n % 2 == 0 { "tool_start" } else { "tool_end" };
            ("a", kind, "info", args, time.as_str())
        })
        .collect();
    events(&project, &rows);
    let inspect = |limit: &str| {
        project
            .grove(&["inspect", "a", "--limit", limit, "--json"])
            .json()
    };
    let json = inspect("9999");
    let calls = json["recentToolCalls"].as_array().unwrap();
    assert_eq!(calls.len(), 100, "every second of the first 200");
    assert_eq!(calls[0]["timestamp"], times[0].as_str());
    // 37 units of UTF-16 end in the middle of a pair.
    let cut = format!("command={}\u{fffd}...", "🚀".repeat(18));
    assert_eq!(calls[0]["args"], cut.as_str());
    let whole = calls[1]["args"].as_str().unwrap();
    assert!(whole.len() == 100 && whole.ends_with("..."), "{whole}");
    assert_eq!(calls[2]["args"], "plain words");
    assert_eq!(
        json["toolStats"][0]["count"], 150,
        "all of them are counted"
    );
    assert_eq!(inspect("3")["recentToolCalls"].as_array().unwrap().len(), 3);
}

/// "ordered by cost descending" (§6): equal costs keep the order in which they came.
#[test]
fn capabilities_of_equal_cost_keep_their_order() {
    let project = TestProject::initialised();
    let connection = Connection::open(project.overstory("metrics.db")).unwrap();
    for (n, (capability, cost)) in [("b", 1.0), ("a", 1.0), ("c", 1_234_567.125)]
        .iter()
        .enumerate()
    {
        connection
            .execute(
                "INSERT INTO sessions (agent_name, task_id, capability, started_at, input_tokens, estimated_cost_usd)
                 VALUES (?1, 't', ?2, ?3, 1234567, ?4)",
                params![format!("agent-{n}"), capability, format!("2026-01-0{}", 9 - n), cost],
            )
            .unwrap();
    }
    drop(connection);
    let json = project
        .grove(&["costs", "--by-capability", "--json"])
        .json();
    let order: Vec<&String> = json["grouped"].as_object().unwrap().keys().collect();
    assert_eq!(order, ["c", "b", "a"]);
    let raw = project.grove_ok(&["costs", "--by-capability", "--json"]);
    assert!(
        raw.contains("\"costUsd\":1234567.125") && raw.contains("\"costUsd\":1}"),
        "{raw}"
    );
    let text = project.grove_ok(&["costs"]);
    assert!(
        text.contains("1,234,567") && text.contains("$1234567.13"),
        "{text}"
    );
}

/// "`--since` (ISO or `Ns|Nm|Nh|Nd`)"; "lines that are not objects with `timestamp` and `event` are
/// skipped"; "`--limit 100` (newest kept)" (§6).
#[test]
fn logs_take_relative_times_and_keep_the_newest() {
    let project = TestProject::initialised();
    let recent = |minutes: i64| {
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap();
        grove::types::Timestamp(now.as_millis() as i64 - minutes * 60_000).iso()
    };
    let line = |at: &str, event: &str| {
        format!("{{\"timestamp\":\"{at}\",\"level\":\"info\",\"event\":\"{event}\",\"x\":1e21}}\n")
    };
    let text =
        line(&recent(10), "old") + "[1]\nnot json\n{\"event\":\"x\"}\n" + &line(&recent(1), "new");
    project.write(
        ".overstory/logs/a/2026-01-01T00-00-00-000Z/events.ndjson",
        &text,
    );
    let entries = |args: &[&str]| {
        let json = project.grove(&[&["logs", "--json"], args].concat()).json();
        let entries = json["entries"].as_array().unwrap().clone();
        let names = entries
            .iter()
            .map(|e| e["event"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(entries(&[]), "old new");
    assert_eq!(entries(&["--since", "5m"]), "new");
    assert_eq!(entries(&["--since", "300s"]), "new");
    assert_eq!(entries(&["--since", "1h", "--limit", "1"]), "new");
    assert_eq!(entries(&["--since", "1d"]), "old new");
    assert!(
        project
            .grove_ok(&["logs", "--json"])
            .contains("\"x\":1e+21")
    );
    let empty = TestProject::initialised();
    assert_eq!(empty.grove_ok(&["logs", "--json"]), "[]\n");
}

/// "in follow mode one `{"...","event":{...}}` line per event" (§6).
#[test]
fn a_followed_feed_is_one_envelope_per_event() {
    let project = TestProject::initialised();
    let at = "2026-01-01T00:00:00.000";
    events(&project, &[("a", "custom", "info", "{}", at)]);
    let mut feed = Followed::start(&project, &[]);
    let first = feed.next();
    assert!(
        first.starts_with(
            "{\"success\":true,\"command\":\"feed\",\"event\":{\"id\":1,\"runId\":\"run-1\","
        ),
        "{first}"
    );
    events(&project, &[("b", "custom", "info", "{}", at)]);
    let second: Value = serde_json::from_str(&feed.next()).unwrap();
    assert_eq!(second["event"]["agentName"], "b");
}

#[test]
fn a_followed_feed_begins_with_the_newest_of_its_limit() {
    let project = TestProject::initialised();
    let row = |agent, at: &'static str| (agent, "custom", "info", "{}", at);
    events(
        &project,
        &[
            row("a", "2026-01-01T00:00:01.000"),
            row("b", "2026-01-01T00:00:02.000"),
            // Written late.
            row("a", "2026-01-01T00:00:00.000"),
            row("b", "2026-01-01T00:00:03.000"),
        ],
    );
    let mut feed = Followed::start(&project, &["--limit", "2"]);
    let both = ["--limit", "3", "--agent", "b", "--agent", "a"];
    let mut of_both = Followed::start(&project, &both);
    let mut of_one = Followed::start(&project, &["--limit", "1", "--agent", "a"]);
    let id = |feed: &mut Followed| {
        let line: Value = serde_json::from_str(&feed.next()).unwrap();
        line["event"]["id"].as_i64().unwrap()
    };
    assert_eq!([id(&mut feed), id(&mut feed)], [2, 4]);
    let first = [id(&mut of_both), id(&mut of_both), id(&mut of_both)];
    assert_eq!(first, [1, 2, 4]);
    assert_eq!(id(&mut of_one), 1);
    events(&project, &[row("a", "2026-01-01T00:00:04.000")]);
    assert_eq!([id(&mut feed), id(&mut of_both), id(&mut of_one)], [5; 3]);
}

/// Another store first, then the copy: what was shown before is not shown again.
#[cfg(unix)]
#[test]
fn a_followed_feed_shows_nothing_again_when_its_store_comes_back() {
    let project = TestProject::initialised();
    let row = |agent, at: &'static str| (agent, "custom", "info", "{}", at);
    events(
        &project,
        &[
            row("a", "2026-01-01T00:00:01.000"),
            row("b", "2026-01-01T00:00:02.000"),
        ],
    );
    let store = project.overstory("events.db");
    let copy = project.beside().join("copy.db");
    rusqlite::Connection::open(&store)
        .unwrap()
        .execute("VACUUM INTO ?1", [copy.to_str().unwrap()])
        .unwrap();
    let replace = |with: &std::path::Path| {
        for end in ["-wal", "-shm"] {
            let file = project.overstory(&format!("events.db{end}"));
            if file.exists() {
                std::fs::remove_file(file).unwrap();
            }
        }
        std::fs::rename(with, &store).unwrap();
    };
    let mut feed = Followed::start(&project, &[]);
    let mut agent = || {
        let line: Value = serde_json::from_str(&feed.next()).unwrap();
        line["event"]["agentName"].as_str().unwrap().to_owned()
    };
    assert_eq!([agent(), agent()], ["a", "b"]);
    let other = project.beside().join("other.db");
    drop(grove::db::EventStore::open(&other).unwrap());
    replace(&other);
    events(&project, &[row("c", "2026-01-01T00:00:03.000")]);
    assert_eq!(agent(), "c");
    replace(&copy);
    events(&project, &[row("d", "2026-01-01T00:00:04.000")]);
    assert_eq!(agent(), "d");
}

/// Its interval is a day, too.
#[test]
fn a_followed_inspection_shows_what_has_changed() {
    let project = TestProject::initialised();
    session(&project, "a", "t-1", "working", "2026-01-01T00:00:00.000Z");
    let at = "2026-01-01T00:00:00.000";
    events(&project, &[("b", "custom", "info", "{}", at)]);
    let mut inspect = Followed::run(&project, &["inspect", "a", "--interval", "86400000"]);
    let calls = |line: String| {
        let line: Value = serde_json::from_str(&line).unwrap();
        line["recentToolCalls"].as_array().unwrap().len()
    };
    assert_eq!(calls(inspect.next()), 0);
    for count in 1..4 {
        events(&project, &[("a", "tool_start", "info", "{}", at)]);
        assert_eq!(calls(inspect.next()), count);
    }
}

/// A copy is put back over the file, or it is removed and made again: the file that was opened first
/// never changes any more. The intervals are a day.
#[cfg(unix)]
#[test]
fn following_goes_on_in_a_store_that_takes_the_place_of_another() {
    let project = TestProject::initialised();
    let day = ["--interval", "86400000"];
    session(&project, "a", "t-1", "working", "2026-01-01T00:00:00.000Z");
    let row = |agent, minute: &'static str| (agent, "tool_start", "info", "{}", minute);
    events(
        &project,
        &[
            row("a", "2026-01-01T00:01:00.000"),
            row("b", "2026-01-01T00:02:00.000"),
        ],
    );
    let store = project.overstory("events.db");
    let take_away = |name: &str| {
        for end in ["", "-wal", "-shm"] {
            let file = project.overstory(&format!("events.db{end}"));
            if file.exists() {
                std::fs::rename(file, project.beside().join(format!("{name}{end}"))).unwrap();
            }
        }
    };
    let mut feed = Followed::start(&project, &day);
    let mut inspect = Followed::run(&project, &[&["inspect", "a"][..], &day].concat());
    let agent = |line: String| {
        let line: Value = serde_json::from_str(&line).unwrap();
        line["event"]["agentName"].as_str().unwrap().to_owned()
    };
    let calls = |line: String| {
        let line: Value = serde_json::from_str(&line).unwrap();
        line["recentToolCalls"].as_array().unwrap().len()
    };
    assert_eq!([agent(feed.next()), agent(feed.next())], ["a", "b"]);
    assert_eq!(calls(inspect.next()), 1);
    // One that knows what the old one had, and more.
    let copy = project.beside().join("copy.db");
    let old = rusqlite::Connection::open(&store).unwrap();
    old.execute("VACUUM INTO ?1", [copy.to_str().unwrap()])
        .unwrap();
    drop(old);
    take_away("first");
    std::fs::rename(&copy, &store).unwrap();
    events(&project, &[row("c", "2026-01-01T00:03:00.000")]);
    assert_eq!(agent(feed.next()), "c");
    // One that numbers its events anew.
    take_away("second");
    drop(grove::db::EventStore::open(&store).unwrap());
    events(
        &project,
        &[
            row("a", "2026-01-01T00:04:00.000"),
            row("d", "2026-01-01T00:05:00.000"),
        ],
    );
    assert_eq!([agent(feed.next()), agent(feed.next())], ["a", "d"]);
    events(&project, &[row("a", "2026-01-01T00:06:00.000")]);
    assert_eq!(agent(feed.next()), "a");
    // What was shown in between depends on the moment.
    while calls(inspect.next()) != 2 {}
}

/// A command with `--follow --json` that ends with the test.
struct Followed {
    child: Child,
    lines: Receiver<String>,
}

impl Followed {
    /// A feed of all times.
    fn start(project: &TestProject, extra: &[&str]) -> Self {
        let feed = ["feed", "--since", "2001-01-01T00:00:00Z"];
        Self::run(project, &[&feed[..], extra].concat())
    }

    fn run(project: &TestProject, args: &[&str]) -> Self {
        let mut child = project
            .command(env!("CARGO_BIN_EXE_grove"))
            .args(args)
            .args(["--follow", "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                sender.send(line).unwrap_or_default();
            }
        });
        Self { child, lines }
    }

    fn next(&mut self) -> String {
        self.lines.recv_timeout(SHORT).unwrap()
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Its interval is a day: only the notice of the change leads to a look.
#[test]
fn a_followed_feed_shows_an_event_as_soon_as_it_is_stored() {
    let project = TestProject::initialised();
    let at = "2026-01-01T00:00:00.000";
    events(&project, &[("a", "custom", "info", "{}", at)]);
    let mut feed = Followed::start(&project, &["--interval", "86400000"]);
    let agent = |line: String| {
        let line: Value = serde_json::from_str(&line).unwrap();
        line["event"]["agentName"].as_str().unwrap().to_owned()
    };
    assert_eq!(agent(feed.next()), "a");
    for name in ["b", "c", "d"] {
        events(&project, &[(name, "custom", "info", "{}", at)]);
        assert_eq!(agent(feed.next()), name);
    }
}

#[test]
fn following_ends_with_its_reader_though_nothing_happens() {
    let project = TestProject::initialised();
    session(&project, "a", "t-1", "working", "2026-01-01T00:00:00.000Z");
    events(
        &project,
        &[("a", "custom", "info", "{}", "2026-01-01T00:00:00.000")],
    );
    for args in [
        &[
            "feed",
            "--follow",
            "--interval",
            "86400000",
            "--since",
            "2001-01-01T00:00:00Z",
        ][..],
        &["inspect", "a", "--follow", "--interval", "86400000"],
    ] {
        let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
        let mut child = command.args(args).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.next().unwrap().is_ok(), "{args:?}");
        drop(lines);
        wait_until(
            "it ends",
            SHORT,
            || child.try_wait().unwrap(),
            || format!("{args:?}"),
        );
    }
}

/// "`status` of a run: sessions of that run, then sessions with null run"; nothing is written back.
#[test]
fn status_shows_what_it_sees_and_writes_nothing() {
    let project = TestProject::initialised();
    session(&project, "a", "t-1", "working", "2026-01-01T00:00:00.000Z");
    let json = project.grove(&["status", "--json"]).json();
    assert_eq!(json["agents"][0]["state"], "zombie");
    assert_eq!(project.state("a").as_deref(), Some("working"));
}

/// "Group addresses (case-insensitive, over active sessions of all runs, sender excluded)".
#[test]
fn group_addresses_reach_active_agents_but_not_the_sender() {
    let project = TestProject::initialised();
    for (agent, state) in [
        ("x", "working"),
        ("y", "in_turn"),
        ("z", "completed"),
        ("w", "zombie"),
    ] {
        session(&project, agent, "t-1", state, "2026-01-01T00:00:00.000Z");
    }
    let send = |to: &str| {
        let args = [
            "mail",
            "send",
            "--to",
            to,
            "--from",
            "x",
            "--subject",
            "s",
            "--body",
            "b",
            "--json",
        ];
        project.grove(&args).json()
    };
    assert_eq!(send("@BUILDERS")["recipientCount"], 1);
    assert_eq!(send("@all")["messageIds"].as_array().unwrap().len(), 1);
    let refused = send("@orchestrator")["error"].as_str().unwrap().to_owned();
    assert!(
        refused.starts_with("Unknown group address: \"@orchestrator\""),
        "{refused}"
    );
    assert_eq!(send("@scouts")["success"], false);
}
