//! Planning a merge: from two commits to one of four outcomes, on objects only. No ref, index or
//! checkout changes here; the same commits always give the same plan.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;

use crate::git::{
    ConflictedPath, GitError, GitVersion, MergeMessage, MergedTree, Oid, Repo, git, merge_trees,
    version,
};

use super::answers::{Answers, Choices, Review};
use super::attribution::Attribution;
use super::conflict::{SettledPath, settle_path};
use super::error::MergeError;
use super::moved_out::{Places, followed_out};
use super::outcome::{MergeFailure, MergeOutcome, MergePlan};
use super::renames::{RENAMED_TWICE, renamed_twice, settle_rename};
use super::settle::Rules;

/// Conflict types of git that are about one path's content and have rules here.
const SETTLEABLE: [&str; 6] = [
    DIRECTORY_RENAME,
    RENAMED_TWICE,
    "CONFLICT (contents)",
    "CONFLICT (binary)",
    "CONFLICT (modify/delete)",
    "CONFLICT (rename/delete)",
];

/// One side renamed a directory, the other added files to it: git moves them along and asks. Nothing
/// is lost either way, so the answer is yes, with a warning.
const DIRECTORY_RENAME: &str = "CONFLICT (directory rename suggested)";

/// Plans merging `branch` into `target` (both branch names).
pub fn plan(repo: &Repo, target: &str, branch: &str) -> Result<MergeOutcome, MergeError> {
    plan_commits(repo, target_tip(repo, target)?, branch_tip(repo, branch)?)
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

/// Plans merging the commit `branch` into the commit `target`.
pub fn plan_commits(repo: &Repo, target: Oid, branch: Oid) -> Result<MergeOutcome, MergeError> {
    plan_with(repo, target, branch, None)
}

/// Plans the merge that a review decided; what the decisions give up is the plan's displaced content.
pub fn plan_reviewed(repo: &Repo, review: &Review) -> Result<MergeOutcome, MergeError> {
    plan_with(repo, review.target, review.branch, Some(&review.choices))
}

fn plan_with(
    repo: &Repo,
    target: Oid,
    branch: Oid,
    choices: Option<&Choices>,
) -> Result<MergeOutcome, MergeError> {
    let bases = repo.merge_bases(target, branch)?;
    let Some(base) = bases.first().copied() else {
        return Ok(MergeOutcome::Failed(MergeFailure::UnrelatedHistories));
    };
    let mut plan = MergePlan {
        target,
        branch,
        base,
        base_tree: base_tree(repo, &bases)?,
        tree: repo.tree_of(target)?,
        already_merged: base == branch,
        conflict_files: Vec::new(),
        displaced: Vec::new(),
        woven: Vec::new(),
        warnings: Vec::new(),
    };
    if plan.already_merged {
        return Ok(MergeOutcome::Clean(plan));
    }
    let merged = merge_trees(repo, target, branch, None)?;
    plan.tree = merged.tree;
    let structural: Vec<_> = merged
        .messages
        .iter()
        .filter(|said| {
            said.kind.starts_with("CONFLICT") && !SETTLEABLE.contains(&said.kind.as_str())
        })
        .collect();
    if merged.conflicts.is_empty() && structural.is_empty() {
        return Ok(MergeOutcome::Clean(plan));
    }
    plan.conflict_files = merged.conflicts.iter().map(ConflictedPath::name).collect();
    if !structural.is_empty() {
        let submodules = structural
            .iter()
            .all(|said| said.kind.contains("submodule"));
        let mut paths: Vec<String> = structural
            .iter()
            .flat_map(|said| said.paths.clone())
            .collect();
        paths.sort();
        paths.dedup();
        return Ok(MergeOutcome::Failed(if submodules {
            MergeFailure::Submodule { paths }
        } else {
            MergeFailure::Structure {
                said: structural.iter().map(|said| said.text.clone()).collect(),
                paths,
            }
        }));
    }
    settle_conflicts(repo, plan, &merged, choices)
}

fn settle_conflicts(
    repo: &Repo,
    mut plan: MergePlan,
    merged: &MergedTree,
    choices: Option<&Choices>,
) -> Result<MergeOutcome, MergeError> {
    let conflicts = &merged.conflicts;
    let union = union_paths(repo, plan.target, conflicts)?;
    let moved: Vec<&MergeMessage> = merged
        .messages
        .iter()
        .filter(|said| said.kind == DIRECTORY_RENAME)
        .collect();
    plan.warnings
        .extend(moved.iter().map(|said| moved_along(said)));
    let mut attribution = Attribution::new(repo, plan.target, plan.branch, plan.base);
    let mut answers = Answers::new(choices);
    let mut changes = Vec::new();
    let (mut structure, mut submodules) = (Vec::new(), Vec::new());
    let renamed = renamed_twice(repo, &plan, merged)?;
    let trees = (repo.tree_of(plan.target)?, repo.tree_of(plan.branch)?);
    for rename in &renamed {
        let rules = Rules::default();
        match settle_rename(repo, rename, trees, rules, &mut attribution, &mut answers)? {
            Some(settled) => {
                plan.warnings.push(settled.warning);
                changes.extend(settled.changes);
                plan.woven.extend(settled.woven);
                plan.displaced.extend(settled.displaced);
            }
            None => structure.push(rename.old.clone()),
        }
    }
    let mut places = Places::default();
    for conflict in conflicts {
        let name = conflict.name();
        if renamed.iter().any(|rename| rename.concerns(&name)) {
            continue;
        }
        if let (None, Some(entry), None) | (None, None, Some(entry)) =
            (conflict.base, conflict.ours, conflict.theirs)
            && moved.iter().any(|said| said.paths.contains(&name))
        {
            changes.push((conflict.path.clone(), Some(entry)));
            continue;
        }
        let rules = Rules {
            union: union.get(&conflict.path).copied().unwrap_or(false),
        };
        let followed = followed_out(repo, &plan, conflict, conflicts, &mut places)?;
        let conflict = match &followed {
            Some(followed) => {
                plan.warnings.push(followed.warning.clone());
                changes.extend(followed.changes.iter().cloned());
                plan.woven.extend(followed.woven.iter().cloned());
                if followed.leaves_nothing() {
                    changes.push((conflict.path.clone(), None));
                    continue;
                }
                &followed.conflict
            }
            None => conflict,
        };
        match settle_path(repo, conflict, rules, &mut attribution, &mut answers)? {
            SettledPath::Entry {
                entry,
                woven,
                displaced,
                revived,
            } => {
                if revived > 0 {
                    plan.warnings.push(format!(
                        "{name}: {revived} lines that the target had removed are back, because the \
                         branch changed them"
                    ));
                }
                changes.push((conflict.path.clone(), entry));
                plan.woven.extend(woven);
                plan.displaced.extend(displaced);
            }
            SettledPath::Submodule => submodules.push(name),
            SettledPath::Structure => structure.push(name),
        }
    }
    if !structure.is_empty() {
        return Ok(MergeOutcome::Failed(MergeFailure::Structure {
            said: Vec::new(),
            paths: structure,
        }));
    }
    if !submodules.is_empty() {
        return Ok(MergeOutcome::Failed(MergeFailure::Submodule {
            paths: submodules,
        }));
    }
    if !answers.are_complete() {
        return Err(MergeError::ReviewIncomplete {
            files: plan.conflict_files,
        });
    }
    plan.tree = repo.tree_with(plan.tree, &changes)?;
    let is_decided = matches!(choices, Some(Choices::Hunks(_)));
    Ok(if plan.displaced.is_empty() || is_decided {
        MergeOutcome::Resolved(plan)
    } else {
        MergeOutcome::ContentDisplaced(plan)
    })
}

fn moved_along(said: &MergeMessage) -> String {
    match said.paths.as_slice() {
        [new, old, ..] => {
            format!("{old} is now {new}: its directory was renamed by the other side")
        }
        _ => said.text.clone(),
    }
}

/// The tree both sides are measured against. Several best ancestors (a criss-cross) are merged into
/// one, as git does; its conflicts do not matter, only which lines were there.
fn base_tree(repo: &Repo, bases: &[Oid]) -> Result<Oid, GitError> {
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
        tree = merge_trees(repo, joined, next, None)?.tree;
        // Each further base is merged with the result so far, which needs to be a commit.
        joined = repo.commit_unreferenced(tree, &[joined, next])?;
    }
    Ok(tree)
}

