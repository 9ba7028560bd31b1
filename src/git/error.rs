//! Everything that can go wrong when talking to git, with the repository or command it happened to.
//! Wording says what to do next; it does not print.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::text::sanitize_line;

/// A failed question to, or change of, a repository.
#[derive(Debug, Error)]
pub enum GitError {
    #[error(
        "{path} is not in a git repository: go to your project, or run `git init` and then `grove init` there"
    )]
    NotARepository { path: PathBuf },
    #[error(
        "{git} is there, but it is not a usable repository ({why}): repair it, or take a new clone; \
         `git init` would not bring its history back"
    )]
    Broken { git: PathBuf, why: String },
    #[error(
        "{path} belongs to another user: run `git config --global --add safe.directory {path}` to trust it"
    )]
    ForeignOwner { path: PathBuf },
    #[error("{path} is a bare repository: use a clone that has a working tree")]
    Bare { path: PathBuf },
    #[error(
        "core.worktree of {git_dir} says that its files are in {path}, and git finds no repository there: correct \
         it, or run `git config --unset core.worktree`"
    )]
    FilesElsewhere { path: PathBuf, git_dir: PathBuf },
    #[error(
        "the repository at {path} is stored in a way that grove cannot read ({feature}): {next}"
    )]
    Unsupported {
        path: PathBuf,
        feature: &'static str,
        next: &'static str,
    },
    #[error("the repository at {path} has no commits: make a first commit")]
    NoCommits { path: PathBuf },
    #[error(
        "the repository at {path} has no commit called `{rev}`: {}",
        or_rename(rev, "check the name")
    )]
    UnknownRevision { path: PathBuf, rev: String },
    #[error(
        "{path} is not where its repository lists it: see `git worktree list`, and `git worktree \
         repair` if it was moved"
    )]
    NotListed { path: PathBuf },
    #[error(
        "{file} sets {key}, which makes git start a program: remove that setting, then try again"
    )]
    ForeignSetting { file: PathBuf, key: String },
    #[error(
        "another git is at work in this repository ({lock} is there): wait for it; if none is \
         running, remove that file"
    )]
    Locked { lock: PathBuf, stderr: String },
    #[error(
        "{file}{} does not hold what its name says: something has replaced objects of the repository, and nothing is \
         built on them; run `grove doctor`, then `grove doctor --fix`", and_others(*others)
    )]
    Replaced { file: PathBuf, others: usize },
    #[error("git was not found: install git and put it on PATH")]
    Missing {
        #[source]
        source: std::io::Error,
    },
    #[error("git {found} is too old: install git {needed} or newer")]
    TooOld { found: String, needed: String },
    #[error("could not run `git {command}`: {source}")]
    Spawn {
        command: String,
        #[source]
        source: std::io::Error,
    },
    #[error("`git {command}` failed{}: {}", exit_text(*code), first_lines(stderr))]
    Failed {
        command: String,
        code: Option<i32>,
        stderr: String,
    },
    #[error(
        "`git {command}` did not end within {} and was ended with everything it had started: see {}, or raise \
         `merge.driverTimeoutMs`", seconds(*limit), awaited(waited_for.as_deref())
    )]
    TookTooLong {
        command: String,
        limit: Duration,
        /// The command line of the program that git had started and that did not end, where it is known.
        waited_for: Option<String>,
    },
    #[error(
        "{} did not end within {}{} and was ended with everything it had started; nothing is merged: see what it waits \
         for, or raise `merge.driverTimeoutMs`", one_of(drivers), seconds(*limit), at_one_of(files)
    )]
    DriverHangs {
        /// Names of all drivers that there are, or of those that the files have.
        drivers: Vec<String>,
        /// Names of files that it may have been at, as far as they are known.
        files: Vec<String>,
        limit: Duration,
        /// The command line of the driver, where it is known.
        waited_for: Option<String>,
    },
    #[error("`git {command}` was ended before it was through, because grove was asked to end")]
    Interrupted { command: String },
    #[error("`git {command}` answered in an unexpected form: {detail}")]
    Unexpected { command: String, detail: String },
    #[error("could not {action} in {path}: {source}")]
    Library {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: git2::Error,
    },
}

