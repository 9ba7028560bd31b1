//! Moving refs by compare-and-swap, through git itself so that hooks, reflogs and packed refs agree.
//! A lost race is an answer, not an error.

use git2::Oid;

use super::cli::git;
use super::error::GitError;
use super::hooks::without_hooks_among;
use super::repo::Repo;
use crate::platform::lease::Lease;

/// How an attempt to move a ref ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefMove {
    Moved,
    /// The ref was not where the caller expected it; nothing was changed.
    Lost {
        actual: Option<Oid>,
    },
}

/// Refs that only grove and agents move. Of all others the user's hooks have a say, wherever they lie.
const OF_AGENTS: [&str; 2] = ["refs/grove/", "refs/heads/overstory/"];

/// Moves `name` from `old` (`None`: it must not exist) to `new` (`None`: delete it), or not at all.
pub fn update_ref(
    repo: &Repo,
    name: &str,
    old: Option<Oid>,
    new: Option<Oid>,
    reason: &str,
) -> Result<RefMove, GitError> {
    let (moved, said) = update_ref_telling(repo, name, (old, new), reason)?;
    if let Some(said) = said {
        tracing::warn!("{said}");
    }
    Ok(moved)
}

/// The same, with what has to be told of a ref that did move.
pub fn update_ref_telling(
    repo: &Repo,
    name: &str,
    (old, new): (Option<Oid>, Option<Oid>),
    reason: &str,
) -> Result<(RefMove, Option<String>), GitError> {
    move_ref(repo, name, (old, new), reason, None)
}

/// The same by a git that holds a lease until it has ended.
pub fn update_ref_holding(
    repo: &Repo,
    name: &str,
    moves: (Option<Oid>, Option<Oid>),
    reason: &str,
    lease: &Lease,
) -> Result<(RefMove, Option<String>), GitError> {
    move_ref(repo, name, moves, reason, Some(lease))
}

fn move_ref(
    repo: &Repo,
    name: &str,
    (old, new): (Option<Oid>, Option<Oid>),
    reason: &str,
    lease: Option<&Lease>,
) -> Result<(RefMove, Option<String>), GitError> {
    let zero = Oid::ZERO_SHA1.to_string();
    let old_text = old.map_or_else(|| zero.clone(), |id| id.to_string());
    let call = git(repo.path())
        .args(["update-ref", "-m", reason])
        .changing_within(repo.driver_limit());
    let call = match new {
        Some(new) => call.args([name, &new.to_string(), &old_text]),
        // An agent can make its branch another name of one that is not its own: that one stays.
        None => call.args(["--no-deref", "-d", name, &old_text]),
    };
    let call = if OF_AGENTS.iter().any(|start| name.starts_with(start)) {
        without_hooks_among(repo, call)?
    } else {
        call
    };
    let call = match lease {
        Some(lease) => call.holding(lease)?,
        None => call,
    };
    match call.run() {
        Ok(_) => Ok((RefMove::Moved, None)),
        Err(error) => {
            let actual = repo.ref_target(name);
            if actual == old {
                return Err(error);
            }
            // A hook that git tells of what is done, and that did not end; others may have gone on from there.
            let has_moved = match (old, new, actual) {
                _ if !error.was_ended() => false,
                (Some(old), Some(new), Some(tip)) => repo.has_moved(name, (old, new), tip)?,
                (None, _, _) | (_, None, _) | (_, _, None) => actual == new,
            };
            if !has_moved {
                return Ok((RefMove::Lost { actual }, None));
            }
            let said = format!("{name} has moved, but a hook that was told so hangs: {error}");
            Ok((RefMove::Moved, Some(said)))
        }
    }
}

/// Whose name stands on a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    pub email: String,
}

impl Repo {
    /// Writes a commit as `git commit-tree` does, made now; no ref points to it yet.
    pub(crate) fn commit_as(
        &self,
        tree: Oid,
        parents: &[Oid],
        message: &str,
        author: &Identity,
        committer: &Identity,
    ) -> Result<Oid, GitError> {
        let failed = || self.failed("write a commit");
        let raw = self.raw();
        let tree = raw.find_tree(tree).map_err(failed())?;
        let parents = self.parents(parents)?;
        let now = |who: &Identity| git2::Signature::now(&who.name, &who.email).map_err(failed());
        raw.commit(
            None,
            &now(author)?,
            &now(committer)?,
            &format!("{message}\n"),
            &tree,
            &parents.iter().collect::<Vec<_>>(),
        )
        .map_err(failed())
    }

    fn parents(&self, ids: &[Oid]) -> Result<Vec<git2::Commit<'_>>, GitError> {
        let found = ids.iter().map(|id| self.raw().find_commit(*id));
        let found = found.collect::<Result<Vec<_>, _>>();
        found.map_err(self.failed("write a commit"))
    }

    /// Writes a commit that no ref points to, as a stepping stone for merges; git's housekeeping
    /// removes it later.
    pub(crate) fn commit_unreferenced(&self, tree: Oid, parents: &[Oid]) -> Result<Oid, GitError> {
        let failed = || self.failed("write a commit");
        let raw = self.raw();
        let tree = raw.find_tree(tree).map_err(failed())?;
        let parents = self.parents(parents)?;
        let who = git2::Signature::new("grove", "grove@localhost", &git2::Time::new(0, 0))
            .map_err(failed())?;
        raw.commit(
            None,
            &who,
            &who,
            "joined merge bases",
            &tree,
            &parents.iter().collect::<Vec<_>>(),
        )
        .map_err(failed())
    }
}
