//! Planning a merge: from two commits to one of four outcomes, on objects only. No ref, index or
//! checkout changes here; the same commits always give the same plan.

use std::path::Path;
use std::sync::Arc;

use crate::git::{
    ConflictedPath, GitError, MergedTree, Oid, Repo, merge_drivers, merge_trees_unless, os_path,
    path_name,
};

use crate::process::shell::Cancel;

use super::account::{Source, account_in_time};
use super::answers::{Choices, Review};
use super::attribution::{Origins, Whose};
use super::error::MergeError;
use super::outcome::{MergeFailure, MergeOutcome, MergePlan};
use super::reverted::{Reverted, reverted};
use super::structure::{contradicted, contradictions};
use super::whole::settle_decidable;
use super::whole::{LeftOut, driven, left_out, naming_files, without_given_up};

/// Plans merging `branch` into `target` (both branch names).
pub fn plan(repo: &Repo, target: &str, branch: &str) -> Result<MergeOutcome, MergeError> {
    let (target, branch) = tips(repo, (target, branch))?;
    plan_commits(repo, target, branch)
}

/// Where two branches are.
pub(super) fn tips(repo: &Repo, (target, branch): (&str, &str)) -> Result<(Oid, Oid), MergeError> {
    Ok((target_tip(repo, target)?, branch_tip(repo, branch)?))
}

pub(super) fn target_tip(repo: &Repo, target: &str) -> Result<Oid, MergeError> {
    repo.ref_target(&format!("refs/heads/{target}"))
        .ok_or_else(|| MergeError::NoTarget {
            branch: target.to_owned(),
        })
}

pub(super) fn branch_tip(repo: &Repo, branch: &str) -> Result<Oid, MergeError> {
    repo.ref_target(&format!("refs/heads/{branch}"))
        .ok_or_else(|| MergeError::NoBranch {
            branch: branch.to_owned(),
        })
}

/// Whether a branch was set back or written anew since it had this commit. Of one that was removed, as when its agent is
/// done, nobody has taken anything out.
pub(super) fn is_rewritten(repo: &Repo, branch: &str, since: Oid) -> Result<bool, GitError> {
    match repo.ref_target(&format!("refs/heads/{branch}")) {
        Some(tip) => Ok(!repo.is_ancestor(since, tip)?),
        None => Ok(false),
    }
}

/// Plans merging the commit `branch` into the commit `target`.
pub fn plan_commits(repo: &Repo, target: Oid, branch: Oid) -> Result<MergeOutcome, MergeError> {
    plan_with(repo, target, branch, Asked::default())
}

/// As `plan_commits`, until somebody cancels the merge.
pub(super) fn plan_until(
    repo: &Repo,
    (target, branch): (Oid, Oid),
    cancel: &Cancel,
) -> Result<MergeOutcome, MergeError> {
    let asked = Asked {
        cancel: Some(cancel),
        ..Asked::default()
    };
    plan_with(repo, target, branch, asked)
}

/// As `plan_commits`, for finding contested places again: a mark stands in each, and nobody wants to know yet whose lines
/// they are.
pub(super) fn plan_marked(
    repo: &Repo,
    (target, branch): (Oid, Oid),
    secret: &str,
) -> Result<MergeOutcome, MergeError> {
    let asked = Asked {
        origins: Origins::Unasked,
        marks: Some(secret),
        ..Asked::default()
    };
    plan_with(repo, target, branch, asked)
}

/// Plans a merge once more that the account has refused: what nobody contested is contested, file by file.
pub(super) fn plan_doubted(
    repo: &Repo,
    refused: &MergePlan,
    cancel: Option<&Cancel>,
) -> Result<MergeOutcome, MergeError> {
    let asked = Asked {
        earlier: Some(refused),
        cancel,
        doubted: true,
        ..Asked::default()
    };
    plan_with(repo, refused.target, refused.branch, asked)
}

/// Plans the merge that a review decided; what the decisions give up is the plan's displaced content.
pub fn plan_reviewed(repo: &Repo, review: &Review) -> Result<MergeOutcome, MergeError> {
    plan_answered(repo, review, Asked::default())
}

