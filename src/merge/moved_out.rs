//! A block that one side moved to another file while the other side edited it where it was: the edit
//! belongs to the block, wherever it is now. Proven by the text itself: the block is gone from the one
//! file, has come to exactly one other that only the mover changed, and is nowhere else. What is not
//! proven is left alone, and so is everything of a file in which anything else stays contested.
//! The first half is pure; the second reads trees and writes blobs.

use std::collections::HashSet;
use std::ops::Range;

use similar::Algorithm;

use crate::git::{ConflictedPath, Entry, GitError, Repo, is_binary};
use crate::types::merge::WovenLine;

use super::edits::{Edit, edits};
use super::lines::{Ending, has_words, join, split_three};
use super::moves::{
    LARGEST_SEARCH, Moved, Version, apply, longest_common_run, take_back, touching,
};
use super::outcome::MergePlan;
use super::settle::{Rules, settle};

/// Another file that the mover changed: what it was, and what it is.
#[derive(Debug, Clone)]
pub(super) struct Place<'a> {
    pub(super) base: Vec<&'a [u8]>,
    pub(super) now: Vec<&'a [u8]>,
}

/// An edit that went along with its block.
#[derive(Debug, Clone)]
pub(super) struct Followed<'a> {
    place: usize,
    /// The lines as they were, which the mover's version has at their new place.
    old: Vec<&'a [u8]>,
    new: Vec<&'a [u8]>,
}

