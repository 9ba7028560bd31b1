//! How an agent's process is started and what its host knows about it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How grove talks to the agent CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A live interactive terminal.
    Pty,
    /// Structured lines over pipes, rendered as a transcript.
    Stream,
}

impl Mode {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pty => "pty",
            Self::Stream => "stream",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "pty" => Some(Self::Pty),
            "stream" => Some(Self::Stream),
            _ => None,
        }
    }
}

/// Everything a host needs to start one agent; written before the host is started, so
/// that a host killed at any point leaves behind what it was asked to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaunchRecord {
    pub session_id: String,
    pub agent: String,
    pub capability: String,
    pub task_id: String,
    pub run_id: Option<String>,
    pub parent: Option<String>,
    pub depth: i64,
    pub runtime: String,
    pub mode: Mode,
    pub model: Option<String>,
    /// The CLI and its arguments; no shell is involved.
    pub argv: Vec<String>,
    /// Set on top of the host's own environment.
    pub env: BTreeMap<String, String>,
    /// Set to what another variable of the host's own environment holds: values that are not to be
    /// written down.
    #[serde(default)]
    pub env_from: BTreeMap<String, String>,
    /// Removed from the host's own environment.
    pub env_remove: Vec<String>,
    pub cwd: PathBuf,
    pub root: PathBuf,
    pub branch: String,
    /// Per-agent folder for temporary files.
    pub temp: PathBuf,
    pub cols: u16,
    pub rows: u16,
    /// The first prompt, for runtimes that take it over stdin.
    pub first_prompt: Option<String>,
    /// Whether the CLI must call a hook before it may go on unguarded.
    pub expects_hooks: bool,
    pub quality_gates: Vec<String>,
    /// The project's `guard.allow` and `guard.block` when the agent was started.
    #[serde(default)]
    pub guard_allow: Vec<String>,
    #[serde(default)]
    pub guard_block: Vec<String>,
    /// The conversation id chosen for the CLI, if it lets us choose.
    pub conversation: Option<String>,
}

/// Identity of a process: a pid alone is reused by the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProcessId {
    pub pid: i32,
    /// Clock ticks since boot on Linux; 0 where the system does not tell.
    pub start: u64,
}

/// What keeps an agent in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Walls {
    /// The sandbox, and the guard before it.
    Sandbox,
    /// Tool calls are judged; nothing stops what the judge does not see.
    Guard,
    Nothing,
}

/// What keeps an agent in its place, and what a person should know of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protection {
    pub walls: Walls,
    /// Why there is no more, or what the sandbox does not refuse.
    pub note: Option<String>,
}

impl Protection {
    /// What is missing, in a few words; nothing with a sandbox.
    pub fn missing(&self) -> Option<&'static str> {
        match self.walls {
            Walls::Sandbox => None,
            Walls::Guard => Some("guard only"),
            Walls::Nothing => Some("no guard, no sandbox"),
        }
    }

    /// What a person should know, in one line, if there is anything.
    pub fn line(&self) -> Option<String> {
        match (self.missing(), &self.note) {
            (Some(missing), Some(note)) => Some(format!("{missing}: {note}")),
            (Some(missing), None) => Some(missing.to_owned()),
            (None, note) => note.clone(),
        }
    }
}

/// How an agent's CLI ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitReport {
    pub code: Option<i32>,
    pub signal: Option<String>,
    /// The likely cause in one line, from the runtime.
    pub cause: String,
    /// The last screen as plain text, one line per row.
    pub last_screen: String,
    pub ended_at: String,
}
