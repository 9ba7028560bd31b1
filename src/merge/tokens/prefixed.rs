//! What one side puts before a value and the other one goes on with behind it: `await f(a)` and `f(a).b` are not
//! `await f(a).b`, which waits for something else. Pure.

use crate::merge::edits::Edit;

use super::words::is_significant;

/// Words and signs that make another value of all that follows.
const PREFIXES: [&str; 14] = [
    "await", "yield", "new", "typeof", "void", "delete", "not", "defer", "go", "!", "-", "~", "*",
    "&",
];

/// How what makes another value of all that stands before it begins.
const SUFFIXES: [&str; 8] = [".", "?", "[", "(", "!", "as", "instanceof", "is"];

/// Tells whether one side put a prefix before a value that the other one goes on with.
pub(super) fn bind_one_value(
    base: &[&str],
    (one, mine): (&[&str], &[Edit]),
    (two, others): (&[&str], &[Edit]),
) -> bool {
    let said = |side: &[&'_ str], edit: &Edit| -> Option<[String; 2]> {
        let new = side.get(edit.new.clone())?.iter();
        let mut said = new.filter(|token| is_significant(token));
        let first = said.next()?;
        Some([first, said.next_back().unwrap_or(first)].map(|token| (*token).to_owned()))
    };
    mine.iter()
        .filter(|edit| edit.base.is_empty())
        .any(|before| {
            let is_prefix =
                said(one, before).is_some_and(|[_, last]| PREFIXES.contains(&last.as_str()));
            let behind = others.iter().filter(|edit| edit.base.is_empty());
            is_prefix
                && behind.into_iter().any(|after| {
                    let is_suffix = said(two, after).is_some_and(|[first, _]| {
                        SUFFIXES.iter().any(|sign| {
                            first == *sign || sign.len() == 1 && first.starts_with(sign)
                        })
                    });
                    let between = base.get(before.base.start..after.base.start);
                    is_suffix && between.is_some_and(is_one_value)
                })
        })
}

/// A name, a call or an element, with nothing between that binds less.
fn is_one_value(tokens: &[&str]) -> bool {
    let mut depth = 0_usize;
    let mut is_said = false;
    for token in tokens {
        match token.chars().next() {
            Some('(' | '[' | '{') => depth += 1,
            Some(')' | ']' | '}') => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            Some(c) if depth == 0 => {
                let is_name = c.is_alphanumeric() || "_.:?!\"'`".contains(c);
                if !is_name && is_significant(token) || is_said && c.is_whitespace() {
                    return false;
                }
            }
            Some(_) | None => {}
        }
        is_said |= is_significant(token);
    }
    depth == 0 && is_said
}
