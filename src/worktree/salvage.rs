//! Saving what a worktree holds that no commit has: modified, staged and untracked files become a
//! commit under `refs/grove/saved/`. The worktree and its index stay as they are.
//! Ignored files are not saved.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::git::{GitCall, GitError, Oid, Pinned, Repo, dirty_files_in, update_ref};
use crate::platform::fs::{self, AtPath};
use crate::platform::{clock, random};

use super::error::WorktreeError;

/// A saved state of uncommitted files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salvaged {
    pub commit: Oid,
    pub reference: String,
    pub files: Vec<String>,
}

/// Saves the uncommitted files of the repository's worktree at `path` in the name of `agent`; `None`
/// when there are none. Believes nothing the worktree says about itself, see `Pinned`.
pub fn salvage(repo: &Repo, path: &Path, agent: &str) -> Result<Option<Salvaged>, WorktreeError> {
    let worktree = Pinned::of(repo, path)?;
    let dirty = dirty_files_in(&worktree)?;
    if dirty.is_empty() {
        return Ok(None);
    }
    if let Some(nested) = dirty
        .iter()
        .find(|file| file.is_untracked() && file.path.ends_with('/'))
    {
        return Err(WorktreeError::NestedRepository {
            path: path.to_path_buf(),
            nested: nested.path.clone(),
        });
    }
    let head = head_of(repo, &worktree)?;
    let index = TemporaryIndex::copy_of(repo, &worktree)?;
    let staged_tree = index.tree_if_mergeable()?;
    index.git().args(["add", "-A", "."]).run()?;
    let tree = index.git().args(["write-tree"]).text()?;

    let mut parents: Vec<String> = head.iter().map(ToString::to_string).collect();
    // What was staged and then changed again exists only in the index: keep it as a second parent.
    if let Some(staged) = staged_tree {
        let head_tree = head.map(|id| repo.tree_of(id)).transpose()?;
        if staged != tree && Some(&staged) != head_tree.map(|id| id.to_string()).as_ref() {
            let subject = format!("Staged files of {agent}");
            parents.push(commit(&worktree, &staged, &parents, &subject)?);
        }
    }
    let subject = format!("Uncommitted files of {agent}");
    let commit_text = commit(&worktree, &tree, &parents, &subject)?;
    let commit = repo.commit_of(&commit_text)?;
    let reference = free_ref(repo, agent);
    update_ref(
        repo,
        &reference,
        None,
        Some(commit),
        "grove: save uncommitted files",
    )?;
    Ok(Some(Salvaged {
        commit,
        reference,
        files: dirty.into_iter().map(|file| file.path).collect(),
    }))
}

/// `None` before the first commit.
fn head_of(repo: &Repo, worktree: &Pinned) -> Result<Option<Oid>, GitError> {
    let answer = worktree
        .git()
        .args(["rev-parse", "-q", "--verify", "HEAD^{commit}"])
        .also(1)
        .run()?;
    match answer.code {
        0 => repo.commit_of(&answer.text()).map(Some),
        _ => Ok(None),
    }
}

fn free_ref(repo: &Repo, agent: &str) -> String {
    let mut time = clock::now();
    loop {
        let name = format!("refs/grove/saved/{}/{}", ref_part(agent), time.stamp());
        if repo.ref_target(&name).is_none() {
            return name;
        }
        time.0 += 1;
    }
}

/// Turns a name into something git accepts as one part of a ref.
fn ref_part(name: &str) -> String {
    let part: String = name
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || matches!(c, '-' | '_') {
                c
            } else {
                '-'
            }
        })
        .collect();
    if part.is_empty() {
        "unnamed".to_owned()
    } else {
        part
    }
}

/// Commits a tree in grove's own name: saving must not depend on the user's identity being set.
fn commit(
    worktree: &Pinned,
    tree: &str,
    parents: &[String],
    message: &str,
) -> Result<String, GitError> {
    let mut call = worktree.git().args(["commit-tree", tree, "-m", message]);
    for parent in parents {
        call = call.args(["-p", parent]);
    }
    for role in ["AUTHOR", "COMMITTER"] {
        call = call
            .env(format!("GIT_{role}_NAME"), "grove")
            .env(format!("GIT_{role}_EMAIL"), "grove@localhost");
    }
    call.text()
}

/// A copy of the worktree's index that is deleted when dropped. It is made beside the repository's
/// own files, where an agent cannot put anything in its way.
struct TemporaryIndex<'w> {
    worktree: &'w Pinned,
    file: PathBuf,
}

impl<'w> TemporaryIndex<'w> {
    fn copy_of(repo: &Repo, worktree: &'w Pinned) -> Result<Self, WorktreeError> {
        let name = format!("grove-index-{}", random::alphanumeric(8));
        let file = repo.common_dir().join(name);
        let index = worktree.git_dir().join("index");
        // A link in its place would have another file of the user's copied.
        if index.symlink_metadata().is_ok_and(|found| found.is_file()) {
            std::fs::copy(&index, &file).at("copy the index to", &file)?;
            // git trusts sizes and times only of files older than its index. A copy is younger than
            // a file changed a moment ago, so it is made old: every file is then read.
            let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
            std::fs::File::options()
                .write(true)
                .open(&file)
                .and_then(|copy| copy.set_modified(old))
                .at("set the time of", &file)?;
        }
        Ok(Self { worktree, file })
    }

    fn git(&self) -> GitCall {
        self.worktree.git().env("GIT_INDEX_FILE", &self.file)
    }

    /// Writes the index as a tree; `None` when it holds unmerged paths and cannot be one.
    fn tree_if_mergeable(&self) -> Result<Option<String>, GitError> {
        let output = self.git().args(["write-tree"]).also(128).run()?;
        Ok((output.code == 0).then(|| output.text()))
    }
}

impl Drop for TemporaryIndex<'_> {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.file) {
            tracing::warn!(%error, "temporary index stays behind");
        }
    }
}
