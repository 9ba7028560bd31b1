//! Why a host could not do its work, or could not be asked.

use crate::db::DbError;
use crate::mail::MailError;
use crate::platform::FsError;
use crate::process::SpawnError;
use crate::worktree::WorktreeError;
use std::path::PathBuf;

/// Why a host could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error(
        "there is no launch record for session '{session}'; start the agent with `grove sling`"
    )]
    NoLaunch { session: String },
    #[error("agent '{agent}' has no running host; start it again with `grove sling`")]
    NotRunning { agent: String },
    #[error("the host of '{agent}' does not answer ({source}); `grove status` shows what is known")]
    Unreachable {
        agent: String,
        #[source]
        source: std::io::Error,
    },
    #[error("the host at {} speaks version {theirs}, this program {ours}", socket.display())]
    Version {
        socket: PathBuf,
        theirs: u8,
        ours: u8,
    },
    #[error("{0}")]
    Refused(String),
    #[error("the host answered something unexpected: {0}")]
    Protocol(String),
    #[error("cannot listen on {}: {source}", socket.display())]
    Listen {
        socket: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{0}")]
    Sandbox(String),
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error(transparent)]
    Mail(#[from] MailError),
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    #[error(transparent)]
    Db(#[from] DbError),
    #[error(transparent)]
    File(#[from] FsError),
}
