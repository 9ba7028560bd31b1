//! One file: its three versions laid over one another, and the pieces that come of it. Which rule is for a
//! place where both sides changed something is for `meeting`.

use std::ops::Range;

use crate::merge::edits::{Edit, Stretch, lay_over};
use crate::merge::lines::{Ending, is_blank, split_three, without};
use crate::merge::moves::{Version, follow};

use super::accounted::{refused_lines, says_less};
use super::asking::{Unsure, asking};
use super::held::deepened::Deepened;
use super::held::headed::hold_what_lost_its_head;
use super::held::placed::{Place, hold_what_is_twice, joined};
use super::meeting::settle_meeting;
use super::once::{Language, Origin};
use super::order::stretches::{First, Stretches, Why, nearest};
use super::pieces::{Contest, Piece, Settlement, lines_of, part, push_all, push_settled};
use super::reading::kind::Kind;
use super::reading::labels::lose_their_label;
use super::reading::text::Text;
use super::rules::around::{Around, outside};
use super::rules::beside::Beside;
use super::rules::insertions::is_within;
use super::rules::turned::{both_ways, is_open, turned};
use super::rules::twice::{Twice, touch};
use super::sides::Sides;
use crate::merge::form::joined_base::{Base, Reading};

/// How the parts of a file that both sides changed may be settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rules {
    /// The file has the attribute `merge=union`.
    pub union: bool,
    /// How its lines are read.
    pub kind: Kind,
    /// What gives names to things in it.
    pub language: Language,
}

/// Merges two versions of a file that grew from `base`.
pub(crate) fn settle<'a>(
    base: &'a [u8],
    ours: &'a [u8],
    theirs: &'a [u8],
    rules: Rules,
) -> Settlement<'a> {
    let versions = [base, ours, theirs];
    let (mut laid, ending) = Laid::of(versions);
    laid.follow();
    let by_rules = laid.settled(Means::Rules(rules), ending);
    let balances = refused_lines(Some(base), [ours, theirs], &by_rules).is_empty();
    if balances && !says_less(versions, &by_rules) {
        by_rules
    } else {
        // Of equal lines, the rules and the account may take another one for the one that was moved.
        settle_by_asking(versions)
    }
}

/// Leaves every place to somebody that both sides touched.
pub(super) fn settle_by_asking(versions: [&[u8]; 3]) -> Settlement<'_> {
    let (laid, ending) = Laid::of(versions);
    asking(versions, |unsure| {
        laid.settled(Means::Asking(unsure), ending)
    })
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
struct Laid<'a> {
    base: Base<'a>,
    ours: Version<'a>,
    theirs: Version<'a>,
    sides: Sides<'a>,
}

