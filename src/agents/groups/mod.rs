//! Task groups: named sets of tasks in `groups.json` whose progress is followed together.

mod error;
mod file;
mod members;

pub use super::task_group::{GroupStatus, Progress, TaskGroup};
pub use error::GroupError;
pub use file::Groups;
