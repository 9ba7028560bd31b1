//! Saving what a worktree holds that no commit has: modified, staged and untracked files become a
//! commit under `refs/grove/saved/`, and every entry of its agent's stash gets a name there. The worktree, its index
//! and the stash stay as they are. Ignored files are not saved.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::git::{
    DirtyFile, GitCall, GitError, Oid, Repo, dirty_files_by, os_path, own_stashes, update_ref,
};
use crate::platform::fs::{self, AtPath};
use crate::platform::{clock, random};

use super::contained::{ContainedGit, contained};
use super::error::WorktreeError;

/// A saved state of uncommitted files, or an entry of a stash, which `git stash apply` takes by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salvaged {
    pub commit: Oid,
    pub reference: String,
    /// The uncommitted files; none are named of a stash.
    pub files: Vec<String>,
}

/// Saves the uncommitted files of the repository's worktree at `path`, and its agent's stash, in the name of `agent`.
/// Believes nothing the worktree says about itself, see `Pinned`.
pub fn salvage(repo: &Repo, path: &Path, agent: &str) -> Result<Vec<Salvaged>, WorktreeError> {
    let stashes = salvage_stash(repo, path, agent)?;
    let mut saved: Vec<Salvaged> = salvage_files(repo, path, agent)?.into_iter().collect();
    saved.extend(stashes);
    Ok(saved)
}

/// Saves the stash alone, which is there also when the worktree is gone. What was saved before is not saved again.
pub fn salvage_stash(
    repo: &Repo,
    path: &Path,
    agent: &str,
) -> Result<Vec<Salvaged>, WorktreeError> {
    let mut saved = Vec::new();
    for commit in own_stashes(repo, path) {
        let reference = format!("{}stash-{commit}", folder_of(agent));
        if repo.ref_target(&reference) != Some(commit) {
            let why = "grove: save an entry of a stash";
            update_ref(repo, &reference, None, Some(commit), why)?;
        }
        saved.push(Salvaged {
            commit,
            reference,
            files: Vec::new(),
        });
    }
    Ok(saved)
}

fn salvage_files(repo: &Repo, path: &Path, agent: &str) -> Result<Option<Salvaged>, WorktreeError> {
    let Some((commit, files)) = contained(repo, path, |git| gather(git, path, agent))?? else {
        return Ok(None);
    };
    let commit = repo.commit_of(&commit)?;
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
        files,
    }))
}

/// Makes a commit of the uncommitted files; gives it with their names.
fn gather(
    git: &ContainedGit<'_>,
    path: &Path,
    agent: &str,
) -> Result<Option<(String, Vec<String>)>, WorktreeError> {
    let dirty = dirty_files_by(git.asking())?;
    if dirty.is_empty() {
        return Ok(None);
    }
    if let Some(nested) = dirty
        .iter()
        .find(|file| file.is_untracked() && file.path.ends_with(b"/"))
    {
        return Err(WorktreeError::NestedRepository {
            path: path.to_path_buf(),
            nested: nested.name(),
        });
    }
    let named = |name: &str| -> Result<Option<String>, GitError> {
        let call = git
            .asking()
            .args(["rev-parse", "--verify", "--quiet", name]);
        let text = call.also(1).text()?;
        Ok(Some(text).filter(|text| !text.is_empty()))
    };
    refuse_too_large(path, &dirty)?;
    let head = named("HEAD")?;
    let index = TemporaryIndex::of(git)?;
    let staged_tree = index.tree_if_mergeable(git)?;
    index.add(git, path, &dirty)?;
    let tree = index.git(git).args(["write-tree"]).text()?;

    let mut parents: Vec<String> = head.into_iter().collect();
    // What was staged and then changed again exists only in the index: keep it as a second parent.
    if let Some(staged) = staged_tree {
        let head_tree = named("HEAD^{tree}")?;
        if staged != tree && Some(&staged) != head_tree.as_ref() {
            let subject = format!("Staged files of {agent}");
            parents.push(commit(git, &staged, &parents, &subject)?);
        }
    }
    let subject = format!("Uncommitted files of {agent}");
    let commit = commit(git, &tree, &parents, &subject)?;
    Ok(Some((commit, dirty.iter().map(DirtyFile::name).collect())))
}

