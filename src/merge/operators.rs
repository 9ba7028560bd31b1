//! Operators that two sides put into one expression. Each side has read its own version of the whole: where one adds `||`
//! and the other `&&` or `!`, what binds to what in the woven line is what neither wrote. Pure.

use super::edits::Edit;
use super::lines::is_blank;
use super::tokens::tokens;

/// Kinds of operators; those of one kind may follow each other in any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    And,
    Or,
    Not,
    Coalesce,
    Choice,
    Compare,
    Sum,
    Product,
    Bits,
    Shift,
    /// Half of a pair of brackets: it holds together what stands there.
    Bracket,
}

/// What a side did to the operators of one expression of the base.
struct Change {
    expression: usize,
    kinds: Vec<Kind>,
}

/// Tells whether both sides changed operators of one expression, and not only one kind of them.
pub(super) fn are_mixed(
    base: &[&str],
    ours: (&[&str], &[Edit]),
    theirs: (&[&str], &[Edit]),
) -> bool {
    let [mine, other] = [ours, theirs].map(|side| changes(base, side));
    mine.iter().any(|one| {
        let same = other.iter().filter(|it| it.expression == one.expression);
        let mut kinds = same.flat_map(|it| &it.kinds);
        kinds.any(|kind| one.kinds.iter().any(|mine| mine != kind))
    })
}

/// Tells whether lines of two sides go on with one condition in two ways, as one line with `&&` and one with `||` do.
pub(super) fn go_on_otherwise(ours: &[&[u8]], theirs: &[&[u8]]) -> bool {
    let kinds =
        |lines: &[&[u8]]| -> Vec<Kind> { lines.iter().filter_map(|line| joins(line)).collect() };
    let other = kinds(theirs);
    let mut mine = kinds(ours).into_iter();
    mine.any(|kind| other.iter().any(|other| *other != kind))
}

/// Tells whether two neighbouring parts of a text are of one condition, and what each became, the old and the new lines,
/// has other operators than the other part: nobody has read what binds to what then.
pub(super) fn are_mixed_across(upper: [&[&[u8]]; 2], lower: [&[&[u8]]; 2]) -> bool {
    let said = |line: &&&[u8]| !is_blank(line);
    let goes_on = |lines: &[&[u8]]| lines.iter().rev().find(said).is_some_and(|it| joins_on(it));
    let is_more = |lines: &[&[u8]]| {
        let first = lines.iter().find(said);
        first.is_some_and(|line| joins(line).is_some())
    };
    if !upper.into_iter().any(goes_on) && !lower.into_iter().any(is_more) {
        return false;
    }
    let kinds = |[old, new]: [&[&[u8]]; 2]| {
        let [old, new] = [old, new].map(joining);
        [more(&new, &old), more(&old, &new)].concat()
    };
    let other = kinds(lower);
    let mut mine = kinds(upper).into_iter();
    mine.any(|kind| other.iter().any(|other| *other != kind))
}

/// The operators that join conditions in some lines of one, in no brackets.
fn joining(lines: &[&[u8]]) -> Vec<Kind> {
    let lines = lines
        .iter()
        .filter_map(|line| std::str::from_utf8(line).ok());
    let kinds = lines.flat_map(|line| {
        let tokens = tokens(line);
        outer(&tokens, &operators(&tokens, true), 0..tokens.len())
    });
    kinds
        .filter(|kind| matches!(kind, Kind::And | Kind::Or | Kind::Coalesce | Kind::Choice))
        .collect()
}

/// Tells whether a line ends with an operator, as what follows is the other half.
fn joins_on(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let last = text.trim_end_matches('\\').split_whitespace().next_back();
    last.is_some_and(|word| join(word).is_some())
}

/// How a line goes on with the condition above it.
fn joins(line: &[u8]) -> Option<Kind> {
    let text = std::str::from_utf8(line).ok()?;
    join(text.split_whitespace().next()?)
}

fn join(word: &str) -> Option<Kind> {
    match word {
        "&&" | "and" | "AND" => Some(Kind::And),
        "||" | "or" | "OR" => Some(Kind::Or),
        "??" => Some(Kind::Coalesce),
        _other => None,
    }
}

fn changes(base: &[&str], (side, edits): (&[&str], &[Edit])) -> Vec<Change> {
    let expressions = expressions(base);
    let [old_operators, new_operators] = [base, side].map(|it| operators(it, is_code(it)));
    let mut changes = Vec::new();
    for edit in edits {
        let old = outer(base, &old_operators, edit.base.clone());
        let new = outer(side, &new_operators, edit.new.clone());
        let kinds = [more(&new, &old), more(&old, &new)].concat();
        let expression = expressions.get(edit.base.start);
        if let Some(expression) = expression.filter(|_| !kinds.is_empty()) {
            changes.push(Change {
                expression: *expression,
                kinds,
            });
        }
    }
    changes
}