/// As `plan_reviewed`, with what is known besides.
pub(super) fn plan_answered(
    repo: &Repo,
    review: &Review,
    asked: Asked<'_>,
) -> Result<MergeOutcome, MergeError> {
    let asked = Asked {
        choices: Some(&review.choices),
        ..asked
    };
    plan_with(repo, review.target, review.branch, asked)
}

/// What a plan is made by besides the two commits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked<'q> {
    /// Answers to what is contested.
    pub(super) choices: Option<&'q Choices>,
    pub(super) origins: Origins,
    /// Whose work the branch is.
    pub(super) whose: Whose<'q>,
    /// A mark stands in each contested place instead of lines, and begins with this.
    pub(super) marks: Option<&'q str>,
    /// A plan of the same commits: what git made of them is taken from it, so that no merge driver runs
    /// again and makes something else than what was looked at.
    pub(super) earlier: Option<&'q MergePlan>,
    /// What ends the planning, as if this process had been asked to end.
    pub(super) cancel: Option<&'q Cancel>,
    /// The account has refused what nobody contests.
    pub(super) doubted: bool,
}

impl Asked<'_> {
    /// Whether git's own results are asked about, too, where the account refuses them: it is always when a person is to
    /// decide, and has decided, so that both are about the same places.
    pub(super) fn is_doubted(&self) -> bool {
        self.doubted || self.marks.is_some() || self.choices.is_some()
    }

    fn merged_before(&self, target: Oid, branch: Oid) -> Option<Arc<MergedTree>> {
        let same = |plan: &&MergePlan| (plan.target, plan.branch) == (target, branch);
        self.earlier.filter(same)?.merged.clone()
    }
}

/// Where the work of a branch begins that the target does not have: the merge base, or the one from
/// before a merge that was taken back. The branch itself when the target has all of it.
pub fn base_of_work(repo: &Repo, target: Oid, branch: Oid) -> Result<Option<Oid>, GitError> {
    match reverted(repo, target, branch)? {
        Some(undone) => Ok(Some(undone.base)),
        None => repo.merge_base(target, branch),
    }
}

/// Whether the target has everything that a branch has. A merge that was taken back does not count,
/// though git goes on regarding its commits as merged.
pub fn is_merged(repo: &Repo, target: Oid, branch: Oid) -> Result<bool, GitError> {
    Ok(repo.is_ancestor(branch, target)? && reverted(repo, target, branch)?.is_none())
}

fn plan_with(
    repo: &Repo,
    target: Oid,
    branch: Oid,
    asked: Asked<'_>,
) -> Result<MergeOutcome, MergeError> {
    let undone = reverted(repo, target, branch)?;
    let bases = match &undone {
        Some(undone) => vec![undone.base],
        None => repo.merge_bases(target, branch)?,
    };
    let Some(base) = bases.first().copied() else {
        return Ok(MergeOutcome::Failed(MergeFailure::UnrelatedHistories {
            shallow: repo.is_shallow(),
        }));
    };
    let mut plan = MergePlan {
        target,
        branch,
        base,
        base_tree: base_tree(repo, &bases, asked.cancel)?,
        bases,
        tree: repo.tree_of(target)?,
        already_merged: base == branch,
        conflict_files: Vec::new(),
        versions: Vec::new(),
        displaced: Vec::new(),
        woven: Vec::new(),
        went_along: Vec::new(),
        driven: Vec::new(),
        merged: None,
        warnings: undone.iter().map(brings_back).collect(),
    };
    if plan.already_merged {
        return Ok(MergeOutcome::Clean(plan));
    }
    let merged = match asked.merged_before(target, branch) {
        Some(merged) => merged,
        None => {
            let merged = match &undone {
                Some(_) => merge_from(repo, (target, branch), base, asked.cancel),
                None => merge_trees_unless(asked.cancel, repo, (target, branch), None),
            };
            Arc::new(merged.map_err(|error| naming_files(repo, &plan, error))?)
        }
    };
    plan.tree = merged.tree;
    let driven = driven(repo, &plan, &merged, &merge_drivers(repo)?)?;
    let (merged, driven) = without_given_up(repo, merged, driven)?;
    plan.merged = Some(Arc::clone(&merged));
    plan.driven = driven.iter().map(|file| path_name(&file.path)).collect();
    let mut leaving_out = false;
    for file in &driven {
        leaving_out |= left_out(repo, file, file.result)? != LeftOut::Nothing;
    }
    let contradictions = contradictions(&merged);
    if !leaving_out && merged.conflicts.is_empty() && contradictions.is_empty() {
        let in_doubt = asked.is_doubted();
        if !in_doubt || account_in_time(repo, &plan, Source::Engine, asked.cancel)?.balances() {
            return Ok(MergeOutcome::Clean(plan));
        }
    }
    plan.conflict_files = merged.conflicts.iter().map(ConflictedPath::name).collect();
    if !contradictions.is_empty() {
        let failure = contradicted(repo, &plan, &contradictions)?;
        return Ok(MergeOutcome::Failed(failure));
    }
    settle_decidable(repo, &plan, (&merged, &driven), asked)
}

