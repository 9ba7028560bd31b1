//! Which of two insertions at one place stands first, where what they say tells nothing: one that its side may have put
//! around lines, with another one at their other end, stays next to these. So does one that is nothing but lines of the same
//! side's that were deeper or less deep before. Pure.

use std::collections::{HashMap, HashSet};

use crate::merge::edits::Edit;
use crate::merge::lines::{are_level, has_words, is_blank};
use crate::merge::settle::pieces::{Contest, part};
use crate::merge::settle::reading::leaning::{goes_on_with_it, leans_down};

/// How one side's insertions stand to the lines that it left.
#[derive(Debug, Default)]
pub(in crate::merge::settle) struct Stretches {
    /// Before which lines of the base something begins, with the line before which it ends.
    begun: HashMap<usize, (usize, Kin)>,
    /// The other way round.
    ended: HashMap<usize, (usize, Kin)>,
    /// Before which lines of the base the side has put lines that it took away above, or below, at another depth.
    from_above: HashSet<usize>,
    from_below: HashSet<usize>,
}

/// What shows that two insertions belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kin {
    /// Words that mean the opposite: `on` and `off`.
    Opposites,
    /// Most words of the lower one are said by the upper one, too.
    Words,
    /// Nothing but where they are.
    Place,
}

/// Which insertion stands first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::merge::settle) struct First {
    pub(in crate::merge::settle) is_ours: bool,
    pub(in crate::merge::settle) why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::merge::settle) enum Why {
    /// Nothing else would tell, and nothing speaks against it.
    Likely,
    /// Whoever says otherwise has to be asked.
    Said,
    /// Whatever else is said.
    Sure,
}

/// What an insertion is to the lines around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    End(usize, Kin),
    Beginning(usize, Kin),
    Other,
}

impl Stretches {
    /// Of a side with those edits and lines.
    pub(in crate::merge::settle) fn of(edits: &[Edit], base: &[&[u8]], side: &[&[u8]]) -> Self {
        let mut stretches = Self::default();
        let mut pairs: Vec<Option<(Kin, usize)>> = Vec::new();
        for pair in edits.windows(2) {
            let [one, two] = pair else { continue };
            let between = part(base, one.base.end..two.base.start);
            let is_said = between.iter().any(|line| !is_blank(line));
            let is_pair = one.base.is_empty() && two.base.is_empty() && is_said;
            let [upper, lower] = [one, two].map(|edit| part(side, edit.new.clone()));
            let found = kin(upper, lower).filter(|_| is_pair && are_level(between));
            pairs.push(found.map(|kin| (kin, between.len())));
            if !between.iter().any(|line| has_words(line)) {
                let gone = |edit: &Edit| part(base, edit.base.clone());
                if two.base.is_empty() && are_moved(lower, gone(one)) {
                    stretches.from_above.insert(two.base.start);
                }
                if one.base.is_empty() && are_moved(upper, gone(two)) {
                    stretches.from_below.insert(one.base.start);
                }
            }
        }
        let known = |at: Option<usize>| at.and_then(|at| pairs.get(at).copied().flatten());
        for (at, pair) in edits.windows(2).enumerate() {
            let ([one, two], Some(found)) = (pair, known(Some(at))) else {
                continue;
            };
            // Each of the two is no nearer to another one.
            let is_nearest = [at.checked_sub(1), Some(at + 1)]
                .into_iter()
                .all(|other| known(other).is_none_or(|other| found < other));
            if is_nearest {
                let (begin, end) = (one.base.start, two.base.start);
                stretches.begun.insert(begin, (end, found.0));
                stretches.ended.insert(end, (begin, found.0));
            }
        }
        stretches
    }

    fn part(&self, at: usize) -> Part {
        match (self.ended.get(&at), self.begun.get(&at)) {
            (Some((begun, kin)), None) => Part::End(*begun, *kin),
            (None, Some((ended, kin))) => Part::Beginning(*ended, *kin),
            (Some(_), Some(_)) | (None, None) => Part::Other,
        }
    }
}

