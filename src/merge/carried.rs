//! Lines that somebody rewrote: whether what a side had put into a line is in a new line that stands in
//! for it, and the rest of the line too. Decides from words alone and says no in doubt. Pure.

use std::collections::HashSet;

use super::tokens::{is_significant, tokens};

/// How many new lines before and after may hold what was left out of a line that was broken up.
const BESIDE: usize = 2;

/// What an answer has that no version of its file has.
pub(super) struct NewLines<'t> {
    /// New lines that follow one another.
    runs: Vec<Vec<&'t str>>,
    /// Words of the other files in question that this file does not have.
    foreign: HashSet<Token<'t>>,
}

impl<'t> NewLines<'t> {
    /// Finds the lines of a text that none of the versions has. `others` are the versions of other files
    /// that were answered along with it.
    pub(super) fn of(text: &'t str, versions: &[&str], others: &[&'t str]) -> Self {
        let known: HashSet<&str> = versions
            .iter()
            .flat_map(|version| version.lines())
            .collect();
        let mut runs: Vec<Vec<&str>> = vec![Vec::new()];
        for line in text.lines() {
            if known.contains(line) {
                runs.push(Vec::new());
            } else if let Some(run) = runs.last_mut() {
                run.push(line);
            }
        }
        runs.retain(|run| !run.is_empty());
        let own: HashSet<Token<'_>> = versions.iter().flat_map(|text| said(text)).collect();
        let elsewhere = others.iter().flat_map(|text| said(text));
        Self {
            runs,
            foreign: elsewhere.filter(|token| !own.contains(token)).collect(),
        }
    }

    /// Returns the new line that stands in for `line`, which one side made of `base` while the other
    /// side made `other` of it: all that the side put in is there, in order, and all that the other side
    /// did not take out. A line that only lost words proves nothing.
    pub(super) fn carrier_of(&self, line: &str, base: &str, other: &str) -> Option<&'t str> {
        let original = line;
        let line: Vec<Token<'_>> = said(line);
        let base: Vec<Token<'_>> = said(base);
        let added = without(line.clone(), &base);
        if added.is_empty() {
            return None;
        }
        let taken_out = without(base, &said(other));
        // What the side itself put in stays, even if it looks like what the other side took out.
        let may_turn = turning(&line) + turning(&said(other));
        let kept = without(without(line, &added), &taken_out);
        for run in &self.runs {
            for (at, carrier) in run.iter().enumerate() {
                let words: Vec<Token<'_>> = said(in_effect(carrier, original));
                if !is_within(&added, &words)
                    || words.iter().any(|w| self.foreign.contains(w))
                    || turning(&words) > may_turn
                {
                    continue;
                }
                let near = run.get(at.saturating_sub(BESIDE)..(at + BESIDE + 1).min(run.len()));
                let around: Vec<Token<'_>> = near
                    .unwrap_or_default()
                    .iter()
                    .flat_map(|line| said(in_effect(line, original)))
                    .collect();
                if without(kept.clone(), &without(around, &added)).is_empty() {
                    return Some(carrier);
                }
            }
        }
        None
    }
}

/// What begins a comment somewhere in a line, in one language or another.
const COMMENTS: [&str; 6] = ["//", "#", "-- ", "/*", "<!--", "{-"];
/// What begins a comment at the beginning of a line only.
const COMMENTED_LINES: [&str; 5] = [";", "*", "%", "'", "rem "];

/// The part of a line that does something: what became a comment is not carried by it. What the original
/// line has itself is no sign of a comment.
fn in_effect<'t>(line: &'t str, original: &str) -> &'t str {
    let begins = |text: &str, mark: &str| {
        let start = text.trim_start().get(..mark.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(mark))
    };
    let is_off = |mark: &&&str| begins(line, mark) && !begins(original, mark);
    if COMMENTED_LINES.iter().find(is_off).is_some() {
        return "";
    }
    let marks = COMMENTS.iter().filter(|mark| !original.contains(**mark));
    let end = marks.filter_map(|mark| line.find(mark)).min();
    end.and_then(|end| line.get(..end)).unwrap_or(line)
}

/// A token and whether it stands in quotes: there, it is no longer something that is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Token<'t> {
    token: &'t str,
    is_quoted: bool,
}

/// The tokens of a text that are more than white space. A quote that is not closed in its line quotes the rest
/// of it, unless it is an apostrophe.
fn said(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    for line in text.lines() {
        let tokens = tokens(line);
        let mut open: Option<&str> = None;
        let mut is_escaped = false;
        for (at, token) in tokens.iter().copied().enumerate() {
            let is_quote = QUOTES.contains(&token) && !is_escaped;
            is_escaped = token == "\\" && !is_escaped;
            let closes = open == Some(token) && is_quote;
            if closes {
                open = None;
            }
            if is_significant(token) {
                all.push(Token {
                    token,
                    is_quoted: open.is_some(),
                });
            }
            let later = tokens.get(at + 1..).unwrap_or_default();
            if is_quote && !closes && open.is_none() && (token != "'" || later.contains(&token)) {
                open = Some(token);
            }
        }
    }
    all
}