impl GitError {
    /// Whether git was ended from here: it took too long, or this process was asked to end.
    pub fn was_ended(&self) -> bool {
        matches!(self, Self::TookTooLong { .. } | Self::Interrupted { .. })
    }

    /// Returns what git wrote to stderr, when git ran and failed.
    pub fn stderr(&self) -> Option<&str> {
        match self {
            Self::Failed { stderr, .. } | Self::Locked { stderr, .. } => Some(stderr),
            Self::NotARepository { .. }
            | Self::Broken { .. }
            | Self::ForeignOwner { .. }
            | Self::Bare { .. }
            | Self::FilesElsewhere { .. }
            | Self::Unsupported { .. }
            | Self::NoCommits { .. }
            | Self::UnknownRevision { .. }
            | Self::NotListed { .. }
            | Self::ForeignSetting { .. }
            | Self::Replaced { .. }
            | Self::Missing { .. }
            | Self::TooOld { .. }
            | Self::Spawn { .. }
            | Self::TookTooLong { .. }
            | Self::DriverHangs { .. }
            | Self::Interrupted { .. }
            | Self::Unexpected { .. }
            | Self::Library { .. } => None,
        }
    }
}

/// What to do about a name of a branch that there is none of. One that is not UTF-8 cannot be given as text, and is
/// known with a sign in place of what is not.
pub fn or_rename(name: &str, otherwise: &'static str) -> &'static str {
    if name.contains(char::REPLACEMENT_CHARACTER) {
        "names that are not UTF-8 cannot be used here, rename that branch with `git branch -m`"
    } else {
        otherwise
    }
}

/// Reads which lock file was in git's way, if one was.
pub(super) fn lock_in_the_way(stderr: &str) -> Option<PathBuf> {
    let (path, _) = stderr
        .split_once("Unable to create '")?
        .1
        .split_once("': File exists")?;
    Some(PathBuf::from(path))
}

fn and_others(others: usize) -> String {
    match others {
        0 => String::new(),
        others => format!(" (and {others} more)"),
    }
}

/// How much of a command line is told.
const TOLD_OF_A_COMMAND: usize = 120;

fn awaited(program: Option<&str>) -> String {
    let Some(program) = program else {
        return "which hook or filter it waited for".to_owned();
    };
    let line = sanitize_line(program);
    let mut told: String = line.chars().take(TOLD_OF_A_COMMAND).collect();
    if told.len() < line.len() {
        told.push('…');
    }
    format!("why `{told}`, which it waited for, does not end")
}

fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}

fn one_of(drivers: &[String]) -> String {
    match drivers {
        [one] => format!("merge driver {one}"),
        several => format!("one of the merge drivers {}", several.join(", ")),
    }
}

/// How many files are named that a driver may have been at.
const FILES_TOLD: usize = 3;

fn at_one_of(files: &[String]) -> String {
    let told: Vec<&str> = files.iter().take(FILES_TOLD).map(String::as_str).collect();
    match (told.as_slice(), files.len().saturating_sub(FILES_TOLD)) {
        ([], _) => String::new(),
        ([one], _) => format!(" on {one}"),
        (several, 0) => format!(" on one of {}", several.join(", ")),
        (several, more) => format!(" on one of {} and {more} more", several.join(", ")),
    }
}

fn exit_text(code: Option<i32>) -> String {
    match code {
        Some(code) => format!(" (exit {code})"),
        None => " (ended by a signal)".to_owned(),
    }
}

/// Shortens git's stderr to what fits a message; the variant keeps all of it.
fn first_lines(stderr: &str) -> String {
    let lines: Vec<&str> = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("hint:"))
        .take(3)
        .collect();
    if lines.is_empty() {
        "no message".to_owned()
    } else {
        lines.join("; ")
    }
}