/// Which insertion of a place before the line `at` of the base stands first, if anything tells.
pub(in crate::merge::settle) fn nearest(
    contest: &Contest<'_>,
    [ours, theirs]: [&Stretches; 2],
    at: usize,
) -> Option<First> {
    let is_said = |lines: &[&[u8]]| lines.iter().any(|line| !is_blank(line));
    if !contest.base.is_empty() || !is_said(&contest.ours) || !is_said(&contest.theirs) {
        return None;
    }
    let from = |side: &Stretches| (side.from_above.contains(&at), side.from_below.contains(&at));
    let moved = match (from(ours), from(theirs)) {
        ((true, false), (false, _)) | ((false, false), (false, true)) => Some(true),
        ((false, _), (true, false)) | ((false, true), (false, false)) => Some(false),
        (_, _) => None,
    };
    if let Some(is_ours) = moved {
        return Some(First {
            is_ours,
            why: Why::Said,
        });
    }
    let (one, two) = (ours.part(at), theirs.part(at));
    // What belongs to a line goes where that goes.
    let bound = match (one, two) {
        (Part::Other, Part::Beginning(..)) => leans_down(&contest.ours),
        (Part::Beginning(..), Part::Other) => leans_down(&contest.theirs),
        (Part::Other, Part::End(..)) => goes_on_with_it(&contest.ours),
        (Part::End(..), Part::Other) => goes_on_with_it(&contest.theirs),
        (_, _) => false,
    };
    let (is_ours, kin) = match (one, two) {
        (_, _) if bound => return None,
        (Part::Other, Part::Other) => return None,
        // The inner one ends before the outer one, and begins after it.
        (Part::End(one, _), Part::End(two, _))
        | (Part::Beginning(one, _), Part::Beginning(two, _)) => {
            (one != two).then_some((one > two, Kin::Place))?
        }
        (Part::End(_, one), Part::Beginning(_, two)) => (true, one.max(two)),
        (Part::Beginning(_, one), Part::End(_, two)) => (false, one.max(two)),
        (Part::End(_, kin), Part::Other) | (Part::Other, Part::Beginning(_, kin)) => (true, kin),
        (Part::Beginning(_, kin), Part::Other) | (Part::Other, Part::End(_, kin)) => (false, kin),
    };
    let why = match kin {
        Kin::Opposites => Why::Sure,
        Kin::Words => Why::Said,
        Kin::Place => Why::Likely,
    };
    Some(First { is_ours, why })
}

/// Tells whether some lines are nothing but such as are gone, at another depth.
fn are_moved(lines: &[&[u8]], gone: &[&[u8]]) -> bool {
    let mut gone = gone.iter();
    let mut said = lines.iter().filter(|line| !is_blank(line));
    let is_moved =
        |line: &&[u8]| gone.any(|old| old != line && old.trim_ascii() == line.trim_ascii());
    lines.iter().any(|line| has_words(line)) && said.all(is_moved)
}

/// Words of which the first begins what the second ends, or the other way round.
const OPPOSITES: [(&str, &str); 16] = [
    ("on", "off"),
    ("begin", "end"),
    ("begin", "commit"),
    ("start", "end"),
    ("start", "stop"),
    ("open", "close"),
    ("push", "pop"),
    ("enable", "disable"),
    ("disable", "restore"),
    ("save", "restore"),
    ("enter", "leave"),
    ("lock", "unlock"),
    ("acquire", "release"),
    ("region", "endregion"),
    ("group", "endgroup"),
    ("setup", "teardown"),
];

/// Words that only end something.
const ENDS: [&str; 4] = ["end", "fi", "done", "esac"];

/// Lines of more words than that are sentences, which say `on` and `end` for other reasons.
const MOST_WORDS: usize = 8;
/// Most words of a line that may end something although none of them says so: `Next`, `Loop`, `.trim()`.
const MOST_WORDS_OF_AN_END: usize = 2;

/// What shows that `upper` and `lower` are the two ends of something around the lines between them.
fn kin(upper: &[&[u8]], lower: &[&[u8]]) -> Option<Kin> {
    let last = upper.iter().rfind(|line| !is_blank(line))?;
    let end = lower.iter().find(|line| !is_blank(line))?;
    let [last, first] = [last, end].map(|line| words(line));
    // A line of nothing but marks ends what others of them have begun.
    if first.is_empty() {
        let is_mark = share_a_mark(upper, lower);
        return Some(if is_mark { Kin::Opposites } else { Kin::Place });
    }
    if last.len().max(first.len()) > MOST_WORDS {
        return None;
    }
    let is_end = |word: &String| ENDS.contains(&word.as_str());
    let is_alike = first.first() == last.first();
    // `end if`, and `augroup END` for `augroup x`.
    if first.first().is_some_and(is_end) || is_alike && first.iter().any(is_end) {
        return Some(Kin::Opposites);
    }
    let mut opposites = OPPOSITES
        .iter()
        .flat_map(|(one, two)| [(one, two), (two, one)]);
    let says = |words: &[String], word: &str| words.iter().any(|it| it == word);
    if opposites.any(|(one, two)| says(&last, one) && says(&first, two)) {
        return Some(Kin::Opposites);
    }
    let shared = first.iter().filter(|word| says(&last, word)).count();
    // Two of the same kind are entries of a list: `mod a;` and `mod b;`. Only signs tell `set +e` and `set -e` apart.
    if shared == first.len() || shared > first.len() / 2 && !is_alike {
        return Some(Kin::Words);
    }
    let is_entry = end.trim_ascii_end().ends_with(b",") || is_alike;
    let is_short = lower.iter().filter(|line| !is_blank(line)).count() == 1
        && first.len() <= MOST_WORDS_OF_AN_END;
    (is_short && !is_entry).then_some(Kin::Place)
}

