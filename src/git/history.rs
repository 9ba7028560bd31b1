//! The history of a repository: ancestry, and commits that one has and the other has not. Reads only.

use git2::{ErrorCode, Oid, Revwalk, Sort};

use super::error::GitError;
use super::repo::Repo;

/// A commit in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    pub id: Oid,
    pub parents: Vec<Oid>,
    pub summary: String,
    pub author: String,
    pub time_millis: i64,
}

/// What git notes in a reflog when it makes a commit begins with one of these.
const MAKING: [&str; 4] = ["commit", "cherry-pick:", "revert:", "am:"];

impl Repo {
    /// Returns all best common ancestors; empty when the histories are unrelated.
    pub fn merge_bases(&self, one: Oid, two: Oid) -> Result<Vec<Oid>, GitError> {
        match self.raw().merge_bases(one, two) {
            Ok(bases) => Ok(bases.iter().copied().collect()),
            Err(error) if error.code() == ErrorCode::NotFound => Ok(Vec::new()),
            Err(source) => Err(self.failed("find the merge base")(source)),
        }
    }

    /// Returns one best common ancestor.
    pub fn merge_base(&self, one: Oid, two: Oid) -> Result<Option<Oid>, GitError> {
        Ok(self.merge_bases(one, two)?.into_iter().next())
    }

    /// Tells whether `ancestor` is `commit` or one of its ancestors.
    pub fn is_ancestor(&self, ancestor: Oid, commit: Oid) -> Result<bool, GitError> {
        if ancestor == commit {
            return Ok(true);
        }
        self.raw()
            .graph_descendant_of(commit, ancestor)
            .map_err(self.failed("compare histories"))
    }

    /// Returns how many commits `tip` has that `base` does not.
    pub fn commits_ahead(&self, base: Oid, tip: Oid) -> Result<usize, GitError> {
        self.raw()
            .graph_ahead_behind(tip, base)
            .map(|(ahead, _)| ahead)
            .map_err(self.failed("count commits"))
    }

    /// Returns the commits that `tip` has and `base` does not, newest first, at most `limit`.
    pub fn commits_between(
        &self,
        base: Oid,
        tip: Oid,
        limit: usize,
    ) -> Result<Vec<CommitInfo>, GitError> {
        let walk = self.walk(base, tip)?;
        walk.take(limit)
            .map(|id| {
                id.map_err(self.failed("walk the history"))
                    .and_then(|id| self.commit_info(id))
            })
            .collect()
    }

    /// Returns a commit in short.
    pub fn commit_info(&self, id: Oid) -> Result<CommitInfo, GitError> {
        let commit = self
            .raw()
            .find_commit(id)
            .map_err(self.failed("read a commit"))?;
        Ok(CommitInfo {
            id,
            parents: commit.parent_ids().collect(),
            summary: commit
                .summary_bytes()
                .map(|text| String::from_utf8_lossy(text).into_owned())
                .unwrap_or_default(),
            author: String::from_utf8_lossy(commit.author().name_bytes()).into_owned(),
            time_millis: commit.time().seconds().saturating_mul(1000),
        })
    }

    /// Returns the commits that `tip` has by first parents and `base` does not, the newest first.
    pub fn first_parents(&self, base: Oid, tip: Oid) -> Result<Vec<Oid>, GitError> {
        let mut walk = self.walk(base, tip)?;
        walk.set_sorting(Sort::TOPOLOGICAL)
            .and_then(|()| walk.simplify_first_parent())
            .and_then(|()| walk.collect())
            .map_err(self.failed("walk the history"))
    }

    /// Returns a commit's message as it was written.
    pub fn commit_message(&self, id: Oid) -> Result<Vec<u8>, GitError> {
        let commit = self.raw().find_commit(id);
        let commit = commit.map_err(self.failed("read a commit"))?;
        Ok(commit.message_raw_bytes().to_vec())
    }

    /// Returns the commits that were made on a local branch, as its reflog has it; none where there is no reflog.
    /// Commits that the branch began with or was moved to were made elsewhere.
    pub fn made_on(&self, branch: &str) -> Result<Vec<Oid>, GitError> {
        let name = format!("refs/heads/{branch}");
        let notes = self
            .raw()
            .reflog(&name)
            .map_err(self.failed("read a reflog"))?;
        let is_made = |said: &[u8]| MAKING.iter().any(|word| said.starts_with(word.as_bytes()));
        let made = notes
            .iter()
            .filter(|note| note.message_bytes().is_some_and(is_made));
        Ok(made.map(|note| note.id_new()).collect())
    }

    /// Returns where a reference was moved along other branches, as its reflog has it: where it was, where it is since
    /// then, and the branch. The oldest first; none where there is no reflog.
    pub fn moved_along(&self, reference: &str) -> Result<Vec<(Oid, Oid, String)>, GitError> {
        let notes = self
            .raw()
            .reflog(reference)
            .map_err(self.failed("read a reflog"))?;
        let moves = notes.iter().filter_map(|note| {
            let said = String::from_utf8_lossy(note.message_bytes()?).into_owned();
            let branch = said
                .strip_prefix("merge ")?
                .strip_suffix(": Fast-forward")?;
            Some((note.id_old(), note.id_new(), branch.to_owned()))
        });
        let mut moves: Vec<_> = moves.collect();
        moves.reverse();
        Ok(moves)
    }

    /// Tells whether a reference that is at `tip` now has gone from `old` to `new`: it stands there, or on top of it, or
    /// its reflog has that step since it was last at `old`. Commits come on top while a hook still runs.
    pub fn has_moved(
        &self,
        reference: &str,
        (old, new): (Oid, Oid),
        tip: Oid,
    ) -> Result<bool, GitError> {
        if tip == old || tip == new {
            return Ok(tip == new);
        }
        // Going back leaves `new` below `old`: then only having left `old` says that it was done.
        let stays = self.is_ancestor(new, old)? && self.is_ancestor(old, tip)?;
        if !stays && self.is_ancestor(new, tip)? {
            return Ok(true);
        }
        // The commit may have been amended since, or taken away again.
        let notes = self
            .raw()
            .reflog(reference)
            .map_err(self.failed("read a reflog"))?;
        let mut since = notes.iter().take_while(|note| note.id_new() != old);
        Ok(since.any(|note| (note.id_old(), note.id_new()) == (old, new)))
    }

    /// Tells whether a reference that is at `old` had gone to `new`, and was set back from there since.
    pub fn was_set_back(&self, reference: &str, (old, new): (Oid, Oid)) -> Result<bool, GitError> {
        let notes = self
            .raw()
            .reflog(reference)
            .map_err(self.failed("read a reflog"))?;
        let mut steps = notes.iter().map(|note| (note.id_old(), note.id_new()));
        Ok(steps.find(|(from, to)| from != to) == Some((new, old)))
    }

    fn walk(&self, base: Oid, tip: Oid) -> Result<Revwalk<'_>, GitError> {
        let walk = self.raw().revwalk().and_then(|mut walk| {
            walk.push(tip)?;
            walk.hide(base)?;
            Ok(walk)
        });
        walk.map_err(self.failed("walk the history"))
    }
}
