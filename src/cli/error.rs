//! The one error type of the command line: what happened, its code, and what to do next.

use std::fmt::Write as _;
use std::io::ErrorKind as IoKind;
use std::path::Path;

use crate::agents::AgentError;
use crate::agents::manifest::ManifestError;
use crate::config::ConfigError;
use crate::db::DbError;
use crate::git::GitError;
use crate::mail::MailError;
use crate::platform::FsError;
use crate::runtimes::{self, RuntimeError};
use crate::setup::SetupError;

use super::outcome::Outcome;

/// Result of a command.
pub type CliResult<T = Outcome> = Result<T, CliError>;

/// Whose fault it is, roughly; decides nothing but the default hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Something the user can change.
    User,
    /// The configuration.
    Config,
    /// The command line itself.
    Usage,
    /// Ours.
    Internal,
}

/// A line about what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Always shown.
    Everybody(String),
    /// Shown on a terminal only, because the contract settles every line that programs read.
    People(String),
}

/// An error on its way to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliError {
    /// Whose fault.
    pub kind: ErrorKind,
    /// What happened.
    pub message: String,
    /// The contract's code, e.g. `MAIL_ERROR`.
    pub code: Option<&'static str>,
    /// What to do next, one line each; text mode only.
    pub hints: Vec<Hint>,
    /// Set when the command reports the failure under its own name.
    pub command: Option<(&'static str, String)>,
    /// How the process ends: 1, or 128 and the signal that asked it to.
    pub exit: u8,
}

impl CliError {
    /// An error without a code.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::User,
            message: message.into(),
            code: None,
            hints: Vec::new(),
            command: None,
            exit: 1,
        }
    }

    /// An error with one of the contract's codes.
    pub fn coded(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code: Some(code),
            ..Self::new(message)
        }
    }

    /// A value the user gave is not acceptable.
    pub fn validation(message: impl Into<String>) -> Self {
        Self::coded("VALIDATION_ERROR", message)
    }

    /// Something about an agent stands in the way.
    pub fn agent(message: impl Into<String>) -> Self {
        Self::coded("AGENT_ERROR", message)
    }

    /// There is no project here: its folder is missing. The contract's words, plus what helps.
    pub fn no_state(folder: &Path) -> Self {
        Self::new("unable to open database file")
            .hint(format!("there is no {}", folder.display()))
            .hint("go to your project, or run 'grove init' in it first")
    }

    /// A failure that the command reports under its own name: `✗ shown` in text, `message` in JSON.
    pub fn of_command(
        command: &'static str,
        message: impl Into<String>,
        shown: impl Into<String>,
    ) -> Self {
        Self {
            command: Some((command, shown.into())),
            ..Self::new(message)
        }
    }

    /// The command line was not understood.
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Usage,
            ..Self::new(message)
        }
    }

    /// Adds a line that says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(Hint::Everybody(hint.into()));
        self
    }

    /// Adds a line that says what to do, for people at a terminal.
    #[must_use]
    pub fn tip(mut self, tip: impl Into<String>) -> Self {
        self.hints.push(Hint::People(tip.into()));
        self
    }

    /// Renders the text for stderr, with a final newline; `people` read it on a terminal.
    pub fn text(&self, people: bool) -> String {
        let mut out = match (&self.command, self.code, self.kind) {
            (Some((_, shown)), _, _) => format!("✗ {shown}\n"),
            (None, _, ErrorKind::Usage) => format!("{}\n", self.message),
            (None, Some(code), _) => format!("Error [{code}]: {}\n", self.message),
            (None, None, _) => format!("Error: {}\n", self.message),
        };
        for hint in &self.hints {
            match hint {
                Hint::People(_) if !people => {}
                Hint::People(text) | Hint::Everybody(text) => {
                    writeln!(out, "  {text}").unwrap_or_default();
                }
            }
        }
        out
    }

    /// Returns the command name of the JSON envelope.
    pub fn envelope_command(&self) -> &'static str {
        self.command.as_ref().map_or("ov", |(name, _)| name)
    }
}

impl From<DbError> for CliError {
    fn from(error: DbError) -> Self {
        match &error {
            DbError::Open { path, .. } if path.parent().is_none_or(|dir| !dir.exists()) => {
                Self::no_state(path.parent().unwrap_or(path))
            }
            DbError::Open { .. }
            | DbError::Folder { .. }
            | DbError::Busy { .. }
            | DbError::Newer { .. }
            | DbError::ReadOnly { .. }
            | DbError::Full { .. }
            | DbError::Corrupt { .. }
            | DbError::Foreign { .. }
            | DbError::Sql { .. } => Self::new(error.to_string()),
        }
    }
}

