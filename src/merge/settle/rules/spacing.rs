//! One side changed the white space of lines, the other one what they say: both, with the words of the one
//! where the other has put them. White space inside a line that was rewritten is never decided here.

use std::collections::HashMap;

use similar::Algorithm;

use crate::merge::edits::{Edit, Stretch, edits, lay_over};
use crate::merge::lines::{has_words, is_blank};

use super::beside::Beside;
use crate::merge::settle::pieces::{Contest, Piece, Woven, part, push_settled};
use crate::merge::settle::reading::kind::Kind;

/// Lays the sides over one another without their white space, and gives each line the white space of
/// the side that changed it.
pub(in crate::merge::settle) fn respaced<'a>(contest: &Contest<'a>) -> Option<Vec<Piece<'a>>> {
    let keys = |lines: &[&[u8]]| -> Vec<Vec<u8>> { lines.iter().map(|line| key(line)).collect() };
    let (base, ours, theirs) = (
        keys(&contest.base),
        keys(&contest.ours),
        keys(&contest.theirs),
    );
    let our_edits = edits(Algorithm::Histogram, &base, &ours);
    let their_edits = edits(Algorithm::Histogram, &base, &theirs);
    let mut spacing = Spacing {
        contest,
        pieces: Vec::new(),
        our_indents: HashMap::new(),
        their_indents: HashMap::new(),
        is_respaced: false,
    };
    let beside = Beside {
        base: &contest.base,
        after: &[],
        ours: &contest.ours,
        theirs: &contest.theirs,
        kind: Kind::Other,
    };
    let also = |mine: &Edit, other: &Edit| beside.meet(mine, other);
    let stretches = lay_over(base.len(), &our_edits, &their_edits, &also);
    let aligned = aligned(&stretches)?;
    let is_at_the_edge =
        |base: &Range| base.is_empty() && (base.start == 0 || base.end == contest.base.len());
    let is_said = |lines: &[&[u8]]| lines.iter().any(|line| !is_blank(line));
    for (base, ours, theirs) in &aligned {
        // Whether it is in what the other side put elsewhere, or beside it, is not said by anything.
        let (ours_new, theirs_new) = (
            part(&contest.ours, ours.clone()),
            part(&contest.theirs, theirs.clone()),
        );
        if is_at_the_edge(base) && (is_said(ours_new) || is_said(theirs_new)) {
            return None;
        }
        spacing.learn(base.clone(), ours.clone(), theirs.clone());
    }
    if !spacing.is_respaced {
        return None;
    }
    for (stretch, (base, ours, theirs)) in stretches.iter().zip(aligned) {
        match stretch {
            Stretch::Same { .. } => spacing.same(base, ours, theirs)?,
            Stretch::Ours { .. } | Stretch::Theirs { .. } => {
                spacing.changed(matches!(stretch, Stretch::Ours { .. }), base, ours, theirs)?;
            }
            Stretch::Both { .. } => return None,
        }
    }
    Some(spacing.pieces)
}

type Range = std::ops::Range<usize>;

/// Where each stretch is in the three versions. `None` when both changed the same.
fn aligned(stretches: &[Stretch]) -> Option<Vec<(Range, Range, Range)>> {
    let (mut in_ours, mut in_theirs) = (0, 0);
    let mut aligned = Vec::new();
    for stretch in stretches {
        let (base, our_length, their_length) = match stretch {
            Stretch::Same { base } => (base, base.len(), base.len()),
            Stretch::Ours { base, new } => (base, new.len(), base.len()),
            Stretch::Theirs { base, new } => (base, base.len(), new.len()),
            Stretch::Both { .. } => return None,
        };
        let (ours, theirs) = (
            in_ours..in_ours + our_length,
            in_theirs..in_theirs + their_length,
        );
        (in_ours, in_theirs) = (ours.end, theirs.end);
        aligned.push((base.clone(), ours, theirs));
    }
    Some(aligned)
}

/// A line without any white space.
fn key(line: &[u8]) -> Vec<u8> {
    let said = line.iter().filter(|byte| !byte.is_ascii_whitespace());
    said.copied().collect()
}

/// What a side made of each depth of indentation; `None` where it was not always the same.
type Indents<'a> = HashMap<&'a [u8], Option<&'a [u8]>>;

