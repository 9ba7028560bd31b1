//! The agent host (L3): one small process per agent that outlives everything above it.
//!
//! It starts the CLI, owns its terminal or pipes, keeps the true screen, records what
//! happened, answers attach requests and the agent's own grove commands, and reports the exit.
//! It knows nothing of the full screen; its clients use [`client`].

pub mod agent_api;
pub mod client;
pub mod clients;
mod confine;
pub mod deliver;
mod ending;
pub mod hooks;
pub mod launch;
mod mailbox;
pub mod obituary;
pub mod outcome;
pub mod protocol;
pub mod recorder;
pub mod run;
pub mod screen;
pub mod server;
pub mod shared;
mod start;
pub mod stop;
pub mod stream;
pub mod terminal;
pub mod writer;

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
