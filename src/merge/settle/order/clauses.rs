//! Clauses of one `try` of Python. Of two that may be for one exception, the first one gets it; of exceptions of the
//! language it is known which are no kinds of one another. Pure.

use crate::merge::lines::is_blank;
use crate::merge::settle::reading::leaning::{depth, indent};

/// Exceptions of which none is a kind of another one.
const APART: [&str; 13] = [
    "AssertionError",
    "AttributeError",
    "EOFError",
    "ImportError",
    "IndexError",
    "KeyError",
    "MemoryError",
    "NameError",
    "OSError",
    "StopIteration",
    "TypeError",
    "ValueError",
    "ZeroDivisionError",
];

/// Tells whether each of two insertions is one clause, for exceptions that the other one is not for: their order says
/// nothing.
pub(in crate::merge::settle) fn catch_other_things(one: &[&[u8]], two: &[&[u8]]) -> bool {
    match (caught(one), caught(two)) {
        _ if depth(one) != depth(two) => false,
        (Some(one), Some(two)) => one.iter().all(|kind| !two.contains(kind)),
        (Some(_) | None, Some(_) | None) => false,
    }
}

/// What the one clause that some lines are is for, where all of that is known.
fn caught<'a>(lines: &[&'a [u8]]) -> Option<Vec<&'a str>> {
    let depth = depth(lines);
    let said = lines.iter().filter(|line| !is_blank(line));
    let mut outermost = said.filter(|line| indent(line) == depth);
    let head = outermost.next().filter(|_| outermost.next().is_none())?;
    let head = std::str::from_utf8(head).ok()?.trim();
    let kinds = head.strip_prefix("except ")?.strip_suffix(':')?;
    let kinds = kinds.split(" as ").next()?.trim();
    let kinds = kinds
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .unwrap_or(kinds);
    let kinds: Vec<&str> = kinds.split(',').map(str::trim).collect();
    kinds
        .iter()
        .all(|kind| APART.contains(kind))
        .then_some(kinds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_for_exceptions_that_are_no_kinds_of_one_another_are_apart() {
        let apart = |one: &str, two: &str| {
            let [one, two] =
                [one, two].map(|text| text.lines().map(str::as_bytes).collect::<Vec<_>>());
            catch_other_things(&one, &two)
        };
        let (one, two) = (
            "except KeyError as e:\n    a(e)",
            "except (TypeError, OSError):\n    b()",
        );
        assert!(apart(one, two) && apart(two, one));
        for other in [
            "except (KeyError, OSError):\n    b()",
            "except LookupError:\n    b()",
            "except Exception:\n    b()",
            "except:\n    b()",
            "except Own:\n    b()",
            "except TypeError:\n    b()\nelse:\n    c()",
        ] {
            assert!(!apart(one, other) && !apart(other, one), "{other}");
        }
    }
}
