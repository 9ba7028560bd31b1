//! Edits of the two sides that touch. What one side puts in at the edge of what the other one took away or wrote anew may
//! belong to that: read as two edits, it would land on something else. The two meet, unless the text shows that
//! each stands for itself. Pure.

use crate::merge::edits::Edit;
use crate::merge::lines::is_blank;
use crate::merge::operators::are_mixed_across;

use super::paired::in_common;
use super::twice::touch;
use crate::merge::settle::pieces::part;
use crate::merge::settle::reading::columns::lack_a_column;
use crate::merge::settle::reading::kind::Kind;
use crate::merge::settle::reading::leaning::{
    depth, goes_astray, indent, leans_down, open_brackets,
};
use crate::merge::settle::reading::ruling::{renames, rules_over};
use crate::merge::settle::reading::sections::captures;
use crate::merge::settle::reading::units::{are_of_one_list, are_units, closes, mention};

/// The three versions of a text or of a part of one.
#[derive(Clone, Copy)]
pub(in crate::merge::settle) struct Beside<'s, 'a> {
    pub(in crate::merge::settle) base: &'s [&'a [u8]],
    /// What follows the base, where that is a part of a text.
    pub(in crate::merge::settle) after: &'s [&'a [u8]],
    pub(in crate::merge::settle) ours: &'s [&'a [u8]],
    pub(in crate::merge::settle) theirs: &'s [&'a [u8]],
    pub(in crate::merge::settle) kind: Kind,
}

/// An edit, and the text that it made.
#[derive(Clone, Copy)]
struct Made<'s, 'a> {
    edit: &'s Edit,
    new: &'s [&'a [u8]],
}

impl<'a> Made<'_, 'a> {
    /// The line of an insertion that is next to what stands below or above it.
    fn facing(&self, is_above: bool) -> Option<&'a [u8]> {
        let line = if is_above {
            self.new.last()
        } else {
            self.new.first()
        };
        line.copied()
    }
}

/// What an edit did to the line at the edge that another one touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    Deleted,
    /// Only its white space is another.
    Respaced,
    /// Other words, but the same line.
    Reworded,
    /// A line for a line, of which nothing tells whether it is the same.
    Replaced,
    /// There is more or less now, and nothing tells what became of what.
    Rewritten,
}

impl<'s, 'a> Beside<'s, 'a> {
    /// Tells whether edits of ours and theirs that touch have to be decided together.
    pub(in crate::merge::settle) fn meet(&self, mine: &'s Edit, other: &'s Edit) -> bool {
        if !touch(mine, other) {
            return false;
        }
        let mine = Made {
            edit: mine,
            new: part(self.ours, mine.new.clone()),
        };
        let other = Made {
            edit: other,
            new: part(self.theirs, other.new.clone()),
        };
        match (mine.edit.base.is_empty(), other.edit.base.is_empty()) {
            (true, true) => false,
            (true, false) => self.is_bound(mine, other),
            (false, true) => self.is_bound(other, mine),
            (false, false) => {
                let (upper, lower) = if mine.edit.base.start < other.edit.base.start {
                    (mine, other)
                } else {
                    (other, mine)
                };
                self.are_mixed(upper, lower)
                    || exclude(self.edge(upper, false), self.edge(lower, true))
                        && !self.are_entries(upper, lower)
            }
        }
    }

    /// Tells whether an insertion at the edge of an edit may belong to what the edit took away or made anew.
    fn is_bound(&self, insertion: Made<'_, 'a>, other: Made<'_, 'a>) -> bool {
        let is_above = insertion.edit.base.start == other.edit.base.start;
        if insertion.new.iter().all(|line| is_blank(line)) {
            return false;
        }
        let (upper, lower) = if is_above {
            (insertion, other)
        } else {
            (other, insertion)
        };
        if self.are_mixed(upper, lower) {
            return true;
        }
        if self.is_remark(other) && !self.is_comment(insertion.facing(is_above)) {
            // What a comment says in other words concerns nobody who puts code beside it.
            return false;
        }
        let ends = self.ends(other, is_above);
        if ends.is_some_and(|ends| lack_a_column(insertion.new, ends, self.kind)) {
            return true;
        }
        if !is_above && captures(other.new, insertion.new, self.kind) {
            return true;
        }
        if ends.is_some_and(|[was, _]| !is_above && parts(was, other.new, insertion.new)) {
            return true;
        }
        let is_turned = || {
            let below = part(self.base, other.edit.base.end..self.base.len());
            let below = if below.iter().all(|line| is_blank(line)) {
                self.after
            } else {
                below
            };
            let gone = part(self.base, other.edit.base.clone());
            renames(gone, other.new, insertion.new)
                || !is_above && rules_over(gone, other.new, insertion.new, below)
        };
        match self.edge(other, is_above) {
            Edge::Reworded => is_turned(),
            Edge::Respaced => true,
            Edge::Replaced => is_turned() || !self.stands_for_itself(insertion, other, is_above),
            Edge::Deleted | Edge::Rewritten => !self.stands_for_itself(insertion, other, is_above),
        }
    }

