//! The one interface to every agent CLI: what it can do, how it is started, what it prints.

use super::login::RunningLogin;
use super::state::State;
use super::stream::{StreamEvent, Usage};
use crate::platform::FsError;
use crate::types::host::Mode;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a runtime can and cannot do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    pub modes: &'static [Mode],
    /// The CLI calls hooks, so the guard sees every tool call.
    pub hooks: bool,
    pub resume: bool,
    /// A message can be given to the agent while it works.
    pub steering: bool,
}

/// Everything a runtime may use to prepare a start.
#[derive(Debug)]
pub struct LaunchContext<'a> {
    pub agent: &'a str,
    pub mode: Mode,
    pub model: Option<&'a str>,
    pub root: &'a Path,
    pub worktree: &'a Path,
    /// Private files of this agent's host; the agent cannot be trusted with them.
    pub private_dir: &'a Path,
    /// The first user message.
    pub prompt: &'a str,
    /// The rendered assignment.
    pub overlay: &'a str,
    /// The spec file, if the work has one.
    pub spec: Option<&'a Path>,
    /// The conversation to continue, for a resumed agent.
    pub resume: Option<&'a str>,
    /// This program, for hook commands.
    pub grove: &'a Path,
    pub home: Option<&'a Path>,
}

/// How to start a CLI.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prepared {
    pub argv: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub env_remove: Vec<String>,
    /// The first prompt when the CLI takes it over stdin.
    pub first_prompt: Option<String>,
    pub conversation: Option<String>,
}

/// Why a runtime cannot start an agent.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    #[error("Unknown runtime: \"{name}\". Available: {available}")]
    Unknown { name: String, available: String },
    #[error("runtime '{name}' cannot be started by this version; use one of: {available}")]
    NotYet { name: String, available: String },
    #[error("runtime '{runtime}' has no {} mode", mode.as_str())]
    Mode { runtime: &'static str, mode: Mode },
    #[error("'{binary}' is not installed or not on PATH; install it ({install}) or {otherwise}")]
    Missing {
        binary: &'static str,
        install: &'static str,
        /// How another runtime is chosen here.
        otherwise: String,
    },
    #[error("{} is not valid JSON ({message}); repair it, then try again", path.display())]
    Settings {
        path: std::path::PathBuf,
        message: String,
    },
    #[error("a question of {bytes} bytes cannot be given to '{runtime}'")]
    PromptTooLarge { runtime: String, bytes: usize },
    #[error("agent '{agent}' has no script to run: pass --spec FILE.yaml")]
    NoScript { agent: String },
    #[error(transparent)]
    File(#[from] FsError),
}

/// One agent CLI.
pub trait Runtime: Sync {
    fn id(&self) -> &'static str;
    /// The program to look for; `None` when grove itself is the program.
    fn binary(&self) -> Option<(&'static str, &'static str)>;
    fn capabilities(&self) -> Capabilities;
    /// Where the assignment is written inside the worktree, for people and for ov.
    fn instruction_file(&self) -> Option<&'static str>;
    /// What the CLI keeps and must be able to write: below the home folder, or below the private folder of the agent's
    /// host. What configures the CLI for the user's own use is not among them.
    fn state(&self, _home: &Path, _private_dir: Option<&Path>) -> State {
        State::default()
    }
    /// Writes what the CLI needs and says how to start it.
    fn prepare(&self, ctx: &LaunchContext<'_>) -> Result<Prepared, RuntimeError>;
    /// Writes what the CLI needs below `private_dir` to answer a single question apart from what the user's own keeps;
    /// the variables that lead there.
    fn prepare_question(
        &self,
        _home: &Path,
        _private_dir: &Path,
        _root: &Path,
    ) -> Result<Vec<(String, String)>, RuntimeError> {
        Ok(Vec::new())
    }
    /// The user's login that an agent in `root` works with, where it runs out and the agent cannot renew it from inside
    /// of its sandbox; `given` knows the agent's variables.
    fn running_login(
        &self,
        _home: &Path,
        _root: &Path,
        _given: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<RunningLogin>, RuntimeError> {
        Ok(None)
    }
    /// One user message as the bytes the CLI reads from stdin in stream mode.
    fn user_line(&self, text: &str) -> Vec<u8>;
    /// What one line of the CLI's stream says.
    fn parse_line(&self, line: &str) -> Vec<StreamEvent>;
    /// Folders that may hold transcripts of conversations started in `place`, the usual one first: those of the agent
    /// whose host has that private folder, and those of the user. None for a CLI whose transcripts are not known.
    fn transcript_folders(
        &self,
        _home: &Path,
        _private_dir: Option<&Path>,
        _place: &Path,
    ) -> Vec<PathBuf> {
        Vec::new()
    }
    /// The usage a line of a transcript reports, and the message it belongs to.
    fn transcript_usage(&self, _line: &str) -> Option<(Option<String>, Usage)> {
        None
    }
    /// The likely cause of an exit, in one line.
    fn exit_cause(&self, code: Option<i32>, signal: Option<&str>, screen: &str) -> String;
}

/// A sentence about an exit that every runtime can use when it knows nothing better.
pub(crate) fn plain_cause(code: Option<i32>, signal: Option<&str>) -> String {
    match (code, signal) {
        (_, Some(signal)) => format!("ended by signal {signal}"),
        (Some(0), None) => "exited normally".to_owned(),
        (Some(127), None) => "command not found (exit code 127)".to_owned(),
        (Some(code), None) => format!("exited with code {code}"),
        (None, None) => "ended for an unknown reason".to_owned(),
    }
}
