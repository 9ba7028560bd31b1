//! Everything that can go wrong for the coordinator, most of it in the words of whom it asked.

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
    #[error(
        "the stores cannot be watched: {0}; if that is a limit, raise fs.inotify.max_user_instances or end the program that has them"
    )]
    Watch(#[from] notify::Error),
}

impl CoordinatorError {
    /// What is wrong, without what to do about it: for whoever has done already what it was about.
    pub(super) fn without_advice(&self) -> String {
        match self {
            Self::Db(DbError::Full { path, source })
            | Self::Mail(MailError::Db(DbError::Full { path, source })) => {
                format!("{} cannot be written ({source})", path.display())
            }
            Self::Db(DbError::Busy { path })
            | Self::Mail(MailError::Db(DbError::Busy { path })) => {
                format!("{} is locked by another process", path.display())
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