impl<'a> Laid<'a> {
    fn of([base, ours, theirs]: [&'a [u8]; 3]) -> (Self, Ending) {
        let ([base, ours, theirs], ending) = split_three(base, ours, theirs);
        (Self::new(base.lines, ours.lines, theirs.lines), ending)
    }

    fn new(base: Vec<&'a [u8]>, ours: Vec<&'a [u8]>, theirs: Vec<&'a [u8]>) -> Self {
        let base = Base::new(base);
        Self {
            sides: Sides::new(&base.lines, &ours, &theirs),
            base,
            ours: Version::new(ours),
            theirs: Version::new(theirs),
        }
    }

    /// Puts edits of blocks that a side moved where the blocks went.
    fn follow(&mut self) {
        let base = &self.base.lines;
        let ours = (&mut self.ours, self.sides.ours.as_slice());
        let theirs = (&mut self.theirs, self.sides.theirs.as_slice());
        if follow(base, ours, theirs) {
            self.sides = Sides::new(base, &self.ours.lines, &self.theirs.lines);
        }
    }

    fn settled(&self, means: Means<'_>, ending: Ending) -> Settlement<'a> {
        let (pieces, twice) = self.pieces(means);
        Settlement {
            pieces,
            ending,
            twice,
        }
    }

    /// The pieces of the result, and what was held for being there twice.
    fn pieces(&self, means: Means<'_>) -> (Vec<Piece<'a>>, Vec<String>) {
        match means {
            Means::Rules(rules) => self.ruled(rules),
            Means::Asking(unsure) => (self.asked(unsure), Vec::new()),
        }
    }

    fn ruled(&self, rules: Rules) -> (Vec<Piece<'a>>, Vec<String>) {
        let base = &self.base.lines;
        let sides = &self.sides;
        let versions = [base, &self.ours.lines, &self.theirs.lines];
        let twice = Twice::new(versions.map(Vec::as_slice), sides.kept());
        let deepened = Deepened::new(versions.map(Vec::as_slice));
        let (our_edits, their_edits) = twice.parted(sides.ours.clone(), sides.theirs.clone());
        let file = Text::of_kind(base, rules.kind);
        let beside = Beside {
            base,
            after: &[],
            ours: &self.ours.lines,
            theirs: &self.theirs.lines,
            kind: rules.kind,
        };
        let around = [
            Around::of(&our_edits, &self.ours.lines),
            Around::of(&their_edits, &self.theirs.lines),
        ];
        let stretches = [
            Stretches::of(&our_edits, base, &self.ours.lines),
            Stretches::of(&their_edits, base, &self.theirs.lines),
        ];
        let first = |contest: &Contest<'a>, at: usize| {
            let first = (!rules.union).then(|| nearest(contest, stretches.each_ref(), at));
            first.flatten()
        };
        let also = |mine: &Edit, other: &Edit| {
            twice.meet(mine, other)
                || !rules.union && (beside.meet(mine, other) || self.unlabel(rules, mine, other))
        };
        let mut places = self.laid_over(
            [&our_edits, &their_edits],
            &also,
            |pieces, contest, range| {
                if self.base.is_contradicted(&range) {
                    self.push_contradicted(pieces, (contest, range), Means::Rules(rules));
                } else if let Some(piece) = (!rules.union)
                    .then(|| outside(&contest, around.each_ref(), &file, range.start))
                    .flatten()
                {
                    push_all(pieces, vec![piece]);
                } else if is_respaced(&contest.base, &contest.theirs)
                    || is_respaced(&contest.ours, &contest.theirs)
                {
                    push_settled(pieces, &contest.ours);
                } else if is_respaced(&contest.base, &contest.ours) {
                    push_settled(pieces, &contest.theirs);
                } else if !rules.union && (is_given_up(&contest) || is_given_up(&turned(&contest)))
                {
                    // What one side took away, or put elsewhere with changes, the other one changed.
                    pieces.push(Piece::Contested(contest));
                } else if self.is_unlabelled(rules, &contest, range.end) {
                    pieces.push(Piece::Contested(contest));
                } else {
                    let settled = |contest: &Contest<'a>| {
                        let found = settle_meeting(contest, &file, range.start, rules);
                        if twice.is_doubled(contest, &found) || deepened.are_any(&found) {
                            return vec![Piece::Contested(contest.clone())];
                        }
                        found
                    };
                    let first = first(&contest, range.start);
                    push_all(pieces, in_order(&contest, first, settled));
                }
            },
        );
        let twice = if rules.union {
            Vec::new()
        } else {
            let again = |contest: &Contest<'a>, at: usize| match outside(
                contest,
                around.each_ref(),
                &file,
                at,
            ) {
                Some(piece) => vec![piece],
                None if first(contest, at).is_some_and(|first| !first.is_ours) => {
                    settle_meeting(contest, &file, at, rules)
                }
                None => settle_meeting(&turned(contest), &file, at, rules),
            };
            hold_what_lost_its_head(&mut places, &again);
            hold_what_is_twice(&mut places, rules.language)
        };
        (joined(places), twice)
    }

    /// Tells whether of two edits that touch one puts items below a label that the other side took away.
    fn unlabel(&self, rules: Rules, mine: &Edit, other: &Edit) -> bool {
        if rules.kind != Kind::Markdown || !touch(mine, other) {
            return false;
        }
        let (base, ours, theirs) = (&self.base.lines, &self.ours.lines, &self.theirs.lines);
        let lose = |edit: &Edit, side: &[&[u8]], other: &[&[u8]]| {
            let new = part(side, edit.new.clone());
            edit.base.is_empty() && lose_their_label(new, base, edit.base.start, other)
        };
        lose(mine, ours, theirs) || lose(other, theirs, ours)
    }

    /// The same of a place before the line `at` of the base.
    fn is_unlabelled(&self, rules: Rules, contest: &Contest<'_>, at: usize) -> bool {
        let lose = |side: &[&[u8]], other: &[&[u8]]| {
            let new = without(side, &contest.base);
            lose_their_label(&new, &self.base.lines, at, other)
        };
        !rules.union
            && rules.kind == Kind::Markdown
            && (lose(&contest.ours, &self.theirs.lines) || lose(&contest.theirs, &self.ours.lines))
    }

    fn asked(&self, unsure: &Unsure) -> Vec<Piece<'a>> {
        let base = &self.base.lines;
        let (our_edits, their_edits) = (&self.sides.ours, &self.sides.theirs);
        let ours = unsure.answered(base, (their_edits, &self.theirs.lines), our_edits);
        let theirs = unsure.answered(base, (our_edits, &self.ours.lines), their_edits);
        let places = self.laid_over([&ours, &theirs], &touch, |pieces, contest, range| {
            if contest.ours == contest.theirs {
                push_settled(pieces, &contest.ours);
            } else {
                pieces.push(Piece::Contested(Contest {
                    base: self.base.read(range, Reading::Agreed),
                    ..contest
                }));
            }
        });
        joined(places)
    }

    /// The places in order; those that both sides changed are for `settle_place`, which gets their lines of the base.
    fn laid_over(
        &self,
        [our_edits, their_edits]: [&[Edit]; 2],
        also: &dyn Fn(&Edit, &Edit) -> bool,
        mut settle_place: impl FnMut(&mut Vec<Piece<'a>>, Contest<'a>, Range<usize>),
    ) -> Vec<Place<'a>> {
        let base = &self.base.lines;
        let mut places = Vec::new();
        // Where our text goes on.
        let mut our_at = 0;
        for stretch in lay_over(base.len(), our_edits, their_edits, also) {
            let mut pieces = Vec::new();
            let at = match &stretch {
                Stretch::Same { base }
                | Stretch::Ours { base, .. }
                | Stretch::Theirs { base, .. }
                | Stretch::Both { base, .. } => base.start,
            };
            let (by, contest) = match stretch {
                Stretch::Same { base: range } => {
                    our_at += range.len();
                    push_settled(&mut pieces, part(base, range));
                    (Origin::Base, self.contest(&(0..0), 0..0, 0..0))
                }
                Stretch::Ours { base: range, new } => {
                    our_at = new.end;
                    push_settled(&mut pieces, part(&self.ours.lines, new.clone()));
                    let theirs = part(base, range.clone()).to_vec();
                    let contest = self.contest(&range, new, 0..0);
                    (Origin::Ours, Contest { theirs, ..contest })
                }
                Stretch::Theirs { base: range, new } => {
                    let ours = our_at..our_at + range.len();
                    our_at = ours.end;
                    push_settled(&mut pieces, part(&self.theirs.lines, new.clone()));
                    (Origin::Theirs, self.contest(&range, ours, new))
                }
                Stretch::Both {
                    base: range,
                    ours,
                    theirs,
                } => {
                    our_at = ours.end;
                    let contest = self.contest(&range, ours, theirs);
                    settle_place(&mut pieces, contest.clone(), range);
                    (Origin::Both, contest)
                }
            };
            places.push(Place {
                by,
                at,
                contest,
                pieces,
            });
        }
        places
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
        (contest, range): (Contest<'a>, Range<usize>),
        means: Means<'_>,
    ) {
        let settled = |reading: Reading| {
            let base = self.base.read(range.clone(), reading);
            let laid = Self::new(base, contest.ours.clone(), contest.theirs.clone());
            let (pieces, _twice) = laid.pieces(means);
            let is_open = |piece: &Piece<'_>| matches!(piece, Piece::Contested(_));
            (!pieces.iter().any(is_open)).then_some(pieces)
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

/// What `settled` makes of a place, with the insertion first that is known to be, if nothing else is said. If it is said,
/// somebody has to decide.
fn in_order<'a>(
    contest: &Contest<'a>,
    first: Option<First>,
    settled: impl Fn(&Contest<'a>) -> Vec<Piece<'a>>,
) -> Vec<Piece<'a>> {
    let Some(first) = first else {
        return both_ways(contest.clone(), settled);
    };
    let ordered = if first.is_ours {
        contest.clone()
    } else {
        turned(contest)
    };
    let wanted = [ordered.ours.as_slice(), &ordered.theirs].concat();
    let other = [ordered.theirs.as_slice(), &ordered.ours].concat();
    let found = both_ways(ordered, settled);
    if is_open(&found) {
        return vec![Piece::Contested(contest.clone())];
    }
    match first.why {
        Why::Said if lines_of(&found) == other => vec![Piece::Contested(contest.clone())],
        Why::Sure if lines_of(&found) == other => vec![Piece::Settled(wanted)],
        Why::Likely | Why::Said | Why::Sure => found,
    }
}

/// Our side has nothing any more where the other one changed something: no rule knows where it went.
fn is_given_up(contest: &Contest<'_>) -> bool {
    !contest.base.is_empty()
        && contest.ours.iter().all(|line| is_blank(line))
        && !is_within(&contest.theirs, &contest.base)
}

/// Two versions differ by blank lines at most: what a third one has is the change.
fn is_respaced(base: &[&[u8]], side: &[&[u8]]) -> bool {
    let [base, side] = [base, side].map(|lines| lines.iter().filter(|line| !is_blank(line)));
    base.eq(side)
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
                assert_eq!(settled.render(|_| Vec::new()), other);
            }
        }
    }

    #[test]
    fn who_wants_both_sides_of_each_place_is_not_asked_about_edges() {
        let (base, removed, more) = (b"a\nx\nb\n", b"a\nb\n", b"a\nx\nnew()\nb\n");
        for (ours, theirs) in [(&removed[..], &more[..]), (more, removed)] {
            let asked = settle(base, ours, theirs, Rules::default());
            assert_eq!(asked.contests().count(), 1);
            let union = Rules {
                union: true,
                ..Rules::default()
            };
            let union = settle(base, ours, theirs, union);
            assert_eq!(union.contests().count(), 0);
            assert_eq!(union.render(|_| Vec::new()), b"a\nnew()\nb\n");
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
        let kept = settled.render(|contest| contest.ours.clone());
        assert_eq!(kept, text("d e f k i l n a b g h c j ").as_bytes());
    }
}
