//! Combining two changes to the same line when they are in different places of it.
//! Pure and conservative: when in doubt it returns `None` and the line stays contested.

use similar::Algorithm;

use crate::merge::edits::{Edit, edits};
use crate::merge::operators::are_mixed;

use super::calls::{change_one_of_numbers, moves_the_only_value, renames_with_another_number};
use super::doubled::says_twice;
use super::entries::are_entries;
use super::expression::change_one_expression;
use super::prefixed::bind_one_value;
use super::ragged::makes_ragged;
use super::words::{is_significant, with_values};

/// Combines two versions of one line; `None` when their changes overlap, touch, or rewrite the line.
pub(crate) fn weave(base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    if ours == base || ours == theirs {
        return Some(theirs.to_vec());
    }
    if theirs == base {
        return Some(ours.to_vec());
    }
    let base = with_values(std::str::from_utf8(base).ok()?);
    let ours = with_values(std::str::from_utf8(ours).ok()?);
    let theirs = with_values(std::str::from_utf8(theirs).ok()?);
    let our_edits = edits(Algorithm::Myers, &base, &ours);
    let their_edits = edits(Algorithm::Myers, &base, &theirs);
    if is_rewrite(&base, &our_edits)
        || is_rewrite(&base, &their_edits)
        || are_mixed(&base, (&ours, &our_edits), (&theirs, &their_edits))
        || change_one_expression(&base, (&ours, &our_edits), (&theirs, &their_edits))
        || bind_one_value(&base, (&ours, &our_edits), (&theirs, &their_edits))
        || bind_one_value(&base, (&theirs, &their_edits), (&ours, &our_edits))
        || moves_the_only_value(&base, (&ours, &our_edits), &their_edits)
        || moves_the_only_value(&base, (&theirs, &their_edits), &our_edits)
        || change_one_of_numbers(&base, &our_edits, &their_edits)
        || renames_with_another_number(&base, &our_edits, &their_edits)
        || renames_with_another_number(&base, &their_edits, &our_edits)
    {
        return None;
    }

    let mut all: Vec<(&Edit, &[&str])> = Vec::new();
    for (list, tokens) in [(&our_edits, &ours), (&their_edits, &theirs)] {
        for edit in list {
            all.push((edit, tokens.get(edit.new.clone())?));
        }
    }
    all.sort_by_key(|(edit, _)| (edit.base.start, edit.base.end));
    // The same change made by both counts once.
    all.dedup_by(|b, a| a.0.base == b.0.base && a.1 == b.1);

    let mut woven = String::new();
    let mut at = 0;
    for (index, (edit, new)) in all.iter().enumerate() {
        let between = base.get(at..edit.base.start)?;
        let touches = !between.iter().any(|token| is_significant(token));
        let previous = index.checked_sub(1).and_then(|index| all.get(index));
        if let Some((last, before)) = previous.filter(|_| touches) {
            let is_same_place = last.base == edit.base && edit.base.is_empty();
            if !is_same_place || before == new || !are_entries(&base, edit.base.start, before, new)
            {
                return None;
            }
        }
        woven.extend(between.iter().copied());
        woven.extend(new.iter().copied());
        at = edit.base.end;
    }
    woven.extend(base.get(at..)?.iter().copied());
    let sides = [ours.concat(), theirs.concat()];
    let [one, two] = sides.each_ref().map(String::as_str);
    let was = base.concat();
    let is_right = !says_twice(&woven, &was, [one, two]) && !makes_ragged(&woven, [&was, one, two]);
    is_right.then(|| woven.into_bytes())
}

