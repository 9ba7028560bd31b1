//! The project's tasks (L3): read and written natively in the seeds format, or through the tracker's
//! own program where the project uses another one. Nothing is created until somebody asks for it.

mod attributes;
mod backend;
mod board;
mod change;
mod error;
mod issue;
mod plans;
mod program;
mod ready;
pub mod seeds;
mod task_id;

pub use attributes::{GITATTRIBUTES, add_merge_union, with_merge_union};
pub use backend::Tracker;
pub use change::{NewTask, Selection, TaskChange};
pub use error::TrackerError;
pub use issue::{Issue, PRIORITIES, STATUSES, TYPES, parse_priority, priority_name};
pub use ready::in_dependency_order;
pub use seeds::Seeds;
