//! What is stored may hold sequences of a terminal: colours, blinking, hidden text. On a terminal none of
//! them reaches beyond the text that holds it; programs get every byte.

use crate::support::{GROVE, TestProject};
use grove::db::{EventStore, MailStore, SessionStore};
use grove::platform::ProjectPaths;
use grove::types::event::{EventType, Level, NewEvent};
use grove::types::mail::{MailType, NewMail};
use grove::types::{AgentSession, AgentState};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::io::Read;

/// Hides, colours, blinks, turns round, and never ends it.
const HOSTILE: &str = "\u{1b}[8mhid\u{1b}[31mred\u{1b}[5;7mblink\u{1b}[38:2::1:2:3mend";
const READABLE: &str = "hidredblinkend";

fn project() -> TestProject {
    let project = TestProject::initialised();
    let paths = ProjectPaths::new(project.root());
    let mail = MailStore::open(&paths.mail_db()).unwrap();
    let message = NewMail::new("a", "orchestrator", MailType::Status, HOSTILE, HOSTILE);
    mail.insert(&message).unwrap();
    let sessions = SessionStore::open(&paths.sessions_db()).unwrap();
    let at = "2026-03-01T00:00:00.000Z".to_owned();
    let session = AgentSession {
        id: "session-1-a".to_owned(),
        agent_name: "a".to_owned(),
        capability: "builder".to_owned(),
        worktree_path: "/w".to_owned(),
        branch_name: format!("overstory/a/{HOSTILE}"),
        task_id: HOSTILE.to_owned(),
        tmux_session: String::new(),
        state: AgentState::Working,
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
    let events = EventStore::open(&paths.events_db()).unwrap();
    let event = NewEvent {
        run_id: None,
        agent_name: "a".to_owned(),
        session_id: None,
        event_type: EventType::ToolStart,
        tool_name: Some(HOSTILE.to_owned()),
        tool_args: Some(HOSTILE.to_owned()),
        tool_duration_ms: None,
        level: Level::Error,
        data: Some(HOSTILE.to_owned()),
    };
    events.insert(&event).unwrap();
    let title = HOSTILE.replace('\u{1b}', "\\u001b");
    project.write(
        ".seeds/issues.jsonl",
        &format!("{{\"id\":\"s-1\",\"title\":\"{title}\",\"status\":\"open\",\"type\":\"task\",\"priority\":2,\"description\":\"{title}\"}}\n"),
    );
    project.write(
        ".overstory/logs/a/s/events.ndjson",
        &format!("{{\"timestamp\":\"2026-03-01T00:00:00.000Z\",\"level\":\"info\",\"event\":\"{title}\",\"agentName\":\"a\",\"data\":{{}}}}\n"),
    );
    project.write(
        ".mulch/mulch.config.yaml",
        include_str!("recorded/mulch.config.yaml"),
    );
    project.write(
        ".mulch/expertise/cli.jsonl",
        &format!("{{\"type\":\"convention\",\"content\":\"{title}\",\"classification\":\"tactical\",\"recorded_at\":\"2026-01-01T00:00:00.000Z\",\"id\":\"mx-abc123\"}}\n"),
    );
    project
}

/// Everything that a command writes to a terminal.
fn on_terminal(project: &TestProject, args: &[&str]) -> String {
    let size = PtySize {
        rows: 50,
        cols: 200,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(GROVE);
    command.args(args);
    command.env_clear();
    for (name, value) in project.env() {
        command.env(name, value);
    }
    command.cwd(project.root());
    let mut output = pair.master.try_clone_reader().unwrap();
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    // The end is an error on Linux.
    while let Ok(length @ 1..) = output.read(&mut buffer) {
        bytes.extend_from_slice(&buffer[..length]);
    }
    child.wait().unwrap();
    String::from_utf8(bytes).unwrap()
}

/// What is left without grove's own styles, each of which has to end on its line.
fn without_own_styles(line: &str) -> String {
    let mut plain = line.to_owned();
    for own in ["1", "32", "33"] {
        while let Some((before, styled)) = plain.split_once(&format!("\u{1b}[{own}m")) {
            let (styled, after) = styled
                .split_once("\u{1b}[0m")
                .unwrap_or_else(|| panic!("open: {line:?}"));
            plain = format!("{before}{styled}{after}");
        }
    }
    plain
}

#[test]
fn stored_text_styles_nothing_on_a_terminal() {
    let project = project();
    let since = ["--since", "2001-01-01T00:00:00Z"];
    for args in [
        &["mail", "list"][..],
        &["feed", since[0], since[1]],
        &["trace", "a"],
        &["replay", since[0], since[1]],
        &["errors"],
        &["inspect", "a"],
        &["agents", "discover"],
        &["logs"],
        &["task", "list"],
        &["task", "show", "s-1"],
        &["expertise", "query", "cli"],
        &["mail", "check", "--agent", "orchestrator"],
        // To standard error.
        &["inspect", HOSTILE],
        &["mail", "read", HOSTILE],
    ] {
        let shown = on_terminal(&project, args);
        assert!(shown.contains(READABLE), "{args:?}: {shown:?}");
        for line in shown.lines() {
            let plain = without_own_styles(line);
            assert!(!plain.contains('\u{1b}'), "{args:?}: {line:?}");
        }
    }
    // The letter that is put into a session's context.
    let message = NewMail::new("a", "orchestrator", MailType::Status, HOSTILE, HOSTILE);
    let paths = ProjectPaths::new(project.root());
    MailStore::open(&paths.mail_db())
        .unwrap()
        .insert(&message)
        .unwrap();
    let injected = on_terminal(
        &project,
        &["mail", "check", "--inject", "--agent", "orchestrator"],
    );
    assert!(
        injected.contains(READABLE) && !injected.contains('\u{1b}'),
        "{injected:?}"
    );
}

#[test]
fn programs_get_what_is_stored() {
    let project = project();
    let listed = project.grove_ok(&["mail", "list"]);
    assert!(listed.contains(HOSTILE), "{listed:?}");
    let json = project.grove(&["mail", "list", "--json"]).json();
    assert_eq!(json["messages"][0]["body"], HOSTILE);
    // JSON holds no sequence, on a terminal either.
    let shown = on_terminal(&project, &["mail", "list", "--json"]);
    assert_eq!(
        shown.trim_end(),
        project.grove_ok(&["mail", "list", "--json"]).trim_end()
    );
}

#[test]
fn own_styles_stay() {
    let project = project();
    let shown = on_terminal(&project, &["task", "show", "s-1"]);
    assert!(
        shown.starts_with("\u{1b}[1ms-1\u{1b}[0m  open"),
        "{shown:?}"
    );
    let sent = on_terminal(
        &project,
        &["mail", "send", "--to", "b", "--subject", "s", "--body", "x"],
    );
    assert!(
        sent.starts_with("\u{1b}[32m✓\u{1b}[0m Sent message"),
        "{sent:?}"
    );
}
