//! What can go wrong around a merge, apart from the merge's own outcomes.
//! A conflict, a red gate or a moved target is an outcome, not an error.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::git::{GitError, or_rename};
use crate::platform::FsError;
use crate::text::sanitize_line;
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
    /// By whoever runs it, before it landed; `waits` when its entry is to be as before.
    #[error("the merge of {branch} was cancelled")]
    CalledOff { branch: String, waits: bool },
    /// When this process was asked to end; the journal tells the next start.
    #[error(
        "the merge of {branch} was interrupted while landing: {checkout} is half-updated; the next `grove merge` \
         finishes it or takes it back"
    )]
    BrokenOff { branch: String, checkout: PathBuf },
    #[error(
        "target branch {branch} does not exist: {}",
        or_rename(branch, "create it or name another with --into")
    )]
    NoTarget { branch: String },
    #[error(
        "branch {branch} does not exist: {}",
        or_rename(branch, "it may have been removed, see refs/grove/kept/")
    )]
    NoBranch { branch: String },
    #[error(
        "{branch} kept moving while it was merged into ({attempts} attempts): try again when it is \
         quiet"
    )]
    TargetKeepsMoving { branch: String, attempts: u32 },
    #[error(
        "{branch} was rewritten each time it was about to land ({attempts} attempts): merge it again when nobody \
         rewrites it; the target is untouched"
    )]
    BranchRewritten { branch: String, attempts: u32 },
    #[error(
        "git does not know who you are: set it with `git config user.name` and `git config user.email`"
    )]
    NoIdentity {
        #[source]
        source: GitError,
    },
    #[error(
        "the merge commit could not be signed, as commit.gpgSign asks: {}; check \
         user.signingKey and gpg.program, the target is untouched",
        said_by_git(source)
    )]
    NotSigned {
        #[source]
        source: GitError,
    },
    #[error(
        "{setting} lets only signed branches be merged, and {branch} is not: {said}; sign its last commit \
         (`git commit --amend -S`), or take the setting back; the target is untouched"
    )]
    NotVerified {
        branch: String,
        setting: String,
        said: String,
    },
    #[error(
        "a hook of this repository does not let {branch} move: {said}; merge into another branch \
         with --into, or ask whoever set it up"
    )]
    TargetProtected { branch: String, said: String },
    #[error(
        "git cannot read an object that the merge needs: {said}; `grove doctor --fix` mends what a checkout still has, and \
         says where the rest is to come from; the target is untouched"
    )]
    Damaged {
        said: String,
        #[source]
        source: Box<GitError>,
    },
    #[error(
        "{checkout} is half-updated: {said}; rolling that back failed too: {source}; put that right and \
         merge again, which finishes it or takes it back"
    )]
    HalfLanded {
        checkout: PathBuf,
        said: String,
        #[source]
        source: Box<Self>,
    },
    #[error(
        "no room on the disk of {checkout}: git could not write {}, with {} KiB free and {} KiB needed; nothing was \
         changed",
        files.join(", "), left / 1024, needed.div_ceil(1024)
    )]
    NoRoom {
        checkout: PathBuf,
        files: Vec<String>,
        /// In bytes, as `needed`.
        left: u64,
        needed: u64,
    },
    #[error(
        "{source}; the target is as it was, and at {checkout} stays what git may have written: {}; see whether that \
         can go, then merge again",
        files.join(", ")
    )]
    LeftThere {
        checkout: PathBuf,
        files: Vec<String>,
        #[source]
        source: Box<GitError>,
    },
    #[error("left as they are, because a filter writes or reads them: {}: {source}", files.join(", "))]
    NotPutBack {
        files: Vec<String>,
        #[source]
        source: GitError,
    },
    #[error(
        "no scratch checkout in {dir}: {}; nothing was changed: see that there is room and that \
         you may write there, then merge again",
        without_end(source)
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
    #[error(
        "the project's merge driver made something else of {file} than what was reviewed: review it again, and see \
         that the driver always makes the same of the same versions"
    )]
    DriverDiffers { file: String },
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
    /// Whether there was no room on the disk: that may mend itself.
    pub fn is_out_of_room(&self) -> bool {
        match self {
            Self::Fs(error) => is_full(&error.source),
            Self::Git(error) => git_is_full(error),
            Self::NoIdentity { source }
            | Self::NotSigned { source }
            | Self::NotPutBack { source, .. } => git_is_full(source),
            Self::LeftThere { source, .. } | Self::Damaged { source, .. } => git_is_full(source),
            Self::HalfLanded { source, said, .. } => {
                source.is_out_of_room() || tells_of_full_disk(said)
            }
            Self::NoScratch { source, .. } | Self::GateWreckedCheckout { source, .. } => {
                source.is_out_of_room()
            }
            Self::LockUnusable { detail, .. } => tells_of_full_disk(detail),
            Self::Worktree(error) => tells_of_full_disk(&error.to_string()),
            Self::NoRoom { .. } => true,
            Self::Locked { .. }
            | Self::CalledOff { .. }
            | Self::BrokenOff { .. }
            | Self::NoTarget { .. }
            | Self::NoBranch { .. }
            | Self::TargetKeepsMoving { .. }
            | Self::BranchRewritten { .. }
            | Self::TargetProtected { .. }
            | Self::NotVerified { .. }
            | Self::ReviewIncomplete { .. }
            | Self::ReviewOutdated { .. }
            | Self::DriverDiffers { .. }
            | Self::BadRecord { .. } => false,
        }
    }

    /// Whether a git was ended from here that took too long, or when this process was asked to end.
    pub(super) fn is_of_ended_git(&self) -> bool {
        matches!(self, Self::Git(error) if error.was_ended())
    }

    /// Whether the trouble lies around the branch and not in it, so that merging it again as it is
    /// may well go through.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::NoBranch { .. }
            | Self::NotVerified { .. }
            | Self::CalledOff { .. }
            | Self::ReviewIncomplete { .. }
            | Self::ReviewOutdated { .. }
            | Self::DriverDiffers { .. } => false,
            Self::Locked { .. }
            | Self::BrokenOff { .. }
            | Self::LockUnusable { .. }
            | Self::NoTarget { .. }
            | Self::TargetKeepsMoving { .. }
            | Self::BranchRewritten { .. }
            | Self::NoIdentity { .. }
            | Self::NotSigned { .. }
            | Self::Damaged { .. }
            | Self::TargetProtected { .. }
            | Self::HalfLanded { .. }
            | Self::LeftThere { .. }
            | Self::NotPutBack { .. }
            | Self::NoRoom { .. }
            | Self::NoScratch { .. }
            | Self::GateWreckedCheckout { .. }
            | Self::Fs(_)
            | Self::BadRecord { .. }
            | Self::Git(_)
            | Self::Worktree(_) => true,
        }
    }
}

