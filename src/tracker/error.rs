//! Why a task could not be read or changed.

use crate::platform::FsError;
use crate::platform::lock_file::LockError;
use std::path::PathBuf;

/// A tracker operation that did not happen.
#[derive(Debug, thiserror::Error)]
pub enum TrackerError {
    /// A file failed.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The lock was not had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The lock was taken over while this process was suspended; nothing was written.
    #[error("the lock of {} was lost, nothing was written; try again", path.display())]
    LockLost {
        /// The locked file.
        path: PathBuf,
    },
    /// The project has no tasks.
    #[error("this project has no task tracker")]
    NoTracker,
    /// The project's configuration says so.
    #[error("taskTracker.enabled is false in .overstory/config.yaml")]
    Disabled,
    /// No task has this id.
    #[error("Task \"{id}\" not found")]
    NotFound {
        /// What was asked for.
        id: String,
    },
    /// A task cannot wait for itself.
    #[error("Task \"{id}\" cannot depend on itself")]
    DependsOnItself {
        /// The task.
        id: String,
    },
    /// A dependency would make tasks wait for each other.
    #[error("\"{id}\" depending on \"{on}\" would close a circle: {}", circle.join(" -> "))]
    Circle {
        /// The task.
        id: String,
        /// What it would wait for.
        on: String,
        /// The tasks on the way back.
        circle: Vec<String>,
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
    /// The tracker's own program is not there.
    #[error(
        "this project keeps its tasks in {tracker}, and its program '{program}' is not installed or not on PATH"
    )]
    NotInstalled {
        /// The tracker.
        tracker: &'static str,
        /// The program's name.
        program: &'static str,
    },
    /// The tracker's own program failed.
    #[error("{program}: {message}")]
    Program {
        /// Its name.
        program: &'static str,
        /// What it said.
        message: String,
    },
}