struct Spacing<'c, 'a> {
    contest: &'c Contest<'a>,
    pieces: Vec<Piece<'a>>,
    our_indents: Indents<'a>,
    their_indents: Indents<'a>,
    /// A line that says something has other white space now.
    is_respaced: bool,
}

impl Spacing<'_, '_> {
    fn learn(&mut self, base: Range, ours: Range, theirs: Range) {
        let lines = part(&self.contest.base, base);
        for (side, indents) in [
            (part(&self.contest.ours, ours), &mut self.our_indents),
            (part(&self.contest.theirs, theirs), &mut self.their_indents),
        ] {
            for (line, other) in lines.iter().zip(side) {
                if is_blank(line) || key(line) != key(other) || lines.len() != side.len() {
                    continue;
                }
                self.is_respaced |= has_words(line) && line != other;
                let new = indent(other);
                indents
                    .entry(indent(line))
                    .and_modify(|known| *known = known.filter(|known| *known == new))
                    .or_insert(Some(new));
            }
        }
    }

    /// Lines that say the same in all versions.
    fn same(&mut self, base: Range, ours: Range, theirs: Range) -> Option<()> {
        let lines = part(&self.contest.base, base).iter();
        let sides = part(&self.contest.ours, ours)
            .iter()
            .zip(part(&self.contest.theirs, theirs));
        for (line, (ours, theirs)) in lines.zip(sides) {
            let picked = if ours == line || ours == theirs {
                theirs
            } else if theirs == line {
                ours
            } else {
                return None;
            };
            push_settled(&mut self.pieces, &[picked]);
        }
        Some(())
    }

    /// Lines that one side made something else of, while the other side at most indented them.
    fn changed(&mut self, by_ours: bool, base: Range, ours: Range, theirs: Range) -> Option<()> {
        let contest = self.contest;
        let base = part(&contest.base, base);
        let (ours, theirs) = (part(&contest.ours, ours), part(&contest.theirs, theirs));
        let (new, kept, indents) = if by_ours {
            (ours, theirs, &self.their_indents)
        } else {
            (theirs, ours, &self.our_indents)
        };
        // Spaces inside a line may be part of what it says, and those at its end break lines of Markdown.
        let only_indented =
            |(line, other): (&&[u8], &&[u8])| line.trim_ascii_start() == other.trim_ascii_start();
        // What one side has put elsewhere and the other one has deleted is not said by either of them alone.
        let is_deleted = new.is_empty() && base.iter().zip(kept).any(|(line, other)| line != other);
        if is_deleted || !base.iter().zip(kept).all(only_indented) {
            return None;
        }
        let mut result = Vec::new();
        for line in new {
            result.push(indented(line, indents)?);
        }
        let mut lines: Vec<&[u8]> = Vec::new();
        let respaced = base.iter().zip(kept).filter(|(line, other)| line != other);
        lines.extend(respaced.map(|(_, other)| *other));
        let moved = new.iter().zip(&result).filter(|(line, new)| *line != new);
        lines.extend(moved.map(|(line, _)| *line));
        if lines.is_empty() {
            push_settled(&mut self.pieces, new);
        } else {
            self.pieces.push(Piece::Woven(Woven {
                base: base.to_vec(),
                lines,
                result,
            }));
        }
        Some(())
    }
}

fn indent(line: &[u8]) -> &[u8] {
    let depth = line.iter().take_while(|byte| byte.is_ascii_whitespace());
    let depth = depth.count();
    line.get(..depth).unwrap_or_default()
}

/// The line as deep as the other side would have put it.
fn indented(line: &[u8], indents: &Indents<'_>) -> Option<Vec<u8>> {
    if is_blank(line) {
        return Some(line.to_vec());
    }
    let old = indent(line);
    let said = line.get(old.len()..).unwrap_or_default();
    let new = match indents.get(old) {
        Some(known) => (*known)?.to_vec(),
        None => [shift(indents)?, old].concat(),
    };
    Some([new.as_slice(), said].concat())
}

/// What a side put before every line, if it did the same to all.
fn shift<'a>(indents: &Indents<'a>) -> Option<&'a [u8]> {
    let mut shifts = indents.iter().map(|(old, new)| (*new)?.strip_suffix(*old));
    let first = shifts.next().unwrap_or(Some(&[]))?;
    shifts.all(|shift| shift == Some(first)).then_some(first)
}