/// More than half of what the base line said is gone: word positions mean nothing any more.
fn is_rewrite(base: &[&str], edits: &[Edit]) -> bool {
    let count = |tokens: &[&str]| tokens.iter().filter(|token| is_significant(token)).count();
    let removed: usize = edits
        .iter()
        .filter_map(|edit| base.get(edit.base.clone()))
        .map(count)
        .sum();
    removed * 2 > count(base)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::merge::triples::runner;

    fn woven(base: &str, ours: &str, theirs: &str) -> Option<String> {
        weave(base.as_bytes(), ours.as_bytes(), theirs.as_bytes())
            .map(|line| String::from_utf8(line).unwrap())
    }

    #[test]
    fn changes_in_different_places_are_combined() {
        assert_eq!(
            woven(
                "fn pay(a: u8, b: u8) -> u8 {",
                "fn pay(a: u32, b: u8) -> u8 {",
                "fn pay(a: u8, b: u8) -> u64 {"
            ),
            Some("fn pay(a: u32, b: u8) -> u64 {".to_owned())
        );
        assert_eq!(
            woven(
                "let x = call(one, two);",
                "    let x = call(one, two);",
                "let x = call(one, 2);"
            ),
            Some("    let x = call(one, 2);".to_owned())
        );
        assert_eq!(woven("a b c", "a B c", "a B c"), Some("a B c".to_owned()));
    }

    #[test]
    fn a_row_is_not_put_beside_rows_that_the_other_side_gave_a_cell_more() {
        let base = "INSERT INTO roles (name) VALUES ('admin');";
        let wider = "INSERT INTO roles (name, level) VALUES ('admin', 9);";
        let longer = "INSERT INTO roles (name) VALUES ('admin'), ('guest');";
        assert_eq!(woven(base, wider, longer), None);
        assert_eq!(woven(base, longer, wider), None);
    }

    #[test]
    fn what_is_put_before_a_value_is_not_for_what_the_other_side_makes_of_it() {
        for (base, one, two) in [
            ("x = f(a)", "x = await f(a)", "x = f(a).b"),
            ("return f(a);", "return !f(a);", "return f(a)[0];"),
            (
                "let x = a.b(c, d)",
                "let x = -a.b(c, d)",
                "let x = a.b(c, d) as u8",
            ),
        ] {
            assert_eq!(woven(base, one, two), None, "{base}");
            assert_eq!(woven(base, two, one), None, "{base}");
        }
        let found = woven("x = f(a, b)", "x = await f(a, b)", "x = f(a, b.c)");
        assert_eq!(found.as_deref(), Some("x = await f(a, b.c)"));
    }

    #[test]
    fn entries_that_both_put_into_an_enumeration_stay_side_by_side() {
        for (base, ours, theirs, expected) in [
            (
                "| `a`, `b`, `c` |",
                "| `a`, `b`, `c`, `d` |",
                "| `a`, `b`, `c`, `e` |",
                "| `a`, `b`, `c`, `d`, `e` |",
            ),
            (
                "  'a', 'b', 'c',",
                "  'a', 'b', 'c', 'd',",
                "  'a', 'b', 'c', 'e',",
                "  'a', 'b', 'c', 'd', 'e',",
            ),
            (
                "A | B(_) => 1,",
                "A | B(_) | C(_) => 1,",
                "A | B(_) | D(_) => 1,",
                "A | B(_) | C(_) | D(_) => 1,",
            ),
        ] {
            assert_eq!(woven(base, ours, theirs).as_deref(), Some(expected));
        }
        for (base, ours, theirs) in [
            ("f('a', 'b')", "f('a', 'b', 'c')", "f('a', 'b', 'd')"),
            ("a, b, c, d,", "a, b, c, d, e,", "a, b, c, d, f,"),
            (
                "if a == b {",
                "if a == b || c == b {",
                "if a == b || d == b {",
            ),
            (
                "if a | b | c {",
                "if a | b | c || d {",
                "if a | b | c || e {",
            ),
        ] {
            assert_eq!(woven(base, ours, theirs), None, "{base}");
        }
    }

    #[test]
    fn changes_in_the_same_place_are_not() {
        assert_eq!(woven("port = 80", "port = 81", "port = 82"), None);
        assert_eq!(
            woven("a + b", "a - b", "a + c"),
            None,
            "only a space between"
        );
        assert_eq!(
            woven("one two three", "four five six", "one two 3"),
            None,
            "rewritten"
        );
        assert_eq!(
            woven(
                "for i in range(len(a) + 1):",
                "for i in range(1, len(a) + 1):",
                "for i in range(len(b) + 1):"
            ),
            None,
            "what was the first argument is the second one"
        );
        assert_eq!(
            weave(b"a\xff b c d", b"a\xff b c e", b"x\xff b c d"),
            None,
            "not text"
        );
    }

    #[test]
    fn a_value_is_never_woven_of_two() {
        for (base, ours, theirs) in [
            ("rate = 0.5", "rate = 1.5", "rate = 0.75"),
            (
                "\"react\": \"^4.0.0\",",
                "\"react\": \"^5.0.0\",",
                "\"react\": \"^4.2.0\",",
            ),
            ("date: 2026-11-23", "date: 2026-12-23", "date: 2026-11-30"),
            ("at = 10:30:00", "at = 11:30:00", "at = 10:45:00"),
            ("host = 10.0.0.1", "host = 10.1.0.1", "host = 10.0.0.9"),
            (
                "p = \"src/a/b.rs\"",
                "p = \"lib/a/b.rs\"",
                "p = \"src/a/c.rs\"",
            ),
            (
                "url = \"https://a.b.org/v/x\"",
                "url = \"https://c.b.org/v/x\"",
                "url = \"https://a.b.org/w/x\"",
            ),
            ("x = 1.5e-5", "x = 2.5e-5", "x = 1.5e-7"),
            (
                "d = date(2024, 1, 5)",
                "d = date(2024, 2, 5)",
                "d = date(2024, 1, 6)",
            ),
            (
                "h = \"sha512-AA+BB/CC==\"",
                "h = \"sha512-XX+BB/CC==\"",
                "h = \"sha512-AA+BB/YY==\"",
            ),
        ] {
            assert_eq!(woven(base, ours, theirs), None, "{base}");
            assert_eq!(woven(base, theirs, ours), None, "{base}");
        }
        // Two values of one line are two.
        assert_eq!(
            woven(
                "from 1.0 to 2.0 and on",
                "from 1.5 to 2.0 and on",
                "from 1.0 to 2.5 and on"
            )
            .as_deref(),
            Some("from 1.5 to 2.5 and on")
        );
        assert_eq!(
            woven("resize(10, 20)", "resize(11, 20)", "resize(10, 21)").as_deref(),
            Some("resize(11, 21)")
        );
    }

    #[test]
    fn whatever_is_changed_in_a_value_changes_all_of_it() {
        let value = "[0-9a-f]{1,4}([.:/+-][0-9a-f]{1,4}){0,2}";
        let strategy = (0..10_u8, value, value, value);
        runner(2_000, 1)
            .run(&strategy, |(digit, base, ours, theirs)| {
                // Each of them has a digit, and something in common with the others.
                let line = |value: &str| format!("let it = \"{digit}.{value}\";");
                let [base, ours, theirs] = [&base, &ours, &theirs].map(|value| line(value));
                prop_assume!(ours != base && theirs != base && ours != theirs);
                prop_assert_eq!(woven(&base, &ours, &theirs), None);
                Ok(())
            })
            .unwrap();
    }
}
