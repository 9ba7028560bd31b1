//! The coordinator (L4): an event loop without a model.
//!
//! Level-triggered: [`decide`] looks at a snapshot of all stores and says what should happen
//! next; [`execute`] does it. Doing an action twice is harmless: each has a key that is recorded
//! when it is done. Whoever holds the lease runs the loop, in the full screen or without one.

mod announce_merge;
mod announce_run;
pub mod attempts;
pub mod completion;
pub mod decide;
mod ends;
mod evidence;
pub mod execute;
pub mod headless;
mod intervene;
pub mod journal;
pub mod landing;
mod learning;
mod merge_due;
pub mod merge_retry;
pub mod overlap;
mod pacing;
pub mod patrol;
pub mod post;
pub mod progress;
pub mod pull_request;
pub mod queue;
pub mod receipts;
pub mod recovery;
mod retries;
pub mod snapshot;
pub mod train;
pub mod triggers;
pub mod watch;
pub mod work;

pub use decide::{Action, Plan, decide};
pub use snapshot::Snapshot;
pub use work::Coordinator;

use crate::agents::AgentError;
use crate::db::DbError;
use crate::git::GitError;
use crate::mail::MailError;
use crate::merge::MergeError;
use crate::platform::FsError;

/// Why the coordinator could not do something.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    #[error("a coordinator is already running (pid {pid}); stop it with `grove coordinator stop`")]
    AlreadyRunning { pid: i32 },
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error(transparent)]
    Mail(#[from] MailError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Db(#[from] DbError),
    #[error(transparent)]
    File(#[from] FsError),
    #[error("the stores cannot be watched: {0}")]
    Watch(#[from] notify::Error),
}

impl CoordinatorError {
    /// What is wrong, without what to do about it: for whoever has done already what it was about.
    fn without_advice(&self) -> String {
        match self {
            Self::Db(DbError::Full { path, source })
            | Self::Mail(MailError::Db(DbError::Full { path, source })) => {
                format!("{} cannot be written ({source})", path.display())
            }
            Self::AlreadyRunning { .. }
            | Self::Agent(_)
            | Self::Merge(_)
            | Self::Mail(_)
            | Self::Git(_)
            | Self::Db(_)
            | Self::File(_)
            | Self::Watch(_) => self.to_string(),
        }
    }
}
