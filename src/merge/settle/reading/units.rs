//! What stands for itself wherever it is put: an entry of a flat list beside other entries of it, a whole function or
//! section beside others. Of anything else nobody knows what it says without its neighbours. Pure.

use crate::merge::lines::{has_words, is_blank};
use crate::merge::tokens::tokens;

use super::leaning::{depth, indent, is_decorator, leans_down, open_brackets};
use super::names::{defined_name, is_setting};

/// Words that begin a statement, which is no entry of a list.
const STATEMENTS: [&str; 32] = [
    "if", "else", "elif", "for", "while", "do", "match", "switch", "case", "default", "try",
    "catch", "except", "finally", "with", "let", "var", "const", "return", "throw", "raise",
    "break", "continue", "yield", "await", "assert", "goto", "defer", "go", "fi", "done", "end",
];
const ENTRIES: [&str; 7] = [
    "use", "import", "from", "#include", "mod", "export", "require",
];

/// How an entry looks that stands on one line: entries that look alike are of one list. `None` for all else.
pub(in crate::merge::settle) fn form(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?.trim();
    if !has_words(line) || is_decorator(line) || text.starts_with("//") {
        return None;
    }
    for mark in ["- ", "* ", "+ ", "|"] {
        if text.starts_with(mark) {
            return Some(mark.to_owned());
        }
    }
    let word = without_visibility(text);
    let word = word.split(|c: char| c.is_whitespace() || c == '(').next()?;
    if ENTRIES.contains(&word) {
        return Some(word.to_owned());
    }
    if STATEMENTS.contains(&word.trim_end_matches([':', ';'])) {
        return None;
    }
    if text.contains(" => ") {
        return Some("=>".to_owned());
    }
    if text.starts_with('#') {
        return None;
    }
    let has_comma = text.ends_with(',');
    if is_setting(line) && !text.contains('(') {
        let by = if text.contains('=') && !text.contains(": ") {
            "="
        } else {
            ":"
        };
        return Some(format!("{by}{has_comma}"));
    }
    let is_name = |c: char| c.is_alphanumeric() || "_-.:/@\"'".contains(c);
    if has_comma && text.trim_end_matches(',').chars().all(is_name) {
        return Some(",".to_owned());
    }
    // Calls of one function one after the other, as they register or assert something.
    let (name, rest) = text.split_once('(')?;
    let is_path = name
        .chars()
        .all(|c| c.is_alphanumeric() || "_.:!".contains(c));
    let is_whole = [")", ");", "),", ")?;"]
        .iter()
        .any(|end| rest.ends_with(end));
    (is_path && is_whole && !name.is_empty()).then(|| format!("{name}({has_comma}"))
}

/// A line without what says who may see it: `pub`, `pub(crate)`, `pub(in …)`.
fn without_visibility(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("pub") else {
        return text;
    };
    let after = match rest.strip_prefix('(') {
        Some(inner) => inner.split_once(')').map_or(rest, |(_, after)| after),
        None => rest,
    };
    after.strip_prefix(' ').map_or(text, str::trim_start)
}

/// Tells whether all lines of both texts are entries of one flat list; those of the second may have attributes.
pub(in crate::merge::settle) fn are_of_one_list(one: &[&[u8]], two: &[&[u8]]) -> bool {
    if leans_down(two) {
        return false;
    }
    let plain = two.iter().filter(|line| !is_decorator(line));
    let mut lines = one.iter().chain(plain).filter(|line| !is_blank(line));
    let look = |line: &[u8]| Some((indent(line), form(line)?));
    let Some(first) = lines.next().and_then(|line| look(line)) else {
        return false;
    };
    lines.all(|line| look(line).as_ref() == Some(&first))
}

/// Tells whether some lines are whole functions, types or sections, one after the other, that stand for themselves
/// beside `others`.
pub(in crate::merge::settle) fn are_units(lines: &[&[u8]], others: &[&[u8]]) -> bool {
    if open_brackets(lines) != 0 || leans_down(lines) || !has_begun(lines, others) {
        return false;
    }
    let outermost = depth(lines);
    let mut said = lines.iter().filter(|line| !is_blank(line));
    said.all(|line| {
        indent(line) > outermost || begins_unit(line, others) || is_decorator(line) || closes(line)
    })
}

/// The first line that is no decorator begins a unit.
fn has_begun(lines: &[&[u8]], others: &[&[u8]]) -> bool {
    let mut said = lines.iter().filter(|line| !is_blank(line));
    said.find(|line| !is_decorator(line))
        .is_some_and(|line| indent(line) == depth(lines) && begins_unit(line, others))
}

/// A definition; or a line that begins something of several lines as the first of the others does.
fn begins_unit(line: &[u8], others: &[&[u8]]) -> bool {
    if defined_name(line).is_some() || line.trim_ascii_start().starts_with(b"impl") {
        return true;
    }
    let mut said = others.iter().filter(|line| !is_blank(line));
    let first = said.find(|line| !is_decorator(line));
    first.is_some_and(|first| {
        let begins = |line: &[u8], mark: &[u8]| line.trim_ascii_start().starts_with(mark);
        let is_entry = |line: &[u8]| begins(line, b"- ");
        if is_entry(line) && indent(first) > indent(line) {
            // Those are the rest of an entry.
            return true;
        }
        let are_entries = is_entry(line) && is_entry(first);
        indent(first) == indent(line)
            && (are_entries || is_call(line) && form_of_call(line) == form_of_call(first))
    })
}

