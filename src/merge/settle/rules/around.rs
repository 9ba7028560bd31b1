//! What one side puts around lines that it leaves as they are: `/*` and `*/`, `{{#if}}` and `{{/if}}`, `if` and `end`. What
//! the other side puts in at its beginning or its end stays outside, because there it stood. Pure.

use std::collections::HashMap;

use crate::merge::edits::Edit;
use crate::merge::lines::{has_words, is_blank};
use crate::merge::settle::held::clashes::clash;
use crate::merge::settle::pieces::{Contest, Piece, part};
use crate::merge::settle::reading::leaning::{goes_on_with_it, leans_down};
use crate::merge::settle::reading::pairs::{Closing, MOST_OPEN, could_open};
use crate::merge::settle::reading::text::Text;

/// Before which lines of the base a side has put the beginning and the end of something around others; each with the line
/// before which its other half is.
#[derive(Debug, Default)]
pub(in crate::merge::settle) struct Around {
    begun: HashMap<usize, usize>,
    ended: HashMap<usize, usize>,
}

/// Which of two insertions at one place comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    Ours,
    Theirs,
    /// One of them has to be parted, or both are an end.
    Nobody,
}

/// What an insertion is to the lines around it, with the line of the base before which its other half is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    End(usize),
    Other,
    Beginning(usize),
}

impl Around {
    /// What a side with those edits and lines has put around lines of the base.
    pub(in crate::merge::settle) fn of(edits: &[Edit], side: &[&[u8]]) -> Self {
        let mut around = Self::default();
        // Lines that could begin something, with the line of the base before which they are.
        let mut open: Vec<(usize, &[u8])> = Vec::new();
        for edit in edits.iter().filter(|edit| edit.base.is_empty()) {
            let at = edit.base.start;
            for line in part(side, edit.new.clone()) {
                let closed = Closing::of(line).and_then(|closing| {
                    let last = open.len().saturating_sub(MOST_OPEN);
                    let of_it = |(_, line): &(usize, &[u8])| closing.is_of(line);
                    open.get(last..)?
                        .iter()
                        .rposition(of_it)
                        .map(|it| last + it)
                });
                match closed {
                    Some(begin) => {
                        let from = open.get(begin).map_or(at, |(from, _)| *from);
                        if from < at {
                            around.begun.insert(from, at);
                            around.ended.insert(at, from);
                        }
                        open.truncate(begin);
                    }
                    None if could_open(line) => open.push((at, line)),
                    None => {}
                }
            }
        }
        around
    }

    /// What this side has put in before the line `at`; nothing, if it both ends and begins something there.
    fn part(&self, at: usize) -> Option<Part> {
        match (self.ended.get(&at), self.begun.get(&at)) {
            (Some(_), Some(_)) => None,
            (Some(begun), None) => Some(Part::End(*begun)),
            (None, Some(ended)) => Some(Part::Beginning(*ended)),
            (None, None) => Some(Part::Other),
        }
    }
}

/// Both insertions of a place before the line `at` of the base, if one of them begins or ends something around other lines
/// and it shows in which order they have to stand; contested, if it does not.
pub(in crate::merge::settle) fn outside<'a>(
    contest: &Contest<'a>,
    [ours, theirs]: [&Around; 2],
    file: &Text<'_, '_>,
    at: usize,
) -> Option<Piece<'a>> {
    let is_said = |lines: &[&[u8]]| lines.iter().any(|line| !is_blank(line));
    if !contest.base.is_empty() || !is_said(&contest.ours) || !is_said(&contest.theirs) {
        return None;
    }
    let found = match (ours.part(at), theirs.part(at)) {
        (Some(Part::Other), Some(Part::Other)) => {
            match [&contest.ours, &contest.theirs].map(|lines| ends_one_and_begins_another(lines)) {
                // What the other side put into the block that ends there stays in it.
                [true, false] => First::Theirs,
                [false, true] => First::Ours,
                [true, true] | [false, false] => return None,
            }
        }
        (Some(one), Some(two)) if one == two && contest.ours == contest.theirs => return None,
        // Two ends of two things in the same words: one of them is missing.
        (Some(_), Some(_)) if contest.ours == contest.theirs => First::Nobody,
        (Some(one), Some(two)) => first(contest, one, two)?,
        (Some(_) | None, Some(_) | None) => First::Nobody,
    };
    let lines = match found {
        First::Nobody => None,
        First::Ours => Some([contest.ours.as_slice(), &contest.theirs].concat()),
        First::Theirs => Some([contest.theirs.as_slice(), &contest.ours].concat()),
    };
    let is_twice = clash(&contest.ours, &contest.theirs, file, at);
    let settled = lines.filter(|_| !is_twice && !share_more_than_ends(contest));
    Some(settled.map_or_else(|| Piece::Contested(contest.clone()), Piece::Settled))
}

