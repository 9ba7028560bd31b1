//! One side changed the white space of lines, the other one what they say: both, with the words of the one
//! where the other has put them. White space inside a line that was rewritten is never decided here, nor anything where
//! both sides put lines elsewhere: which of those go along with which, nobody knows.

use similar::Algorithm;

use crate::merge::edits::{Edit, Stretch, edits, lay_over};
use crate::merge::lines::{has_words, is_blank};

use super::beside::Beside;
use super::depths::{Indents, Learning, indent, indented, is_other_depth, key};
use super::paired::in_common;
use crate::merge::settle::pieces::{Contest, Piece, Woven, part, push_settled};
use crate::merge::settle::reading::kind::Kind;
use crate::merge::settle::reading::wording::{Wordings, are_too_many};

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
        our_indents: Indents::new(),
        their_indents: Indents::new(),
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
    let mut by_ours = Learning::of(&contest.base, &contest.ours);
    let mut by_theirs = Learning::of(&contest.base, &contest.theirs);
    let is_at_the_edge =
        |base: &Range| base.is_empty() && (base.start == 0 || base.end == contest.base.len());
    for (base, ours, theirs) in &aligned {
        // Whether it is in what the other side put elsewhere, or beside it, is not said by anything.
        let (ours_new, theirs_new) = (
            part(&contest.ours, ours.clone()),
            part(&contest.theirs, theirs.clone()),
        );
        if is_at_the_edge(base) && (is_said(ours_new) || is_said(theirs_new)) {
            return None;
        }
        spacing.learn(
            base.clone(),
            part(&contest.ours, ours.clone()),
            &mut by_ours,
        );
        spacing.learn(
            base.clone(),
            part(&contest.theirs, theirs.clone()),
            &mut by_theirs,
        );
    }
    if !spacing.is_respaced {
        return None;
    }
    (spacing.our_indents, spacing.their_indents) = (by_ours.learnt(), by_theirs.learnt());
    let is_left = |side: &[&[u8]], edits: &[Edit], indents: &Indents<'_>| {
        !is_other_depth(indents)
            && edits
                .iter()
                .all(|edit| is_as_deep(&contest.base, side, edit))
    };
    if !is_left(&contest.ours, &our_edits, &spacing.our_indents)
        && !is_left(&contest.theirs, &their_edits, &spacing.their_indents)
    {
        return None;
    }
    for (stretch, (base, ours, theirs)) in stretches.iter().zip(aligned) {
        match stretch {
            Stretch::Same { .. } => spacing.same(base, ours, theirs)?,
            Stretch::Ours { .. } | Stretch::Theirs { .. } => {
                let by_ours = matches!(stretch, Stretch::Ours { .. });
                if spacing.goes_on_outside(by_ours, &base, &ours, &theirs) {
                    return None;
                }
                spacing.changed(by_ours, base, ours, theirs)?;
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

struct Spacing<'c, 'a> {
    contest: &'c Contest<'a>,
    pieces: Vec<Piece<'a>>,
    our_indents: Indents<'a>,
    their_indents: Indents<'a>,
    /// A line that says something has other white space now.
    is_respaced: bool,
}

impl<'a> Spacing<'_, 'a> {
    fn learn(&mut self, base: Range, side: &[&'a [u8]], learning: &mut Learning<'a>) {
        let lines = part(&self.contest.base, base);
        for (line, other) in lines.iter().zip(side) {
            if is_blank(line) || key(line) != key(other) || lines.len() != side.len() {
                continue;
            }
            self.is_respaced |= has_words(line) && line != other;
            learning.learn(line, other);
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

    /// Tells whether one side put something before the first line or after the last one, and the other side put these
    /// below a head: whether that is meant for there is not said by anything.
    fn goes_on_outside(&self, by_ours: bool, base: &Range, ours: &Range, theirs: &Range) -> bool {
        let contest = self.contest;
        let (new, indents) = if by_ours {
            (part(&contest.ours, ours.clone()), &self.their_indents)
        } else {
            (part(&contest.theirs, theirs.clone()), &self.our_indents)
        };
        let old = part(&contest.base, base.clone());
        let is_other = |ends: [Option<&&[u8]>; 2]| match ends {
            [Some(old), Some(new)] => has_words(new) && !in_common(old, new),
            [Some(_) | None, Some(_) | None] => false,
        };
        is_other_depth(indents)
            && old.len() < new.len()
            && (base.start == 0 && is_other([old.first(), new.first()])
                || base.end == contest.base.len() && is_other([old.last(), new.last()]))
    }

    /// Lines that one side made something else of, while the other side at most indented them.
    fn changed(&mut self, by_ours: bool, base: Range, ours: Range, theirs: Range) -> Option<()> {
        let contest = self.contest;
        let base = part(&contest.base, base);
        let (ours, theirs) = (part(&contest.ours, ours), part(&contest.theirs, theirs));
        let (mine, other) = (&self.our_indents, &self.their_indents);
        let (new, kept, mine, other) = if by_ours {
            (ours, theirs, mine, other)
        } else {
            (theirs, ours, other, mine)
        };
        // Spaces inside a line may be part of what it says, and those at its end break lines of Markdown.
        let only_indented =
            |(line, other): (&&[u8], &&[u8])| line.trim_ascii_start() == other.trim_ascii_start();
        if !base.iter().zip(kept).all(only_indented) || is_any_removed(base, new, kept) {
            return None;
        }
        let is_moved = is_other_depth(other) && is_said(new);
        // Nothing of the side's own says that it left lines where they were.
        if is_moved && !is_said(base) && mine.is_empty() {
            return None;
        }
        let placed = |line: &&[u8]| {
            if is_moved {
                indented(line, other)
            } else {
                Some(line.to_vec())
            }
        };
        let result: Vec<Vec<u8>> = new.iter().map(placed).collect::<Option<_>>()?;
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

/// Tells whether a line that one side put elsewhere may be one that the other side deleted: that is not said by either of
/// them alone. A line that stands for another one is that line in other words.
fn is_any_removed(base: &[&[u8]], new: &[&[u8]], kept: &[&[u8]]) -> bool {
    let moved: Vec<&[u8]> = base
        .iter()
        .zip(kept)
        .filter_map(|(line, other)| (line != other && !is_blank(line)).then_some(*line))
        .collect();
    let count = |lines: &[&[u8]]| lines.iter().filter(|line| !is_blank(line)).count();
    if moved.is_empty() || count(new) == count(base) {
        return false;
    }
    if count(new) < count(base) || are_too_many(moved.len(), new.len()) {
        return true;
    }
    let wordings = Wordings::of(new);
    let mut said = moved.iter().filter(|line| has_words(line));
    said.any(|line| !wordings.has_one_made_of(line))
}

fn is_said(lines: &[&[u8]]) -> bool {
    lines.iter().any(|line| !is_blank(line))
}

/// The indentation of the least deep line.
fn shallowest<'a>(lines: &[&'a [u8]]) -> Option<&'a [u8]> {
    let said = lines.iter().filter(|line| !is_blank(line));
    said.map(|line| indent(line))
        .min_by_key(|depth| depth.len())
}

/// Tells whether what a side made of some lines stands as deep as these, the least deep of them as a whole, and each
/// that it reworded.
fn is_as_deep(base: &[&[u8]], side: &[&[u8]], edit: &Edit) -> bool {
    let (base, new) = (part(base, edit.base.clone()), part(side, edit.new.clone()));
    if !is_said(base) || !is_said(new) {
        return true;
    }
    if shallowest(new) != shallowest(base) || are_too_many(base.len(), new.len()) {
        return false;
    }
    let all = Wordings::of(new);
    let mut said = base.iter().filter(|line| has_words(line));
    said.all(|line| {
        let as_deep = new.iter().filter(|new| indent(new) == indent(line));
        let as_deep: Vec<&[u8]> = as_deep.copied().collect();
        !all.has_one_made_of(line) || Wordings::of(&as_deep).has_one_made_of(line)
    })
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::{Rules, settle};

    /// What both orders of the sides come to; `None` where somebody is asked.
    fn both_orders(base: &str, one: &str, two: &str) -> [Option<String>; 2] {
        [(one, two), (two, one)].map(|(ours, theirs)| {
            let [base, ours, theirs] = [base, ours, theirs].map(str::as_bytes);
            let settled = settle(base, ours, theirs, Rules::default());
            let text = String::from_utf8(settled.render(|_| Vec::new())).unwrap();
            (settled.contests().count() == 0).then_some(text)
        })
    }

    #[test]
    fn a_statement_after_a_line_does_not_go_below_the_head_that_the_other_side_put_that_line_below()
    {
        let base = "start()\nthree()\nfour()\n";
        let around = "start()\nwith lock:\n    three()\nfour()\n";
        let more = "start()\nthree(42)\nnine()\nfour()\n";
        assert_eq!(both_orders(base, around, more), [None, None]);
        let changed = "start()\nthree(42)\nfour()\n";
        for found in both_orders(base, around, changed) {
            let expected = "start()\nwith lock:\n    three(42)\nfour()\n";
            assert!(found.is_none_or(|text| text == expected));
        }
    }

    #[test]
    fn lines_that_both_sides_indented_are_not_indented_twice() {
        let base = "def load(path):\n  data = read(path)\n  return data\n";
        let deeper = "def load(path):\n    data = read(path)\n    return data\n";
        let reworded =
            "def load(path):\n    data = read(path, 'utf8')\n    log(path)\n    return data\n";
        for found in both_orders(base, deeper, reworded) {
            assert!(found.is_none_or(|text| text == reworded));
        }
        // Nor where the depth that both came to is one of the base, too, or no line of the place has kept its words.
        let base = "for x in all:\n  if x:\n    go(x)\n    end(x)\n";
        let deeper = "for x in all:\n    if x:\n        go(x)\n        end(x)\n";
        for reworded in [
            "for x in all:\n    if x and ready:\n        go(x)\n        log(x)\n        end(x)\n",
            "for x in all:\n    if x and ready:\n        go(x, 1)\n        log(x)\n        end(x, 2)\n",
        ] {
            for found in both_orders(base, deeper, reworded) {
                assert!(found.is_none_or(|text| text == reworded));
            }
        }
    }

    #[test]
    fn a_line_that_stands_twice_is_not_put_deeper_than_both_sides_have_it() {
        let base = "  w4\n  w0\n    w4\n    w1\n";
        let deeper = "    w4\n    w0\n        w4\n        w1\n";
        let reworded = "    w4\n    w0\n        w4\n        w1 more\n";
        for found in both_orders(base, deeper, reworded) {
            assert!(found.is_none_or(|text| text == reworded));
        }
    }

    #[test]
    fn a_line_goes_along_with_no_others_where_both_sides_indented_some() {
        let base = "    w2\n    w1\n  w1\n    w2\n";
        let ours = "      w2\n      w1\n    w1\n      w2 of ours\n    new\n";
        let theirs = "      w2\n      w1 of theirs\n  w1\n      w2\n";
        for found in both_orders(base, ours, theirs) {
            assert!(!found.is_some_and(|text| text.contains("      new")));
        }
        // Of what stands at several depths, and of a single depth, it is not known what a side does to another one.
        let base = "  w0\n      w4\n    w4\n      w0\n";
        let put_in = "  w0\n      w4\n    new\n    w4\n      w0\n";
        let twice = "    w0 more\n            w4\n        w4 more\n            w0\n";
        for found in both_orders(base, put_in, twice) {
            assert!(found.is_none_or(|text| text.contains("\n        new\n")));
        }
        let (base, put_in) = ("      w0\n  w0\n", "      w0\n      new\n  w0\n");
        for found in both_orders(base, put_in, "            w0 more\n    w0\n") {
            assert!(found.is_none_or(|text| text.contains("\n            new\n")));
        }
    }

    #[test]
    fn a_line_goes_along_with_no_others_where_some_went_deeper_and_some_less_deep() {
        let base = "head\n    the word 3\n  the word 2\n      the word 3\n      the word 2\n  the word 4\ntail\n";
        let deeper = "head\n      the word 3\n    the word 2\n        the word 3\n        the word 2ours\n    the word 4\ntail\n";
        let put_in = "head\n    the word 3\n  the word 2\n      the word 3\n      the word 2\n  the word 4theirs\n      new of theirs\ntail\n";
        for found in both_orders(base, deeper, put_in) {
            assert!(found.is_none_or(|text| text.contains("\n        new of")));
        }
    }

    #[test]
    fn a_line_that_both_sides_put_into_something_is_not_put_there_twice() {
        let base = "a()\n  go(x)\nz()\n";
        let one = "a()\n  if ready:\n    go(x, 1)\nz()\n";
        let two = "a()\n    go(x)\nz()\n";
        assert_eq!(both_orders(base, one, two), [None, None]);
    }

    #[test]
    fn what_both_sides_indented_is_as_deep_in_either_order_of_them() {
        let base = "  one\n  two\n    three\n";
        let ours = "      one\n      two\n      one\n      two\n        three\n";
        let theirs = "      one\n      new\n      two\n        three\n";
        let [one_way, other_way] = both_orders(base, ours, theirs);
        assert_eq!(one_way, other_way);
        let is_of_a_side = |line: &str| ours.lines().chain(theirs.lines()).any(|l| l == line);
        assert!(one_way.is_none_or(|text| text.lines().all(is_of_a_side)));
    }

    #[test]
    fn what_one_side_indented_and_the_other_removed_is_contested_beside_a_line_that_is_left() {
        let base = "head\n  targets one\n  type two\n  flags three\n  foo(1)\nmid\nother\ntail\n";
        let shallow = base.replace("  ", "");
        for left in [
            "  foo(2)\n",
            "  foo(2)\n  new four\n",
            "  foo(2)\n  a\n  b\n  c\n  d\n",
        ] {
            let less = format!("head\n{left}mid\nother\ntail\n");
            assert_eq!(both_orders(base, &shallow, &less), [None, None], "{less}");
        }
    }
}
