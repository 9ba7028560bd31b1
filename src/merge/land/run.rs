//! Moving the target branch to a merged commit: compare-and-swap of the ref, or, where the branch is
//! checked out, a fast-forward of that checkout by git itself. Refuses instead of touching files the
//! user has changed; never stashes, resets or commits anything of the user.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::git::{
    GitError, GitOutput, Holding, Oid, Pinned, RefMove, Repo, is_untouched, update_ref_holding,
};

use crate::merge::checkout::{checkouts_of, lock_of_git, poll};
use crate::merge::error::MergeError;
use crate::merge::hooks::Hooks;
use crate::merge::put_back::put_back;
use crate::platform::lease::Lease;
use crate::text::{named, sanitize_line};

use super::elsewhere::elsewhere;
use super::room::without_room;
use super::users_files::{InTheWay, files_in_the_way, those_in_the_way};

/// How long another git in the checkout is waited for.
pub(crate) const OTHERS_MAY_TAKE: Duration = Duration::from_secs(2);

/// What the user has set for merges is about the merge, which is made already, and not about the checkout that moves
/// along; and nothing of the user's is stashed.
const FOR_A_MOVE: [&str; 5] = [
    "--no-verify-signatures",
    "--no-squash",
    "--no-autostash",
    // Some that the user may have set make no fast-forward, and stash for that (`pull.twohead`).
    "--strategy",
    "ort",
];
/// How much of what a hook says is told.
const LINES_TOLD: usize = 5;

/// How a landing ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LandOutcome {
    /// The target is at the new commit; with the checkout that moved along, and what was said there.
    Landed {
        checkout: Option<PathBuf>,
        said: Option<String>,
    },
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
    UncommittedFiles { files: InTheWay },
    /// A merge, rebase or the like is under way there.
    Busy { with: String },
    /// Another git holds the checkout's index.
    Locked { lock: PathBuf },
    /// The branch is checked out in several places, of which only one can move along.
    CheckedOutTwice { other: PathBuf },
    /// The checkout stands elsewhere for now, and will set the branch back to where it began.
    ComesBack { while_in: Holding },
    /// The checkout is not where git lists it; with the reason for which it is locked, which may be empty.
    Away { locked: Option<String> },
    /// It is the main checkout, and nothing in the repository says where that is.
    MainUnknown,
}

impl RefusalReason {
    /// Says which checkout is in the way of moving `target`, why, and what to do.
    pub fn of(&self, target: &str, checkout: &Path) -> String {
        let checkout = checkout.display();
        match self {
            Self::ComesBack {
                while_in: Holding::Rebase,
            } => format!("{target} is being rebased at {checkout}: {self}"),
            Self::ComesBack {
                while_in: Holding::Bisect,
            } => format!("a bisect that began on {target} is under way at {checkout}: {self}"),
            Self::MainUnknown => {
                format!("{target} is checked out in the main checkout of {checkout}: {self}")
            }
            Self::UncommittedFiles { .. }
            | Self::Busy { .. }
            | Self::Locked { .. }
            | Self::CheckedOutTwice { .. }
            | Self::Away { .. } => {
                format!("{target} is checked out at {checkout}: {self}")
            }
        }
    }
}

impl std::fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UncommittedFiles { files } => {
                let said = [
                    ("uncommitted changes", &files.changed),
                    ("untracked files", &files.untracked),
                ];
                let said = said.iter().filter(|(_, files)| !files.is_empty());
                let said = said.map(|(what, files)| {
                    format!("{what} would be overwritten: {}", named(files))
                });
                let mut said: Vec<String> = said.collect();
                said.extend(files.advice_on_unmerged());
                said.extend(files.advice_on_overlooked());
                said.extend(files.advice_on_modules());
                f.write_str(&said.join("; "))?;
                if let Some(advice) = files.advice_on_own() {
                    write!(f, "; {advice}")?;
                }
                if let Some(advice) = files.advice_on_notes() {
                    write!(f, "; {advice}")?;
                }
                Ok(())
            }
            Self::Busy { with } => write!(f, "a {with} is under way there: finish or abort it"),
            Self::Locked { lock } => write!(
                f,
                "another git is at work there ({} is there): wait for it; if none is running, remove \
                 that file",
                lock.display()
            ),
            Self::CheckedOutTwice { other } => {
                write!(
                    f,
                    "the branch is also checked out at {}, and only one of them can move along: switch one \
                     to another branch, then merge again",
                    other.display()
                )
            }
            Self::ComesBack {
                while_in: Holding::Rebase,
            } => f.write_str(
                "end that there with `git rebase --continue` or `git rebase --abort`, then merge again",
            ),
            Self::ComesBack {
                while_in: Holding::Bisect,
            } => f.write_str("end that there with `git bisect reset`, then merge again"),
            Self::Away { locked: None } => f.write_str(
                "that is not there: if it was moved, run `git worktree repair PATH` with the path that it has now; if \
                 it is gone, run `git worktree prune`; then merge again",
            ),
            Self::Away { locked: Some(why) } => {
                f.write_str("that is not there, and is locked")?;
                if !why.is_empty() {
                    write!(f, " ({why})")?;
                }
                f.write_str(
                    ": bring it back, or run `git worktree repair PATH` with the path that it has now; if it is gone \
                     for good, run `git worktree unlock` and `git worktree prune`; then merge again",
                )
            }
            Self::MainUnknown => f.write_str(
                "nothing in the repository says where that is: start grove in that checkout, or switch it to another \
                 branch",
            ),
        }
    }
}

