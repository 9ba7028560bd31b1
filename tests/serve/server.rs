//! A running `grove serve` on a free port, and rows to serve.

use crate::support::TestProject;
use grove::db::{EventStore, MailStore, SessionStore};
use grove::platform::ProjectPaths;
use grove::types::event::{EventType, NewEvent};
use grove::types::mail::{MailType, NewMail};
use grove::types::{AgentSession, AgentState};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, ChildStdout, Stdio};

pub(crate) struct Server {
    pub(crate) project: TestProject,
    pub(crate) child: Child,
    pub(crate) port: u16,
    /// What it said when it started.
    pub(crate) started: Value,
    _stdout: BufReader<ChildStdout>,
    _stderr: ChildStderr,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::with(TestProject::initialised(), &[])
    }

    pub(crate) fn with(project: TestProject, args: &[&str]) -> Self {
        let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
        command.args(["serve", "--port", "0", "--json"]).args(args);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let mut stderr = child.stderr.take().unwrap();
        if line.is_empty() {
            let mut text = String::new();
            std::io::Read::read_to_string(&mut stderr, &mut text).unwrap();
            panic!("the server did not start: {text}");
        }
        let started: Value = serde_json::from_str(&line).unwrap();
        Self {
            port: u16::try_from(started["port"].as_u64().unwrap()).unwrap(),
            project,
            child,
            started,
            _stdout: stdout,
            _stderr: stderr,
        }
    }

    pub(crate) fn paths(&self) -> ProjectPaths {
        ProjectPaths::new(self.project.root())
    }

    pub(crate) fn mail(&self) -> MailStore {
        MailStore::open(&self.paths().mail_db()).unwrap()
    }

    pub(crate) fn sessions(&self) -> SessionStore {
        SessionStore::open(&self.paths().sessions_db()).unwrap()
    }

    pub(crate) fn events(&self) -> EventStore {
        EventStore::open(&self.paths().events_db()).unwrap()
    }

    /// Adds an agent.
    pub(crate) fn agent(&self, name: &str, run: Option<&str>, state: AgentState) -> AgentSession {
        let at = grove::platform::clock::now().iso();
        let session = AgentSession {
            id: format!("session-1-{name}"),
            agent_name: name.to_owned(),
            capability: "builder".to_owned(),
            worktree_path: "/w".to_owned(),
            branch_name: format!("overstory/{name}/t"),
            task_id: "t".to_owned(),
            tmux_session: String::new(),
            state,
            pid: None,
            parent_agent: None,
            depth: 0,
            run_id: run.map(str::to_owned),
            started_at: at.clone(),
            last_activity: at,
            escalation_level: 0,
            stalled_since: None,
            transcript_path: None,
            prompt_version: None,
            claude_session_id: None,
        };
        self.sessions().upsert(&session).unwrap();
        session
    }

    /// Adds a message.
    pub(crate) fn message(&self, from: &str, to: &str, subject: &str) -> String {
        let mail = NewMail::new(from, to, MailType::Status, subject, "text");
        self.mail().insert(&mail).unwrap().id
    }
}

/// An event of an agent in a run.
pub(crate) fn event(agent: &str, run: Option<&str>) -> NewEvent {
    NewEvent {
        run_id: run.map(str::to_owned),
        ..NewEvent::new(agent, EventType::Custom)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already, as the test wanted.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
