//! What a submodule's own repository says about two of its commits.

use std::path::Path;

use git2::Oid;

use super::error::GitError;
use super::repo::Repo;

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