/// What git has said, without the words that it begins with; else the error.
fn said_by_git(error: &GitError) -> String {
    let lines = error.stderr().unwrap_or_default().lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty()).take(3);
    let plain = |line: &str| {
        let word = ["error: ", "fatal: "]
            .iter()
            .find_map(|word| line.strip_prefix(word));
        sanitize_line(word.unwrap_or(line)).into_owned()
    };
    let said: Vec<String> = lines.map(plain).collect();
    if said.is_empty() {
        error.to_string()
    } else {
        said.join("; ")
    }
}

/// Without that nothing was changed: who is told of more says that at the end.
fn without_end(error: &MergeError) -> String {
    let said = error.to_string();
    let end = "; nothing was changed";
    said.strip_suffix(end).unwrap_or(&said).to_owned()
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// git says why it could not write in the system's words, which it is asked not to translate.
fn git_is_full(error: &GitError) -> bool {
    tells_of_full_disk(&error.to_string()) || error.stderr().is_some_and(tells_of_full_disk)
}

fn tells_of_full_disk(text: &str) -> bool {
    ["No space left on device", "Disk quota exceeded"]
        .iter()
        .any(|words| text.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_other_trouble_wherever_it_was_met() {
        let git = |stderr: &str| {
            MergeError::Git(GitError::Failed {
                command: "write-tree".to_owned(),
                code: Some(128),
                stderr: stderr.to_owned(),
            })
        };
        let fs = |kind: io::ErrorKind| {
            MergeError::Fs(FsError {
                op: "write",
                path: "/p".into(),
                source: kind.into(),
            })
        };
        let nested = |source| MergeError::NoScratch {
            dir: "/p".into(),
            source: Box::new(source),
        };
        let full = "error: a\nerror: b\nerror: c\nfatal: write error: No space left on device\n";
        assert!(git(full).is_out_of_room());
        assert!(fs(io::ErrorKind::StorageFull).is_out_of_room());
        assert!(nested(fs(io::ErrorKind::QuotaExceeded)).is_out_of_room());
        assert!(!nested(git("fatal: bad object")).is_out_of_room());
        assert!(!fs(io::ErrorKind::PermissionDenied).is_out_of_room());
    }
}