/// Lands `new` on `target` if that still is at `expected`. `entry` is that of the journal.
pub fn land(
    repo: &Repo,
    target: &str,
    expected: Oid,
    new: Oid,
    reason: &str,
    entry: &Lease,
) -> Result<LandOutcome, MergeError> {
    let name = repo.moving_ref(target);
    let actual = repo.ref_target(&name);
    if actual != Some(expected) {
        return Ok(LandOutcome::TargetMoved { actual });
    }
    if let Some((checkout, reason)) = elsewhere(repo, target)? {
        return Ok(LandOutcome::Refused { checkout, reason });
    }
    let checkouts = checkouts_of(repo, target)?;
    match checkouts.as_slice() {
        [] => Ok(
            match update_ref_holding(repo, &name, (Some(expected), Some(new)), reason, entry)
                .map_err(|error| not_moved(target, error))?
            {
                (RefMove::Moved, said) => LandOutcome::Landed {
                    checkout: None,
                    said,
                },
                (RefMove::Lost { actual }, _) => LandOutcome::TargetMoved { actual },
            },
        ),
        [checkout] => fast_forward(repo, checkout, target, (expected, new), entry),
        [checkout, other, ..] => Ok(LandOutcome::Refused {
            checkout: checkout.clone(),
            reason: RefusalReason::CheckedOutTwice {
                other: other.clone(),
            },
        }),
    }
}

fn fast_forward(
    repo: &Repo,
    checkout: &Path,
    target: &str,
    (expected, new): (Oid, Oid),
    entry: &Lease,
) -> Result<LandOutcome, MergeError> {
    let refused = |reason| {
        Ok(LandOutcome::Refused {
            checkout: checkout.to_path_buf(),
            reason,
        })
    };
    let there = Pinned::of(repo, checkout)?;
    let opened = there.open()?;
    if let Some(with) = operation_under_way(&opened) {
        return refused(RefusalReason::Busy {
            with: with.to_owned(),
        });
    }
    // Editors ask git for the state of a checkout all the time: that is over in a moment.
    poll(OTHERS_MAY_TAKE, || Ok(lock_of_git(&there).is_none()))?;
    // What it is at work on would be listed as the user's changes.
    if let Some(lock) = lock_of_git(&there) {
        return refused(RefusalReason::Locked { lock });
    }
    let changed = repo.changed_paths(repo.tree_of(expected)?, repo.tree_of(new)?)?;
    // Git itself looks through the whole checkout for it.
    if !is_untouched(&there, &opened, &changed) {
        let files = those_in_the_way(&there, &changed)?;
        if !files.is_empty() {
            return refused(RefusalReason::UncommittedFiles { files });
        }
    }
    // Looking at the files took time: the branch may have moved or been switched away from.
    let head = opened.ref_target("HEAD");
    let name = repo.moving_ref(target);
    let current = opened.current_branch()?.map(|it| repo.moving_ref(&it));
    if current.as_ref() != Some(&name) || head != Some(expected) {
        return Ok(LandOutcome::TargetMoved {
            actual: repo.ref_target(&name),
        });
    }
    let hooks = Hooks::keep(repo, &there)?;
    let merged = hooks
        .run_by(there.git_within().holding(entry)?)
        // Git adds strategies to those that it has from there.
        .global("-c")
        .global(no_options_of(&name))
        .args(["merge", "--ff-only", "--no-overwrite-ignore", "--quiet"])
        // However long it takes: what it says is told, and that is not said.
        .env("GIT_PROGRESS_DELAY", "1000000000")
        .args(FOR_A_MOVE)
        .arg(new.to_string())
        .run();
    let actual = repo.ref_target(&name);
    // What the user or a hook has committed by now is on top; a branch that was renamed meanwhile is checked out still.
    let has_moved = match actual.or_else(|| opened.ref_target("HEAD")) {
        Some(tip) => repo.has_moved(&name, (expected, new), tip)?,
        None => false,
    };
    match merged {
        _ if has_moved => Ok(LandOutcome::Landed {
            checkout: Some(checkout.to_path_buf()),
            said: said_there(&merged),
        }),
        Ok(_) => Ok(LandOutcome::TargetMoved { actual }),
        Err(_) if actual != Some(expected) => Ok(LandOutcome::TargetMoved { actual }),
        Err(GitError::Locked { lock, .. }) if lock.ends_with("index.lock") => {
            refused(RefusalReason::Locked { lock })
        }
        Err(error) => match stopped(repo, &there, (expected, new), &error)? {
            Stopped::Before(reason) => refused(reason),
            Stopped::Within(files) if !files.is_empty() => Err(MergeError::LeftThere {
                checkout: checkout.to_path_buf(),
                files,
                source: Box::new(error),
            }),
            Stopped::Within(_) => Err(without_room(repo, &there, &changed, &error)
                .unwrap_or_else(|| not_moved(target, error))),
        },
    }
}