/// Which of two insertions comes first, of which one at least is a beginning or an end; nothing, where others know better.
fn first(contest: &Contest<'_>, one: Part, two: Part) -> Option<First> {
    // What belongs to the line below goes where that goes, and what goes on with the line above is not parted from it.
    let is_bound = |lines: &[&[u8]], beside: Part| match beside {
        Part::Beginning(_) => leans_down(lines),
        Part::End(_) => goes_on_with_it(lines),
        Part::Other => false,
    };
    let bound = match (one, two) {
        (Part::Other, _) if is_bound(&contest.ours, two) => Some(two),
        (_, Part::Other) if is_bound(&contest.theirs, one) => Some(one),
        (_, _) => None,
    };
    match bound {
        Some(Part::Beginning(_) | Part::Other) => return None,
        Some(Part::End(_)) => return Some(First::Nobody),
        None => {}
    }
    let is_ours = match (one, two) {
        // The inner one ends before the outer one, and begins after it.
        (Part::End(one), Part::End(two)) | (Part::Beginning(one), Part::Beginning(two)) => {
            if one == two {
                return Some(First::Nobody);
            }
            one > two
        }
        (Part::End(_), _) | (_, Part::Beginning(_)) => true,
        (_, Part::End(_)) | (Part::Beginning(_), _) => false,
        (Part::Other, Part::Other) => return None,
    };
    Some(if is_ours { First::Ours } else { First::Theirs })
}

/// Tells whether lines end what has begun above them and begin another one in its place, which ends below them: a whole
/// block that was put in, read from its middle.
fn ends_one_and_begins_another(lines: &[&[u8]]) -> bool {
    let mut open: Vec<&[u8]> = Vec::new();
    let mut ended = None;
    for line in lines {
        let Some(closing) = Closing::of(line) else {
            if could_open(line) && open.len() < MOST_OPEN {
                open.push(line);
            }
            continue;
        };
        match open.iter().rposition(|line| closing.is_of(line)) {
            Some(begin) => open.truncate(begin),
            None if matches!(closing, Closing::Name(_)) => ended = ended.or(Some(closing)),
            None => {}
        }
    }
    ended.is_some_and(|closing| open.iter().any(|line| closing.is_of(line)))
}

