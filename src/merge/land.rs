//! Moving the target branch to a merged commit: compare-and-swap of the ref, or, where the branch is
//! checked out, a fast-forward of that checkout by git itself. Refuses instead of touching files the
//! user has changed; never stashes, resets or commits anything of the user.

use std::path::{Path, PathBuf};

use crate::git::{Oid, RefMove, Repo, dirty_files, git, update_ref, worktrees};
use crate::platform::fs;

use super::error::MergeError;
use super::plan::in_checkout;

/// How a landing ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LandOutcome {
    /// The target is at the new commit; with the checkout that moved along.
    Landed { checkout: Option<PathBuf> },
    /// The target is not where the merge started from: plan again.
    TargetMoved { actual: Option<Oid> },
    /// A checkout of the target is in the way; nothing was changed.
    Refused {
        checkout: PathBuf,
        reason: RefusalReason,
    },
}

/// Why a checkout cannot move along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefusalReason {
    /// The user has uncommitted or unknown files where the merge changes something.
    UncommittedFiles { files: Vec<String> },
    /// A merge, rebase or the like is under way there.
    Busy { with: String },
    /// The branch is checked out in several places, of which only one can move along.
    CheckedOutTwice { other: PathBuf },
}

impl std::fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UncommittedFiles { files } => {
                write!(
                    f,
                    "uncommitted changes would be overwritten: {}",
                    files.join(", ")
                )
            }
            Self::Busy { with } => write!(f, "a {with} is under way there: finish or abort it"),
            Self::CheckedOutTwice { other } => {
                write!(f, "the branch is also checked out at {}", other.display())
            }
        }
    }
}

/// Lands `new` on `target` if that still is at `expected`.
pub fn land(
    repo: &Repo,
    target: &str,
    expected: Oid,
    new: Oid,
    reason: &str,
) -> Result<LandOutcome, MergeError> {
    let name = format!("refs/heads/{target}");
    let actual = repo.ref_target(&name);
    if actual != Some(expected) {
        return Ok(LandOutcome::TargetMoved { actual });
    }
    let mut checkouts = checkouts_of(repo, target)?;
    checkouts.truncate(2);
    match checkouts.as_slice() {
        [] => Ok(
            match update_ref(repo, &name, Some(expected), Some(new), reason)? {
                RefMove::Moved => LandOutcome::Landed { checkout: None },
                RefMove::Lost { actual } => LandOutcome::TargetMoved { actual },
            },
        ),
        [checkout] => fast_forward(repo, checkout, target, expected, new),
        [checkout, other, ..] => Ok(LandOutcome::Refused {
            checkout: checkout.clone(),
            reason: RefusalReason::CheckedOutTwice {
                other: other.clone(),
            },
        }),
    }
}

/// Checkouts of the target that move along with it. What an agent may write says which branch its worktree is
/// on and where it lies, so whatever is registered for an agent is never one of them.
pub(crate) fn checkouts_of(repo: &Repo, target: &str) -> Result<Vec<PathBuf>, MergeError> {
    let agents = agents_checkouts(repo);
    Ok(worktrees(repo.path())?
        .into_iter()
        .filter(|worktree| worktree.branch == target && !worktree.bare && worktree.path.exists())
        .map(|worktree| worktree.path)
        .filter(|path| !agents.contains(path))
        .collect())
}

/// Where git's registration of the agents' worktrees leads. It has the name of the worktree's folder.
fn agents_checkouts(repo: &Repo) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(repo.path().join(".overstory/worktrees"));
    let mut found = Vec::new();
    for folder in folders.into_iter().flatten().flatten() {
        let registered = repo.common_dir().join("worktrees").join(folder.file_name());
        let link = fs::read_optional(&registered.join("gitdir")).ok().flatten();
        let leads_to = link
            .as_deref()
            .and_then(|l| Path::new(l.trim_end()).parent());
        for path in [Some(folder.path().as_path()), leads_to]
            .into_iter()
            .flatten()
        {
            found.push(path.to_path_buf());
            found.extend(path.canonicalize());
        }
    }
    found
}

