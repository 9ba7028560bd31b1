//! Parts of one statement or file that a language takes in one order only: the clauses of a query, of the head of a class or
//! a function, imports before what is declared. Pure.

use crate::merge::lines::is_blank;
use crate::merge::settle::reading::leaning::{depth, indent};

/// How the parts begin, in their order; those of one turn stand in any.
type Turns = &'static [&'static [&'static str]];

/// In small letters.
const QUERY: Turns = &[
    &["select"],
    &["from", "set"],
    &[
        "join",
        "inner join",
        "left join",
        "right join",
        "full join",
        "cross join",
        "natural join",
        "left outer join",
    ],
    &["where"],
    &["group by"],
    &["having"],
    &["window"],
    &["order by"],
    &["limit", "fetch first"],
    &["offset"],
    &["returning"],
];
const SIGNATURE: Turns = &[&["->"], &["where"]];
const CLASS: Turns = &[&["extends"], &["implements"], &["permits"]];
/// Of Go, where an import is a text in quotes or a list.
const DECLARATIONS: Turns = &[
    &["import \"", "import ("],
    &["var", "const", "type", "func"],
];

/// Tells whether a part of `lines` has to stand before one of `others`.
pub(in crate::merge::settle) fn comes_before(lines: &[&[u8]], others: &[&[u8]]) -> bool {
    if depth(lines) != depth(others) {
        return false;
    }
    [QUERY, SIGNATURE, CLASS, DECLARATIONS].iter().any(|turns| {
        let first = turns_of(lines, turns).into_iter().min();
        let last = turns_of(others, turns).into_iter().max();
        first.zip(last).is_some_and(|(first, last)| first < last)
    })
}

fn turns_of(lines: &[&[u8]], turns: Turns) -> Vec<usize> {
    let depth = depth(lines);
    let said = lines
        .iter()
        .filter(|line| !is_blank(line) && indent(line) == depth);
    let texts = said.filter_map(|line| std::str::from_utf8(line).ok());
    texts.filter_map(|line| turn(line.trim(), turns)).collect()
}

fn turn(text: &str, turns: Turns) -> Option<usize> {
    let text = text.to_lowercase();
    let begins = |word: &&str| {
        let rest = text.strip_prefix(*word);
        rest.is_some_and(|rest| {
            let is_whole = !word.ends_with(|c: char| c.is_alphabetic());
            rest.is_empty() || is_whole || rest.starts_with(' ')
        })
    };
    turns.iter().position(|words| words.iter().any(begins))
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    #[test]
    fn clauses_that_both_sides_put_in_stand_in_the_order_that_the_language_takes() {
        for (above, first, second, below) in [
            (
                "FROM a",
                "JOIN b ON b.a = a.id",
                "WHERE a.x",
                "ORDER BY a.id;",
            ),
            ("from a", "where a.x", "group by a.y", ";"),
            ("from a", "order by a.y", "limit 3", ";"),
            ("fn f<T>(x: T)", "-> u8", "where T: A", "{"),
            ("class A", "    extends B", "    implements C", "{"),
            ("package a", "import \"fmt\"", "var x = 1", "func f() {}"),
            ("a", "b", "exec \"$@\"", "c"),
        ] {
            let base = format!("{above}, {below}");
            let [one, two] = [first, second].map(|line| format!("{above}, {line}, {below}"));
            let expected = format!("{above}, {first}, {second}, {below}");
            for found in [settled(&base, &one, &two), settled(&base, &two, &one)] {
                assert_eq!(found.as_ref(), Some(&expected));
            }
        }
        let (one, two) = ("from a, join b, order by a.y, ;", "from a, where a.x, ;");
        for found in [
            settled("from a, ;", one, two),
            settled("from a, ;", two, one),
        ] {
            assert_eq!(found, None);
        }
        let (one, two) = ("a, exec 2>&1, c", "a, b, c");
        let expected = "a, exec 2>&1, b, c";
        assert_eq!(settled("a, c", one, two).as_deref(), Some(expected));
    }
}
