//! Why a project could not be set up or refreshed, and what to do about it.

use thiserror::Error;

use super::transaction::Unrestored;
use crate::config::ConfigError;
use crate::db::DbError;
use crate::git::GitError;
use crate::platform::FsError;

/// A setup that did not happen; nothing has been changed, unless it is `Unrestored`.
#[derive(Debug, Error)]
pub enum SetupError {
    /// The place or the request does not fit.
    #[error("{message}")]
    Refused {
        /// What is wrong.
        message: String,
        /// What to do next.
        next: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// A database could not be created.
    #[error(transparent)]
    Db(#[from] DbError),
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The repository could not be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The process was asked to end in the middle of it.
    #[error("asked to end (signal {signal}): everything is as it was before")]
    Ended {
        /// The number of the signal.
        signal: i32,
    },
    /// Not everything could be taken back.
    #[error("{}", unrestored(cause, files))]
    Unrestored {
        /// Why it was to be taken back.
        cause: Box<Self>,
        /// Files that have not got their old text back.
        files: Vec<Unrestored>,
    },
    /// A file could not be rendered.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
}

fn unrestored(cause: &SetupError, files: &[Unrestored]) -> String {
    let why = match cause {
        // These say that nothing has changed.
        SetupError::Ended { signal } => format!("asked to end (signal {signal})"),
        SetupError::Db(DbError::Full { path, source }) => {
            format!("{} cannot be written ({source})", path.display())
        }
        SetupError::Refused { .. }
        | SetupError::Fs(_)
        | SetupError::Db(_)
        | SetupError::Config(_)
        | SetupError::Git(_)
        | SetupError::Unrestored { .. }
        | SetupError::Json(_) => cause.to_string(),
    };
    let moves = files.iter().map(|file| {
        format!(
            "{} (its old text is in {})",
            file.path.display(),
            file.old.display()
        )
    });
    let moves: Vec<String> = moves.collect();
    format!(
        "{why}; and not everything could be taken back: {}",
        moves.join(", ")
    )
}

impl SetupError {
    pub(super) fn refused(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            next: next.into(),
        }
    }
}
