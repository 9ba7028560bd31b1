//! Lines that a side has put below a head, and that would stand outside: both sides did, each below one of its own, or the
//! other side put the line elsewhere. Pure.

use std::collections::{BTreeMap, HashMap};

use crate::merge::lines::has_words;
use crate::merge::settle::reading::heads::Heads;

use super::headed::{Placed, Read, Text, heads};

/// Where each line is that a version has once.
type Only<'t> = HashMap<&'t [u8], Option<usize>>;

/// The lines of a version, and what each stands below.
struct Version<'s, 't> {
    lines: &'s [Placed<'t>],
    heads: Heads,
    only: &'s Only<'t>,
}

fn only<'t>(lines: &[Placed<'t>]) -> Only<'t> {
    let mut only = Only::with_capacity(lines.len());
    for (at, (line, _)) in lines.iter().enumerate() {
        only.entry(*line)
            .and_modify(|known| *known = None)
            .or_insert(Some(at));
    }
    only
}

impl<'s, 't> Version<'s, 't> {
    fn of(read: Read, lines: &'s [Placed<'t>], only: &'s Only<'t>) -> Self {
        Self {
            lines,
            heads: heads(read, lines),
            only,
        }
    }

    /// Where a line is that is there once.
    fn find(&self, line: &[u8]) -> Option<usize> {
        self.only.get(line).copied().flatten()
    }

    fn head(&self, at: usize) -> Option<(usize, &'s Placed<'t>)> {
        let head = self.heads.of(at)?;
        Some((head, self.lines.get(head)?))
    }

    /// All that a line stands below, the nearest first.
    fn above(&self, at: usize) -> impl Iterator<Item = &'s Placed<'t>> {
        let first = self.head(at);
        let next = |(head, _): &(usize, &'s Placed<'t>)| self.head(*head);
        std::iter::successors(first, next).map(|(_, placed)| placed)
    }
}

/// Adds the places of lines that would not stand below what a side has put them below.
pub(super) fn put_out(text: &Text<'_>, reads: &[Read], lost: &mut BTreeMap<usize, usize>) {
    let [ours, theirs] = &text.sides;
    let versions = [&text.merged, &text.old, ours, theirs].map(|lines| (lines, only(lines)));
    for read in reads {
        let versions = versions.each_ref();
        put_out_by(
            text,
            versions.map(|(lines, only)| Version::of(*read, lines, only)),
            lost,
        );
    }
}

/// What a line of a version stands below.
fn head<'t>((version, at): (&Version<'_, 't>, usize)) -> Option<Placed<'t>> {
    version.head(at).map(|(_, head)| *head)
}

/// The place that it is in.
fn at((version, at): (&Version<'_, '_>, usize)) -> Option<usize> {
    version.lines.get(at).map(|(_, at)| *at)
}

fn put_out_by(
    text: &Text<'_>,
    [merged, base, ours, theirs]: [Version<'_, '_>; 4],
    lost: &mut BTreeMap<usize, usize>,
) {
    for (index, (line, place)) in text.merged.iter().enumerate() {
        if !has_words(line) || merged.find(line) != Some(index) {
            continue;
        }
        let found =
            [&base, &ours, &theirs].map(|version| version.find(line).map(|at| (version, at)));
        let [Some(was), Some(one), Some(two)] = found else {
            continue;
        };
        let old = head(was);
        let put = [one, two]
            .map(|side| head(side).filter(|head| !text.is_same(old.as_ref(), Some(head))));
        let is_moved = at(one) != at(was) || at(two) != at(was);
        if !is_moved && !put.iter().all(Option::is_some) {
            // Whose place is known is compared with each of its copies there.
            continue;
        }
        let is_below = |head: &Placed<'_>| {
            let mut above = merged.above(index);
            above.any(|above| text.is_same(Some(head), Some(above)))
        };
        if !put.iter().flatten().all(is_below) {
            let head = merged.head(index).map(|(_, (_, at))| *at);
            text.leave([Some(*place), head, at(was)].into_iter().flatten(), lost);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    fn both_orders(base: &str, one: &str, two: &str) -> [Option<String>; 2] {
        [settled(base, one, two), settled(base, two, one)]
    }

    #[test]
    fn an_end_that_both_sides_put_in_for_beginnings_of_their_own_is_there_twice() {
        for (one, two, other, end) in [
            ("{% if a %}", "{% if b %}", "{% else %}", "{% endif %}"),
            ("{{#if a}}", "{{#if b}}", "{{else}}", "{{/if}}"),
            ("#ifdef A", "#ifdef B", "#else", "#endif"),
            ("ifdef A", "ifdef B", "else", "endif"),
            ("{{ if .A }}", "{{ if .B }}", "{{ else }}", "{{ end }}"),
        ] {
            let base = "x, one, two, y";
            let ours = format!("x, {one}, one, two, {other}, three, {end}, y");
            let theirs = format!("x, one, {two}, two, {end}, y");
            let expected = format!("x, {one}, one, {two}, two, {end}, {other}, three, {end}, y");
            for found in both_orders(base, &ours, &theirs) {
                assert!(found.is_none_or(|text| text == expected), "{one}");
            }
        }
    }

    #[test]
    fn ends_of_two_blocks_do_not_cross() {
        for (one, one_end, two, two_end) in [
            ("{{#each x}}", "{{/each}}", "{{#if y}}", "{{/if}}"),
            ("<main>", "</main>", "<div>", "</div>"),
            (
                "{% for x in y %}",
                "{% endfor %}",
                "{% if y %}",
                "{% endif %}",
            ),
        ] {
            let base = "a, b, c, d";
            let ours = format!("a, {one}, b, c, {one_end}, d");
            let theirs = format!("a, b, {two}, c, {two_end}, d");
            let expected = format!("a, {one}, b, {two}, c, {two_end}, {one_end}, d");
            for found in both_orders(base, &ours, &theirs) {
                assert_eq!(found.as_ref(), Some(&expected));
            }
        }
    }

    #[test]
    fn a_block_that_both_sides_split_at_one_line_is_held() {
        for (above, end, verbose, allowed) in [
            ("if ready {,   one", "}", "if verbose {", "if allowed {"),
            (
                "{% if ready %}, one",
                "{% endif %}",
                "{% if verbose %}",
                "{% if allowed %}",
            ),
            ("fn f() {,   one", "}", "fn g() {", "fn h() {"),
        ] {
            let base = format!("{above},   two, {end}, z");
            let [ours, theirs] =
                [verbose, allowed].map(|head| format!("{above}, {end}, {head},   two, {end}, z"));
            assert_eq!(both_orders(&base, &ours, &theirs), [None, None], "{above}");
        }
    }

    #[test]
    fn a_line_that_was_moved_out_of_what_the_other_side_put_around_it_is_held() {
        let base = "<p>a, <p>b, <p>c, <hr>";
        let moved = "<p>a, <p>c, <p>b, <p>d, <hr>";
        let around = "<p>a, {{#if x}}, <p>b, <p>c, {{/if}}, <hr>";
        assert_eq!(both_orders(base, moved, around), [None, None]);
        let base = "ifdef A, x = 1, y = 1, z = 1, endif, q = 1";
        let moved = "ifdef A, x = 1, z = 1, y = 1, endif, q = 1";
        let split = "ifdef A, x = 1, endif, ifdef B, y = 1, z = 1, endif, q = 1";
        assert_eq!(both_orders(base, moved, split), [None, None]);
    }
}
