//! A block that one side moved within a file while the other side edited it: the edit belongs to the
//! block at its new place. Proven by the text itself, line by line, or left alone.
//! Pure: edits in, rewritten versions out.

use similar::Algorithm;

use super::edits::{Edit, edits};
use super::lines::has_words;

/// The least a moved block must say to be told from a coincidence.
const LEAST_LINES: usize = 3;
/// Longer stretches are not searched: the search compares every line with every line.
pub(super) const LARGEST_SEARCH: usize = 4_000_000;

/// A version whose lines remember where they were before the rewriting.
pub(super) struct Version<'a> {
    pub(super) lines: Vec<&'a [u8]>,
    /// For each line, its number in the version that was given.
    pub(super) origin: Vec<usize>,
}

impl<'a> Version<'a> {
    pub(super) fn new(lines: Vec<&'a [u8]>) -> Self {
        let origin = (0..lines.len()).collect();
        Self { lines, origin }
    }
}

/// Puts edits of moved blocks where the blocks went. Where both sides moved what the other edited,
/// nobody can say which came first: all is left as it is. Tells whether anything was found.
pub(super) fn follow<'a>(
    base: &[&'a [u8]],
    (ours, our_edits): (&mut Version<'a>, &[Edit]),
    (theirs, their_edits): (&mut Version<'a>, &[Edit]),
) -> bool {
    let by_ours = find(base, &ours.lines, our_edits, their_edits).is_some();
    let by_theirs = find(base, &theirs.lines, their_edits, our_edits).is_some();
    match (by_ours, by_theirs) {
        (true, false) => follow_one(base, ours, theirs),
        (false, true) => follow_one(base, theirs, ours),
        (true, true) | (false, false) => {}
    }
    by_ours || by_theirs
}

/// One block that `mover` moved and `editor` edited at a time, until there is none.
fn follow_one<'a>(base: &[&'a [u8]], mover: &mut Version<'a>, editor: &mut Version<'a>) {
    // Each round takes at least one edit away; the limit is for the reader's peace of mind.
    for _ in 0..32 {
        let moves = edits(Algorithm::Histogram, base, &mover.lines);
        let changes = edits(Algorithm::Histogram, base, &editor.lines);
        let Some(found) = find(base, &mover.lines, &moves, &changes) else {
            return;
        };
        let Some(edited) = apply(base, &editor.lines, &found, &changes) else {
            return;
        };
        let at = mover.origin.get(found.new_start).copied().unwrap_or(0);
        let moved_to = found.new_start..found.new_start + found.length;
        mover
            .origin
            .splice(moved_to.clone(), std::iter::repeat_n(at, edited.len()));
        mover.lines.splice(moved_to, edited);
        take_back(base, editor, &found, &changes);
    }
}

/// A block of the base and where it is now.
pub(super) struct Moved {
    pub(super) base_start: usize,
    pub(super) new_start: usize,
    pub(super) length: usize,
}

impl Moved {
    pub(super) fn base_end(&self) -> usize {
        self.base_start + self.length
    }

    /// Tells whether the block has everything that a deletion took away, and says enough.
    pub(super) fn is_all_of(&self, gone: &Edit, base: &[&[u8]]) -> bool {
        let words = |from: usize, to: usize| {
            let lines = base.get(from..to).unwrap_or_default();
            lines.iter().filter(|line| has_words(line)).count()
        };
        words(self.base_start, self.base_end()) >= LEAST_LINES
            && words(gone.base.start, self.base_start) == 0
            && words(self.base_end(), gone.base.end) == 0
    }

    /// Counts how often the block stands in a text.
    pub(super) fn occurrences(&self, base: &[&[u8]], text: &[&[u8]]) -> usize {
        let run = base
            .get(self.base_start..self.base_end())
            .unwrap_or_default();
        let windows = text.windows(run.len().max(1));
        windows.filter(|window| *window == run).count()
    }

