//! The files that blocks of one side may have gone to. Reads trees and blobs; decides nothing about blocks.

use std::collections::HashSet;

use crate::git::{ConflictedPath, Entry, GitError, Repo, is_binary};
use crate::merge::lines::{Ending, split_three};
use crate::merge::outcome::MergePlan;

/// The places of one side, read once for all conflicts of a merge.
#[derive(Default)]
pub(in crate::merge) struct Places {
    by_ours: Option<Vec<Candidate>>,
    by_theirs: Option<Vec<Candidate>>,
}

impl Places {
    /// The places of the side that moved, looked for when they are first asked for.
    pub(super) fn of_mover(
        &mut self,
        repo: &Repo,
        plan: &MergePlan,
        conflicts: &[ConflictedPath],
        ours_moved: bool,
    ) -> Result<&[Candidate], GitError> {
        let known = if ours_moved {
            &mut self.by_ours
        } else {
            &mut self.by_theirs
        };
        Ok(match known {
            Some(candidates) => candidates,
            None => known.insert(candidates(repo, plan, conflicts, ours_moved)?),
        })
    }

    /// The next conflict may have a block in the same place.
    pub(super) fn update(&mut self, ours_moved: bool, updated: &[(usize, Vec<u8>)]) {
        let places = if ours_moved {
            &mut self.by_ours
        } else {
            &mut self.by_theirs
        };
        for (at, bytes) in updated {
            if let Some(candidate) = places.as_mut().and_then(|places| places.get_mut(*at)) {
                candidate.now.clone_from(bytes);
            }
        }
    }
}

/// A file that blocks may have gone to.
pub(super) struct Candidate {
    pub(super) path: Vec<u8>,
    pub(super) entry: Entry,
    pub(super) base: Vec<u8>,
    pub(super) now: Vec<u8>,
}

/// A file with more bytes is not searched for blocks.
const LARGEST_PLACE: usize = 1 << 20;

/// Files that only the mover changed, and git merged without a question.
fn candidates(
    repo: &Repo,
    plan: &MergePlan,
    conflicts: &[ConflictedPath],
    ours_moved: bool,
) -> Result<Vec<Candidate>, GitError> {
    let [ours, theirs] = [repo.tree_of(plan.target)?, repo.tree_of(plan.branch)?];
    let (mover, editor) = if ours_moved {
        (ours, theirs)
    } else {
        (theirs, ours)
    };
    let by_editor: HashSet<Vec<u8>> = repo
        .changed_paths(plan.base_tree, editor)?
        .into_iter()
        .map(|change| change.path)
        .collect();
    let mut candidates = Vec::new();
    for change in repo.changed_paths(plan.base_tree, mover)? {
        let Some(entry) = change.new else { continue };
        let is_open = conflicts.iter().any(|open| open.path == change.path);
        // Under this name, and nowhere else: a directory renamed by the other side takes files along.
        let is_in_place = repo.entry_at(plan.tree, &change.path)? == Some(entry);
        if is_open || by_editor.contains(&change.path) || !is_in_place {
            continue;
        }
        let old = change
            .old
            .map_or(Ok(Some(Vec::new())), |old| text(repo, old))?;
        let (Some(base), Some(now)) = (old, text(repo, entry)?) else {
            continue;
        };
        if plain(&base).is_some() && plain(&now).is_some() {
            candidates.push(Candidate {
                path: change.path,
                entry,
                base,
                now,
            });
        }
    }
    Ok(candidates)
}

pub(super) fn text(repo: &Repo, entry: Entry) -> Result<Option<Vec<u8>>, GitError> {
    if !entry.kind.is_regular() || repo.blob_size(entry.id)? > LARGEST_PLACE {
        return Ok(None);
    }
    let bytes = repo.blob(entry.id)?;
    Ok((!is_binary(&bytes)).then_some(bytes))
}

/// A text's lines without their ends, if these are all of one kind.
pub(super) fn plain(bytes: &[u8]) -> Option<(Vec<&[u8]>, Ending)> {
    let ([lines, _, _], ending) = split_three(bytes, bytes, bytes);
    let is_plain = !lines.lines.iter().any(|line| line.ends_with(b"\r"));
    is_plain.then_some((lines.lines, ending))
}
