//! One line of both sides that says one thing twice: an argument that each side gave, with another value. Pure.

use std::collections::HashMap;

use super::words::{is_part, tokens};

/// Tells whether a line that was made of others has an argument or a key twice in one pair of brackets, which none of
/// those has.
pub(in crate::merge::settle) fn says_one_twice(made: &[u8], of: &[&[u8]]) -> bool {
    let most = |line: &[u8]| std::str::from_utf8(line).map_or(0, given_twice);
    let own = of.iter().map(|line| most(line)).max().unwrap_or(0);
    most(made) > own
}

/// How many names are given once more than once: `name=…` and `name: …` after a bracket or a comma.
fn given_twice(line: &str) -> usize {
    let words = tokens(line);
    let mut given: HashMap<(usize, &str), usize> = HashMap::new();
    let mut open: Vec<usize> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match *word {
            "(" | "{" | "[" => open.push(at),
            ")" | "}" | "]" => {
                open.pop();
            }
            word => {
                let next = |by: usize| words.get(at + by).copied().unwrap_or_default();
                let is_first = at
                    .checked_sub(1)
                    .and_then(|before| words.get(before))
                    .is_some_and(|before| ["(", "{", "[", ","].contains(before));
                let is_set = next(1) == "=" && !["=", ">"].contains(&next(2))
                    || next(1) == ":" && next(2) != ":";
                let is_name = word.starts_with(|c| is_part(c) || c == '"' || c == '\'');
                if let Some(open) = open.last().filter(|_| is_first && is_set && is_name) {
                    *given.entry((*open, word)).or_default() += 1;
                }
            }
        }
    }
    given.values().map(|count| count - 1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_twice_in_one_call_is_told_from_one_each_in_two_calls() {
        for line in [
            "f(a, x=1, x=2)",
            "f({x: 1, a: 2, x: 3})",
            "f(g(b), x=1, x=g(b))",
        ] {
            assert_eq!(given_twice(line), 1, "{line}");
        }
        for line in [
            "f(x=1, g(x=2))",
            "f(x == 1, x=2)",
            "f(x => 1, x => 2)",
            "x = 1, x = 2",
            "a ? b : c",
        ] {
            assert_eq!(given_twice(line), 0, "{line}");
        }
        assert!(says_one_twice(b"f(x=1, x=2)", &[b"f(x=1)", b"f(x=2)"]));
        assert!(!says_one_twice(
            b"f(x=1, x=2, y)",
            &[b"f(x=1, x=2)", b"f(y)"]
        ));
    }
}
