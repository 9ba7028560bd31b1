//! Merges that were taken back by a revert: git goes on regarding their commits as merged, so a plan
//! from git's own merge base would leave out what the revert took. Reads history only.

use std::collections::{HashMap, HashSet};

use crate::git::{GitError, Oid, Repo};

/// How git, and grove as git does, begins the line that names what a revert takes back.
const REVERTS: &[u8] = b"This reverts commit ";

/// What merging a branch again has to bring back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reverted {
    /// The merge base as it was before the oldest merge that was taken back.
    pub(super) base: Oid,
    /// The reverts, the newest first.
    pub(super) reverts: Vec<Oid>,
}

/// Looks for merges of the branch's commits into the target that were taken back by a revert on the
/// target and not merged again since. A branch that has the reverted merge in its own history does
/// not bring it back: it started from the target.
pub(super) fn reverted(
    repo: &Repo,
    target: Oid,
    branch: Oid,
) -> Result<Option<Reverted>, GitError> {
    // The newest first: what a later revert has taken back takes nothing back itself.
    let mut taken_back: HashMap<Oid, Oid> = HashMap::new();
    let mut order = Vec::new();
    for (revert, what) in reverts(repo, target, branch)? {
        if !taken_back.contains_key(&revert) && !taken_back.contains_key(&what) {
            taken_back.insert(what, revert);
            order.push((revert, what));
        }
    }
    let mut found: Option<Reverted> = None;
    for (revert, merge) in order {
        let Some(base) = base_of(repo, target, branch, merge)? else {
            continue;
        };
        let undone: HashSet<Oid> = taken_back.keys().copied().collect();
        if merged_since(repo, target, revert, merge, &undone)? {
            continue;
        }
        let mut so_far = found.unwrap_or(Reverted {
            base,
            reverts: Vec::new(),
        });
        so_far.reverts.push(revert);
        if let Some(older) = repo.merge_bases(so_far.base, base)?.first() {
            so_far.base = *older;
        }
        found = Some(so_far);
    }
    Ok(found)
}

/// The newest revert on the target itself that takes a merge back.
pub(super) fn revert_of(repo: &Repo, target: Oid, merge: Oid) -> Result<Option<Oid>, GitError> {
    let reverts = reverts(repo, target, merge)?.into_iter();
    let mut of_merge = reverts.filter(|(_, what)| *what == merge);
    Ok(of_merge.next().map(|(revert, _)| revert))
}

/// Reverts on the target itself, with the commit that each names. What came in with other branches
/// does not count: their authors do not decide about the target's merges.
fn reverts(repo: &Repo, target: Oid, branch: Oid) -> Result<Vec<(Oid, Oid)>, GitError> {
    let mut found = Vec::new();
    for revert in repo.first_parents(branch, target)? {
        for line in repo.commit_message(revert)?.split(|byte| *byte == b'\n') {
            let named = line.strip_prefix(REVERTS).and_then(|rest| rest.get(..40));
            let named = named.and_then(|name| std::str::from_utf8(name).ok());
            if let Some(Ok(what)) = named.map(Oid::from_str) {
                found.push((revert, what));
            }
        }
    }
    Ok(found)
}

/// The merge base from before `merge`, if that has merged commits of the branch into the target.
fn base_of(repo: &Repo, target: Oid, branch: Oid, merge: Oid) -> Result<Option<Oid>, GitError> {
    // A message may name anything.
    let Ok(info) = repo.commit_info(merge) else {
        return Ok(None);
    };
    let &[before, brought] = info.parents.as_slice() else {
        return Ok(None);
    };
    let is_ours = repo.is_ancestor(merge, target)?
        && repo.is_ancestor(brought, branch)?
        && !repo.is_ancestor(merge, branch)?;
    if !is_ours {
        return Ok(None);
    }
    Ok(repo.merge_bases(before, brought)?.first().copied())
}

/// Whether a merge that still stands has brought the same commits again after the revert.
fn merged_since(
    repo: &Repo,
    target: Oid,
    revert: Oid,
    merge: Oid,
    undone: &HashSet<Oid>,
) -> Result<bool, GitError> {
    let Some(brought) = repo.commit_info(merge)?.parents.get(1).copied() else {
        return Ok(false);
    };
    for id in repo.first_parents(revert, target)? {
        if undone.contains(&id) {
            continue;
        }
        for parent in repo.commit_info(id)?.parents.iter().skip(1) {
            // What started from the target has the merge below it and brings nothing of it.
            if repo.is_ancestor(brought, *parent)? && !repo.is_ancestor(merge, *parent)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