/// Has git find no options for merges into the branch of this ref.
fn no_options_of(name: &str) -> String {
    let branch = name.strip_prefix("refs/heads/").unwrap_or(name);
    format!("branch.{branch}.mergeOptions=")
}

/// What git and the hooks it ran have said, which may be that one of them failed: git does not tell that otherwise.
fn said_there(merged: &Result<GitOutput, GitError>) -> Option<String> {
    let stderr = match merged {
        Ok(output) => output.stderr.as_str(),
        // The branch has moved, so only what comes after that was ended.
        Err(error) if error.was_ended() => return Some(error.to_string()),
        Err(error) => error.stderr().unwrap_or_default(),
    };
    let lines = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let lines: Vec<_> = lines.take(LINES_TOLD).map(sanitize_line).collect();
    (!lines.is_empty()).then(|| {
        format!(
            "said by git, or by a hook, when the checkout moved along: {}",
            lines.join("; ")
        )
    })
}

/// How git has stopped.
enum Stopped {
    /// Nothing was touched, for this reason.
    Before(RefusalReason),
    /// What it did is taken back, but for these files: they may be git's or the user's.
    Within(Vec<String>),
}

/// Takes back what a fast-forward did that came to no end. Somebody may have changed a file between our
/// look and git's, which then stopped before touching anything: that is the reason, if there is one.
fn stopped(
    repo: &Repo,
    there: &Pinned,
    (expected, new): (Oid, Oid),
    error: &GitError,
) -> Result<Stopped, MergeError> {
    if let Some(said) = error.stderr().filter(|said| is_in_the_way(said)) {
        let mut files = files_in_the_way(repo, there, expected, new)?;
        // What no status shows, as what the user told git to overlook, git names itself.
        if files.is_empty() {
            files = InTheWay::named_by_git(said);
        }
        if !files.is_empty() {
            return Ok(Stopped::Before(RefusalReason::UncommittedFiles { files }));
        }
    }
    // The branch moves last: what was done to the files before has to be taken back.
    put_back(repo, there, expected, new)
        .map(Stopped::Within)
        .map_err(|source| MergeError::HalfLanded {
            checkout: there.path().to_path_buf(),
            said: error.to_string(),
            source: Box::new(source),
        })
}

/// Tells whether git stopped because of files of the user.
fn is_in_the_way(said: &str) -> bool {
    said.contains("would be overwritten") || said.contains("would lose untracked files")
}

/// A branch that git would not move: by its owner's rule, or for a reason of git's own.
pub(crate) fn not_moved(branch: &str, error: GitError) -> MergeError {
    let refused = error
        .stderr()
        .filter(|said| said.contains("aborted by hook") || said.contains("declined"));
    match refused {
        Some(said) => MergeError::TargetProtected {
            branch: branch.to_owned(),
            said: said
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .take(3)
                .collect::<Vec<_>>()
                .join("; "),
        },
        None => match error.stderr().and_then(damage) {
            Some(said) => MergeError::Damaged {
                said: sanitize_line(said).into_owned(),
                source: Box::new(error),
            },
            None => MergeError::Git(error),
        },
    }
}

/// What git has said of an object that it cannot read.
fn damage(stderr: &str) -> Option<&str> {
    let signs = [
        "is corrupt",
        "unable to read",
        "unable to unpack",
        "inflate: ",
    ];
    let with = |sign: &str| stderr.lines().find(|line| line.contains(sign));
    let said = signs.into_iter().find_map(with)?.trim();
    let without = ["fatal: ", "error: "]
        .iter()
        .find_map(|word| said.strip_prefix(word));
    Some(without.unwrap_or(said))
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
