//! One file: its three versions laid over one another, and the pieces that come of it. Which rule is for a
//! place where both sides changed something is for `meeting`.

use std::ops::Range;

use similar::Algorithm;

use crate::merge::edits::{Edit, Stretch, edits, lay_over_with};
use crate::merge::lines::{Ending, is_blank, join, split_three};
use crate::merge::moves::{Version, follow};

use super::accounted::refused_lines;
use super::asking::{Unsure, asking};
use super::meeting::settle_meeting;
use super::several::{Base, Reading};
use super::text::Text;
use super::twice::{Twice, touch};

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
    /// Lines made of changes of both sides.
    Woven(Woven<'a>),
    /// Both sides rewrote the same lines.
    Contested(Contest<'a>),
}

/// Lines that no side has in this form: what they were made of, and what they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Woven<'a> {
    pub base: Vec<&'a [u8]>,
    /// Lines of the sides that are not in the result because they became part of it.
    pub lines: Vec<&'a [u8]>,
    pub result: Vec<Vec<u8>>,
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
    pub(in crate::merge) fn contests(&self) -> impl Iterator<Item = &Contest<'a>> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Contested(contest) => Some(contest),
            Piece::Settled(_) | Piece::Woven(_) => None,
        })
    }

    /// Returns the lines made of changes of both sides.
    pub(in crate::merge) fn woven(&self) -> impl Iterator<Item = &Woven<'a>> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Woven(woven) => Some(woven),
            Piece::Settled(_) | Piece::Contested(_) => None,
        })
    }

    /// Returns the file with every contested place filled in by `choose`, called in order.
    pub(in crate::merge) fn render<'s>(
        &'s self,
        mut choose: impl FnMut(&'s Contest<'a>) -> Vec<&'s [u8]>,
    ) -> Vec<u8> {
        let mut lines: Vec<&'s [u8]> = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Settled(settled) => lines.extend(settled),
                Piece::Woven(woven) => lines.extend(woven.result.iter().map(Vec::as_slice)),
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
    let versions = [base, ours, theirs];
    let by_rules = settled(versions, Means::Rules(rules));
    if refused_lines(Some(base), [ours, theirs], &by_rules).is_empty() {
        by_rules
    } else {
        // Of equal lines, the rules and the account may take another one for the one that was moved.
        asking(versions, |unsure| settled(versions, Means::Asking(unsure)))
    }
}

fn settled<'a>(versions: [&'a [u8]; 3], means: Means<'_>) -> Settlement<'a> {
    let [base, ours, theirs] = versions;
    let ([base, ours, theirs], ending) = split_three(base, ours, theirs);
    let base = Base::new(base.lines);
    let (mut ours, mut theirs) = (Version::new(ours.lines), Version::new(theirs.lines));
    match means {
        Means::Rules(_) => follow(&base.lines, &mut ours, &mut theirs),
        Means::Asking(_) => {}
    }
    let laid = Laid {
        base,
        ours,
        theirs,
        means,
    };
    let (pieces, revived) = laid.pieces();
    Settlement {
        pieces,
        ending,
        revived,
    }
}

/// How places are settled that both sides changed.
#[derive(Debug, Clone, Copy)]
enum Means<'m> {
    Rules(Rules),
    /// By nobody but who is asked: about any place where the two touch, and about what either does to a line that
    /// nobody is sure of.
    Asking(&'m Unsure),
}

/// Three versions of a text, ready to be laid over one another.
struct Laid<'a, 'm> {
    base: Base<'a>,
    ours: Version<'a>,
    theirs: Version<'a>,
    means: Means<'m>,
}

