//! A throw-away checkout of one commit, under `.overstory/scratch/`, for trying things on it.
//! Removed when dropped; what a killed process leaves is swept by the next start.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::git::{Oid, Pinned, Repo, forget_worktree, git, worktree_call, worktrees};
use crate::platform::{ProjectPaths, fs, random};

use super::apart;
use super::files::Files;
use crate::merge::MergeError;
use crate::merge::land::no_room;

/// A detached worktree that goes away.
#[derive(Debug)]
pub(crate) struct Scratch {
    repo_dir: PathBuf,
    path: PathBuf,
    /// git may have an entry for it in its list of worktrees.
    is_listed: bool,
    /// `None` for one without files.
    files: Option<Files>,
}

/// How many letters and digits tell the checkouts of one process apart.
const WORD: usize = 8;

/// Returns the directory that holds all scratch checkouts.
pub(crate) fn scratch_dir(root: &Path) -> PathBuf {
    root.join(".overstory").join("scratch")
}

impl Scratch {
    /// Checks `commit` of the repository at `repo_dir` out below `root`. What agents have written may bring
    /// filters and hooks that git would run for it: these can do no more than write the files, each time within `limit`.
    pub(in crate::merge) fn checkout(
        (repo_dir, root): (&Path, &Path),
        commit: Oid,
        limit: Duration,
    ) -> Result<Self, MergeError> {
        Self::checked_out((repo_dir, root), commit, limit).map_err(|error| not_made(root, error))
    }

    fn checked_out(
        (repo_dir, root): (&Path, &Path),
        commit: Oid,
        limit: Duration,
    ) -> Result<Self, MergeError> {
        let mut scratch = Self {
            repo_dir: repo_dir.to_path_buf(),
            path: new_path(root)?,
            is_listed: true,
            files: None,
        };
        worktree_call(|| {
            git(&scratch.repo_dir)
                .args(["worktree", "add", "-q", "--detach", "--no-checkout"])
                .arg(&scratch.path)
                .arg(commit.to_string())
        })?;
        // The files take the time, and need not wait for each other.
        let repo = Repo::open(repo_dir)?.with_driver_limit(limit);
        let there = Pinned::of(&repo, &scratch.path)?;
        let files = Files::of(&repo, there, commit, ProjectPaths::new(root).file("hosts"));
        files
            .write()
            .map_err(|error| without_room(&repo, &scratch.path, commit, error))?;
        scratch.files = Some(files);
        Ok(scratch)
    }

    /// Undoes what was done to files of the commit, and names them. Files that the commit does not have stay.
    pub(in crate::merge) fn put_back(&self) -> Result<Vec<String>, MergeError> {
        self.files.as_ref().map_or(Ok(Vec::new()), Files::put_back)
    }

    /// Removes files that the commit does not have, and names them and folders of them. What git ignores stays: caches
    /// and what is built.
    pub(in crate::merge) fn clear(&self) -> Result<Vec<String>, MergeError> {
        self.files.as_ref().map_or(Ok(Vec::new()), Files::clear)
    }

    /// An empty directory below `root`, for a program that needs none of the project's files.
    pub(in crate::merge) fn empty(repo_dir: &Path, root: &Path) -> Result<Self, MergeError> {
        let made = || {
            let path = new_path(root)?;
            fs::create_dir_all(&path)?;
            Ok(path)
        };
        Ok(Self {
            repo_dir: repo_dir.to_path_buf(),
            path: made().map_err(|error| not_made(root, error))?,
            is_listed: false,
            files: None,
        })
    }

    pub(in crate::merge) fn path(&self) -> &Path {
        &self.path
    }

    /// Undoes what was done with git in it; with a new repository of its own if it is for programs that must not write
    /// to the project's.
    pub(in crate::merge) fn stand_anew(&self, apart: bool) -> Result<(), MergeError> {
        match &self.files {
            Some(files) if apart => files.set_apart(&Repo::open(&self.repo_dir)?),
            Some(files) => files.write_again(),
            None => Ok(()),
        }
    }
}

/// git does not say why it could not write a file.
fn without_room(repo: &Repo, checkout: &Path, commit: Oid, error: MergeError) -> MergeError {
    let MergeError::Git(said) = &error else {
        return error;
    };
    let found = size_of(repo, commit).and_then(|needed| no_room(checkout, needed, said));
    found.unwrap_or(error)
}