    /// The other side's edits that lie inside the block.
    pub(super) fn inner<'e>(&self, changes: &'e [Edit]) -> impl Iterator<Item = &'e Edit> {
        let (start, end) = (self.base_start, self.base_end());
        changes.iter().filter(move |edit| {
            let inside = start <= edit.base.start && edit.base.end <= end;
            // An insertion at the very edge may as well belong to the neighbour.
            inside && !(edit.base.is_empty() && (edit.base.start == start || edit.base.end == end))
        })
    }
}

fn find(base: &[&[u8]], lines: &[&[u8]], moves: &[Edit], changes: &[Edit]) -> Option<Moved> {
    for gone in moves {
        let left = lines.get(gone.new.clone())?;
        if left.iter().any(|line| has_words(line)) {
            continue;
        }
        let block = base.get(gone.base.clone())?;
        let touching = touching(gone, changes);
        if touching == 0 {
            continue;
        }
        for arrival in moves.iter().filter(|edit| *edit != gone) {
            let place = lines.get(arrival.new.clone())?;
            if block.len() * place.len() > LARGEST_SEARCH {
                continue;
            }
            let (at, to, length) = longest_common_run(block, place);
            let moved = Moved {
                base_start: gone.base.start + at,
                new_start: arrival.new.start + to,
                length,
            };
            if is_proven(base, lines, &moved, gone) && moved.inner(changes).count() == touching {
                return Some(moved);
            }
        }
    }
    None
}

/// Counts the edits that have to do with a deletion.
pub(super) fn touching(gone: &Edit, changes: &[Edit]) -> usize {
    changes
        .iter()
        .filter(|edit| edit.base.start < gone.base.end && gone.base.start < edit.base.end)
        .count()
}

/// The run holds all that the deletion took away, says enough, and is nowhere else.
fn is_proven(base: &[&[u8]], lines: &[&[u8]], moved: &Moved, gone: &Edit) -> bool {
    moved.is_all_of(gone, base)
        && moved.occurrences(base, base) == 1
        && moved.occurrences(base, lines) == 1
}

/// The longest run of equal lines: where it begins in each, and its length.
pub(super) fn longest_common_run(one: &[&[u8]], two: &[&[u8]]) -> (usize, usize, usize) {
    let mut best = (0, 0, 0);
    let mut row = vec![0_usize; two.len() + 1];
    for (i, line) in one.iter().enumerate() {
        let mut diagonal = 0;
        for (j, other) in two.iter().enumerate() {
            let Some(cell) = row.get_mut(j + 1) else {
                continue;
            };
            let above = *cell;
            *cell = if line == other { diagonal + 1 } else { 0 };
            if *cell > best.2 {
                best = (i + 1 - *cell, j + 1 - *cell, *cell);
            }
            diagonal = above;
        }
    }
    best
}

/// The block as the editor has it.
pub(super) fn apply<'a>(
    base: &[&'a [u8]],
    editor: &[&'a [u8]],
    moved: &Moved,
    changes: &[Edit],
) -> Option<Vec<&'a [u8]>> {
    let mut edited = Vec::new();
    let mut at = moved.base_start;
    for edit in moved.inner(changes) {
        edited.extend_from_slice(base.get(at..edit.base.start)?);
        edited.extend_from_slice(editor.get(edit.new.clone())?);
        at = edit.base.end;
    }
    edited.extend_from_slice(base.get(at..moved.base_end())?);
    Some(edited)
}

/// Undoes the editor's edits of the block at its old place: they have gone with it.
pub(super) fn take_back<'a>(
    base: &[&'a [u8]],
    editor: &mut Version<'a>,
    moved: &Moved,
    changes: &[Edit],
) {
    let inner: Vec<&Edit> = moved.inner(changes).collect();
    for edit in inner.into_iter().rev() {
        let at = editor.origin.get(edit.new.start).copied().unwrap_or(0);
        let old = base.get(edit.base.clone()).unwrap_or_default();
        editor
            .origin
            .splice(edit.new.clone(), std::iter::repeat_n(at, old.len()));
        editor.lines.splice(edit.new.clone(), old.iter().copied());
    }
}
