//! What can go wrong around a merge, apart from the merge's own outcomes.
//! A conflict, a red gate or a moved target is an outcome, not an error.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use crate::git::GitError;
use crate::platform::FsError;
use crate::worktree::WorktreeError;

/// Who holds a merge lock, as far as that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockHolder {
    /// `None` in the moment before the holder has written its name down.
    pub pid: Option<u32>,
    /// When the lock was taken, in ISO 8601.
    pub since: Option<String>,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "process {pid}")?,
            None => f.write_str("another process")?,
        }
        match &self.since {
            Some(since) => write!(f, " since {since}"),
            None => Ok(()),
        }
    }
}

/// A merge step that could not be carried out.
#[derive(Debug, Error)]
pub enum MergeError {
    #[error("branch {branch} is being merged into by {by}: wait for it to finish")]
    Locked { branch: String, by: LockHolder },
    #[error("could not take the merge lock {path}: {detail}")]
    LockUnusable { path: PathBuf, detail: String },
    #[error("target branch {branch} does not exist: create it or name another with --into")]
    NoTarget { branch: String },
    #[error("branch {branch} does not exist: it may have been removed, see refs/grove/kept/")]
    NoBranch { branch: String },
    #[error(
        "{branch} kept moving while it was merged into ({attempts} attempts): try again when it is \
         quiet"
    )]
    TargetKeepsMoving { branch: String, attempts: u32 },
    #[error(
        "git does not know who you are: set it with `git config user.name` and `git config user.email`"
    )]
    NoIdentity {
        #[source]
        source: GitError,
    },
    #[error(
        "the merge commit could not be signed, as commit.gpgSign asks: {source}; check \
         user.signingKey and gpg.program, the target is untouched"
    )]
    NotSigned {
        #[source]
        source: GitError,
    },
    #[error(
        "a hook of this repository does not let {branch} move: {said}; merge into another branch \
         with --into, or ask whoever set it up"
    )]
    TargetProtected { branch: String, said: String },
    #[error(
        "{checkout} is half-updated: {said}; taking it back failed too: {source}; put that right and \
         merge again, which finishes it or takes it back"
    )]
    HalfLanded {
        checkout: PathBuf,
        said: String,
        #[source]
        source: Box<Self>,
    },
    #[error(
        "no scratch checkout in {dir}: {source}; nothing was changed: see that there is room and that \
         you may write there, then merge again"
    )]
    NoScratch {
        dir: PathBuf,
        #[source]
        source: Box<Self>,
    },
    #[error(
        "quality gate {gate} left its checkout in a state that git cannot put right: see what its command \
         removes there, then merge again; the target is untouched"
    )]
    GateWreckedCheckout {
        gate: String,
        #[source]
        source: Box<Self>,
    },
    #[error("the review does not answer every contested place of {}: review it again", files.join(", "))]
    ReviewIncomplete { files: Vec<String> },
    #[error("{branch} or its target changed since the review: review it again")]
    ReviewOutdated { branch: String },
    #[error(transparent)]
    Fs(#[from] FsError),
    #[error("the {what} at {path} cannot be read: {source}")]
    BadRecord {
        what: &'static str,
        path: PathBuf,
        #[source]
        source: serde_json::Error,
    },
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
}

impl MergeError {
    /// Whether the trouble lies around the branch and not in it, so that merging it again as it is
    /// may well go through.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::NoBranch { .. } | Self::ReviewIncomplete { .. } | Self::ReviewOutdated { .. } => {
                false
            }
            Self::Locked { .. }
            | Self::LockUnusable { .. }
            | Self::NoTarget { .. }
            | Self::TargetKeepsMoving { .. }
            | Self::NoIdentity { .. }
            | Self::NotSigned { .. }
            | Self::TargetProtected { .. }
            | Self::HalfLanded { .. }
            | Self::NoScratch { .. }
            | Self::GateWreckedCheckout { .. }
            | Self::Fs(_)
            | Self::BadRecord { .. }
            | Self::Git(_)
            | Self::Worktree(_) => true,
        }
    }
}