impl From<FsError> for CliError {
    fn from(error: FsError) -> Self {
        let shown = Self::new(error.to_string());
        match next_step(error.source.kind()) {
            Some(next) => shown.hint(next),
            None => shown,
        }
    }
}

/// What can be done about a file operation that failed so.
fn next_step(kind: IoKind) -> Option<&'static str> {
    let steps = [
        (
            IoKind::PermissionDenied,
            "next: see who may use it (ls -ld), give yourself the right, try again",
        ),
        (
            IoKind::IsADirectory,
            "next: a file belongs there; move the folder aside and try again",
        ),
        (
            IoKind::NotADirectory,
            "next: a folder belongs there; move the file aside and try again",
        ),
        (IoKind::StorageFull, "next: free some space and try again"),
        (
            IoKind::ReadOnlyFilesystem,
            "next: make the file system writable and try again",
        ),
    ];
    let found = steps.into_iter().find(|(known, _)| *known == kind);
    found.map(|(_, step)| step)
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        Self {
            kind: ErrorKind::Config,
            ..Self::coded(error.code(), error.to_string())
        }
    }
}

impl From<MailError> for CliError {
    fn from(error: MailError) -> Self {
        match error {
            MailError::Db(inner) => inner.into(),
            MailError::Fs(inner) => inner.into(),
            MailError::Claim(_) => Self::new(error.to_string()),
            MailError::NotFound { .. } => {
                Self::coded("MAIL_ERROR", error.to_string()).tip("'grove mail list' shows the ids")
            }
            MailError::TerminalRecipient { .. } => Self::coded("MAIL_ERROR", error.to_string())
                .tip("'grove status' shows who is at work"),
            MailError::EmptyGroup { .. } => {
                Self::new(error.to_string()).tip("'grove status' shows who is at work")
            }
            // These say all there is to say.
            MailError::UnknownGroup { .. } => Self::new(error.to_string()),
            MailError::Loop { .. } | MailError::Circle { .. } | MailError::Flood { .. } => {
                Self::coded("MAIL_ERROR", error.to_string())
            }
        }
    }
}

impl From<AgentError> for CliError {
    fn from(error: AgentError) -> Self {
        let code = error.code();
        let shown = Self::coded(code, error.to_string());
        if let AgentError::NotStarted { screen, .. } = &error {
            return screen
                .lines()
                .fold(shown, |shown, line| shown.hint(format!("| {line}")));
        }
        if let AgentError::Runtime(RuntimeError::Unknown { .. }) = &error {
            // The contract settles the list; it has what cannot be started yet as well.
            return shown.tip(format!(
                "this version can start: {}",
                runtimes::names().join(", ")
            ));
        }
        if let AgentError::Db(inner) = error {
            return inner.into();
        }
        if let AgentError::Mail(inner) = error {
            return inner.into();
        }
        shown
    }
}

impl From<ManifestError> for CliError {
    fn from(error: ManifestError) -> Self {
        let shown = Self::coded("AGENT_ERROR", error.to_string());
        match &error {
            ManifestError::Fs(inner) if inner.is_not_found() => shown
                .hint("run 'grove init' here first, or 'grove doctor --fix' if this is a project"),
            ManifestError::Fs(_)
            | ManifestError::Syntax { .. }
            | ManifestError::Field { .. }
            | ManifestError::MissingDefinition { .. } => shown,
        }
    }
}

impl From<GitError> for CliError {
    fn from(error: GitError) -> Self {
        Self::coded("WORKTREE_ERROR", error.to_string())
    }
}

impl From<SetupError> for CliError {
    fn from(error: SetupError) -> Self {
        match error {
            SetupError::Refused { message, next } => Self::validation(message).hint(next),
            SetupError::Fs(inner) => inner.into(),
            SetupError::Db(inner) => inner.into(),
            SetupError::Config(inner) => inner.into(),
            SetupError::Git(inner) => inner.into(),
            SetupError::Json(inner) => inner.into(),
            SetupError::Unrestored { .. } => {
                Self::new(error.to_string()).hint("move the old texts back, then try again")
            }
            SetupError::Ended { signal } => Self {
                exit: u8::try_from(128 + signal).unwrap_or(1),
                ..Self::new(error.to_string())
            },
        }
    }
}

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        Self {
            kind: ErrorKind::Internal,
            ..Self::new(format!("cannot write JSON: {error}"))
        }
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        let shown = Self::new(format!("cannot write the output: {error}"));
        match next_step(error.kind()) {
            Some(next) => shown.tip(next),
            None => shown,
        }
    }
}
