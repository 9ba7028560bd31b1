//! One conflicted file whose edits may have to follow its blocks: from entries to entries. Writes blobs.

use crate::git::{ConflictedPath, Entry, GitError, Repo, path_name};
use crate::merge::lines::{Ending, is_blank, join, without};
use crate::merge::moves::Version;
use crate::merge::outcome::MergePlan;
use crate::merge::settle::{Rules, settle_unless_asked};
use crate::types::merge::{WentAlong, WovenLine};

use super::blocks::{Followed, Place, follow_out};
use super::candidates::{Candidate, Places, plain, text};
use super::elsewhere::{Gone, stand_elsewhere};

/// A conflict that is settled once edits have followed their blocks.
pub(in crate::merge) struct FollowedOut {
    /// The conflict with the editor's version as far as it stays in this file.
    pub(in crate::merge) conflict: ConflictedPath,
    /// The places with the edits they got.
    pub(in crate::merge) changes: Vec<(Vec<u8>, Option<Entry>)>,
    pub(in crate::merge) woven: Vec<WovenLine>,
    pub(in crate::merge) went_along: Vec<WentAlong>,
    pub(in crate::merge) warning: String,
    updated: Vec<(usize, Vec<u8>)>,
}

impl FollowedOut {
    /// The mover has given the file up, and nothing of the editor's is left in it.
    pub(in crate::merge) fn leaves_nothing(&self) -> bool {
        self.conflict.ours.is_none() || self.conflict.theirs.is_none()
    }
}

/// Lets the edits in a conflicted file follow blocks that the other side moved to other files. `None`
/// unless that leaves nothing contested in the file.
pub(in crate::merge) fn followed_out(
    repo: &Repo,
    plan: &MergePlan,
    conflict: &ConflictedPath,
    conflicts: &[ConflictedPath],
    places: &mut Places,
) -> Result<Option<FollowedOut>, GitError> {
    let mut one_way = |ours_moved| {
        let Some(file) = File::read(repo, conflict, ours_moved)? else {
            return Ok(None);
        };
        file.followed(
            repo,
            plan,
            places.of_mover(repo, plan, conflicts, ours_moved)?,
        )
    };
    // Where both moved what the other edited, nobody can say which came first.
    let (found, ours_moved) = match (one_way(true)?, one_way(false)?) {
        (Some(found), None) => (found, true),
        (None, Some(found)) => (found, false),
        (Some(_), Some(_)) | (None, None) => return Ok(None),
    };
    places.update(ours_moved, &found.updated);
    Ok(Some(found))
}

/// A conflicted file as one side that may have moved blocks out of it, and one that edited them.
struct File<'c> {
    conflict: &'c ConflictedPath,
    ours_moved: bool,
    mover: Option<Entry>,
    editor: Entry,
    base_bytes: Vec<u8>,
    mover_bytes: Vec<u8>,
    editor_bytes: Vec<u8>,
}

impl<'c> File<'c> {
    /// `None` when some version is not text, or the editor has none.
    fn read(
        repo: &Repo,
        conflict: &'c ConflictedPath,
        ours_moved: bool,
    ) -> Result<Option<Self>, GitError> {
        let (mover, editor) = if ours_moved {
            (conflict.ours, conflict.theirs)
        } else {
            (conflict.theirs, conflict.ours)
        };
        let (Some(base), Some(editor)) = (conflict.base, editor) else {
            return Ok(None);
        };
        // A file that is gone has moved out with everything in it.
        let mover_bytes = mover.map_or(Ok(Some(Vec::new())), |entry| text(repo, entry))?;
        let (Some(base_bytes), Some(mover_bytes), Some(editor_bytes)) =
            (text(repo, base)?, mover_bytes, text(repo, editor)?)
        else {
            return Ok(None);
        };
        Ok(Some(Self {
            conflict,
            ours_moved,
            mover,
            editor,
            base_bytes,
            mover_bytes,
            editor_bytes,
        }))
    }

    fn followed(
        &self,
        repo: &Repo,
        plan: &MergePlan,
        candidates: &[Candidate],
    ) -> Result<Option<FollowedOut>, GitError> {
        let (Some((base, _)), Some((mover, _)), Some((editor, ending))) = (
            plain(&self.base_bytes),
            plain(&self.mover_bytes),
            plain(&self.editor_bytes),
        ) else {
            return Ok(None);
        };
        let Some((mut places, endings)) = lines_of(candidates) else {
            return Ok(None);
        };
        let mut edited = Version::new(editor);
        let followed = follow_out(&base, &mover, &mut edited, &mut places);
        let rest = join(edited.lines.iter().copied(), ending);
        if followed.is_empty() || !self.is_settled_by(&rest) {
            return Ok(None);
        }
        if stand_elsewhere(repo, plan, self.conflict, &gone(&followed, candidates))? {
            return Ok(None);
        }
        let mut used: Vec<usize> = followed.iter().map(|edit| edit.place).collect();
        used.sort_unstable();
        used.dedup();
        let (mut changes, mut names, mut updated) = (Vec::new(), Vec::new(), Vec::new());
        for at in used {
            let (Some(candidate), Some(place), Some(ending)) =
                (candidates.get(at), places.get(at), endings.get(at))
            else {
                return Ok(None);
            };
            let bytes = join(place.now.iter().copied(), *ending);
            let entry = Entry {
                id: repo.write_blob(&bytes)?,
                ..candidate.entry
            };
            changes.push((candidate.path.clone(), Some(entry)));
            names.push(path_name(&candidate.path));
            updated.push((at, bytes));
        }
        Ok(Some(FollowedOut {
            conflict: self.with_rest(repo, &rest)?,
            changes,
            woven: self.declared(&followed, candidates),
            went_along: self.went_along(&followed, candidates),
            warning: self.warning(&names),
            updated,
        }))
    }

