//! Agents' worktrees: creating them, listing them, and removing them without losing work.
//! Never touches processes, and never removes a commit or an uncommitted file that is not kept under
//! `refs/grove/` first.

mod confined;
mod contained;
mod create;
mod error;
mod file_scope;
mod list;
mod refusals;
mod remove;
mod salvage;
mod seeds;
mod target;

pub use confined::{Confined, Confinement, gates_note};
pub use contained::{ContainedGit, contained};
pub use create::{Created, create};
pub use error::WorktreeError;
pub use file_scope::{INSTRUCTION_FILES, covers, is_own_file, parse_scope, read_file_scope};
pub use list::{AGENT_BRANCH_PREFIX, AgentWorktree, agent_of_branch, agent_worktrees};
pub use remove::{Removal, Removed, delete_branch, keep_commits, kept_ref, remove};
pub use remove::{remove_even_locked, remove_unused};
pub use salvage::{Salvaged, salvage, salvage_stash};
pub use seeds::{Seeds, preserve_seeds};
pub use target::target_branch;