/// Merges as if `base` were all that both sides have in common, by the same means as any merge.
fn merge_from(
    repo: &Repo,
    (target, branch): (Oid, Oid),
    base: Oid,
    cancel: Option<&Cancel>,
) -> Result<MergedTree, GitError> {
    let ours = repo.commit_unreferenced(repo.tree_of(target)?, &[base])?;
    let theirs = repo.commit_unreferenced(repo.tree_of(branch)?, &[base])?;
    merge_trees_unless(cancel, repo, (ours, theirs), None)
}

fn brings_back(undone: &Reverted) -> String {
    let short = |id: &Oid| id.to_string().chars().take(8).collect::<String>();
    let reverts: Vec<String> = undone.reverts.iter().map(short).collect();
    format!(
        "merged before and taken back by {}: what that took is brought back",
        reverts.join(" and ")
    )
}

/// The tree both sides are measured against. Several best ancestors (a criss-cross) are merged into
/// one, as git does; its conflicts do not matter, only which lines were there.
fn base_tree(repo: &Repo, bases: &[Oid], cancel: Option<&Cancel>) -> Result<Oid, GitError> {
    let mut bases = bases.iter().copied();
    let Some(first) = bases.next() else {
        return Err(GitError::Unexpected {
            command: "merge-base".to_owned(),
            detail: "no common ancestor".to_owned(),
        });
    };
    let mut tree = repo.tree_of(first)?;
    let mut joined = first;
    for next in bases {
        tree = merge_trees_unless(cancel, repo, (joined, next), None)?.tree;
        // Each further base is merged with the result so far, which needs to be a commit.
        joined = repo.commit_unreferenced(tree, &[joined, next])?;
    }
    Ok(tree)
}

/// Joins a repository path to the top of a checkout.
pub(crate) fn in_checkout(top: &Path, path: &[u8]) -> std::path::PathBuf {
    top.join(os_path(path))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::git::trial::{git, repository};

    #[test]
    fn what_is_cancelled_is_not_settled_to_its_end() {
        let dir = repository();
        let root = dir.path();
        let list = |text: &str| {
            std::fs::write(root.join("list"), text).unwrap();
            git(root, &["add", "list"]);
            git(root, &["commit", "-q", "-m", text]);
        };
        list("start\nend\n");
        git(root, &["checkout", "-q", "-b", "b"]);
        list("start\ntheirs\nend\n");
        git(root, &["checkout", "-q", "main"]);
        list("start\nours\nend\n");
        let repo = Repo::open(root).unwrap();
        let sides = tips(&repo, ("main", "b")).unwrap();
        let cancel = Cancel::default();
        let outcome = plan_until(&repo, sides, &cancel).unwrap();
        let MergeOutcome::Resolved(plan) = &outcome else {
            panic!("{outcome:?}");
        };
        // What git has made of them is there already.
        cancel.call();
        let asked = Asked {
            earlier: Some(plan),
            cancel: Some(&cancel),
            ..Asked::default()
        };
        let error = plan_with(&repo, sides.0, sides.1, asked).unwrap_err();
        assert!(
            matches!(error, MergeError::Git(GitError::Interrupted { .. })),
            "{error}"
        );
    }
}