    /// Two neighbouring edits of one condition, whose operators are not of one kind.
    fn are_mixed(&self, upper: Made<'_, 'a>, lower: Made<'_, 'a>) -> bool {
        let [upper, lower] =
            [upper, lower].map(|made| [part(self.base, made.edit.base.clone()), made.new]);
        self.kind != Kind::Markdown && are_mixed_across(upper, lower)
    }

    /// Tells whether an edit made other comments of comments, as deep as they were.
    fn is_remark(&self, made: Made<'_, 'a>) -> bool {
        let old = part(self.base, made.edit.base.clone());
        let mut all = old.iter().chain(made.new);
        let is_other = |line: &&[u8]| indent(line) == depth(old) && self.is_comment(Some(line));
        !old.is_empty() && !made.new.is_empty() && all.all(is_other)
    }

    fn is_comment(&self, line: Option<&[u8]>) -> bool {
        let text = line.unwrap_or_default().trim_ascii();
        let mut marks = ["//", "# ", "-- "].iter();
        self.kind == Kind::Other && marks.any(|mark| text.starts_with(mark.as_bytes()))
    }

    /// The first or the last line of what an edit changed, and of what it made of that.
    fn ends(&self, made: Made<'_, 'a>, at_the_top: bool) -> Option<[&'a [u8]; 2]> {
        let end = |lines: &[&'a [u8]]| {
            let line = if at_the_top {
                lines.first()
            } else {
                lines.last()
            };
            line.copied()
        };
        let old = part(self.base, made.edit.base.clone());
        Some([end(old)?, end(made.new)?])
    }

    fn edge(&self, made: Made<'_, 'a>, at_the_top: bool) -> Edge {
        let old = part(self.base, made.edit.base.clone());
        let Some([was, is]) = self.ends(made, at_the_top) else {
            return Edge::Deleted;
        };
        let said = |line: &[u8]| -> Vec<u8> {
            let says = |byte: &&u8| !byte.is_ascii_whitespace() && **byte != b',';
            line.iter().filter(says).copied().collect()
        };
        // Lines that are only broken elsewhere stay where they are.
        let is_rewrapped = old.len() != made.new.len()
            && said(&old.concat()) == said(&made.new.concat())
            && depth(old) == depth(made.new);
        if is_blank(was) || is_blank(is) {
            Edge::Rewritten
        } else if said(was) == said(is) {
            Edge::Respaced
        } else if is_rewrapped || in_common(was, is) || is_one_statement(old, made.new) {
            Edge::Reworded
        } else if old.len() == made.new.len() {
            Edge::Replaced
        } else {
            Edge::Rewritten
        }
    }

    fn stands_for_itself(
        &self,
        insertion: Made<'_, 'a>,
        other: Made<'_, 'a>,
        is_above: bool,
    ) -> bool {
        let gone = part(self.base, other.edit.base.clone());
        if !gone.iter().any(|line| !is_blank(line)) && other.new.is_empty() {
            // Only blank lines went.
            return true;
        }
        if mention(insertion.new, gone) {
            return false;
        }
        let replaced = [gone, other.new].concat();
        are_of_one_list(insertion.new, &replaced)
            || self.is_unit_beside(insertion.new, gone, other, is_above)
    }

    /// Entries of one list became others, one by one or not.
    fn are_entries(&self, upper: Made<'_, 'a>, lower: Made<'_, 'a>) -> bool {
        let all = |made: Made<'_, 'a>| {
            let old = part(self.base, made.edit.base.clone());
            [old, made.new].concat()
        };
        are_of_one_list(&all(upper), &all(lower))
    }