/// Which of the conflicted paths have the attribute `merge=union` on the target.
fn union_paths(
    repo: &Repo,
    target: Oid,
    conflicts: &[ConflictedPath],
) -> Result<HashMap<Vec<u8>, bool>, GitError> {
    let mut stdin = Vec::new();
    for conflict in conflicts {
        stdin.extend_from_slice(&conflict.path);
        stdin.push(0);
    }
    let mut call = git(repo.path());
    if version()? >= GitVersion::READS_ATTRIBUTES_FROM_TREES {
        call = call.global(format!("--attr-source={target}"));
    }
    let output = call
        .args(["check-attr", "-z", "--stdin", "merge"])
        .stdin(stdin)
        .run()?;
    let mut fields = output.stdout.split(|byte| *byte == 0);
    let mut union = HashMap::new();
    while let (Some(path), Some(_), Some(value)) = (fields.next(), fields.next(), fields.next()) {
        union.insert(path.to_vec(), value == b"union");
    }
    Ok(union)
}

/// Turns bytes of a path into an argument for programs.
pub(crate) fn os_path(bytes: &[u8]) -> OsString {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        OsString::from_vec(bytes.to_vec())
    }
    #[cfg(not(unix))]
    {
        OsString::from(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// Joins a repository path to the top of a checkout.
pub(crate) fn in_checkout(top: &Path, path: &[u8]) -> std::path::PathBuf {
    top.join(os_path(path))
}
