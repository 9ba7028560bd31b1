//! Whether a call is about the agent's own worktree, found as git finds it.

use std::path::{Path, PathBuf};

use crate::platform::plain;

/// Larger ones are none of git's.
const LARGEST: u64 = 16 * 1024;

/// Variables by which a caller says itself where git works; hooks, and what they start, have them.
pub(super) const CHOSEN: &[&str] = &[
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
];

/// A worktree and its place in the repository; all paths without links.
#[derive(Debug)]
pub(super) struct Place {
    /// The top of the worktree.
    pub(super) top: PathBuf,
    /// Its folder below `worktrees/` in the repository's git folder.
    pub(super) admin: PathBuf,
    /// The repository's git folder.
    pub(super) common: PathBuf,
    /// Whether the call is made at the top.
    pub(super) is_at_top: bool,
}

/// The place of the worktree when a call in `dir` is about it and not about a repository further in.
pub(super) fn find(dir: &Path, worktree: &Path) -> Option<Place> {
    let dir = dir.canonicalize().ok()?;
    let top = worktree.canonicalize().ok()?;
    if !dir.starts_with(&top) || is_bare(&top) {
        return None;
    }
    let mut further_in = dir.ancestors().take_while(|folder| *folder != top);
    if further_in.any(|folder| folder.join(".git").symlink_metadata().is_ok() || is_bare(folder)) {
        return None;
    }
    let pointer = text(&top.join(".git"))?;
    let admin = top
        .join(pointer.strip_prefix("gitdir: ")?)
        .canonicalize()
        .ok()?;
    let worktrees = admin
        .parent()
        .filter(|folder| folder.ends_with("worktrees"))?;
    let common = worktrees.parent()?.to_owned();
    let is_usual = text(&admin.join("commondir"))? == "../..";
    // Other stores of refs, and parts of the index that lie beside it, are not made of links.
    if !is_usual || common.join("reftable").exists() || has_shared_index(&admin) {
        return None;
    }
    Some(Place {
        is_at_top: dir == top,
        top,
        admin,
        common,
    })
}

fn text(file: &Path) -> Option<String> {
    let bytes = plain::read(file, LARGEST)?;
    Some(String::from_utf8(bytes).ok()?.trim_end().to_owned())
}

fn is_bare(folder: &Path) -> bool {
    ["HEAD", "objects", "refs"]
        .iter()
        .all(|name| folder.join(name).exists())
}

fn has_shared_index(admin: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(admin) else {
        return true;
    };
    entries.flatten().any(|entry| {
        entry
            .file_name()
            .to_string_lossy()
            .starts_with("sharedindex.")
    })
}