/// How often a line says the contrary of something, or what is always or never so.
fn turning(words: &[Token<'_>]) -> usize {
    const TURNING: [&str; 9] = [
        "!", "not", "unless", "until", "true", "True", "false", "False", "never",
    ];
    let is_turning = |word: &&Token<'_>| !word.is_quoted && TURNING.contains(&word.token);
    words.iter().filter(is_turning).count()
}

const QUOTES: [&str; 3] = ["\"", "'", "`"];

/// What is left of a list when each entry of another is taken from it once.
fn without<'t>(mut list: Vec<Token<'t>>, other: &[Token<'_>]) -> Vec<Token<'t>> {
    for token in other {
        if let Some(at) = list.iter().position(|known| known == token) {
            list.remove(at);
        }
    }
    list
}

fn is_within(small: &[Token<'_>], large: &[Token<'_>]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|token| rest.any(|other| other == token))
}

#[cfg(test)]
mod tests {
    use super::NewLines;

    fn carrier<'t>(versions: [&str; 3], answer: &'t str) -> [Option<&'t str>; 2] {
        let [base, ours, theirs] = versions;
        let new = NewLines::of(answer, &versions, &[]);
        [
            new.carrier_of(ours, base, theirs),
            new.carrier_of(theirs, base, ours),
        ]
    }

    #[test]
    fn a_line_is_carried_over_when_its_new_words_are() {
        let good = "fn pay(a: u32, b: u8) {";
        let versions = [
            "fn pay(a: u8) {",
            "fn pay(a: u8, b: u8) {",
            "fn pay(a: u32) {",
        ];
        assert_eq!(carrier(versions, good), [Some(good), Some(good)]);
        assert_eq!(carrier(versions, "fn pay(a: u16, b: u8) {")[1], None);
        let lost = ["fn pay(a: u8) {", "fn pay() {", "fn pay(a: u8, b: u8) {"];
        assert_eq!(
            carrier(lost, "fn pay(b: u8) -> u8 {")[0],
            None,
            "only lost words"
        );
    }

    #[test]
    fn a_line_that_says_the_contrary_carries_nothing() {
        let versions = ["if a {", "if a && b {", "if a && c {"];
        for answer in [
            "if !(a && b && c) {",
            "if a && !b && !c {",
            "if a && b && c && false {",
            "if true || a && b && c {",
            "if not (a && b && c) {",
        ] {
            assert_eq!(carrier(versions, answer), [None, None], "{answer}");
        }
        let (versions, answer) = (
            ["if a {", "if a && !b {", "if a && c {"],
            "if a && !b && c {",
        );
        assert_eq!(carrier(versions, answer), [Some(answer), Some(answer)]);
    }

    #[test]
    fn honest_rewritings_are_taken() {
        for (versions, answer) in [
            (
                ["return 1;", "return ours();", "return theirs();"],
                "return both(ours(), theirs());",
            ),
            (
                ["if a {", "if a && b {", "if a && c {"],
                "if a && (b || c) {",
            ),
            (
                ["let port = 80;", "let port = 81;", "let port = 80; // web"],
                "let port = 81; // web",
            ),
            (
                [
                    "#[derive(Debug, Clone)]",
                    "#[derive(Debug, Clone, Eq)]",
                    "#[derive(Clone, Copy, Debug)]",
                ],
                "#[derive(Clone, Copy, Debug, Eq)]",
            ),
            (
                [
                    "let x = f(a).g();",
                    "let x = f(a, b).g();",
                    "let x = f(a).h();",
                ],
                "let x = f(a, b)\n    .h();",
            ),
        ] {
            for carrier in carrier(versions, answer) {
                assert!(carrier.is_some(), "{versions:?} in {answer:?}");
            }
        }
    }

    #[test]
    fn what_came_back_as_a_comment_only_is_not_carried() {
        let versions = ["x = 1", "x = 2", "x = 3"];
        for comment in [
            "# x = 2",
            "// x = 2",
            "-- x = 2",
            "; x = 2",
            "y = 3  # x = 2",
        ] {
            assert_eq!(carrier(versions, comment)[0], None, "{comment}");
        }
        let versions = ["#[derive(A)]", "#[derive(A, B)]", "#[derive(A, C)]"];
        let both = "#[derive(A, B, C)]";
        assert_eq!(carrier(versions, both), [Some(both); 2], "no comment there");
    }

    #[test]
    fn what_came_back_inside_quotes_only_is_not_carried() {
        let versions = ["run(1)", "run(2)", "run(3)"];
        for text in [
            "x = \"run(2) run(3)\"",
            "x = 'run(2) run(3)'",
            "x = `run(2) run(3)`",
            "\" run(2) run(3)",
        ] {
            assert_eq!(carrier(versions, text), [None, None], "{text}");
        }
        let versions = ["log(\"a\")", "log(\"a\", x)", "log(\"a b\")"];
        let both = "log(\"a b\", x)";
        assert_eq!(
            carrier(versions, both),
            [Some(both); 2],
            "a text there, too"
        );
    }

    #[test]
    fn an_answer_for_a_neighbour_that_differs_by_one_token_is_not() {
        for (versions, swapped) in [
            (["x = 1", "x = 2", "x = 3"], "y = 2\ny = 3"),
            (
                ["name = \"a\"", "name = \"a\" + x", "name = \"a\" + y"],
                "name = \"b\" + x + y",
            ),
            (
                ["sum = a + b", "sum = a + b * tax", "sum = a + b * tip"],
                "sum = a - b * tax * tip",
            ),
        ] {
            assert_eq!(carrier(versions, swapped), [None, None], "{swapped}");
        }
    }

    #[test]
    fn a_word_that_only_another_file_has_is_a_sign_of_that_file() {
        let versions = ["call(x)", "call(x, 1)", "call(x, 2)"];
        let answer = "other.call(x, 1, 2)";
        let new = NewLines::of(answer, &versions, &["other.call(x)"]);
        assert_eq!(new.carrier_of(versions[1], versions[0], versions[2]), None);
        assert_eq!(carrier(versions, answer), [Some(answer); 2], "or a new one");
    }
}
