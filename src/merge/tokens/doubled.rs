//! One thing twice in one line: an argument, a name of a list, an attribute that both sides put in, each at another place
//! of it. Pure.

use std::collections::HashMap;

use super::words::tokens;

/// Tells whether a line that was made of two others says something twice that neither does. Where the `base` does so, that
/// means something.
pub(super) fn says_twice(made: &str, base: &str, of: [&str; 2]) -> bool {
    let own = of.map(said_twice).into_iter().max().unwrap_or(0);
    said_twice(base) == 0 && said_twice(made) > own
}

fn said_twice(line: &str) -> usize {
    let mut said: HashMap<(usize, String), usize> = HashMap::new();
    for key in entries(line).into_iter().chain(attributes(line)) {
        *said.entry(key).or_default() += 1;
    }
    said.values().map(|count| count - 1).sum()
}

/// What stands between commas, by the bracket that it stands in; of a column, or of an argument that is named before its
/// type, only the name.
fn entries(line: &str) -> Vec<(usize, String)> {
    let words = tokens(line);
    let is_named_first = words.iter().any(|word| NAMED_FIRST.contains(word));
    let mut all = Vec::new();
    let mut open: Vec<(usize, String)> = vec![(0, String::new())];
    let mut has_comma = false;
    let mut put = |(bracket, text): (usize, &str)| {
        let mut words = text.split_whitespace();
        let (first, is_pair) = (words.next(), words.next().is_some());
        let name = first.filter(|_| is_named_first && is_pair);
        let text = name.unwrap_or(text.trim());
        if text.contains(char::is_alphabetic) {
            all.push((bracket, text.to_owned()));
        }
    };
    for (at, word) in words.iter().enumerate() {
        match *word {
            "," => {
                if let Some((bracket, text)) = open.last_mut() {
                    has_comma = has_comma || *bracket == 0;
                    put((*bracket, text));
                    text.clear();
                }
            }
            "(" | "[" | "{" => open.push((at + 1, String::new())),
            ")" | "]" | "}" if open.len() > 1 => {
                if let Some((bracket, text)) = open.pop() {
                    put((bracket, &text));
                    // As a part of what it is in, it is this and no other.
                    let inner: String = words
                        .get(bracket - 1..=at.min(bracket + LONGEST))
                        .unwrap_or_default()
                        .concat();
                    if let Some((_, outer)) = open.last_mut() {
                        outer.push_str(&inner);
                    }
                }
            }
            word => {
                if let Some((_, text)) = open.last_mut() {
                    text.push_str(word);
                }
            }
        }
    }
    if let Some((0, text)) = open.pop().filter(|_| has_comma) {
        // The statement goes on behind the last entry, and begins before the first.
        let word = text.split_whitespace().next().unwrap_or_default();
        put((0, word.trim_end_matches(';')));
    }
    if let Some((_, first)) = all.first_mut().filter(|(bracket, _)| *bracket == 0)
        && let Some((_, word)) = first.rsplit_once(' ')
    {
        *first = word.to_owned();
    }
    all
}

/// What stands in brackets is told from other such entries by so many words.
const LONGEST: usize = 100;

/// Words of lines that name things before they say of what type those are.
const NAMED_FIRST: [&str; 3] = ["func", "CREATE", "create"];

/// What a tag or a command is told by name.
fn attributes(line: &str) -> Vec<(usize, String)> {
    let is_tag = line.trim_start().starts_with('<');
    let words = line.split_whitespace();
    let named = words.filter_map(|word| {
        let is_flag = word.starts_with("--") && word.len() > 2;
        let (name, _) = word.split_once('=').unwrap_or((word, ""));
        let is_name = name
            .chars()
            .all(|c| c.is_alphanumeric() || "-_:@".contains(c));
        let is_attribute = is_tag && is_name && word.len() > name.len();
        (is_flag || is_attribute).then(|| (usize::MAX, name.to_owned()))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use crate::merge::tokens::weave;

    #[test]
    fn what_both_put_in_at_two_places_of_a_line_is_not_there_twice() {
        for case in [
            "func F(id int) error { ~ func F(name string, id int) error { ~ func F(id int, name string) error {",
            "def f(a, z=1): ~ def f(a, b=2, z=1): ~ def f(a, z=1, b=2):",
            "#[derive(Debug, Eq)] ~ #[derive(Clone, Debug, Eq)] ~ #[derive(Debug, Eq, Clone)]",
            "const { a, z } = it; ~ const { a, b, z } = it; ~ const { a, z, b } = it;",
            "SELECT id, name FROM t; ~ SELECT id, email, name FROM t; ~ SELECT id, name, email FROM t;",
            "CREATE TABLE t (id int, n text); ~ CREATE TABLE t (id int, e text, n text); ~ CREATE TABLE t (id int, n text, e int);",
            "<Foo a=\"1\"> ~ <Foo a=\"1\" b=\"2\"> ~ <Foo b=\"3\" a=\"1\">",
            "run --all it ~ run --all it --max 3 ~ run --max 5 --all it",
        ] {
            let parts: Vec<&[u8]> = case.split(" ~ ").map(str::as_bytes).collect();
            let [base, one, two] = [parts[0], parts[1], parts[2]];
            assert_eq!(weave(base, one, two), None, "{case}");
            assert_eq!(weave(base, two, one), None, "{case}");
        }
    }

    #[test]
    fn what_each_put_in_once_or_one_of_them_twice_stays() {
        for case in [
            "f(a, z) ~ f(a, b, z) ~ f(a, z, c) ~ f(a, b, z, c)",
            "f(g(a), z) ~ f(g(a, x), z) ~ f(g(a), z, x) ~ f(g(a, x), z, x)",
            "(A<S>, A<S>) ~ (A<E>, A<S>) ~ (A<S>, A<E>) ~ (A<E>, A<E>)",
            "f(a, z) ~ f(b, a, b, z) ~ f(a, z, c) ~ f(b, a, b, z, c)",
            "func F(a int, z int) { ~ func F(a int, b int, z int) { ~ func F(a int, z int, c int) { ~ func F(a int, b int, z int, c int) {",
            "<Foo a=\"1\"> ~ <Foo a=\"1\" b=\"2\"> ~ <Foo c=\"3\" a=\"1\"> ~ <Foo c=\"3\" a=\"1\" b=\"2\">",
        ] {
            let parts: Vec<&[u8]> = case.split(" ~ ").map(str::as_bytes).collect();
            let [base, one, two, both] = [parts[0], parts[1], parts[2], parts[3]];
            assert_eq!(weave(base, one, two).as_deref(), Some(both), "{case}");
            assert_eq!(weave(base, two, one).as_deref(), Some(both), "{case}");
        }
    }
}
