//! Who took lines of the base away: the commits since the base that a line is gone with. Reads history; decides nothing.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use similar::Algorithm;

use crate::git::{Entry, GitError, Oid, Repo, renamed_paths};
use crate::merge::edits::{Edit, edits};
use crate::merge::lines::{between_newlines, line_key};

/// The commits of the target since the base with their parents.
pub(super) type Parents = HashMap<Oid, Vec<Oid>>;

/// In longer histories nobody looks for who took a line away.
const MOST_COMMITS: usize = 2000;

/// How many lines are compared at most for one file: of large files with many versions, nobody looks at all.
const MOST_LINES: usize = 20_000_000;

/// The commits with their parents; `None` where there are too many.
pub(super) fn parents(repo: &Repo, base: Oid, target: Oid) -> Result<Option<Parents>, GitError> {
    let commits = repo.commits_between(base, target, MOST_COMMITS + 1)?;
    let all = || commits.iter().map(|c| (c.id, c.parents.clone())).collect();
    Ok((commits.len() <= MOST_COMMITS).then(all))
}

/// A file that the base and the target have, and what its versions between them have of the base.
pub(super) struct Removals<'r> {
    repo: &'r Repo,
    target: Oid,
    /// What the target calls it.
    name: Vec<u8>,
    base: Vec<Vec<u8>>,
    /// From the base's version to the target's.
    edits: Vec<Edit>,
    parents: Rc<Parents>,
    /// The file in a commit, as seen from one after it.
    versions: HashMap<(Oid, Oid), Rc<Version>>,
    /// Which lines of the base a version has.
    kept: HashMap<Oid, Rc<[bool]>>,
    lines_left: usize,
}

/// A file in a commit: what it is called there, and its version.
#[derive(Debug)]
struct Version {
    name: Vec<u8>,
    content: Option<Oid>,
}

impl<'r> Removals<'r> {
    /// `None` where the base or the target has no such file.
    pub(super) fn of(
        repo: &'r Repo,
        (base, target): (Oid, Oid),
        name: &[u8],
        parents: Rc<Parents>,
    ) -> Result<Option<Self>, GitError> {
        let Some(ours) = regular(repo, target, name)? else {
            return Ok(None);
        };
        let at_target = Version {
            name: name.to_vec(),
            content: Some(ours),
        };
        let Some(id) = version_before(repo, base, (target, &at_target))?.content else {
            return Ok(None);
        };
        let base = lines_of(&repo.blob(id)?);
        let edits = edits(Algorithm::Histogram, &base, &lines_of(&repo.blob(ours)?));
        Ok(Some(Self {
            repo,
            target,
            name: name.to_vec(),
            base,
            edits,
            parents,
            versions: HashMap::new(),
            kept: HashMap::new(),
            lines_left: MOST_LINES,
        }))
    }

    /// Where the base has some neighbouring lines: nearest to where the target has the line `our_start` (from 0).
    pub(super) fn place_in_base(&self, lines: &[&[u8]], our_start: usize) -> Option<usize> {
        let expected = self.in_base(our_start);
        let is_at = |start: usize| {
            let there = self.base.get(start..start + lines.len());
            there.is_some_and(|there| there.iter().zip(lines).all(|(a, b)| a == line_key(b)))
        };
        if is_at(expected) {
            return Some(expected);
        }
        let last = self.base.len().checked_sub(lines.len())?;
        (0..=last)
            .filter(|start| is_at(*start))
            .min_by_key(|start| start.abs_diff(expected))
    }

    /// The line of the base that stands for one of the target's.
    fn in_base(&self, line: usize) -> usize {
        let before = self.edits.iter().rfind(|edit| edit.new.start <= line);
        match before {
            Some(edit) if line < edit.new.end => edit.base.start,
            Some(edit) if line == edit.new.start => edit.base.start,
            Some(edit) => edit.base.end + line - edit.new.end,
            None => line,
        }
    }

    /// The line of the target, from 0, in front of which a line of the base has been.
    pub(super) fn in_target(&self, line: usize) -> usize {
        let before = self.edits.iter().rfind(|edit| edit.base.start <= line);
        match before {
            Some(edit) if line < edit.base.end => {
                edit.new.start + edit.new.len().min(line - edit.base.start)
            }
            Some(edit) => edit.new.end + line - edit.base.end,
            None => line,
        }
    }

