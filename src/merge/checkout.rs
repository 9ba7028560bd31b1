//! Checkouts of a target branch: finding them, waiting for a git that is at work in one, and taking
//! back what an interrupted or refused fast-forward did to its files.
//! Decides nothing about landing.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::git::{ChangedPath, DirtyFile, Entry, Oid, Pinned, Repo, dirty_files_in, worktrees};
use crate::platform::fs;

use super::error::MergeError;
use super::hooks::none_among;
use super::plan::{in_checkout, os_path};

/// Returns where `target` is checked out.
pub(super) fn checkouts_of(repo: &Repo, target: &str) -> Result<Vec<PathBuf>, MergeError> {
    Ok(worktrees(repo.path())?
        .into_iter()
        .filter(|worktree| worktree.branch == target && !worktree.bare && worktree.path.exists())
        .map(|worktree| worktree.path)
        .collect())
}

/// Returns the lock of a checkout's index while some git holds it.
pub(super) fn index_lock(checkout: &Pinned) -> Option<PathBuf> {
    let lock = checkout.git_dir().join("index.lock");
    lock.exists().then_some(lock)
}

/// Waits, ever more patiently, until something is so or the time is up.
pub(super) fn poll(
    limit: Duration,
    mut is_done: impl FnMut() -> Result<bool, MergeError>,
) -> Result<(), MergeError> {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(5);
    while !is_done()? && Instant::now() < deadline {
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(200));
    }
    Ok(())
}

/// Undoes what a fast-forward did that did not come to its end. git writes the files, then the index,
/// and moves the branch last. When the landing began, none of the files it changes had been touched
/// by the user; so a file that is absent, or whose content is the beginning of a version, is git's
/// unfinished work. Anything else is left for the user.
pub(super) fn put_back(
    repo: &Repo,
    checkout: &Pinned,
    before: Oid,
    merged: Oid,
) -> Result<(), MergeError> {
    let changed = repo.changed_paths(repo.tree_of(before)?, repo.tree_of(merged)?)?;
    let is_changed = |file: &DirtyFile| changed.iter().any(|change| change.path == file.raw_path);
    let mut dirty = dirty_files_in(checkout)?;
    // Where the index got as far as the new commit, git itself knows the way back, and leaves alone
    // whatever else is staged or changed.
    if dirty
        .iter()
        .any(|file| file.is_staged() && is_changed(file))
    {
        none_among(repo, checkout, checkout.git())?
            .args(["read-tree", "-m", "-u"])
            .args([merged.to_string(), before.to_string()])
            .run()?;
        dirty = dirty_files_in(checkout)?;
    }
    let mut unfinished = Vec::new();
    for change in &changed {
        if dirty.iter().any(|file| file.raw_path == change.path)
            && is_gits_own(repo, checkout, change)?
        {
            unfinished.push(change);
        }
    }
    // What goes away first: the room may be needed.
    for change in unfinished.iter().filter(|change| change.old.is_none()) {
        fs::remove_file(&in_checkout(checkout.path(), &change.path))?;
    }
    for change in unfinished.iter().filter(|change| change.old.is_some()) {
        none_among(repo, checkout, checkout.git())?
            .args(["checkout", "-q"])
            .arg(before.to_string())
            .arg("--")
            .arg(os_path(&change.path))
            .run()?;
    }
    Ok(())
}

fn is_gits_own(repo: &Repo, checkout: &Pinned, change: &ChangedPath) -> Result<bool, MergeError> {
    let path = in_checkout(checkout.path(), &change.path);
    let Ok(metadata) = path.symlink_metadata() else {
        return Ok(true);
    };
    let Some(new) = change.new else {
        return Ok(false);
    };
    if !metadata.is_file() || !new.kind.is_regular() {
        return Ok(metadata.is_symlink() && is_same_link(repo, &path, new)?);
    }
    let Ok(found) = std::fs::read(&path) else {
        return Ok(false);
    };
    // Taking back may have been cut short as well: then it is the beginning of the old version.
    for version in [Some(new), change.old].into_iter().flatten() {
        if version.kind.is_regular() && repo.blob(version.id)?.starts_with(&found) {
            return Ok(true);
        }
    }
    // Line ends or other filters may make the file differ from what is stored.
    let id = checkout
        .git()
        .args(["hash-object", "--path"])
        .arg(os_path(&change.path))
        .arg("--")
        .arg(&path)
        .text()?;
    Ok(id == new.id.to_string())
}

fn is_same_link(repo: &Repo, path: &std::path::Path, new: Entry) -> Result<bool, MergeError> {
    let Ok(target) = std::fs::read_link(path) else {
        return Ok(false);
    };
    Ok(repo.blob(new.id)? == target.as_os_str().as_encoded_bytes())
}
