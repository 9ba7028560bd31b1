//! What decisions come to, as a tree: for somebody who wants to know before anything lands, and as a commit on a branch.
//! Moves no ref but that branch.

use crate::git::{Oid, RefMove, Repo, update_ref};

use super::review::Review;
use crate::merge::account::account_of;
use crate::merge::commit::write_commit;
use crate::merge::error::MergeError;
use crate::merge::outcome::{MergeFailure, MergeOutcome};
use crate::merge::plan::plan_reviewed;
use crate::types::merge::DisplacedHunk;

/// What decisions come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidedTree {
    pub tree: Oid,
    /// What of the two sides is not in it.
    pub displaced: Vec<DisplacedHunk>,
}

/// Gives the tree of a reviewed merge, checked by the account. The inner error says why there is none.
pub fn tree_of(
    repo: &Repo,
    review: &Review,
) -> Result<Result<DecidedTree, MergeFailure>, MergeError> {
    let plan = match plan_reviewed(repo, review)? {
        MergeOutcome::Clean(plan)
        | MergeOutcome::Resolved(plan)
        | MergeOutcome::ContentDisplaced(plan) => plan,
        MergeOutcome::Failed(failure) => return Ok(Err(failure)),
    };
    let lines = account_of(repo, &plan, review.choices.source())?.unaccounted;
    Ok(if lines.is_empty() {
        Ok(DecidedTree {
            tree: plan.tree,
            displaced: plan.displaced,
        })
    } else {
        Err(MergeFailure::Unaccounted { lines })
    })
}

/// Commits a tree on top of `parent` and lets `branch` be that commit, wherever it was.
pub fn branch_with(
    repo: &Repo,
    branch: &str,
    (tree, parent): (Oid, Oid),
    message: &str,
) -> Result<Oid, MergeError> {
    let name = format!("refs/heads/{branch}");
    let known = repo.ref_target(&name);
    if let Some(known) = known
        && repo.tree_of(known)? == tree
        && repo.commit_info(known)?.parents == [parent]
    {
        return Ok(known);
    }
    let commit = write_commit(repo, tree, &[parent], message, None)?;
    match update_ref(
        repo,
        &name,
        known,
        Some(commit),
        "grove: decided in a review",
    )? {
        RefMove::Moved => Ok(commit),
        RefMove::Lost { .. } => Err(MergeError::ReviewOutdated {
            branch: branch.to_owned(),
        }),
    }
}