/// `describe("…", () => {` and the like.
fn is_call(line: &[u8]) -> bool {
    form_of_call(line).is_some() && open_brackets(&[line]) > 0
}

fn form_of_call(line: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(line).ok()?.trim();
    let (name, _) = text.split_once('(')?;
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "_.".contains(c));
    (is_name && !STATEMENTS.contains(&name)).then_some(name)
}

/// Tells whether a line only closes brackets.
pub(in crate::merge::settle) fn closes(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    text.iter().all(|byte| b"}])>;,".contains(byte)) || text == b"end"
}

/// Tells whether some lines speak of something that others define or set.
pub(in crate::merge::settle) fn mention(lines: &[&[u8]], others: &[&[u8]]) -> bool {
    let names: Vec<&str> = others.iter().flat_map(|line| bound(line)).collect();
    lines.iter().any(|line| {
        std::str::from_utf8(line)
            .is_ok_and(|line| tokens(line).iter().any(|word| names.contains(word)))
    })
}

/// The names that a line gives to something, or brings in.
pub(in crate::merge::settle) fn bound(line: &[u8]) -> Vec<&str> {
    let Ok(text) = std::str::from_utf8(line) else {
        return Vec::new();
    };
    let text = text.trim();
    if let Some(list) = without_visibility(text).strip_prefix("use ") {
        return brought_in(list);
    }
    if let Some(name) = defined_name(line) {
        return std::str::from_utf8(name).into_iter().collect();
    }
    let Some((name, _)) = text.split_once(['=', ':']) else {
        return Vec::new();
    };
    let name = name.trim_end_matches(['=', ':']).trim();
    let mut parts = name.rsplit(|c: char| !(c.is_alphanumeric() || c == '_'));
    parts.find(|part| !part.is_empty()).into_iter().collect()
}

/// What is known by its name after an import of one line: the last part of each path, or what it is called instead.
fn brought_in(list: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut around = "";
    for entry in list.split([',', '{', '}', ';']).map(str::trim) {
        let path = entry.rsplit(" as ").next().unwrap_or(entry);
        let path = path.trim_end_matches("::");
        let name = path.rsplit("::").next().unwrap_or(path);
        if name == "self" {
            names.push(around);
        } else if !["", "*", "_"].contains(&name) {
            names.push(name);
        }
        if entry.ends_with("::") {
            // No name yet, but `self` in the brackets is.
            around = name;
            names.pop();
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<&[u8]> {
        text.lines().map(str::as_bytes).collect()
    }

    #[test]
    fn entries_of_a_list_are_told_from_statements() {
        for (one, two) in [
            ("- a", "- b"),
            ("use a::b;", "use c::d;"),
            ("pub use a::b;", "pub(crate) use c::d;"),
            ("    \"a\": 1,", "    \"b\": \"x y\","),
            ("a = 1", "b = \"2\""),
            ("    A => x,", "    B => y(),"),
            ("    Alpha,", "    Beta,"),
            ("| a | b |", "| c | d |"),
            ("    app.register(a);", "    app.register(b);"),
        ] {
            assert!(are_of_one_list(&lines(one), &lines(two)), "{one} {two}");
        }
        for (one, two) in [
            ("- a", "  - b"),
            ("    ship(o);", "    log(tax);"),
            ("let a = 1;", "let b = 2;"),
            ("return a", "return b"),
            ("    #[test]", "    #[ignore]"),
            ("# a", "# b"),
            ("[b]\ny=2", "secret=3"),
            ("\"a\": 1,", "\"b\": 2"),
            ("one", "two"),
        ] {
            assert!(!are_of_one_list(&lines(one), &lines(two)), "{one} {two}");
        }
    }

    #[test]
    fn whole_functions_and_entries_are_told_from_parts_of_them() {
        let others = "fn old() {\n    one();\n}\n";
        for text in [
            "fn a() {\n    b();\n}\n",
            "\n#[test]\nfn a() {\n}\n\nfn b() {}",
        ] {
            assert!(are_units(&lines(text), &lines(others)), "{text}");
        }
        for text in [
            "#[test]",
            "    more();",
            "}",
            "fn a() {",
            "fn a() {}\n#[test]",
            "call();",
            "## title",
        ] {
            assert!(!are_units(&lines(text), &lines(others)), "{text}");
        }
        let steps = ["- name: a\n  run: b", "- name: c\n  run: d", "  more: e"];
        assert!(are_units(&lines(steps[0]), &lines(steps[1])));
        assert!(!are_units(&lines(steps[2]), &lines(steps[1])));
    }

    #[test]
    fn an_import_is_known_by_the_names_that_it_brings_in() {
        let others = lines("use super::a::{self, Outcome, B as C};\nuse d::e;");
        for text in ["use a::x;", "use C::x;", "e(1)", "Outcome::x"] {
            assert!(mention(&lines(text), &others), "{text}");
        }
        for text in ["use super::f::G;", "use d::x;", "use B::x;"] {
            assert!(!mention(&lines(text), &others), "{text}");
        }
    }
}