impl<'a> Laid<'a, '_> {
    /// The pieces of the result, and how many lines are back that our side had removed.
    fn pieces(&self) -> (Vec<Piece<'a>>, usize) {
        let base = &self.base.lines;
        let (ours, theirs) = (&self.ours.lines, &self.theirs.lines);
        let our_edits = edits(Algorithm::Histogram, base, ours);
        let their_edits = edits(Algorithm::Histogram, base, theirs);
        match self.means {
            Means::Rules(rules) => self.ruled(our_edits, their_edits, rules),
            Means::Asking(unsure) => (self.asked(&our_edits, &their_edits, unsure), 0),
        }
    }

    fn ruled(
        &self,
        our_edits: Vec<Edit>,
        their_edits: Vec<Edit>,
        rules: Rules,
    ) -> (Vec<Piece<'a>>, usize) {
        let base = &self.base.lines;
        let twice = Twice::new(
            [base, &self.ours.lines, &self.theirs.lines],
            &our_edits,
            &their_edits,
        );
        let (our_edits, their_edits) = twice.parted(our_edits, their_edits);
        let file = Text::new(base);
        let mut revived = 0;
        let also = |mine: &Edit, other: &Edit| twice.meet(mine, other);
        let pieces = self.laid_over(
            [&our_edits, &their_edits],
            &also,
            |pieces, contest, range| {
                if self.base.is_contradicted(&range) {
                    self.push_contradicted(pieces, contest, range);
                } else if is_respaced(&contest.base, &contest.theirs) {
                    push_settled(pieces, &contest.ours);
                } else if is_respaced(&contest.base, &contest.ours) {
                    push_settled(pieces, &contest.theirs);
                } else if is_given_up(&contest)
                    && twice.is_moved(&contest, &our_edits, &self.ours.gone_along)
                {
                    pieces.push(Piece::Contested(contest));
                } else if is_given_up(&contest) {
                    // Nothing of ours can be lost here.
                    revived += contest.theirs.iter().filter(|line| !is_blank(line)).count();
                    push_settled(pieces, &contest.theirs);
                } else {
                    let mut found = Vec::new();
                    settle_meeting(&mut found, contest.clone(), &file, range.start, rules);
                    if twice.is_doubled(&contest, &found) {
                        found = vec![Piece::Contested(contest)];
                    }
                    push_all(pieces, found);
                }
            },
        );
        (pieces, revived)
    }

    fn asked(&self, our_edits: &[Edit], their_edits: &[Edit], unsure: &Unsure) -> Vec<Piece<'a>> {
        let base = &self.base.lines;
        let ours = unsure.answered(base, (their_edits, &self.theirs.lines), our_edits);
        let theirs = unsure.answered(base, (our_edits, &self.ours.lines), their_edits);
        self.laid_over([&ours, &theirs], &touch, |pieces, contest, range| {
            if contest.ours == contest.theirs {
                push_settled(pieces, &contest.ours);
            } else {
                pieces.push(Piece::Contested(Contest {
                    base: self.base.read(range, Reading::Agreed),
                    ..contest
                }));
            }
        })
    }

    /// The pieces in order; those that both sides changed are for `settle_place`, which gets their lines of the base.
    fn laid_over(
        &self,
        [our_edits, their_edits]: [&[Edit]; 2],
        also: &dyn Fn(&Edit, &Edit) -> bool,
        mut settle_place: impl FnMut(&mut Vec<Piece<'a>>, Contest<'a>, Range<usize>),
    ) -> Vec<Piece<'a>> {
        let base = &self.base.lines;
        let mut pieces = Vec::new();
        for stretch in lay_over_with(base.len(), our_edits, their_edits, also) {
            match stretch {
                Stretch::Same { base: range } => push_settled(&mut pieces, part(base, range)),
                Stretch::Ours { new, .. } => push_settled(&mut pieces, part(&self.ours.lines, new)),
                Stretch::Theirs { new, .. } => {
                    push_settled(&mut pieces, part(&self.theirs.lines, new));
                }
                Stretch::Both {
                    base: range,
                    ours,
                    theirs,
                } => {
                    let contest = self.contest(&range, ours, theirs);
                    settle_place(&mut pieces, contest, range);
                }
            }
        }
        pieces
    }

    fn contest(
        &self,
        base: &Range<usize>,
        ours: Range<usize>,
        theirs: Range<usize>,
    ) -> Contest<'a> {
        let origin = self.ours.origin.get(ours.start).copied();
        Contest {
            our_start: origin.unwrap_or(ours.start),
            base: part(&self.base.lines, base.clone()).to_vec(),
            ours: part(&self.ours.lines, ours).to_vec(),
            theirs: part(&self.theirs.lines, theirs).to_vec(),
        }
    }

    /// A place of which the ancestors say different things: settled only if it does not matter which of
    /// them is asked.
    fn push_contradicted(
        &self,
        pieces: &mut Vec<Piece<'a>>,
        contest: Contest<'a>,
        range: Range<usize>,
    ) {
        let settled = |reading: Reading| {
            let laid = Self {
                base: Base::new(self.base.read(range.clone(), reading)),
                ours: Version::new(contest.ours.clone()),
                theirs: Version::new(contest.theirs.clone()),
                means: self.means,
            };
            let (pieces, revived) = laid.pieces();
            let is_open = |piece: &Piece<'_>| matches!(piece, Piece::Contested(_));
            (revived == 0 && !pieces.iter().any(is_open)).then_some(pieces)
        };
        let readings = (settled(Reading::First), settled(Reading::Second));
        match readings {
            _ if contest.ours == contest.theirs => push_settled(pieces, &contest.ours),
            (Some(first), Some(second)) if lines_of(&first) == lines_of(&second) => {
                pieces.extend(first);
            }
            (Some(_) | None, Some(_) | None) => pieces.push(Piece::Contested(Contest {
                base: self.base.read(range, Reading::Agreed),
                ..contest
            })),
        }
    }
}

