//! Settling the places of one text file where both sides changed: identical edits, union files,
//! insertions at the same place, changes in different parts of a line. What none of these rules
//! covers stays contested. Pure: bytes in, pieces out; never guesses between two versions.

use similar::Algorithm;

use super::edits::{Stretch, edits, lay_over};
use super::lines::{Ending, has_words, is_blank, join, line_key, split_three};
use super::moves::{Version, follow};
use super::tokens::weave;

/// How the parts of a file that both sides changed may be settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rules {
    /// The file has the attribute `merge=union`.
    pub union: bool,
}

/// A part of the merged file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Lines that need no decision.
    Settled(Vec<&'a [u8]>),
    /// One line made of changes of both sides.
    Woven {
        base: &'a [u8],
        ours: &'a [u8],
        theirs: &'a [u8],
        result: Vec<u8>,
    },
    /// Both sides rewrote the same lines.
    Contested(Contest<'a>),
}

/// Two versions of the same lines that exclude each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Contest<'a> {
    pub base: Vec<&'a [u8]>,
    pub ours: Vec<&'a [u8]>,
    pub theirs: Vec<&'a [u8]>,
    /// Index of the first of our lines in our file.
    pub our_start: usize,
}

/// A file merged as far as the rules go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settlement<'a> {
    pub pieces: Vec<Piece<'a>>,
    pub ending: Ending,
    /// Lines that our side had removed and the other side had changed: they are back.
    pub revived: usize,
}

impl<'a> Settlement<'a> {
    /// Returns the contested places in order.
    pub(super) fn contests(&self) -> impl Iterator<Item = &Contest<'a>> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Contested(contest) => Some(contest),
            Piece::Settled(_) | Piece::Woven { .. } => None,
        })
    }

    /// Returns the file with every contested place filled in by `choose`, called in order.
    pub(super) fn render<'s>(
        &'s self,
        mut choose: impl FnMut(&'s Contest<'a>) -> Vec<&'s [u8]>,
    ) -> Vec<u8> {
        let mut lines: Vec<&'s [u8]> = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Settled(settled) => lines.extend(settled),
                Piece::Woven { result, .. } => lines.push(result),
                Piece::Contested(contest) => lines.extend(choose(contest)),
            }
        }
        join(lines, self.ending)
    }
}

/// Merges two versions of a file that grew from `base`.
pub(crate) fn settle<'a>(
    base: &'a [u8],
    ours: &'a [u8],
    theirs: &'a [u8],
    rules: Rules,
) -> Settlement<'a> {
    let ([base, ours, theirs], ending) = split_three(base, ours, theirs);
    let base = base.lines;
    let (mut ours, mut theirs) = (Version::new(ours.lines), Version::new(theirs.lines));
    follow(&base, &mut ours, &mut theirs);
    let our_origin = ours.origin;
    let (ours, theirs) = (ours.lines, theirs.lines);
    let our_edits = edits(Algorithm::Histogram, &base, &ours);
    let their_edits = edits(Algorithm::Histogram, &base, &theirs);
    let mut pieces = Vec::new();
    let mut revived = 0;
    for stretch in lay_over(base.len(), &our_edits, &their_edits) {
        match stretch {
            Stretch::Same { base: range } => push_settled(&mut pieces, part(&base, range)),
            Stretch::Ours { new, .. } => push_settled(&mut pieces, part(&ours, new)),
            Stretch::Theirs { new, .. } => push_settled(&mut pieces, part(&theirs, new)),
            Stretch::Both {
                base: base_range,
                ours: our_range,
                theirs: their_range,
            } => {
                let contest = Contest {
                    our_start: our_origin
                        .get(our_range.start)
                        .copied()
                        .unwrap_or(our_range.start),
                    base: part(&base, base_range).to_vec(),
                    ours: part(&ours, our_range).to_vec(),
                    theirs: part(&theirs, their_range).to_vec(),
                };
                if !contest.base.is_empty() && contest.ours.iter().all(|line| is_blank(line)) {
                    // Nothing of ours can be lost here.
                    revived += contest.theirs.iter().filter(|line| !is_blank(line)).count();
                    push_settled(&mut pieces, &contest.theirs);
                } else {
                    settle_meeting(&mut pieces, contest, &base, rules);
                }
            }
        }
    }
    Settlement {
        pieces,
        ending,
        revived,
    }
}

/// Merges two files that were added under the same name: there is no base, so what only one side has
/// is kept, and places where both have something else are contested.
pub(crate) fn settle_added<'a>(ours: &'a [u8], theirs: &'a [u8], rules: Rules) -> Settlement<'a> {
    let ([_, ours, theirs], ending) = split_three(b"", ours, theirs);
    let (ours, theirs) = (ours.lines, theirs.lines);
    let mut pieces = Vec::new();
    let mut at = 0;
    for edit in edits(Algorithm::Histogram, &ours, &theirs) {
        push_settled(&mut pieces, part(&ours, at..edit.base.start));
        let (mine, other) = (part(&ours, edit.base.clone()), part(&theirs, edit.new));
        if rules.union
            || mine.iter().all(|line| is_blank(line))
            || other.iter().all(|line| is_blank(line))
        {
            push_settled(&mut pieces, mine);
            push_settled(&mut pieces, other);
        } else {
            pieces.push(Piece::Contested(Contest {
                base: Vec::new(),
                ours: mine.to_vec(),
                theirs: other.to_vec(),
                our_start: edit.base.start,
            }));
        }
        at = edit.base.end;
    }
    push_settled(&mut pieces, part(&ours, at..ours.len()));
    Settlement {
        pieces,
        ending,
        revived: 0,
    }
}