/// Moves the editor's edits of blocks that went to other places along with them, and takes them out
/// of the editor's version.
pub(super) fn follow_out<'a>(
    base: &[&'a [u8]],
    mover: &[&'a [u8]],
    editor: &mut Version<'a>,
    places: &mut [Place<'a>],
) -> Vec<Followed<'a>> {
    let moves = edits(Algorithm::Histogram, base, mover);
    let mut followed = Vec::new();
    // Each round takes at least one edit away; the limit is for the reader's peace of mind.
    for _ in 0..32 {
        let changes = edits(Algorithm::Histogram, base, &editor.lines);
        let Some((at, moved)) = find(base, mover, &moves, &changes, places) else {
            break;
        };
        let (Some(edited), Some(place)) = (
            apply(base, &editor.lines, &moved, &changes),
            places.get_mut(at),
        ) else {
            break;
        };
        place
            .now
            .splice(moved.new_start..moved.new_start + moved.length, edited);
        for edit in moved.inner(&changes) {
            let lines = |text: &[&'a [u8]], range: Range<usize>| {
                text.get(range).unwrap_or_default().to_vec()
            };
            followed.push(Followed {
                place: at,
                old: lines(base, edit.base.clone()),
                new: lines(&editor.lines, edit.new.clone()),
            });
        }
        take_back(base, editor, &moved, &changes);
    }
    followed
}

fn find(
    base: &[&[u8]],
    mover: &[&[u8]],
    moves: &[Edit],
    changes: &[Edit],
    places: &[Place<'_>],
) -> Option<(usize, Moved)> {
    for gone in moves {
        let left = mover.get(gone.new.clone())?;
        let block = base.get(gone.base.clone())?;
        let touching = touching(gone, changes);
        if touching == 0 || left.iter().any(|line| has_words(line)) {
            continue;
        }
        let mut proven = places.iter().enumerate().filter_map(|(at, place)| {
            let moved = arrival(base, mover, gone, block, place)?;
            (moved.inner(changes).count() == touching).then_some((at, moved))
        });
        // Come to two places, it was copied: which copy the edit is for, nobody can say.
        if let (Some(found), None) = (proven.next(), proven.next()) {
            return Some(found);
        }
    }
    None
}

/// Finds the block in a place, if it came there whole.
fn arrival(
    base: &[&[u8]],
    mover: &[&[u8]],
    gone: &Edit,
    block: &[&[u8]],
    place: &Place<'_>,
) -> Option<Moved> {
    // Most places have nothing of it.
    if !place
        .now
        .iter()
        .any(|line| has_words(line) && block.contains(line))
    {
        return None;
    }
    let arrivals = edits(Algorithm::Histogram, &place.base, &place.now);
    arrivals.iter().find_map(|arrival| {
        let new = place.now.get(arrival.new.clone())?;
        if block.len() * new.len() > LARGEST_SEARCH {
            return None;
        }
        let (from, to, length) = longest_common_run(block, new);
        let moved = Moved {
            base_start: gone.base.start + from,
            new_start: arrival.new.start + to,
            length,
        };
        let is_only_here = moved.occurrences(base, base) == 1
            && moved.occurrences(base, mover) == 0
            && moved.occurrences(base, &place.base) == 0
            && moved.occurrences(base, &place.now) == 1;
        (is_only_here && moved.is_all_of(gone, base)).then_some(moved)
    })
}

/// A conflict that is settled once edits have followed their blocks.
pub(super) struct FollowedOut {
    /// The conflict with the editor's version as far as it stays in this file.
    pub(super) conflict: ConflictedPath,
    /// The places with the edits they got.
    pub(super) changes: Vec<(Vec<u8>, Option<Entry>)>,
    pub(super) woven: Vec<WovenLine>,
    pub(super) warning: String,
    updated: Vec<(usize, Vec<u8>)>,
}

impl FollowedOut {
    /// The mover has given the file up, and nothing of the editor's is left in it.
    pub(super) fn leaves_nothing(&self) -> bool {
        self.conflict.ours.is_none() || self.conflict.theirs.is_none()
    }
}

/// The places of one side, read once for all conflicts of a merge.
#[derive(Default)]
pub(super) struct Places {
    by_ours: Option<Vec<Candidate>>,
    by_theirs: Option<Vec<Candidate>>,
}

struct Candidate {
    path: Vec<u8>,
    entry: Entry,
    base: Vec<u8>,
    now: Vec<u8>,
}

/// A file with more bytes is not searched for blocks.
const LARGEST_PLACE: usize = 1 << 20;

/// Lets the edits in a conflicted file follow blocks that the other side moved to other files. `None`
/// unless that leaves nothing contested in the file.
pub(super) fn followed_out(
    repo: &Repo,
    plan: &MergePlan,
    conflict: &ConflictedPath,
    conflicts: &[ConflictedPath],
    places: &mut Places,
) -> Result<Option<FollowedOut>, GitError> {
    let by_ours = followed_one_way(repo, plan, conflict, conflicts, places, true)?;
    let by_theirs = followed_one_way(repo, plan, conflict, conflicts, places, false)?;
    // Where both moved what the other edited, nobody can say which came first.
    let (found, places) = match (by_ours, by_theirs) {
        (Some(found), None) => (found, &mut places.by_ours),
        (None, Some(found)) => (found, &mut places.by_theirs),
        (Some(_), Some(_)) | (None, None) => return Ok(None),
    };
    // The next conflict may have a block in the same place.
    for (at, bytes) in &found.updated {
        if let Some(candidate) = places.as_mut().and_then(|places| places.get_mut(*at)) {
            candidate.now.clone_from(bytes);
        }
    }
    Ok(Some(found))
}

fn followed_one_way(
    repo: &Repo,
    plan: &MergePlan,
    conflict: &ConflictedPath,
    conflicts: &[ConflictedPath],
    places: &mut Places,
    ours_moved: bool,
) -> Result<Option<FollowedOut>, GitError> {
    let (mover, editor) = if ours_moved {
        (conflict.ours, conflict.theirs)
    } else {
        (conflict.theirs, conflict.ours)
    };
    let (Some(base), Some(editor)) = (conflict.base, editor) else {
        return Ok(None);
    };
    let Some(base_bytes) = text(repo, base)? else {
        return Ok(None);
    };
    let Some(editor_bytes) = text(repo, editor)? else {
        return Ok(None);
    };
    // A file that is gone has moved out with everything in it.
    let Some(mover_bytes) = mover.map_or(Ok(Some(Vec::new())), |entry| text(repo, entry))? else {
        return Ok(None);
    };
    let known = if ours_moved {
        &mut places.by_ours
    } else {
        &mut places.by_theirs
    };
    let candidates = match known {
        Some(candidates) => candidates,
        None => known.insert(candidates(repo, plan, conflicts, ours_moved)?),
    };
    let (Some((base_lines, _)), Some((mover_lines, _)), Some((editor_lines, ending))) = (
        plain(&base_bytes),
        plain(&mover_bytes),
        plain(&editor_bytes),
    ) else {
        return Ok(None);
    };
    let (mut texts, mut endings) = (Vec::new(), Vec::new());
    for candidate in candidates.iter() {
        let (Some((base, _)), Some((now, ending))) =
            (plain(&candidate.base), plain(&candidate.now))
        else {
            return Ok(None);
        };
        texts.push(Place { base, now });
        endings.push(ending);
    }
    let mut edited = Version::new(editor_lines);
    let followed = follow_out(&base_lines, &mover_lines, &mut edited, &mut texts);
    if followed.is_empty() {
        return Ok(None);
    }
    let rest = join(edited.lines.iter().copied(), ending);
    let is_settled = if mover.is_some() {
        let [ours, theirs] = if ours_moved {
            [&mover_bytes, &rest]
        } else {
            [&rest, &mover_bytes]
        };
        let settled = settle(&base_bytes, ours, theirs, Rules::default());
        settled.contests().next().is_none() && settled.revived == 0
    } else {
        rest == base_bytes
    };
    if !is_settled {
        return Ok(None);
    }
    let mut places: Vec<usize> = followed.iter().map(|edit| edit.place).collect();
    places.sort_unstable();
    places.dedup();
    let (mut changes, mut names) = (Vec::new(), Vec::new());
    for at in places {
        let (Some(candidate), Some(place), Some(ending)) =
            (candidates.get(at), texts.get(at), endings.get(at))
        else {
            return Ok(None);
        };
        let bytes = join(place.now.iter().copied(), *ending);
        let id = repo.write_blob(&bytes)?;
        let entry = Entry {
            id,
            ..candidate.entry
        };
        changes.push((candidate.path.clone(), Some(entry)));
        names.push((
            at,
            String::from_utf8_lossy(&candidate.path).into_owned(),
            bytes,
        ));
    }
    let (mover_name, editor_name) = if ours_moved {
        ("target", "branch")
    } else {
        ("branch", "target")
    };
    let warning = format!(
        "{}: what the {editor_name} changed is in {}, where the {mover_name} moved those lines",
        conflict.name(),
        names
            .iter()
            .map(|(_, name, _)| name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    );
    let name_of = |edit: &Followed<'_>| {
        let candidate = candidates.get(edit.place);
        candidate.map(|candidate| String::from_utf8_lossy(&candidate.path).into_owned())
    };
    let woven = followed
        .iter()
        .flat_map(|edit| said(edit, conflict.name(), name_of(edit).unwrap_or_default()))
        .collect();
    let rest = Entry {
        id: repo.write_blob(&rest)?,
        ..editor
    };
    let (ours, theirs) = if ours_moved {
        (mover, Some(rest))
    } else {
        (Some(rest), mover)
    };
    Ok(Some(FollowedOut {
        conflict: ConflictedPath {
            path: conflict.path.clone(),
            base: conflict.base,
            ours,
            theirs,
        },
        changes,
        woven,
        warning,
        updated: names
            .into_iter()
            .map(|(at, _, bytes)| (at, bytes))
            .collect(),
    }))
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

fn text(repo: &Repo, entry: Entry) -> Result<Option<Vec<u8>>, GitError> {
    if !entry.kind.is_regular() || repo.blob_size(entry.id)? > LARGEST_PLACE {
        return Ok(None);
    }
    let bytes = repo.blob(entry.id)?;
    Ok((!is_binary(&bytes)).then_some(bytes))
}

/// A text's lines without their ends, if these are all of one kind.
fn plain(bytes: &[u8]) -> Option<(Vec<&[u8]>, Ending)> {
    let ([lines, _, _], ending) = split_three(bytes, bytes, bytes);
    let is_plain = !lines.lines.iter().any(|line| line.ends_with(b"\r"));
    is_plain.then_some((lines.lines, ending))
}