/// What one has more of than the other.
fn more(one: &[Kind], two: &[Kind]) -> Vec<Kind> {
    let mut left = two.to_vec();
    let is_more = |kind: &&Kind| match left.iter().position(|it| it == *kind) {
        Some(at) => {
            left.remove(at);
            false
        }
        None => true,
    };
    one.iter().filter(is_more).copied().collect()
}

/// The operators of a part of a line that are in no brackets that the part opens; and those halves of brackets whose other
/// half is elsewhere.
pub(super) fn outer(
    tokens: &[&str],
    operators: &[Option<Kind>],
    part: std::ops::Range<usize>,
) -> Vec<Kind> {
    let mut kinds = Vec::new();
    let mut open = Vec::new();
    for at in part {
        match tokens.get(at).copied() {
            Some("(" | "[" | "{") => open.push(kinds.len()),
            Some(")" | "]" | "}") => match open.pop() {
                Some(length) => kinds.truncate(length),
                None => kinds.push(Kind::Bracket),
            },
            Some(_) | None => kinds.extend(operators.get(at).copied().flatten()),
        }
    }
    kinds.extend(open.iter().map(|_| Kind::Bracket));
    kinds
}

/// For each token, and the end: which expression it is in. Brackets hold expressions of their own, and commas, semicolons
/// and assignments stand between two.
fn expressions(tokens: &[&str]) -> Vec<usize> {
    let mut all = Vec::new();
    let mut open = Vec::new();
    let (mut here, mut last) = (0, 0);
    // In a condition of SQL, the same sign compares.
    let is_condition = begins_condition(tokens);
    for (at, token) in tokens.iter().enumerate() {
        let is = |at: Option<usize>, signs: &str| {
            let token = at.and_then(|at| tokens.get(at));
            token.is_some_and(|token| signs.contains(token))
        };
        let is_assignment = !is_condition
            && *token == "="
            && !is(at.checked_sub(1), "=!<>~")
            && !is(Some(at + 1), "=~");
        match *token {
            "(" | "[" | "{" => {
                all.push(here);
                open.push(here);
                last += 1;
                here = last;
            }
            ")" | "]" | "}" => {
                all.push(here);
                here = open.pop().unwrap_or(here);
            }
            token => {
                all.push(here);
                if token == "," || token == ";" || is_assignment {
                    last += 1;
                    here = last;
                }
            }
        }
    }
    all.push(here);
    all
}

/// For each token the operator that begins with it. What stands in quotes is no operator.
pub(super) fn operators(tokens: &[&str], is_code: bool) -> Vec<Option<Kind>> {
    let mut all = vec![None; tokens.len()];
    let mut quote: Option<&str> = None;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let mut length = 1;
        match (quote, *token) {
            (Some(open), token) if open == token => quote = None,
            (Some(_), _) => {}
            (None, "\"" | "'" | "`") => quote = Some(token),
            (None, _) => {
                let found = operator(tokens, at, is_code);
                if let (Some((kind, tokens)), Some(place)) = (found, all.get_mut(at)) {
                    *place = Some(kind);
                    length = tokens;
                }
            }
        }
        at += length;
    }
    all
}

/// The operator that begins here, and how many tokens it has.
fn operator(tokens: &[&str], at: usize, is_code: bool) -> Option<(Kind, usize)> {
    let get = |at: usize| tokens.get(at).copied().unwrap_or(" ");
    let is_space = |token: &str| token.chars().all(char::is_whitespace);
    let before = at.checked_sub(1).map_or(" ", get);
    let stands_alone = |length: usize| is_space(before) && is_space(get(at + length));
    let one = get(at);
    match one {
        "and" | "AND" if is_code => Some((Kind::And, 1)),
        "or" | "OR" if is_code => Some((Kind::Or, 1)),
        "not" | "NOT" if is_code => Some((Kind::Not, 1)),
        "&" if get(at + 1) == "&" => Some((Kind::And, 2)),
        "|" if get(at + 1) == "|" => Some((Kind::Or, 2)),
        "?" if get(at + 1) == "?" => Some((Kind::Coalesce, 2)),
        "?" if stands_alone(1) => Some((Kind::Choice, 1)),
        "=" if get(at + 1) == "=" => Some((Kind::Compare, if get(at + 2) == "=" { 3 } else { 2 })),
        "!" if get(at + 1) == "=" => Some((Kind::Compare, if get(at + 2) == "=" { 3 } else { 2 })),
        "!" if !before.ends_with(|c: char| c.is_alphanumeric() || c == '_') => Some((Kind::Not, 1)),
        "<" | ">" if get(at + 1) == one && stands_alone(2) => Some((Kind::Shift, 2)),
        "<" | ">" if get(at + 1) == "=" && stands_alone(2) => Some((Kind::Compare, 2)),
        "<" | ">" if stands_alone(1) => Some((Kind::Compare, 1)),
        "+" | "-" if stands_alone(1) && has_left(tokens, at) => Some((Kind::Sum, 1)),
        "*" if get(at + 1) == "*" && stands_alone(2) && has_left(tokens, at) => {
            Some((Kind::Product, 2))
        }
        "*" | "/" | "%" if stands_alone(1) && has_left(tokens, at) => Some((Kind::Product, 1)),
        "&" | "|" | "^" if stands_alone(1) && is_code => Some((Kind::Bits, 1)),
        _other => None,
    }
}

