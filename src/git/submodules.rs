//! The submodules of a commit, where their repositories are, and what those say about two of their commits.
//! Fetches nothing.

use std::path::{Component, Path, PathBuf};

use git2::{ObjectType, Oid};

use super::cli::git;
use super::error::GitError;
use super::path_name::os_path;
use super::repo::Repo;

/// Where a commit says which submodules it has.
const FILE: &str = ".gitmodules";

/// Tells whether `commit` of the submodule at `path` holds all of `ancestor`. What is not here, or knows
/// one of the two commits only by name, holds nothing.
pub fn submodule_holds(
    repo: &Repo,
    path: &Path,
    commit: Oid,
    ancestor: Oid,
) -> Result<bool, GitError> {
    let absorbed = repo.common_dir().join("modules").join(path);
    for place in [repo.path().join(path), absorbed] {
        let submodule = match Repo::open(&place) {
            Ok(submodule) => submodule,
            Err(GitError::NotARepository { .. }) => continue,
            Err(error) => return Err(error),
        };
        let knows = |id| submodule.raw().find_commit(id).is_ok();
        if knows(commit) && knows(ancestor) {
            return submodule.is_ancestor(ancestor, commit);
        }
    }
    Ok(false)
}

/// A submodule of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submodule {
    pub path: PathBuf,
    /// What git calls it, which is where it keeps its repository.
    name: PathBuf,
    pub commit: Oid,
}

/// Returns the submodules of which a commit says where they come from (`.gitmodules`).
pub fn submodules_of(repo: &Repo, commit: Oid) -> Result<Vec<Submodule>, GitError> {
    let failed = || repo.failed("read a commit");
    let commit_of = repo.raw().find_commit(commit).map_err(failed())?;
    let tree = commit_of.tree().map_err(failed())?;
    let Some(file) = tree.get_name(FILE) else {
        return Ok(Vec::new());
    };
    // Not as `--blob`: there git takes the byte 0xff for the end.
    let listed = git(repo.path())
        .args(["config", "--no-includes", "--file", "-"])
        .args(["-z", "--get-regexp", r"^submodule\..*\.path$"])
        .stdin(repo.blob(file.id())?)
        .also(1)
        .run()?;
    // Neither names nor paths need be text.
    let submodule = |listed: &[u8]| {
        let end = listed.iter().position(|byte| *byte == b'\n')?;
        let (key, path) = (listed.get(..end)?, listed.get(end + 1..)?);
        let name = key.strip_prefix(b"submodule.")?.strip_suffix(b".path")?;
        let (path, name) = (PathBuf::from(os_path(path)), PathBuf::from(os_path(name)));
        let entry = tree.get_path(&path).ok()?;
        let is_one = entry.kind() == Some(ObjectType::Commit);
        (is_one && goes_down(&path) && goes_down(&name)).then(|| Submodule {
            path,
            name,
            commit: entry.id(),
        })
    };
    let listed = listed.stdout.split(|byte| *byte == 0);
    Ok(listed.filter_map(submodule).collect())
}

/// Returns the repository of a submodule that is here and has the commit: the one in the main checkout, or the one that
/// git keeps for it.
pub fn submodule_here(repo: &Repo, submodule: &Submodule) -> Option<Repo> {
    let kept = repo.common_dir().join("modules").join(&submodule.name);
    let checkout = repo.main_root().map(|root| root.join(&submodule.path));
    checkout
        .into_iter()
        .chain([kept])
        .filter_map(|place| Repo::open(&place).ok())
        .find(|found| found.raw().find_commit(submodule.commit).is_ok())
}

/// A commit may say anything.
fn goes_down(path: &Path) -> bool {
    let mut parts = path.components();
    path.components().next().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}
