//! Conflicts that are not about one path's content: which of git's kinds they are, and what is said about
//! them. git names places that it would have moved things to; nothing is moved here, so they are left out.

use crate::git::{GitError, MergeMessage, MergedTree, Oid, Repo};

use super::outcome::{MergeFailure, MergePlan};
use super::renames::RENAMED_TWICE;

/// One side renamed a directory, the other added files to it: git moves them along and asks. Nothing
/// is lost either way, so the answer is yes, with a warning.
pub(super) const DIRECTORY_RENAME: &str = "CONFLICT (directory rename suggested)";

/// Conflict types of git that are about one path's content and have rules here.
const SETTLEABLE: [&str; 6] = [
    DIRECTORY_RENAME,
    RENAMED_TWICE,
    "CONFLICT (contents)",
    "CONFLICT (binary)",
    "CONFLICT (modify/delete)",
    "CONFLICT (rename/delete)",
];

const FILE_OR_DIRECTORY: &str = "CONFLICT (file/directory)";

/// What git said about paths that contradict each other.
pub(super) fn contradictions(merged: &MergedTree) -> Vec<&MergeMessage> {
    merged
        .messages
        .iter()
        .filter(|said| is_conflict(said) && !SETTLEABLE.contains(&said.kind.as_str()))
        .collect()
}

pub(super) fn is_conflict(said: &MergeMessage) -> bool {
    said.kind.starts_with("CONFLICT")
}

/// Why there is no tree when paths contradict each other.
pub(super) fn contradicted(
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
        texts.push(wording(repo, &trees, said, &known)?);
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
        MergeFailure::Submodule { paths }
    } else {
        MergeFailure::Structure { said: texts, paths }
    })
}

fn is_in_any(repo: &Repo, trees: &[Oid], path: &str) -> Result<bool, GitError> {
    for tree in trees {
        if repo.entry_at(*tree, path.as_bytes())?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn wording(
    repo: &Repo,
    [ours, theirs, _]: &[Oid; 3],
    said: &MergeMessage,
    known: &[String],
) -> Result<String, GitError> {
    if said.kind == FILE_OR_DIRECTORY
        && let [path, ..] = known
    {
        let is_file = |tree: &Oid| repo.entry_at(*tree, path.as_bytes());
        let (file_on, directory_on) = match (is_file(ours)?, is_file(theirs)?) {
            (Some(_), _) => ("the target", "the branch"),
            (None, Some(_)) => ("the branch", "the target"),
            (None, None) => ("one side", "the other"),
        };
        return Ok(format!(
            "{path} is a file on {file_on} and a directory on {directory_on}: rename one of them \
             there, then merge again"
        ));
    }
    // After the semicolon git tells how it helped itself in a working tree.
    let fact = said.text.split(';').next().unwrap_or(&said.text);
    Ok(fact.trim_end_matches('.').to_owned())
}
