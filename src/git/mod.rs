//! Git as the rest of the program sees it: facts about a repository, worktrees, in-memory merges and
//! refs. The only user of git2 and of the `git` program.
//! Never touches a checkout by itself; what changes a user's files lives in `merge` and `worktree`.

mod broken;
mod checkouts;
mod cli;
mod drivers;
mod entries;
mod error;
mod hooks;
mod in_use;
mod merge_tree;
mod personal;
mod pinned;
mod pointers;
mod refs;
mod repo;
mod settings;
mod status;
mod submodules;
mod worktrees;

pub(crate) use cli::is_at_least;
pub use cli::{GitCall, GitOutput, GitVersion, git, require_git, version};
pub use drivers::merge_drivers;
pub use entries::{Entry, EntryKind, is_binary};
pub use error::GitError;
pub use git2::Oid;
pub use hooks::{hooks_folder, hooks_present};
pub use in_use::{Holding, held_by};
pub use merge_tree::{
    ConflictedPath, MergeMessage, MergedTree, RenamedPath, merge_trees, renamed_paths,
};
pub use personal::{Personal, personal_settings};
pub use pinned::Pinned;
pub use pointers::{POINTERS, Pointers};
pub use refs::{Identity, RefMove, update_ref};
pub use repo::{ChangedPath, CommitInfo, Head, Repo};
pub use settings::{NO_PUSH, about_work, by_environment, without_logins};
pub use status::{DirtyFile, dirty_files, dirty_files_by, dirty_files_in};
pub use submodules::submodule_holds;
pub use worktrees::{WorktreeInfo, worktree_call, worktrees};