    /// A whole function or entry beside another one, and not in it.
    fn is_unit_beside(
        &self,
        new: &[&'a [u8]],
        gone: &[&'a [u8]],
        other: Made<'_, 'a>,
        is_above: bool,
    ) -> bool {
        // Above deeper lines, it may have been put there to hold them.
        let is_inside = if is_above {
            depth(new) != depth(gone)
        } else {
            let is_deeper = |lines: &[&[u8]]| !lines.is_empty() && depth(new) > depth(lines);
            is_deeper(gone) || is_deeper(other.new)
        };
        if !are_units(new, gone) || is_inside || leans_down(other.new) {
            return false;
        }
        if is_above {
            // What follows now must not be taken for a part of it.
            let rest = part(self.base, other.edit.base.end..self.base.len());
            let mut rest = other.new.iter().chain(rest);
            let next = rest.find(|line| !is_blank(line));
            next.is_none_or(|next| indent(next) <= depth(new) || closes(next))
        } else {
            // With that gone, it would stand under what was meant for it.
            !other.new.is_empty() || !leans_down(part(self.base, 0..other.edit.base.start))
        }
    }
}

/// Tells whether a statement became the same statement in other words, and broken elsewhere: brackets hold the lines of
/// either together, so what stands beside one still stands beside the other.
fn is_one_statement(old: &[&[u8]], new: &[&[u8]]) -> bool {
    let is_held_together = |lines: &[&[u8]]| {
        let ends = [lines.first(), lines.last()].into_iter().flatten();
        let mut inner = 1..lines.len();
        inner.all(|end| open_brackets(part(lines, 0..end)) > 0)
            && ends.into_iter().all(|line| indent(line) == depth(lines))
    };
    old.len() != new.len()
        && open_brackets(old) == open_brackets(new)
        && depth(old) == depth(new)
        && [old, new].into_iter().all(is_held_together)
        && in_common(&old.join(&b' '), &new.join(&b' '))
}

/// Tells whether the line `was` became a line with something shallower below it, between it and what goes on with it.
fn parts(was: &[u8], new: &[&[u8]], insertion: &[&[u8]]) -> bool {
    let statement = |at: usize| {
        let is_broken = !was.trim_ascii_end().ends_with(b"(");
        let length = is_broken.then(|| broken(part(new, at..new.len())));
        part(new, at..at + length.unwrap_or(1))
    };
    let is_it = |at: &usize| {
        let text = statement(*at).join(&b' ');
        text.trim_ascii() == was.trim_ascii() || in_common(was, &text)
    };
    let found = (0..new.len()).find(is_it);
    let after = found.map_or(0, |at| at + statement(at).len());
    goes_astray(insertion, part(new, after..new.len()), &[])
}

/// How many lines the statement has that begins some lines, where brackets break it into several.
fn broken(lines: &[&[u8]]) -> usize {
    let Some(first) = lines
        .first()
        .filter(|line| line.trim_ascii_end().ends_with(b"("))
    else {
        return 1;
    };
    let is_end =
        |line: &&[u8]| line.trim_ascii_start().starts_with(b")") && indent(line) == indent(first);
    lines.iter().position(is_end).map_or(1, |end| end + 1)
}

/// Tells of what happened to two neighbouring lines whether it has to be decided together.
fn exclude(upper: Edge, lower: Edge) -> bool {
    match (upper, lower) {
        (Edge::Reworded, _) | (_, Edge::Reworded) => false,
        (Edge::Rewritten, _) | (_, Edge::Rewritten) => true,
        (
            Edge::Deleted | Edge::Respaced | Edge::Replaced,
            Edge::Deleted | Edge::Respaced | Edge::Replaced,
        ) => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::merge::settle::{Rules, settle};
    use crate::merge::triples::runner;

    fn contests(base: &[String], ours: &[String], theirs: &[String]) -> usize {
        let text = |lines: &[String]| (lines.join("\n") + "\n").into_bytes();
        let [base, ours, theirs] = [base, ours, theirs].map(text);
        settle(&base, &ours, &theirs, Rules::default())
            .contests()
            .count()
    }

    #[test]
    fn what_one_side_puts_in_beside_a_comment_that_the_other_rewords_lands() {
        let text = |lines: &str| -> Vec<String> { lines.lines().map(str::to_owned).collect() };
        let contests = |base: &str, one: &str, two: &str| {
            let [base, one, two] = [base, one, two].map(text);
            [contests(&base, &one, &two), contests(&base, &two, &one)]
        };
        let base = "fn a() {\n    // Before all, since it may fail.\n    b();\n}";
        let reworded = base.replace("Before all, since it may fail", "Errors are told early");
        for more in [
            base.replace("    // B", "    if c() {\n        return;\n    }\n    // B"),
            base.replace("    b();", "    #[cfg(unix)]\n    b();"),
        ] {
            assert_eq!(contests(base, &reworded, &more), [0, 0], "{more}");
        }
        let more = base.replace("    b();", "    // It never does.\n    b();");
        assert_eq!(contests(base, &reworded, &more), [1, 1]);
    }

    /// Statements of which no two look alike, in blocks of several depths.
    fn statements(count: usize) -> Vec<String> {
        let depth = |n: usize| "    ".repeat([0, 1, 1, 2, 1][n % 5]);
        (0..count)
            .map(|n| format!("{}step{n}(left{n})", depth(n)))
            .collect()
    }

    #[test]
    fn a_statement_at_the_edge_of_what_the_other_side_took_away_is_never_settled() {
        let strategy = (
            6..30_usize,
            any::<usize>(),
            1..4_usize,
            any::<bool>(),
            any::<bool>(),
        );
        runner(2_000, 1)
            .run(&strategy, |(count, at, length, is_above, is_rewritten)| {
                let base = statements(count);
                let at = at % (count - length);
                let mut gone = base.clone();
                let rewritten = is_rewritten.then(|| "quite(another, text)".to_owned());
                gone.splice(at..at + length, rewritten);
                let edge = if is_above { at } else { at + length };
                let mut more = base.clone();
                more.insert(edge, "    added(to, it)".to_owned());
                prop_assert_eq!(contests(&base, &gone, &more), 1);
                prop_assert_eq!(contests(&base, &more, &gone), 1);
                Ok(())
            })
            .unwrap();
    }
}