/// Tells whether both say the same beside what only ends something.
fn share_more_than_ends(contest: &Contest<'_>) -> bool {
    let says = |line: &&&[u8]| has_words(line) && Closing::of(line).is_none();
    contest
        .ours
        .iter()
        .filter(says)
        .any(|line| contest.theirs.contains(line))
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    const WRAPS: [[&str; 2]; 44] = [
        ["/*", "*/"],
        ["<!--", "-->"],
        ["{#", "#}"],
        ["{-", "-}"],
        ["=begin", "=end"],
        ["=pod", "=cut"],
        ["x = `", "`;"],
        ["cat <<EOF", "EOF"],
        ["```sh", "```"],
        ["x = \"\"\"", "\"\"\""],
        [":::note", ":::"],
        ["if x", "end"],
        ["if x then", "end"],
        ["if x do", "end"],
        ["list.each do |it|", "end"],
        ["if x then", "end if;"],
        ["IF X", "END-IF"],
        ["If x Then", "End If"],
        ["for i in 1..3 loop", "end loop;"],
        ["begin", "end;"],
        ["if x", "endif"],
        ["if x; then", "fi"],
        ["while x; do", "done"],
        ["case x in", "esac"],
        ["<% if x %>", "<% end %>"],
        ["<%= form do |f| %>", "<% end %>"],
        ["{{#if x}}", "{{/if}}"],
        ["{{#x}}", "{{/x}}"],
        ["{{- if .Values.x }}", "{{- end }}"],
        ["{#if x}", "{/if}"],
        ["{% unless x %}", "{% endunless %}"],
        ["<#if x>", "</#if>"],
        ["% if x:", "% endif"],
        ["%{ if x }", "%{ endif }"],
        ["@auth", "@endauth"],
        ["@if($x)", "@endif"],
        ["<?php if ($x): ?>", "<?php endif ?>"],
        ["<div v-if=\"x\">", "</div>"],
        ["<IfModule x>", "</IfModule>"],
        ["`ifdef X", "`endif"],
        ["!ifdef X", "!endif"],
        [".if X", ".endif"],
        ["-ifdef(X).", "-endif."],
        ["\\begin{x}", "\\end{x}"],
    ];

    #[test]
    fn what_one_side_puts_beside_what_the_other_put_around_lines_stays_outside() {
        for [open, close] in WRAPS {
            let base = "aaa, bbb, ddd";
            let around = format!("{open}, aaa, {close}, bbb, ddd");
            let below = "aaa, nnn, bbb, ddd";
            let expected = format!("{open}, aaa, {close}, nnn, bbb, ddd");
            for found in [settled(base, &around, below), settled(base, below, &around)] {
                assert_eq!(found.as_ref(), Some(&expected));
            }
            let around = format!("aaa, {open}, bbb, {close}, ddd");
            let expected = format!("aaa, nnn, {open}, bbb, {close}, ddd");
            for found in [settled(base, &around, below), settled(base, below, &around)] {
                assert_eq!(found.as_ref(), Some(&expected));
            }
            let (one, two) = (
                format!("{open}, aaa, {close}, bbb, ddd"),
                format!("aaa, {open}, bbb, {close}, ddd"),
            );
            let expected = format!("{open}, aaa, {close}, {open}, bbb, {close}, ddd");
            for found in [settled(base, &one, &two), settled(base, &two, &one)] {
                assert!(found.is_none_or(|text| text == expected), "{open}");
            }
        }
    }

    #[test]
    fn what_both_sides_put_around_lines_is_one_inside_of_the_other() {
        let (one, two) = ("if x, a, b, end, c", "a, if y, b, end, c");
        // Of two ends in the same words one would be missing.
        for found in [settled("a, b, c", one, two), settled("a, b, c", two, one)] {
            assert_eq!(found, None);
        }
        let (one, two) = ("if x, a, b, end # x, c", "a, if y, b, end # y, c");
        let expected = "if x, a, if y, b, end # y, end # x, c";
        for found in [settled("a, b, c", one, two), settled("a, b, c", two, one)] {
            assert!(found.is_none_or(|text| text == expected));
        }
        let (one, two) = ("if x, a, end, b, c", "if y, a, b, end, c");
        for found in [settled("a, b, c", one, two), settled("a, b, c", two, one)] {
            assert!(found.is_none_or(|text| text == "if y, if x, a, end, b, end, c"));
        }
        let (one, two) = ("if x, a, end, b", "if y, a, end, b");
        assert_eq!(settled("a, b", one, two), None);
    }

    #[test]
    fn what_one_side_puts_into_a_block_is_not_in_the_like_of_it_that_the_other_puts_below() {
        for [open, close] in [
            ["BEGIN:VEVENT", "END:VEVENT"],
            ["<div>", "</div>"],
            ["{{#x}}", "{{/x}}"],
        ] {
            let block = |lines: &str| format!("{open}, {lines}, {close}");
            let base = format!("{}, zzz", block("aaa one"));
            let ours = [block("aaa one, nnn two, mmm three"), block("bbb four")].join(", ");
            let (ours, theirs) = (
                format!("{ours}, zzz"),
                format!("{}, zzz", block("aaa one, qqq five")),
            );
            for found in [
                settled(&base, &ours, &theirs),
                settled(&base, &theirs, &ours),
            ] {
                let Some(text) = found else { continue };
                let (first, rest) = text.split_once(close).unwrap();
                assert!(first.contains("qqq five"), "{text}");
                assert_eq!(rest.matches("bbb four").count(), 1, "{text}");
            }
        }
    }

    #[test]
    fn what_belongs_to_a_line_goes_where_that_line_goes() {
        let (wrapped, more) = ("a, #ifdef X, b, #endif, c", "a, @cached, b, c");
        let expected = "a, #ifdef X, @cached, b, #endif, c";
        for found in [
            settled("a, b, c", wrapped, more),
            settled("a, b, c", more, wrapped),
        ] {
            assert!(found.is_none_or(|text| text == expected));
        }
        let (wrapped, more) = ("if x, a, end, b", "a, .then(c), b");
        assert_eq!(settled("a, b", wrapped, more), None);
    }
}
