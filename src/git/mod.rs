//! Git as the rest of the program sees it: facts about a repository, worktrees, in-memory merges and
//! refs. The only user of git2 and of the `git` program.
//! Never touches a checkout by itself; what changes a user's files lives in `merge` and `worktree`.

mod agent_view;
mod broken;
mod broken_refs;
#[cfg(test)]
pub(crate) mod calls;
mod checkouts;
mod cli;
mod driver_place;
mod drivers;
mod entries;
mod error;
mod genuine;
mod half_made;
mod history;
mod hooks;
mod in_use;
mod logins;
mod merge_tree;
mod no_push;
mod output;
mod path_name;
mod personal;
mod pinned;
mod pointers;
mod refs;
mod remotes;
mod renamed;
mod replaced;
mod repo;
mod settings;
mod status;
mod submodules;
mod symbolic_refs;
#[cfg(test)]
pub(crate) mod trial;
mod untouched;
mod version;
mod worktrees;

pub use agent_view::{VIEW, has_own_stash, own_stashes, view_in};
pub use broken_refs::{BrokenRef, broken_refs};
pub use cli::{GitCall, git};
pub use drivers::{merge_default, merge_drivers};
pub use entries::{Entry, EntryKind, is_binary};
pub use error::{GitError, or_rename};
pub use genuine::Genuine;
pub use git2::Oid;
pub use half_made::{half_made_worktrees, remove_half_made};
pub use history::CommitInfo;
pub use hooks::{hooks_among, hooks_folder, hooks_present, without_hooks_among};
pub use in_use::{Holding, held_by};
pub use logins::without_logins;
pub use merge_tree::{ConflictedPath, MergeMessage, MergedTree, merge_trees, merge_trees_unless};
pub use no_push::{NO_PUSH, apart, no_push};
pub use output::GitOutput;
pub use path_name::{os_path, path_bytes, path_name};
pub use personal::{Personal, personal_settings};
pub use pinned::{Pinned, folders_listing};
pub use pointers::{POINTERS, Pointers};
pub use refs::{Identity, RefMove, update_ref, update_ref_holding, update_ref_telling};
pub use remotes::{Fetch, Remote, fetch, remotes};
pub use renamed::{RenamedPath, renamed_paths};
pub use replaced::{ReplacedObjects, StoreLook};
pub use repo::{ChangedPath, DRIVERS_MAY_TAKE, Head, Repo};
pub use settings::{about_work, by_environment};
pub use status::{DirtyFile, dirty_files, dirty_files_by, dirty_files_in};
pub use submodules::{Submodule, submodule_here, submodule_holds, submodules_of};
pub use symbolic_refs::{SymbolicRef, stand_alone, symbolic_refs, symbolic_target};
pub use untouched::is_untouched;
pub(crate) use version::is_at_least;
pub use version::{GitVersion, require_git, version};
pub use worktrees::{WorktreeInfo, forget_worktree, worktree_call, worktrees};