fn share_a_mark(upper: &[&[u8]], lower: &[&[u8]]) -> bool {
    let last = upper.iter().rfind(|line| !is_blank(line));
    let mut said = lower.iter().filter(|line| !is_blank(line));
    let marks = said.next().filter(|_| said.next().is_none());
    let is_mark = |byte: &&u8| byte.is_ascii_punctuation();
    last.zip(marks)
        .is_some_and(|(last, marks)| marks.iter().filter(is_mark).any(|byte| last.contains(byte)))
}

/// The words of a line in small letters, also those of a name in several: `StatementBegin`.
fn words(line: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(line);
    let mut words: Vec<String> = Vec::new();
    let mut is_open = false;
    let mut was_small = false;
    for c in text.chars() {
        if !c.is_alphanumeric() {
            is_open = false;
        } else {
            let begins = !is_open || was_small && c.is_uppercase();
            let small = c.to_lowercase();
            match words.last_mut().filter(|_| !begins) {
                Some(word) => word.extend(small),
                None => words.push(small.collect()),
            }
            is_open = true;
        }
        was_small = c.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    fn both_orders(base: &str, one: &str, two: &str) -> [Option<String>; 2] {
        [settled(base, one, two), settled(base, two, one)]
    }

    #[test]
    fn what_is_put_beside_lines_that_may_have_got_something_around_them_stays_outside() {
        for [open, close] in [
            ["BEGIN;", "COMMIT;"],
            ["\\begin{tabular}{ll}", "\\end{tabular}"],
            ["cat <<eof", "eof"],
            ["x = `SELECT", "`.trim();"],
            ["set +e", "set -e"],
            ["// region A", "// endregion"],
            ["# fmt: off", "# fmt: on"],
            ["/* eslint-disable */", "/* eslint-enable */"],
            ["For Each i In xs", "Next"],
            ["q.lock()", "q.unlock()"],
            ["(*", "*)"],
            ["###", "###"],
            ["[% IF x %]", "[% END %]"],
            ["augroup x", "augroup END"],
        ] {
            let (base, more) = ("a, b, c, d", "a, b, new, c, d");
            let wrapped = format!("a, {open}, b, {close}, c, d");
            let expected = format!("a, {open}, b, {close}, new, c, d");
            for found in both_orders(base, &wrapped, more) {
                assert_eq!(found.as_ref(), Some(&expected));
            }
            let wrapped = format!("a, b, {open}, c, {close}, d");
            let expected = format!("a, b, new, {open}, c, {close}, d");
            for found in both_orders(base, &wrapped, more) {
                assert_eq!(found.as_ref(), Some(&expected));
            }
        }
    }

    #[test]
    fn two_entries_of_one_side_are_not_put_around_what_stands_between_them() {
        for [one, two] in [
            ["fail: bool,", "fail: false,"],
            ["mod one;", "mod two;"],
            [
                "- What is on is said.",
                "- What is off is said at the end of all that is.",
            ],
            ["x(a);", "y(b, c);"],
        ] {
            let (base, more) = ("a, b, c, d", "a, new of theirs;, b, c, d");
            let ours = format!("a, {one}, b, {two}, c, d");
            let expected = format!("a, {one}, new of theirs;, b, {two}, c, d");
            assert_eq!(settled(base, &ours, more), Some(expected), "{one}");
        }
    }

    #[test]
    fn what_belongs_to_a_line_stays_with_it_whatever_is_put_around() {
        let (base, wrapped) = ("a, b, c", "a, BEGIN;, b, COMMIT;, c");
        for found in both_orders(base, wrapped, "a, # about b, b, c") {
            assert_eq!(
                found.as_deref(),
                Some("a, BEGIN;, # about b, b, COMMIT;, c")
            );
        }
    }

    #[test]
    fn lines_that_are_less_deep_now_are_not_parted_from_those_above() {
        let base = "if b {,   if c {,     x();,   },   s7();,   s8();, }, s9();";
        let flat = "if c {,   x();, }, s7();, s8();, s9();";
        let more = format!(
            "{}, if n {{,   m();, }}, s9();",
            base.replace(", s9();", "")
        );
        let expected = "if c {,   x();, }, s7();, s8();, if n {,   m();, }, s9();";
        for found in both_orders(base, flat, &more) {
            assert_eq!(found.as_deref(), Some(expected));
        }
    }
}