    /// The commit that a line of the base is gone with; the newest one, where several have taken it away.
    pub(super) fn remover(&mut self, line: usize) -> Result<Option<Oid>, GitError> {
        let at_target = Version {
            name: self.name.clone(),
            content: regular(self.repo, self.target, &self.name)?,
        };
        if self.has(&at_target, line)? {
            return Ok(None);
        }
        // Removers, and merges that took the version without the line where nobody had removed it.
        let (mut removers, mut merges) = (Vec::new(), Vec::new());
        let mut seen = HashSet::from([self.target]);
        let mut without = vec![(self.target, Rc::new(at_target))];
        let parents = Rc::clone(&self.parents);
        while let Some((commit, version)) = without.pop() {
            let (mut have, mut lack) = (0, 0);
            for parent in parents.get(&commit).into_iter().flatten() {
                if self.lines_left == 0 {
                    return Ok(None);
                }
                let before = self.version(*parent, (commit, &version))?;
                if self.has(&before, line)? {
                    have += 1;
                } else if parents.contains_key(parent) {
                    lack += 1;
                    if seen.insert(*parent) {
                        without.push((*parent, before));
                    }
                }
            }
            match (have, lack) {
                (0, _) => {}
                (_, 0) => removers.push(commit),
                _ => merges.push(commit),
            }
        }
        let mut newest: Option<(i64, Oid)> = None;
        for id in if removers.is_empty() {
            merges
        } else {
            removers
        } {
            newest = newest.max(Some((self.repo.commit_info(id)?.time_millis, id)));
        }
        Ok(newest.map(|(_, id)| id))
    }

    fn version(&mut self, commit: Oid, later: (Oid, &Version)) -> Result<Rc<Version>, GitError> {
        if let Some(known) = self.versions.get(&(commit, later.0)) {
            return Ok(Rc::clone(known));
        }
        let version = Rc::new(version_before(self.repo, commit, later)?);
        self.versions.insert((commit, later.0), Rc::clone(&version));
        Ok(version)
    }

    fn has(&mut self, version: &Version, line: usize) -> Result<bool, GitError> {
        let Some(content) = version.content else {
            return Ok(false);
        };
        let kept = match self.kept.get(&content) {
            Some(kept) => Rc::clone(kept),
            None => {
                let lines = lines_of(&self.repo.blob(content)?);
                let compared = self.base.len() + lines.len();
                self.lines_left = self.lines_left.saturating_sub(compared);
                let mut kept = vec![true; self.base.len()];
                for edit in edits(Algorithm::Histogram, &self.base, &lines) {
                    if let Some(gone) = kept.get_mut(edit.base) {
                        gone.fill(false);
                    }
                }
                let kept: Rc<[bool]> = kept.into();
                self.kept.insert(content, Rc::clone(&kept));
                kept
            }
        };
        Ok(kept.get(line).copied().unwrap_or(false))
    }
}

fn lines_of(bytes: &[u8]) -> Vec<Vec<u8>> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = between_newlines(bytes).into_iter();
    lines.map(|line| line_key(line).to_vec()).collect()
}

fn regular(repo: &Repo, commit: Oid, name: &[u8]) -> Result<Option<Oid>, GitError> {
    let entry = repo.entry_at(repo.tree_of(commit)?, name)?;
    let entry = entry.filter(|entry: &Entry| entry.kind.is_regular());
    Ok(entry.map(|entry| entry.id))
}

/// The file in a commit before another: it may have been renamed between them.
fn version_before(
    repo: &Repo,
    commit: Oid,
    (later, version): (Oid, &Version),
) -> Result<Version, GitError> {
    let named = |name: &[u8]| -> Result<Version, GitError> {
        Ok(Version {
            content: regular(repo, commit, name)?,
            name: name.to_vec(),
        })
    };
    let found = named(&version.name)?;
    if found.content.is_some() || version.content.is_none() {
        return Ok(found);
    }
    let pairs = renamed_paths(repo, repo.tree_of(commit)?, repo.tree_of(later)?)?;
    match pairs.iter().find(|pair| pair.new == version.name) {
        Some(pair) => named(&pair.old),
        None => Ok(found),
    }
}
