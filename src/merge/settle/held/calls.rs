//! Calls that are known by what they are called with first: a route of a server, a name in a registry. Two that both sides
//! put in are two versions of one, unless the text says the same of one thing several times anyway. Pure.

use std::collections::{HashMap, HashSet};

use crate::merge::lines::without_any;

use crate::merge::settle::reading::leaning::{depth, indent};

/// What a text may say several times.
const SAYS: [&str; 16] = [
    "print", "println", "printf", "eprintln", "format", "write", "writeln", "log", "debug", "info",
    "warn", "error", "panic", "echo", "expect", "trace",
];

/// Tells whether both sides call the same with the same first text, which no other line does.
pub(in crate::merge::settle) fn call_the_same(
    ours: &[&[u8]],
    theirs: &[&[u8]],
    base: &[&[u8]],
) -> bool {
    let own = |lines: &[&[u8]], others: &[&[u8]]| -> HashMap<String, usize> {
        let outermost = depth(lines);
        let own = without_any(lines, others).into_iter();
        let calls = own
            .filter(|line| indent(line) == outermost)
            .filter_map(begun);
        let mut counts = HashMap::new();
        for call in calls {
            *counts.entry(call).or_default() += 1;
        }
        counts
    };
    let mine = own(ours, theirs);
    if mine.is_empty() {
        return false;
    }
    let other = own(theirs, ours);
    let shared = mine
        .into_iter()
        .filter(|(call, count)| *count == 1 && other.get(call) == Some(&1));
    let mut shared: HashSet<String> = shared.map(|(call, _)| call).collect();
    if !shared.is_empty() {
        for call in base.iter().filter_map(|line| begun(line)) {
            shared.remove(&call);
        }
    }
    !shared.is_empty()
}

/// A call up to its first argument, if that is a text and others follow: `app.get("/b"`.
fn begun(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?.trim();
    let (name, rest) = text.split_once('(')?;
    let is_path = name
        .chars()
        .all(|c| c.is_alphanumeric() || "_.:".contains(c));
    let last = name
        .rsplit(['.', ':'])
        .next()
        .filter(|last| !last.is_empty())?;
    let quote = rest.chars().next().filter(|c| "\"'`".contains(*c))?;
    let (said, after) = rest.get(1..)?.split_once(quote)?;
    let is_known = is_path && !SAYS.contains(&last) && !last.starts_with("assert");
    (is_known && after.trim_start().starts_with(',')).then(|| format!("{name}({said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_calls_are_one_thing_by_name_and_first_text() {
        let same = |one: &str, two: &str, base: &str| {
            let [one, two, base] =
                [one, two, base].map(|it| it.lines().map(str::as_bytes).collect::<Vec<_>>());
            call_the_same(&one, &two, &base)
        };
        let (one, two) = ("r.Get(\"/b\", one)", "r.Get('/b', two)");
        assert!(same(one, two, "r.Get(\"/a\", a)"));
        assert!(!same(one, two, "r.Get(\"/b\", a)"));
        assert!(!same(one, "r.Post(\"/b\", two)", ""));
        assert!(!same(one, "r.Get(\"/c\", two)", ""));
        assert!(!same(
            "run(\"git\", a)\nrun(\"git\", b)",
            "run(\"git\", c)",
            ""
        ));
        assert!(!same("log(\"at\", a)", "log(\"at\", b)", ""));
        assert!(!same("f(\"x\")", "f(\"x\") + 1", ""));
    }
}
