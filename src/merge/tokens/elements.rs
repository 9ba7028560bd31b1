//! The elements of a line, and those that are one of two by a condition. Pure.

use crate::merge::operators::Kind;

use super::words::is_significant;

/// The branch that decides which other one counts, and the only one where nothing is chosen.
pub(super) const CONDITION: usize = 0;

/// For each token, and the end: which element of the line it is in. Brackets hold elements of their own; commas,
/// semicolons, assignments and arrows stand between two.
pub(super) fn elements(tokens: &[&str]) -> Vec<usize> {
    // Braces hold what a condition leads to, if both ways are on this line.
    let mut words = tokens.iter();
    let is_chosen = words.any(|token| *token == "if") && words.any(|token| *token == "else");
    let mut all = Vec::new();
    let mut open = Vec::new();
    let (mut here, mut last) = (0, 0);
    for (at, token) in tokens.iter().enumerate() {
        let is = |at: Option<usize>, signs: &str| {
            let token = at.and_then(|at| tokens.get(at));
            token.is_some_and(|token| signs.contains(token))
        };
        let before = at.checked_sub(1);
        let is_assignment = *token == "=" && !is(before, "=!<>~") && !is(Some(at + 1), "=~");
        let is_arrow = *token == ">" && is(before, "=-");
        all.push(here);
        match *token {
            "{" | "}" if is_chosen => {}
            "(" | "[" | "{" => {
                open.push(here);
                last += 1;
                here = last;
            }
            ")" | "]" | "}" => here = open.pop().unwrap_or(here),
            token if token == "," || token == ";" || is_assignment || is_arrow => {
                last += 1;
                here = last;
            }
            _other => {}
        }
    }
    all.push(here);
    all
}

/// How one of two is chosen by a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// `a ? b : c`
    Signs,
    /// `b if a else c`
    Words,
    /// `if a { b } else { c }`
    Braces,
}

impl Choice {
    /// The branch that begins after a token, if one does.
    pub(super) fn turn(self, token: &str, kind: Option<Kind>, branch: usize) -> Option<usize> {
        match (self, token) {
            (Self::Signs, _) if kind == Some(Kind::Choice) => Some(branch + 1),
            (Self::Signs, ":") if branch != CONDITION => Some(branch + 1),
            (Self::Words, "if") => Some(CONDITION),
            (Self::Braces, "{") => Some(branch + 1),
            (Self::Words, "else") => Some(2),
            (Self::Signs | Self::Words | Self::Braces, _) => None,
        }
    }
}

/// The choice that an element with some tokens is, if it is one.
pub(super) fn choice(
    tokens: &[&str],
    operators: &[Option<Kind>],
    of_it: &[usize],
) -> Option<Choice> {
    let is_sign = |at: &usize| operators.get(*at) == Some(&Some(Kind::Choice));
    if of_it.iter().any(is_sign) {
        return Some(Choice::Signs);
    }
    let words = of_it.iter().filter_map(|at| tokens.get(*at));
    let mut words = words.filter(|token| is_significant(token));
    let begins = words.next() == Some(&"if");
    if begins {
        let has_other = words.any(|token| *token == "else");
        return has_other.then_some(Choice::Braces);
    }
    let is_chosen = words.any(|token| *token == "if") && words.any(|token| *token == "else");
    is_chosen.then_some(Choice::Words)
}