fn fast_forward(
    repo: &Repo,
    checkout: &Path,
    target: &str,
    expected: Oid,
    new: Oid,
) -> Result<LandOutcome, MergeError> {
    let refused = |reason| {
        Ok(LandOutcome::Refused {
            checkout: checkout.to_path_buf(),
            reason,
        })
    };
    let there = Repo::open(checkout)?;
    if let Some(with) = operation_under_way(&there) {
        return refused(RefusalReason::Busy {
            with: with.to_owned(),
        });
    }
    let files = files_in_the_way(repo, checkout, expected, new)?;
    if !files.is_empty() {
        return refused(RefusalReason::UncommittedFiles { files });
    }
    // Looking at the files took time: the branch may have moved or been switched away from.
    let head = there.ref_target("HEAD");
    if there.current_branch()?.as_deref() != Some(target) || head != Some(expected) {
        return Ok(LandOutcome::TargetMoved {
            actual: repo.ref_target(&format!("refs/heads/{target}")),
        });
    }
    let merged = git(checkout)
        .args(["merge", "--ff-only", "--no-overwrite-ignore", "--quiet"])
        .arg(new.to_string())
        .run();
    let actual = repo.ref_target(&format!("refs/heads/{target}"));
    match merged {
        _ if actual == Some(new) => Ok(LandOutcome::Landed {
            checkout: Some(checkout.to_path_buf()),
        }),
        Ok(_) => Ok(LandOutcome::TargetMoved { actual }),
        Err(_) if actual != Some(expected) => Ok(LandOutcome::TargetMoved { actual }),
        Err(_) if there.raw().path().join("index.lock").exists() => refused(RefusalReason::Busy {
            with: "git command".to_owned(),
        }),
        Err(error) => {
            // Somebody may have changed a file between our look and git's.
            let files = files_in_the_way(repo, checkout, expected, new)?;
            if files.is_empty() {
                return Err(error.into());
            }
            refused(RefusalReason::UncommittedFiles { files })
        }
    }
}

/// Names what git is in the middle of, if it is.
pub(crate) fn operation_under_way(repo: &Repo) -> Option<&'static str> {
    use git2::RepositoryState as State;
    match repo.raw().state() {
        State::Clean => None,
        State::Merge => Some("merge"),
        State::Revert | State::RevertSequence => Some("revert"),
        State::CherryPick | State::CherryPickSequence => Some("cherry-pick"),
        State::Bisect => Some("bisect"),
        State::Rebase | State::RebaseInteractive | State::RebaseMerge => Some("rebase"),
        State::ApplyMailbox | State::ApplyMailboxOrRebase => Some("patch series"),
    }
}

/// Lists the user's files that moving a checkout from one commit to another would overwrite:
/// uncommitted changes in files that differ, and unknown (also ignored) files where new ones appear.
pub(crate) fn files_in_the_way(
    repo: &Repo,
    checkout: &Path,
    from: Oid,
    to: Oid,
) -> Result<Vec<String>, MergeError> {
    let changed = repo.changed_paths(repo.tree_of(from)?, repo.tree_of(to)?)?;
    let dirty = dirty_files(checkout)?;
    let mut files: Vec<String> = dirty
        .iter()
        .filter(|file| {
            changed.iter().any(|change| {
                change.path == file.raw_path
                    || is_above(&file.raw_path, &change.path)
                    || is_above(&change.path, &file.raw_path)
            })
        })
        .map(|file| file.path.clone())
        .collect();
    for change in &changed {
        let appears = change.old.is_none();
        if appears
            && in_checkout(checkout, &change.path)
                .symlink_metadata()
                .is_ok()
        {
            // A directory in place of the file is in the way only when it holds files, and those
            // were listed above unless ignored.
            let name = String::from_utf8_lossy(&change.path).into_owned();
            let replaced_directory = changed
                .iter()
                .any(|other| other.new.is_none() && is_above(&change.path, &other.path));
            if !replaced_directory {
                files.push(name);
            }
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

fn is_above(directory: &[u8], path: &[u8]) -> bool {
    path.strip_prefix(directory)
        .is_some_and(|rest| rest.first() == Some(&b'/'))
}