/// Something stands before: at the beginning of a line, the same sign is the mark of an item.
fn has_left(tokens: &[&str], at: usize) -> bool {
    let before = tokens.get(..at).unwrap_or_default();
    before
        .iter()
        .any(|token| !token.chars().all(char::is_whitespace))
}

/// Words that begin a statement in which `and` joins conditions.
const BEFORE_CONDITIONS: [&str; 12] = [
    "if", "elif", "elsif", "while", "until", "unless", "return", "assert", "where", "WHERE", "AND",
    "OR",
];

pub(super) fn begins_condition(tokens: &[&str]) -> bool {
    let mut said = tokens
        .iter()
        .filter(|token| !token.chars().all(char::is_whitespace));
    said.next()
        .is_some_and(|first| BEFORE_CONDITIONS.contains(first))
}

/// In prose, `and` is no operator, and a bar stands between the cells of a table.
pub(super) fn is_code(tokens: &[&str]) -> bool {
    let mut said = tokens
        .iter()
        .filter(|token| !token.chars().all(char::is_whitespace));
    let (first, last) = (said.clone().next(), said.clone().next_back());
    let begins = begins_condition(tokens);
    let is_row = first == Some(&"|");
    let ends = last.is_some_and(|last| ["{", ";", "("].contains(last));
    !is_row && (begins || ends || said.any(|token| ["=", "<", ">"].contains(token)))
}

#[cfg(test)]
mod tests {
    use crate::merge::tokens::tested::woven;

    #[test]
    fn operators_of_two_kinds_in_one_expression_are_not_woven() {
        for (base, ours, theirs) in [
            (
                "  if (isOwner(u) && active) {",
                "  if (isOwner(u) && active || isStaff(u)) {",
                "  if (!locked && isOwner(u) && active) {",
            ),
            (
                "return owner and active",
                "return owner and active or staff",
                "return not locked and owner and active",
            ),
            ("x = a", "x = a or b", "x = not a"),
            (
                "return a && b;",
                "return a && b || c;",
                "return d && a && b;",
            ),
            ("x = a + b + c", "x = z * a + b + c", "x = a + b + c - d"),
            (
                "WHERE a = 1 AND b = 2",
                "WHERE a = 1 AND b = 2 OR c = 3",
                "WHERE d = 4 AND a = 1 AND b = 2",
            ),
            ("x = a + b + c", "x = (a + b) + c", "x = a + b + c * d"),
        ] {
            assert_eq!(woven(base, ours, theirs), None, "{base}");
        }
    }

    #[test]
    fn operators_of_one_kind_and_of_two_expressions_are() {
        for (base, ours, theirs, expected) in [
            (
                "if a && b {",
                "if z && a && b {",
                "if a && b && c {",
                "if z && a && b && c {",
            ),
            (
                "f(a.b, c.d);",
                "f(a.b || x, c.d);",
                "f(a.b, c.d && y);",
                "f(a.b || x, c.d && y);",
            ),
            (
                "if a.x && b {",
                "if a.x && b || c {",
                "if z.x && b {",
                "if z.x && b || c {",
            ),
            (
                "if x > 0 and y:",
                "if x >= 0 and y:",
                "if x > 0 or y:",
                "if x >= 0 or y:",
            ),
            (
                "The old and slow way to do it here.",
                "The old and slow and odd way to do it here.",
                "The old and slow way to do or leave it here.",
                "The old and slow and odd way to do or leave it here.",
            ),
        ] {
            assert_eq!(woven(base, ours, theirs).as_deref(), Some(expected));
        }
    }
}