/// Most bytes of one worktree that are saved: git packs them while others wait, and a file may be little but its length.
const MOST: u64 = 2 << 30;

fn refuse_too_large(worktree: &Path, files: &[DirtyFile]) -> Result<(), WorktreeError> {
    let sizes: Vec<(u64, &DirtyFile)> = files
        .iter()
        .filter(|file| is_there(worktree, file))
        .map(|file| (size_of(&worktree.join(os_path(&file.path))), file))
        .collect();
    let size = sizes
        .iter()
        .fold(0_u64, |sum, (size, _)| sum.saturating_add(*size));
    let largest = sizes.iter().max_by_key(|(size, _)| *size);
    let Some((_, largest)) = largest.filter(|_| size > MOST) else {
        return Ok(());
    };
    Err(WorktreeError::TooLarge {
        path: worktree.to_path_buf(),
        largest: largest.name(),
        size: size >> 20,
        most: MOST >> 20,
    })
}

/// In bytes; of anything but a file little is stored.
fn size_of(path: &Path) -> u64 {
    let found = path
        .symlink_metadata()
        .ok()
        .filter(std::fs::Metadata::is_file);
    found.map_or(0, |found| found.len())
}

fn free_ref(repo: &Repo, agent: &str) -> String {
    let mut time = clock::now();
    loop {
        let name = format!("{}{}", folder_of(agent), time.stamp());
        if repo.ref_target(&name).is_none() {
            return name;
        }
        time.0 += 1;
    }
}

/// What the names of everything saved of an agent begin with.
fn folder_of(agent: &str) -> String {
    format!("refs/grove/saved/{}/", ref_part(agent))
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
    git: &ContainedGit<'_>,
    tree: &str,
    parents: &[String],
    message: &str,
) -> Result<String, GitError> {
    let mut call = git.git().args(["commit-tree", tree, "-m", message]);
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

/// A copy of the worktree's index that is deleted when dropped.
struct TemporaryIndex {
    file: PathBuf,
}

impl TemporaryIndex {
    fn of(git: &ContainedGit<'_>) -> Result<Self, WorktreeError> {
        let file = git
            .git_dir()
            .join(format!("grove-index-{}", random::alphanumeric(8)));
        let index = git.git_dir().join("index");
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
        Ok(Self { file })
    }

    fn git(&self, git: &ContainedGit<'_>) -> GitCall {
        git.git().env("GIT_INDEX_FILE", &self.file)
    }

    /// Takes these files in as they are now. Not by `git add`: that looks into repositories that lie in the worktree,
    /// whose settings start programs.
    fn add(
        &self,
        git: &ContainedGit<'_>,
        worktree: &Path,
        files: &[DirtyFile],
    ) -> Result<(), GitError> {
        let (there, gone): (Vec<_>, Vec<_>) =
            files.iter().partition(|file| is_there(worktree, file));
        // What is gone goes first: a file may have come in the place of its folder.
        for (files, how) in [(gone, "--force-remove"), (there, "--add")] {
            if files.is_empty() {
                continue;
            }
            let names: Vec<u8> = files
                .iter()
                .flat_map(|file| file.path.iter().copied().chain([0]))
                .collect();
            let call = self.git(git).args(["update-index", how, "--replace", "-z"]);
            call.arg("--stdin").stdin(names).run()?;
        }
        Ok(())
    }

    /// Writes the index as a tree; `None` when it holds unmerged paths and cannot be one.
    fn tree_if_mergeable(&self, git: &ContainedGit<'_>) -> Result<Option<String>, GitError> {
        let output = self.git(git).args(["write-tree"]).also(128).run()?;
        Ok((output.code == 0).then(|| output.text()))
    }
}

/// Whether a file is where its name says, and neither behind a link nor turned into a folder.
fn is_there(worktree: &Path, file: &DirtyFile) -> bool {
    let path = worktree.join(os_path(&file.path));
    let is_dir = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let mut folders = path.ancestors().skip(1).take_while(|at| *at != worktree);
    // A repository inside of the worktree is a folder, and not deleted.
    let is_folder = file.worktree == 'D' && is_dir(&path);
    path.symlink_metadata().is_ok() && !is_folder && folders.all(is_dir)
}

impl Drop for TemporaryIndex {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.file) {
            tracing::warn!(%error, "temporary index stays behind");
        }
    }
}
