//! What can go wrong with a worktree, with the path or branch it happened to.

use std::path::PathBuf;

use thiserror::Error;

use crate::git::GitError;
use crate::platform::FsError;

/// A worktree that could not be created, saved or removed.
#[derive(Debug, Error)]
pub enum WorktreeError {
    #[error("branch {branch} already exists: choose another name or remove its worktree first")]
    BranchExists { branch: String },
    #[error("{path} already exists and is not empty: remove it or choose another name")]
    PathExists { path: PathBuf },
    #[error("{path} is not a worktree of this repository: see `grove worktree list`")]
    NotAWorktree { path: PathBuf },
    #[error("{path} is the main checkout and is never removed")]
    MainCheckout { path: PathBuf },
    #[error(
        "{path} is locked (`git worktree lock`), by somebody or by its own agent: `git worktree unlock` it, or let \
         `grove worktree clean --force` save and remove it all the same"
    )]
    Locked { path: PathBuf },
    #[error(
        "{path} holds another git repository in {nested}: move it away first, its files cannot be \
         saved from here"
    )]
    NestedRepository { path: PathBuf, nested: String },
    #[error(
        "{path} holds {size} MiB in files that no commit has, {largest} most of all; at most {most} MiB are saved: \
         move that file away, or delete it"
    )]
    TooLarge {
        path: PathBuf,
        largest: String,
        size: u64,
        most: u64,
    },
    #[error("{path} holds work: look at it, then `grove worktree clean` saves and removes it")]
    InUse { path: PathBuf },
    #[error("git cannot be run safely in {path}: {message}")]
    Sandbox { path: PathBuf, message: String },
    #[error("{reference} moved while the branch was being removed: try again")]
    RefMoved { reference: String },
    #[error(transparent)]
    Fs(#[from] FsError),
    #[error(transparent)]
    Git(#[from] GitError),
}
