//! What leaves a function under a condition, and what the other side does at the same place: the condition is asked before
//! anything is done. Pure.

use crate::merge::lines::is_blank;
use crate::merge::settle::reading::leaning::{depth, goes_on_with_it, indent, leans_down};

/// How a condition begins.
const CONDITIONS: [&str; 4] = ["if", "unless", "guard", "when"];
/// What leaves more than a loop.
const LEAVES: [&str; 8] = [
    "return", "throw", "raise", "abort", "exit", "panic!", "panic(", "die",
];
/// What may stand between a condition and its end.
const ELSE: [&str; 4] = ["else", "elif", "elsif", "} else"];

/// Tells whether some lines do something that `others`, which leave under a condition, have to be asked before.
pub(in crate::merge::settle) fn are_done_behind_a_guard(lines: &[&[u8]], others: &[&[u8]]) -> bool {
    depth(lines) == depth(others)
        && depth(lines) > 0
        && is_guard(others)
        && !is_guard(lines)
        && do_something(lines)
}

/// Tells whether lines are nothing but one condition with an end of the function below it.
fn is_guard(lines: &[&[u8]]) -> bool {
    let depth = depth(lines);
    let mut said = lines.iter().filter(|line| !is_blank(line));
    let Some(first) = said.next().and_then(|line| text(line)) else {
        return false;
    };
    let asks = CONDITIONS.iter().any(|word| begins_with(first, word));
    if !asks {
        let after = [" if ", " unless "]
            .iter()
            .find_map(|word| first.split_once(word));
        let is_alone = said.next().is_none();
        return is_alone && after.is_some_and(|(before, rest)| leaves(before) && !has_else(rest));
    }
    let mut leaves_there = first.split([')', '{', ':']).any(leaves);
    for line in said {
        let Some(below) = text(line) else {
            return false;
        };
        let is_end = below.starts_with(['}', ')']) || ["end", "fi"].contains(&below);
        if ELSE.iter().any(|word| below.starts_with(word)) || indent(line) == depth && !is_end {
            return false;
        }
        leaves_there |= leaves(below);
    }
    leaves_there
}

fn has_else(text: &str) -> bool {
    text.contains(" else ")
}

/// Tells whether the outermost lines are statements, and belong to nothing above or below them.
fn do_something(lines: &[&[u8]]) -> bool {
    let depth = depth(lines);
    let mut outermost = lines
        .iter()
        .filter(|line| !is_blank(line) && indent(line) == depth)
        .filter_map(|line| text(line));
    let calls = |text: &str| text.contains('(') || text.contains('=') || text.ends_with(';');
    !goes_on_with_it(lines) && !leans_down(lines) && outermost.any(calls)
}

fn leaves(text: &str) -> bool {
    LEAVES.iter().any(|word| begins_with(text.trim(), word))
}

fn begins_with(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        word.ends_with(['(', '!']) || !rest.starts_with(is_name)
    })
}

fn text<'a>(line: &&'a [u8]) -> Option<&'a str> {
    std::str::from_utf8(line).ok().map(str::trim)
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    #[test]
    fn what_is_done_stands_behind_the_guard_that_the_other_side_put_in() {
        for [guard, done] in [
            [
                "  if (!user.isAdmin) return res.status(403).end();",
                "  db.remove(id);",
            ],
            [
                "  if not user.is_staff:,    raise PermissionDenied",
                "  Item.objects.all().delete()",
            ],
            ["  if o == nil {,    return err,  }", "  total += o.Total"],
            [
                "  if o.is_none() {,    return 0;,  }",
                "  let x = o.unwrap();",
            ],
            ["  raise Denied unless user.admin?", "  item.destroy()"],
        ] {
            let base = "def f {,  a(),  b(),}";
            let [one, two] = [guard, done].map(|lines| format!("def f {{,  a(),{lines},  b(),}}"));
            let expected = format!("def f {{,  a(),{guard},{done},  b(),}}");
            for found in [settled(base, &one, &two), settled(base, &two, &one)] {
                assert_eq!(found.as_ref(), Some(&expected), "{guard}");
            }
        }
    }

    #[test]
    fn what_leaves_nothing_is_no_guard() {
        let base = "def f {,  a(),  b(),}";
        for some in [
            "  if x {,    c();,  }",
            "  if x {,    return 1;,  } else {,    c();,  }",
        ] {
            let [one, two] =
                [some, "  d();"].map(|lines| format!("def f {{,  a(),{lines},  b(),}}"));
            let found = settled(base, &two, &one);
            let expected = format!("def f {{,  a(),  d();,{some},  b(),}}");
            assert_eq!(found, Some(expected), "{some}");
        }
    }
}
