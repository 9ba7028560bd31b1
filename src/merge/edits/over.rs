//! The edits of two sides laid over their base, and which of them meet.

use std::ops::Range;

use super::between::Edit;

/// A stretch of the base as the three versions have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stretch {
    /// No side touched it.
    Same { base: Range<usize> },
    /// Only one side changed it, or both did without meeting.
    Ours {
        base: Range<usize>,
        new: Range<usize>,
    },
    Theirs {
        base: Range<usize>,
        new: Range<usize>,
    },
    /// Both sides changed it.
    Both {
        base: Range<usize>,
        ours: Range<usize>,
        theirs: Range<usize>,
    },
}

/// Tells whether an edit of one side and one of the other cannot both be applied without a decision.
/// Edits that merely touch can: what one side does to a line says nothing about the next one.
fn meet(one: &Edit, two: &Edit) -> bool {
    match (one.base.is_empty(), two.base.is_empty()) {
        (true, true) => one.base.start == two.base.start,
        (true, false) => inserted_in(one, two),
        (false, true) => inserted_in(two, one),
        (false, false) => one.base.start < two.base.end && two.base.start < one.base.end,
    }
}

fn inserted_in(insertion: &Edit, other: &Edit) -> bool {
    other.base.start < insertion.base.start && insertion.base.start < other.base.end
}

#[derive(Default)]
struct Cluster<'e> {
    ours: Vec<&'e Edit>,
    theirs: Vec<&'e Edit>,
}

/// Tells of an edit of ours and one of theirs whether they cannot both be applied as they are.
type Meet<'f> = &'f dyn Fn(&Edit, &Edit) -> bool;

impl<'e> Cluster<'e> {
    fn is_met_by(&self, edit: &Edit, from_ours: bool, also: Meet<'_>) -> bool {
        if from_ours {
            let mut theirs = self.theirs.iter();
            theirs.any(|other| meet(other, edit) || also(edit, other))
        } else {
            let mut ours = self.ours.iter();
            ours.any(|other| meet(other, edit) || also(other, edit))
        }
    }

    fn add(&mut self, edit: &'e Edit, from_ours: bool) {
        if from_ours {
            self.ours.push(edit);
        } else {
            self.theirs.push(edit);
        }
    }

    fn range(&self) -> Option<Range<usize>> {
        let all = || self.ours.iter().chain(&self.theirs);
        let start = all().map(|edit| edit.base.start).min()?;
        let end = all().map(|edit| edit.base.end).max()?;
        Some(start..end)
    }
}

/// Lays the edits of both sides over a base of `length` lines. Besides those that overlap, edits meet of which `also` says
/// so: touching ones, of which what they say is known.
pub(crate) fn lay_over(
    length: usize,
    ours: &[Edit],
    theirs: &[Edit],
    also: Meet<'_>,
) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    let mut at = 0;
    let (mut our_shift, mut their_shift) = (0_isize, 0_isize);
    for cluster in &clusters(ours, theirs, also) {
        let Some(base) = cluster.range() else {
            continue;
        };
        if at < base.start {
            stretches.push(Stretch::Same {
                base: at..base.start,
            });
        }
        let our_new = new_range(&base, &cluster.ours, our_shift);
        let their_new = new_range(&base, &cluster.theirs, their_shift);
        our_shift += growth(&cluster.ours);
        their_shift += growth(&cluster.theirs);
        stretches.push(match (cluster.ours.is_empty(), cluster.theirs.is_empty()) {
            (false, true) => Stretch::Ours {
                base: base.clone(),
                new: our_new,
            },
            (true, _) => Stretch::Theirs {
                base: base.clone(),
                new: their_new,
            },
            (false, false) => Stretch::Both {
                base: base.clone(),
                ours: our_new,
                theirs: their_new,
            },
        });
        at = at.max(base.end);
    }
    if at < length {
        stretches.push(Stretch::Same { base: at..length });
    }
    stretches
}

/// The edits of both sides in order, those that meet together.
fn clusters<'e>(ours: &'e [Edit], theirs: &'e [Edit], also: Meet<'_>) -> Vec<Cluster<'e>> {
    let mut all: Vec<(&Edit, bool)> = ours
        .iter()
        .map(|edit| (edit, true))
        .chain(theirs.iter().map(|edit| (edit, false)))
        .collect();
    all.sort_by_key(|(edit, from_ours)| (edit.base.start, edit.base.end, !from_ours));
    let mut clusters: Vec<Cluster<'_>> = Vec::new();
    for (edit, from_ours) in all {
        // Only the latest clusters can be met: an insertion sorts between two touching edits.
        let reach = clusters.len().saturating_sub(2);
        let first_met = clusters
            .iter()
            .skip(reach)
            .position(|cluster| cluster.is_met_by(edit, from_ours, also))
            .map(|position| position + reach);
        let mut joined = Cluster::default();
        if let Some(first) = first_met {
            for cluster in clusters.split_off(first) {
                joined.ours.extend(cluster.ours);
                joined.theirs.extend(cluster.theirs);
            }
        }
        joined.add(edit, from_ours);
        clusters.push(joined);
    }
    clusters
}

/// Where the lines of `base` are in a side that made `edits` there and moved by `shift` before.
fn new_range(base: &Range<usize>, edits: &[&Edit], shift: isize) -> Range<usize> {
    let start = base.start.saturating_add_signed(shift);
    let end = base.end.saturating_add_signed(shift + growth(edits));
    start..end.max(start)
}

fn growth(edits: &[&Edit]) -> isize {
    edits
        .iter()
        .map(|edit| edit.new.len() as isize - edit.base.len() as isize)
        .sum()
}