/// Our side has nothing any more where the other one changed something.
fn is_given_up(contest: &Contest<'_>) -> bool {
    !contest.base.is_empty() && contest.ours.iter().all(|line| is_blank(line))
}

/// A side did nothing but put blank lines in or take them out: what the other one did is the change.
fn is_respaced(base: &[&[u8]], side: &[&[u8]]) -> bool {
    let [base, side] = [base, side].map(|lines| lines.iter().filter(|line| !is_blank(line)));
    base.eq(side)
}

/// The lines of pieces without a contest.
fn lines_of<'s>(pieces: &'s [Piece<'_>]) -> Vec<&'s [u8]> {
    let mut lines: Vec<&[u8]> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Settled(settled) => lines.extend(settled),
            Piece::Woven(woven) => lines.extend(woven.result.iter().map(Vec::as_slice)),
            Piece::Contested(_) => {}
        }
    }
    lines
}

pub(super) fn part<'s, 'a>(lines: &'s [&'a [u8]], range: Range<usize>) -> &'s [&'a [u8]] {
    lines.get(range).unwrap_or_default()
}

pub(super) fn push_settled<'a>(pieces: &mut Vec<Piece<'a>>, lines: &[&'a [u8]]) {
    match pieces.last_mut() {
        _ if lines.is_empty() => {}
        Some(Piece::Settled(settled)) => settled.extend_from_slice(lines),
        Some(Piece::Woven(_) | Piece::Contested(_)) | None => {
            pieces.push(Piece::Settled(lines.to_vec()));
        }
    }
}

fn push_all<'a>(pieces: &mut Vec<Piece<'a>>, more: Vec<Piece<'a>>) {
    for piece in more {
        match piece {
            Piece::Settled(lines) => push_settled(pieces, &lines),
            Piece::Woven(_) | Piece::Contested(_) => pieces.push(piece),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_of_one_side_neither_bring_back_nor_contest_what_the_other_did() {
        let (base, spaced) = (b"a\nx\ny\nb\n", b"a\nx\n\ny\nb\n");
        for other in [&b"a\nb\n"[..], b"a\nx2\ny2\nb\n", b"a\nz\nb\n"] {
            for (ours, theirs) in [(other, &spaced[..]), (&spaced[..], other)] {
                let settled = settle(base, ours, theirs, Rules::default());
                assert_eq!(settled.contests().count(), 0, "{settled:?}");
                assert_eq!(settled.revived, 0);
                assert_eq!(settled.render(|_| Vec::new()), other);
            }
        }
    }

    /// What our side moved stands in a block that the other side moved: with that, it went along.
    #[test]
    fn what_went_along_with_a_moved_block_is_not_brought_back_where_it_was() {
        let text = |lines: &str| lines.replace(' ', "\n");
        let base = text("a b c d e f k g h i l n j ");
        let ours = text("a b g h c d e f k i l n j ");
        let theirs = text("d e f k g2 h i l n a b c j ");
        let [base, ours, theirs] = [&base, &ours, &theirs].map(|text| text.as_bytes());
        let settled = settle(base, ours, theirs, Rules::default());
        assert_eq!(settled.contests().count(), 1, "{settled:?}");
        assert_eq!(settled.revived, 0);
        let kept = settled.render(|contest| contest.ours.clone());
        assert_eq!(kept, text("d e f k i l n a b g h c j ").as_bytes());
    }
}
