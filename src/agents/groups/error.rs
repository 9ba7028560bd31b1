//! Why a change of the groups did not happen.

use std::path::PathBuf;
use thiserror::Error;

use crate::platform::FsError;
use crate::platform::lock_file::LockError;
use crate::tracker::TrackerError;

/// A group operation that did not happen.
#[derive(Debug, Error)]
pub enum GroupError {
    /// Somebody else is changing the groups.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file failed.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The file is no list of groups, so it is not written over.
    #[error("{} is not a list of groups ({reason}); repair it or move it aside", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where it stops being one.
        reason: String,
    },
    /// The groups cannot be written as JSON.
    #[error("cannot write groups.json: {0}")]
    Json(#[from] serde_json::Error),
    /// No group has this id or name.
    #[error("Group \"{group}\" not found")]
    NotFound {
        /// What was asked for.
        group: String,
    },
    /// Several groups have this name.
    #[error("Group name \"{name}\" is ambiguous (matches: {}). Use the group ID.", ids.join(", "))]
    Ambiguous {
        /// The name.
        name: String,
        /// Ids of the groups.
        ids: Vec<String>,
    },
    /// A task has no id.
    #[error("Issue IDs cannot be empty")]
    EmptyIssue,
    /// A task was named twice.
    #[error("Duplicate issue IDs provided")]
    Duplicates,
    /// A task is in the group already.
    #[error("Issue \"{issue}\" is already a member of group \"{group}\"")]
    AlreadyMember {
        /// The task.
        issue: String,
        /// Id of the group.
        group: String,
    },
    /// A task is not in the group.
    #[error("Issue \"{issue}\" is not a member of group \"{group}\"")]
    NotMember {
        /// The task.
        issue: String,
        /// Id of the group.
        group: String,
    },
    /// A group must keep a task.
    #[error("Cannot remove all issues from a group")]
    WouldBeEmpty,
    /// The tracker does not know a task.
    #[error("Issue \"{issue}\" not found in tracker")]
    UnknownIssue {
        /// The task.
        issue: String,
    },
    /// The tracker cannot be asked.
    #[error("Issue \"{issue}\" could not be looked up: {source}")]
    NotLookedUp {
        /// The task.
        issue: String,
        /// Why not.
        source: TrackerError,
    },
}
