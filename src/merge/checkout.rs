//! Checkouts of a target branch: finding them, waiting for a git that is at work in one, and removing
//! the lock of one that was killed.
//! Decides nothing about landing.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::git::{Holding, Pinned, Repo, WorktreeInfo, folders_listing, held_by, worktrees};
use crate::platform::holders::{Holder, of_git_lock};
use crate::platform::{ProjectPaths, fs, plain};
use crate::text::sanitize_line;
use crate::worktree::agent_of_branch;

use super::error::MergeError;

/// Why a worktree is locked is told in a line, in bytes.
const LARGEST_REASON: u64 = 4096;

/// Returns where `target` is checked out.
pub(super) fn checkouts_of(repo: &Repo, target: &str) -> Result<Vec<PathBuf>, MergeError> {
    let there = listed_on(repo, target)?.into_iter();
    let there = there.filter(|worktree| !is_missing(&worktree.path));
    Ok(there.map(|worktree| worktree.path).collect())
}

/// A checkout of a target that is not where git lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Away {
    pub(super) path: PathBuf,
    /// With what the user said of it, which may be nothing.
    pub(super) locked: Option<String>,
}

/// Returns the checkout of `target` that is not where git lists it: moved by hand, on a disk that is not there, or
/// removed. Whoever finds it again goes on from where it was.
pub(super) fn away(repo: &Repo, target: &str) -> Result<Option<Away>, MergeError> {
    for worktree in listed_on(repo, target)? {
        let path = worktree.path;
        if !is_missing(&path) {
            continue;
        }
        let mut folders = folders_listing(repo, &path);
        folders.retain(|folder| !is_bent(repo, folder));
        let Some(folder) = folders.first() else {
            continue;
        };
        let locked = worktree.locked.then(|| {
            let said = plain::text(&folder.join("locked"), LARGEST_REASON).unwrap_or_default();
            sanitize_line(said.trim()).into_owned()
        });
        return Ok(Some(Away { path, locked }));
    }
    Ok(None)
}

/// The worktrees that git lists with `target`, as far as that is believed.
fn listed_on(repo: &Repo, target: &str) -> Result<Vec<WorktreeInfo>, MergeError> {
    let mut listed = worktrees(repo.path())?;
    let moves = repo.moving_ref(target);
    let stands_on_it =
        |branch: &str| branch == target || !branch.is_empty() && repo.moving_ref(branch) == moves;
    listed.retain(|worktree| {
        let is_listed = !worktree.bare && stands_on_it(&worktree.branch);
        is_listed && is_believed(repo, &worktree.path, target)
    });
    Ok(listed)
}

/// What cannot be looked at may be there.
fn is_missing(path: &Path) -> bool {
    path.try_exists().is_ok_and(|exists| !exists)
}

/// Whether an entry of git's list is that of an agent's worktree and says that this lies elsewhere: the agent can write
/// it, and would stop every landing.
fn is_bent(repo: &Repo, folder: &Path) -> bool {
    let Some((root, name)) = repo.main_root().zip(folder.file_name()) else {
        return false;
    };
    let agents = ProjectPaths::new(&root).file("worktrees");
    let name = name.to_string_lossy();
    // git numbers entries of the same name.
    let names = [&*name, name.trim_end_matches(|c: char| c.is_ascii_digit())];
    names.iter().any(|name| {
        let own = agents.join(name);
        !name.is_empty() && own.exists() && folders_listing(repo, &own).is_empty()
    })
}

/// Returns the checkout that will come back to `target`, and from what.
pub(super) fn holder_of(repo: &Repo, target: &str) -> Option<(PathBuf, Holding)> {
    let mut holders = held_by(repo, target).into_iter();
    holders.find(|(checkout, _)| is_believed(repo, checkout, target))
}

/// Whether a checkout is believed to stand on `target`. An agent can write what its own worktree's HEAD says, and
/// would stop every landing, or have git work where it has prepared for that.
fn is_believed(repo: &Repo, checkout: &Path, target: &str) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let Some(root) = repo.main_root() else {
        return true;
    };
    let of_agents = real(&ProjectPaths::new(&root).file("worktrees"));
    let Ok(within) = real(checkout)
        .strip_prefix(&of_agents)
        .map(Path::to_path_buf)
    else {
        return true;
    };
    let moves = repo.moving_ref(target);
    let branch = moves.strip_prefix("refs/heads/").unwrap_or(target);
    agent_of_branch(branch).is_some_and(|(agent, _)| within.starts_with(agent))
}

/// Returns the lock of a checkout's index while some git holds it.
pub(super) fn index_lock(checkout: &Pinned) -> Option<PathBuf> {
    let lock = checkout.git_dir().join("index.lock");
    lock.exists().then_some(lock)
}

/// Returns a lock by which a git has its hands in a checkout: it writes the files and the index first and moves the branch
/// last, when it has let go of the index.
pub(super) fn lock_of_git(checkout: &Pinned) -> Option<PathBuf> {
    index_lock(checkout).or_else(|| {
        let lock = checkout.git_dir().join("HEAD.lock");
        lock.exists().then_some(lock)
    })
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

/// What became of the lock of an index whose git may have been killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LeftLock {
    /// There is none (any more).
    None,
    /// Nobody held it: removed.
    Removed(PathBuf),
    /// Somebody holds it or may hold it.
    Held { lock: PathBuf, by: Option<i32> },
}

/// Who may hold the lock of a checkout's index.
pub(super) fn holder(checkout: &Pinned, lock: &std::path::Path) -> Holder {
    of_git_lock(lock, &[checkout.path(), checkout.git_dir()])
}

/// Removes the lock of a checkout's index unless a living process holds or may hold it.
pub(super) fn remove_left_lock(checkout: &Pinned) -> Result<LeftLock, MergeError> {
    let Some(lock) = index_lock(checkout) else {
        return Ok(LeftLock::None);
    };
    let seen = fs::identity(&lock);
    let by = match holder(checkout, &lock) {
        Holder::Nobody if fs::identity(&lock) == seen => {
            fs::remove_file(&lock)?;
            return Ok(LeftLock::Removed(lock));
        }
        Holder::Process(pid) => Some(pid),
        // Another one than a moment ago has somebody who made it.
        Holder::Nobody | Holder::Unknown => None,
    };
    Ok(LeftLock::Held { lock, by })
}