/// How large the files of a commit are together, in bytes.
fn size_of(repo: &Repo, commit: Oid) -> Option<u64> {
    let call = git(repo.path()).args(["ls-tree", "-r", "-l", "-z"]);
    let listed = call.arg(commit.to_string()).run().ok()?.stdout;
    let size = |entry: &[u8]| -> Option<u64> {
        let facts = entry.split(|byte| *byte == b'\t').next()?;
        let size = facts.rsplit(|byte| *byte == b' ').next()?;
        str::from_utf8(size).ok()?.parse().ok()
    };
    // Submodules have none.
    Some(listed.split(|byte| *byte == 0).filter_map(size).sum())
}

/// A full disk says neither what was written there nor what for.
fn not_made(root: &Path, error: MergeError) -> MergeError {
    if error.is_of_ended_git() {
        return error;
    }
    MergeError::NoScratch {
        dir: scratch_dir(root),
        source: Box::new(error),
    }
}

pub(super) fn new_path(root: &Path) -> Result<PathBuf, MergeError> {
    fs::create_dir_all(&scratch_dir(root))?;
    Ok(scratch_name(root))
}

/// Names a scratch folder that nobody has made yet. What stays of it when this process is killed is swept.
pub fn scratch_name(root: &Path) -> PathBuf {
    // The name begins with the owner, see `maker`.
    let word = random::alphanumeric(WORD);
    scratch_dir(root).join(format!("{}-{word}", std::process::id()))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.is_listed {
            remove(&self.repo_dir, &self.path);
        } else {
            remove_folder(&self.path);
        }
    }
}

fn remove(repo_dir: &Path, path: &Path) {
    apart::bring_back(repo_dir, path);
    let removed = worktree_call(|| {
        git(repo_dir)
            .args(["worktree", "remove", "--force", "--force"])
            .arg(path)
    });
    // git refuses when, say, a tool left unreadable directories: take what is left by hand.
    remove_folder(path);
    if removed.is_err()
        && let Err(error) = forget_worktree(repo_dir, path)
    {
        tracing::warn!(%error, "git still lists a scratch checkout");
    }
}

fn remove_folder(path: &Path) {
    if path.exists() {
        open_up(path, 0);
    }
    if let Err(error) = fs::remove_dir_all(path) {
        tracing::warn!(%error, "scratch checkout stays behind");
    }
}

/// Gives directories without permissions their permissions back, so that they can be removed.
pub(super) fn open_up(dir: &Path, depth: usize) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if let Err(error) = std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700)) {
            tracing::debug!(%error, "permissions of a scratch directory stay");
        }
    }
    // Deeper than any real project; a loop of links is not followed anyway.
    if depth > 64 {
        return;
    }
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path(), depth + 1);
        }
    }
}

/// Scratch checkouts whose process is gone. What has another name than `new_path` gives is somebody else's.
pub fn abandoned(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(scratch_dir(root));
    let folders = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut found: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    found.retain(|path| is_abandoned(path));
    found.sort();
    found
}

/// Removes the scratch checkouts that are abandoned; says how many.
pub fn sweep(repo: &Repo, root: &Path) -> Result<usize, MergeError> {
    let dir = scratch_dir(root);
    if !dir.is_dir() {
        return Ok(0);
    }
    let swept = abandoned(root);
    for path in &swept {
        remove(repo.path(), path);
    }
    // Directories may be gone while git still lists them. One that is just being made looks the same.
    for worktree in worktrees(repo.path())? {
        let path = &worktree.path;
        if worktree.prunable && path.starts_with(&dir) && is_abandoned(path) {
            forget_worktree(repo.path(), &worktree.path)?;
        }
    }
    Ok(swept.len())
}

/// Whether a path is that of a scratch checkout whose process is gone.
fn is_abandoned(path: &Path) -> bool {
    use crate::platform::liveness::{Liveness, check};
    use crate::types::host::ProcessId;
    maker(path).is_some_and(|pid| check(ProcessId { pid, start: 0 }) == Liveness::Dead)
}

/// The process that made a scratch checkout, by its name.
fn maker(path: &Path) -> Option<i32> {
    let (pid, word) = path.file_name()?.to_str()?.split_once('-')?;
    let is_word = word.len() == WORD && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_pid = pid.bytes().all(|byte| byte.is_ascii_digit());
    (is_word && is_pid).then(|| pid.parse().ok())?
}
