//! Combining two changes to the same line when they are in different places of it.
//! Pure and conservative: when in doubt it returns `None` and the line stays contested.

use similar::Algorithm;

use super::edits::{Edit, edits};
use super::operators::are_mixed;

/// Splits a line into words, runs of white space, and single other characters.
pub(super) fn tokens(line: &str) -> Vec<&str> {
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    let mut list = Vec::new();
    let mut start = 0;
    let mut previous = None;
    for (at, c) in line.char_indices() {
        let this = class(c);
        if previous.is_some_and(|previous| previous != this || this == 2) {
            list.extend(line.get(start..at));
            start = at;
        }
        previous = Some(this);
    }
    list.extend(line.get(start..).filter(|rest| !rest.is_empty()));
    list
}

/// The same, with each value whole: a number, version, date, time, address, hash or path. Half of one and half of another
/// is a third that nobody wrote.
fn with_values(line: &str) -> Vec<&str> {
    let parts = tokens(line);
    let is_word = |at: usize| parts.get(at).is_some_and(|part| is_word(part));
    let mut list = Vec::new();
    let (mut at, mut start) = (0, 0);
    while let Some(part) = parts.get(at) {
        let (mut end, mut length) = (at + 1, part.len());
        while is_word(at) {
            let joints = parts
                .iter()
                .skip(end)
                .take_while(|part| JOINTS.contains(part));
            let next = end + joints.count();
            if next == end || !is_word(next) {
                break;
            }
            let more = parts.get(end..=next).unwrap_or_default();
            length += more.iter().map(|part| part.len()).sum::<usize>();
            end = next + 1;
        }
        let whole = line.get(start..start + length).unwrap_or_default();
        if whole.contains(|c: char| c.is_numeric() || c == '/') {
            list.push(whole);
        } else {
            list.extend(parts.get(at..end).unwrap_or_default());
        }
        (at, start) = (end, start + length);
    }
    list
}

/// What may stand between the parts of a value.
const JOINTS: [&str; 6] = [".", "-", ":", "/", "+", "@"];

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

pub(super) fn is_significant(token: &str) -> bool {
    !token.chars().all(char::is_whitespace)
}

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
        || moves_the_only_value(&base, (&ours, &our_edits), &their_edits)
        || moves_the_only_value(&base, (&theirs, &their_edits), &our_edits)
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
    Some(woven.into_bytes())
}

/// Tells whether a side put a number before the only argument of a call, which the other one changed: as the second one it
/// may be another value, as that of `range(n)` is.
fn moves_the_only_value(base: &[&str], (side, edits): (&[&str], &[Edit]), other: &[Edit]) -> bool {
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

/// Tells whether what both put in before the token `at` are entries of a list on this line whose order says nothing.
fn are_entries(base: &[&str], at: usize, ours: &[&str], theirs: &[&str]) -> bool {
    let before = base.get(..at).unwrap_or_default();
    let both = [ours, theirs];
    let has_letters = |new: &[&str]| new.iter().any(|token| has_letters(token));
    if !both.iter().all(|new| has_letters(new)) {
        return false;
    }
    let begin_with = |mark: &str| {
        both.iter().all(|new| {
            let first = new.iter().find(|token| is_significant(token));
            first == Some(&mark)
        })
    };
    let end_with = |mark: &str| both.iter().all(|new| new.last() == Some(&mark));
    if begin_with(",") {
        is_list_of_names(base, before) || ends_quoted_list(before)
    } else if end_with(",") {
        ends_quoted_list(before)
    } else {
        begin_with("|") && has_alternatives(before) && both.iter().all(|new| has_alternatives(new))
    }
}

fn has_letters(token: &str) -> bool {
    token.chars().any(char::is_alphanumeric)
}

/// A list on one line whose entries stand for themselves: in braces or square brackets, or of an import or a derive.
/// The order of arguments means something.
fn is_list_of_names(base: &[&str], before: &[&str]) -> bool {
    let mut words = base.iter().filter(|token| has_letters(token));
    let first = words.next().copied();
    let is_list = matches!(first, Some("use" | "import" | "from" | "export" | "derive"));
    match open_bracket(before) {
        Some("(") | None => is_list,
        Some(_) => true,
    }
}

/// The innermost bracket that is open at the end.
fn open_bracket<'t>(tokens: &[&'t str]) -> Option<&'t str> {
    let mut open: Vec<&str> = Vec::new();
    for token in tokens {
        match *token {
            "{" | "[" | "(" => open.push(token),
            "}" | "]" | ")" => {
                open.pop();
            }
            _other => {}
        }
    }
    open.pop()
}

/// So many words in quotes show an enumeration.
const LEAST_QUOTED: usize = 3;

/// At the end stand words in quotes with commas between: an enumeration, in code or in prose.
fn ends_quoted_list(tokens: &[&str]) -> bool {
    let mut rest: Vec<&str> = tokens
        .iter()
        .copied()
        .filter(|token| is_significant(token))
        .collect();
    if rest.last() == Some(&",") {
        rest.pop();
    }
    (0..LEAST_QUOTED).all(|entry| (entry == 0 || rest.pop() == Some(",")) && take_quoted(&mut rest))
}

/// Takes a word in quotes off the end.
fn take_quoted(rest: &mut Vec<&str>) -> bool {
    let Some(quote) = rest.pop().filter(|last| ["\"", "'", "`"].contains(last)) else {
        return false;
    };
    let Some(open) = rest.iter().rposition(|token| *token == quote) else {
        return false;
    };
    let inner = rest.split_off(open);
    inner.iter().any(|token| has_letters(token)) && !inner.contains(&",")
}

/// Alternatives stand before, with one bar between: of a pattern, or a set of flags. Two bars are a condition.
fn has_alternatives(before: &[&str]) -> bool {
    let is_bar = |at: usize| before.get(at) == Some(&"|");
    let mut bars = (0..before.len()).filter(|at| is_bar(*at)).peekable();
    bars.peek().is_some() && bars.all(|at| !is_bar(at + 1))
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

    #[test]
    fn tokens_cover_the_line() {
        for line in [
            "",
            "  a_b1==c\t",
            "äöü → x",
            "{{}}",
            "a-b 1.2-x: /c/d. -1.5e-3- ü/1",
        ] {
            assert_eq!(tokens(line).concat(), line);
            assert_eq!(with_values(line).concat(), line);
        }
        assert_eq!(tokens("a1 ==b"), ["a1", " ", "=", "=", "b"]);
    }
}