    /// Tells whether nothing is contested any more with what stays of the editor's version.
    fn is_settled_by(&self, rest: &[u8]) -> bool {
        if self.mover.is_none() {
            return rest == self.base_bytes;
        }
        let [ours, theirs] = if self.ours_moved {
            [self.mover_bytes.as_slice(), rest]
        } else {
            [rest, self.mover_bytes.as_slice()]
        };
        // As it will be settled, or some edits follow and others stay behind.
        let (name, base) = (self.conflict.name(), Some(self.base_bytes.as_slice()));
        let settled = settle_unless_asked(&name, base, [ours, theirs], (Rules::default(), None));
        settled.is_some_and(|settled| settled.contests().next().is_none())
    }

    fn with_rest(&self, repo: &Repo, rest: &[u8]) -> Result<ConflictedPath, GitError> {
        let rest = Entry {
            id: repo.write_blob(rest)?,
            ..self.editor
        };
        let (ours, theirs) = if self.ours_moved {
            (self.mover, Some(rest))
        } else {
            (Some(rest), self.mover)
        };
        Ok(ConflictedPath {
            path: self.conflict.path.clone(),
            base: self.conflict.base,
            ours,
            theirs,
        })
    }

    fn declared(&self, followed: &[Followed<'_>], candidates: &[Candidate]) -> Vec<WovenLine> {
        let of_edit = |edit| said(edit, self.conflict.name(), name_of(edit, candidates));
        followed.iter().flat_map(of_edit).collect()
    }

    /// What the editor has put in, edit by edit.
    fn went_along(&self, followed: &[Followed<'_>], candidates: &[Candidate]) -> Vec<WentAlong> {
        let (_, editor) = self.sides();
        let along = followed.iter().map(|edit| {
            let new = without(&edit.new, &edit.old);
            let new = new.into_iter().filter(|line| !is_blank(line));
            WentAlong {
                file: self.conflict.name(),
                to: name_of(edit, candidates),
                side: editor.to_owned(),
                lines: new
                    .map(|line| String::from_utf8_lossy(line).into_owned())
                    .collect(),
            }
        });
        along.filter(|along| !along.lines.is_empty()).collect()
    }

    /// Who moved and who edited.
    fn sides(&self) -> (&'static str, &'static str) {
        if self.ours_moved {
            ("target", "branch")
        } else {
            ("branch", "target")
        }
    }

    fn warning(&self, names: &[String]) -> String {
        let (mover, editor) = self.sides();
        format!(
            "{}: what the {editor} changed is in {}, where the {mover} moved those lines",
            self.conflict.name(),
            names.join(", ")
        )
    }
}

/// The blocks of edits, with where they went.
fn gone<'f>(followed: &'f [Followed<'_>], candidates: &'f [Candidate]) -> Vec<Gone<'f>> {
    let of_edit = |edit: &'f Followed<'_>| {
        let candidate = candidates.get(edit.place)?;
        let (block, to) = (edit.block.as_slice(), candidate.path.as_slice());
        Some(Gone { block, to })
    };
    followed.iter().filter_map(of_edit).collect()
}

/// Where an edit went.
fn name_of(edit: &Followed<'_>, candidates: &[Candidate]) -> String {
    let candidate = candidates.get(edit.place);
    candidate.map_or_else(String::new, |candidate| path_name(&candidate.path))
}

/// The candidates line by line. `None` when one of them is not plain text.
fn lines_of(candidates: &[Candidate]) -> Option<(Vec<Place<'_>>, Vec<Ending>)> {
    let (mut places, mut endings) = (Vec::new(), Vec::new());
    for candidate in candidates {
        let ((base, _), (now, ending)) = (plain(&candidate.base)?, plain(&candidate.now)?);
        places.push(Place { base, now });
        endings.push(ending);
    }
    Some((places, endings))
}

/// Lists an edit for both files: whoever looks for its lines in one of them learns what became of them.
fn said(edit: &Followed<'_>, from: String, to: String) -> [WovenLine; 2] {
    let texts = |lines: &[&[u8]]| -> Vec<String> {
        let lossy = |line: &&[u8]| String::from_utf8_lossy(line).into_owned();
        lines.iter().map(lossy).collect()
    };
    let (old, new) = (texts(&edit.old), texts(&edit.new));
    [(from, &new), (to, &old)].map(|(file, lines)| WovenLine {
        file,
        base: old.join("\n"),
        lines: lines.clone(),
        result: new.join("\n"),
    })
}
