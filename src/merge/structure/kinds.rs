//! Conflicts that are not about one path's content: which of git's kinds they are, and what is said about
//! them. git names places that it would have moved things to; nothing is moved here, so they are left out.

use crate::git::{GitError, MergeMessage, MergedTree, Oid, Repo, path_bytes};

use super::sentences::sentence;
use crate::merge::outcome::{MergeFailure, MergePlan};
use crate::merge::renames::RENAMED_TWICE;

/// One side renamed a directory, the other added files to it: git moves them along and asks. Nothing
/// is lost either way, so the answer is yes, with a warning.
pub(in crate::merge) const DIRECTORY_RENAME: &str = "CONFLICT (directory rename suggested)";

/// One side renamed a file, the other deleted it.
pub(in crate::merge) const RENAME_DELETE: &str = "CONFLICT (rename/delete)";

/// Conflict types of git that are about one path's content and have rules here.
const SETTLEABLE: [&str; 6] = [
    DIRECTORY_RENAME,
    RENAMED_TWICE,
    "CONFLICT (contents)",
    "CONFLICT (binary)",
    "CONFLICT (modify/delete)",
    RENAME_DELETE,
];

/// What git said about paths that contradict each other. It also speaks of a file in the way of a directory that it
/// then finds merged to nothing.
pub(in crate::merge) fn contradictions(merged: &MergedTree) -> Vec<&MergeMessage> {
    if merged.is_clean {
        return Vec::new();
    }
    merged
        .messages
        .iter()
        .filter(|said| is_conflict(said) && !SETTLEABLE.contains(&said.kind.as_str()))
        .collect()
}

pub(in crate::merge) fn is_conflict(said: &MergeMessage) -> bool {
    said.kind.starts_with("CONFLICT")
}

/// Why there is no tree when paths contradict each other.
pub(in crate::merge) fn contradicted(
    repo: &Repo,
    plan: &MergePlan,
    contradictions: &[&MergeMessage],
) -> Result<MergeFailure, GitError> {
    let trees = [
        repo.tree_of(plan.target)?,
        repo.tree_of(plan.branch)?,
        plan.base_tree,
    ];
    let mut paths: Vec<String> = Vec::new();
    let mut texts = Vec::new();
    for said in contradictions {
        let mut known = Vec::new();
        for path in &said.paths {
            if is_in_any(repo, &trees, path)? {
                known.push(path.clone());
            }
        }
        texts.push(sentence(repo, &trees, said, &known)?);
        paths.extend(if known.is_empty() {
            said.paths.clone()
        } else {
            known
        });
    }
    paths.sort();
    paths.dedup();
    let submodules = contradictions
        .iter()
        .all(|said| said.kind.contains("submodule"));
    Ok(if submodules {
        MergeFailure::Submodule { said: texts, paths }
    } else {
        MergeFailure::Structure { said: texts, paths }
    })
}

fn is_in_any(repo: &Repo, trees: &[Oid], path: &str) -> Result<bool, GitError> {
    for tree in trees {
        if repo.entry_at(*tree, &path_bytes(path))?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
