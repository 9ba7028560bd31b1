//! Why a project could not be set up or refreshed, and what to do about it.

use thiserror::Error;

use crate::config::ConfigError;
use crate::db::DbError;
use crate::git::GitError;
use crate::platform::FsError;

/// A setup that did not happen; nothing has been changed.
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
    /// A file could not be rendered.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl SetupError {
    pub(super) fn refused(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            next: next.into(),
        }
    }
}