fn part<'s, 'a>(lines: &'s [&'a [u8]], range: std::ops::Range<usize>) -> &'s [&'a [u8]] {
    lines.get(range).unwrap_or_default()
}

fn push_settled<'a>(pieces: &mut Vec<Piece<'a>>, lines: &[&'a [u8]]) {
    match pieces.last_mut() {
        _ if lines.is_empty() => {}
        Some(Piece::Settled(settled)) => settled.extend_from_slice(lines),
        Some(Piece::Woven { .. } | Piece::Contested(_)) | None => {
            pieces.push(Piece::Settled(lines.to_vec()));
        }
    }
}

fn settle_meeting<'a>(
    pieces: &mut Vec<Piece<'a>>,
    contest: Contest<'a>,
    base: &[&[u8]],
    rules: Rules,
) {
    let settled = if contest.ours == contest.theirs {
        Some(contest.ours.clone())
    } else if rules.union {
        Some(union(&contest.ours, &contest.theirs))
    } else if contest.base.is_empty() {
        both_insertions(&contest.ours, &contest.theirs)
    } else {
        including(&contest, base)
    };
    if let Some(lines) = settled {
        push_settled(pieces, &lines);
        return;
    }
    match woven_lines(&contest) {
        Some(woven) => pieces.extend(woven),
        None => pieces.push(Piece::Contested(contest)),
    }
}

/// Ours, then whatever of theirs ours does not have.
fn union<'a>(ours: &[&'a [u8]], theirs: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let mut lines = ours.to_vec();
    let mut left = ours.to_vec();
    for line in theirs {
        match left.iter().position(|known| known == line) {
            Some(at) => {
                left.swap_remove(at);
            }
            None => lines.push(line),
        }
    }
    lines
}

/// Both sides only inserted: both are kept, ours first. Two versions of the same insertion are not.
fn both_insertions<'a>(ours: &[&'a [u8]], theirs: &[&'a [u8]]) -> Option<Vec<&'a [u8]>> {
    if is_within(ours, theirs) {
        return Some(theirs.to_vec());
    }
    if is_within(theirs, ours) {
        return Some(ours.to_vec());
    }
    if is_list(ours) && is_list(theirs) && first_word(ours) == first_word(theirs) {
        return Some(union(ours, theirs));
    }
    let words = |lines: &[&'a [u8]]| -> Vec<&'a [u8]> {
        lines
            .iter()
            .copied()
            .filter(|line| has_words(line))
            .collect()
    };
    let (our_words, their_words) = (words(ours), words(theirs));
    let shared = our_words
        .iter()
        .filter(|line| their_words.contains(line))
        .count();
    if shared * 2 >= our_words.len().min(their_words.len()).max(1) {
        return None;
    }
    Some([ours, theirs].concat())
}

/// Every line stands for itself, like imports or list items: same first word, no line twice.
fn is_list(lines: &[&[u8]]) -> bool {
    let first = first_word(lines);
    let mut seen = std::collections::HashSet::new();
    first.is_some()
        && lines
            .iter()
            .all(|line| first_word(&[*line]) == first && seen.insert(*line))
}

fn first_word<'a>(lines: &[&'a [u8]]) -> Option<&'a [u8]> {
    lines
        .first()?
        .split(u8::is_ascii_whitespace)
        .find(|word| !word.is_empty())
}

/// Tells whether `small` is `large` with some lines left out.
fn is_within(small: &[&[u8]], large: &[&[u8]]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|line| rest.any(|other| other == line))
}

/// Both made the same change and one of them added more: the larger version has everything.
/// Not so when it keeps base lines that the smaller one removed. Nor is a line that the file has
/// elsewhere a sign of the same change: where its like was added depends on how the texts are aligned.
fn including<'a>(contest: &Contest<'a>, base: &[&[u8]]) -> Option<Vec<&'a [u8]>> {
    let larger_keeps_removed = |small: &[&[u8]], large: &[&[u8]]| {
        contest
            .base
            .iter()
            .any(|line| count(large, line) > count(small, line))
    };
    let is_ambiguous = |small: &[&[u8]]| {
        small.iter().any(|line| {
            has_words(line)
                && count(small, line) > count(&contest.base, line)
                && count(base, line) > count(&contest.base, line)
        })
    };
    let fits = |small: &[&'a [u8]], large: &[&'a [u8]]| {
        small.iter().any(|line| has_words(line))
            && is_within(small, large)
            && !larger_keeps_removed(small, large)
            && !is_ambiguous(small)
    };
    if fits(&contest.ours, &contest.theirs) {
        Some(contest.theirs.clone())
    } else if fits(&contest.theirs, &contest.ours) {
        Some(contest.ours.clone())
    } else {
        None
    }
}

fn count(lines: &[&[u8]], wanted: &[u8]) -> usize {
    lines
        .iter()
        .filter(|line| line_key(line) == line_key(wanted))
        .count()
}

/// Weaves a place line by line when all three versions have the same number of lines.
fn woven_lines<'a>(contest: &Contest<'a>) -> Option<Vec<Piece<'a>>> {
    let length = contest.base.len();
    if length == 0 || contest.ours.len() != length || contest.theirs.len() != length {
        return None;
    }
    let mut pieces = Vec::new();
    for ((base, ours), theirs) in contest.base.iter().zip(&contest.ours).zip(&contest.theirs) {
        let result = weave(base, ours, theirs)?;
        if ours == theirs || ours == base {
            push_settled(&mut pieces, &[theirs]);
        } else if theirs == base {
            push_settled(&mut pieces, &[ours]);
        } else {
            pieces.push(Piece::Woven {
                base,
                ours,
                theirs,
                result,
            });
        }
    }
    Some(pieces)
}
