//! Arguments of a call that two sides change at once. Pure.

use crate::merge::edits::Edit;

use super::words::is_significant;

/// Tells whether a side put a number before the only argument of a call, which the other one changed: as the second one it
/// may be another value, as that of `range(n)` is.
pub(super) fn moves_the_only_value(
    base: &[&str],
    (side, edits): (&[&str], &[Edit]),
    other: &[Edit],
) -> bool {
    edits.iter().any(|edit| {
        let new = side.get(edit.new.clone()).unwrap_or_default();
        let mut new = new.iter().filter(|token| is_significant(token));
        let is_number = |token: &&str| token.chars().all(char::is_numeric);
        let is_put_first = new.next().is_some_and(is_number) && new.next() == Some(&",");
        let at = edit.base.start;
        let opens = at.checked_sub(1).and_then(|before| base.get(before)) == Some(&"(");
        if !edit.base.is_empty() || !is_put_first || new.next().is_some() || !opens {
            return false;
        }
        let rest = base.get(at..).unwrap_or_default();
        let mut open = 0_usize;
        let end = rest.iter().position(|token| {
            match *token {
                "(" | "[" | "{" => open += 1,
                ")" | "]" | "}" if open > 0 => open -= 1,
                ")" | "," => return open == 0,
                _other => {}
            }
            false
        });
        let end = end.filter(|end| rest.get(*end) == Some(&")"));
        let changes = |end: usize| {
            other
                .iter()
                .any(|it| it.base.start >= at && it.base.start <= at + end)
        };
        end.is_some_and(changes)
    })
}

/// Tells whether one side gave a call another name and the other one another number, which is all that the call is given:
/// what `sleep(5)` means is half in the name.
pub(super) fn renames_with_another_number(base: &[&str], one: &[Edit], two: &[Edit]) -> bool {
    let is_number = |at: usize| {
        let token = base.get(at);
        token.is_some_and(|token| token.starts_with(|c: char| c.is_ascii_digit()))
    };
    let is = |at: usize, sign: &str| base.get(at) == Some(&sign);
    two.iter().any(|edit| {
        let at = edit.base.start;
        let is_only = edit.base.len() == 1 && is_number(at) && is(at + 1, ")");
        let name = at
            .checked_sub(2)
            .filter(|open| is_only && is(open + 1, "("));
        name.is_some_and(|name| one.iter().any(|it| it.base.contains(&name)))
    })
}

/// Four numbers, with commas and blanks between, are less.
const MOST: usize = 20;

/// Tells whether the sides changed two numbers of one value that is told by three or four, as a date, a colour and a version
/// are: `date(2024, 1, 5)`.
pub(super) fn change_one_of_numbers(base: &[&str], one: &[Edit], two: &[Edit]) -> bool {
    let inner = |edit: &Edit| {
        let at = edit.base.start;
        let from = at.saturating_sub(MOST);
        let before = base.get(from..at)?;
        let open = from + before.iter().rposition(|token| "([{)]}".contains(token))?;
        let rest = base.get(open + 1..base.len().min(open + MOST))?;
        let end = rest.iter().position(|token| "([{)]}".contains(token))?;
        (edit.base.len() == 1 && base.get(open) == Some(&"(")).then(|| open + 1..open + 1 + end)
    };
    let are_numbers = |part: &std::ops::Range<usize>| {
        let said = base.get(part.clone()).unwrap_or_default().iter();
        let mut said = said.filter(|token| is_significant(token) && **token != ",");
        let is_number = |token: &&str| token.chars().all(|c| c.is_ascii_digit());
        (3..=4).contains(&said.clone().count()) && said.all(is_number)
    };
    one.iter()
        .filter_map(inner)
        .filter(are_numbers)
        .any(|part| {
            let mut others = two.iter().filter_map(inner);
            others.any(|other| other == part)
        })
}
