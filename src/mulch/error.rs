//! Why expertise could not be read or recorded.

use crate::git::GitError;
use crate::platform::FsError;
use crate::platform::lock_file::LockError;
use std::path::PathBuf;

/// An operation on expertise that did not happen.
#[derive(Debug, thiserror::Error)]
pub enum MulchError {
    /// A file failed.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The lock was not had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The lock was taken over while this process was suspended; nothing was written.
    #[error("the lock of {} was lost, nothing was written; try again", path.display())]
    LockLost {
        /// The locked file.
        path: PathBuf,
    },
    /// The project has no expertise.
    #[error("this project has no recorded expertise")]
    NoStore,
    /// The configuration cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No domain has this name.
    #[error("Domain \"{domain}\" not found. Available domains: {known}")]
    UnknownDomain {
        /// What was asked for.
        domain: String,
        /// Those that exist.
        known: String,
    },
    /// The name cannot be a file name.
    #[error(
        "Invalid domain name \"{domain}\": use letters, digits, '-' and '_', starting with a letter or digit"
    )]
    BadDomain {
        /// As given.
        domain: String,
    },
    /// A record of this type needs more.
    #[error("a {kind} needs {}", missing.join(" and "))]
    Incomplete {
        /// Type of record.
        kind: String,
        /// The options that are missing.
        missing: Vec<String>,
    },
    /// A value is not one of those allowed.
    #[error("Invalid {what} \"{value}\". Valid: {valid}")]
    Invalid {
        /// Which value.
        what: &'static str,
        /// As given.
        value: String,
        /// What would be right.
        valid: String,
    },
    /// The project's configuration asks for more in this domain.
    #[error("domain \"{domain}\" {rule}")]
    DomainRule {
        /// The domain.
        domain: String,
        /// What it asks for.
        rule: String,
    },
    /// No record has this id.
    #[error("Record \"{id}\" not found in domain \"{domain}\"")]
    NotFound {
        /// What was asked for.
        id: String,
        /// Where.
        domain: String,
    },
    /// Several records' ids begin like this.
    #[error("\"{id}\" could be {}; write more of the id", candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        id: String,
        /// The ids.
        candidates: Vec<String>,
    },
}
