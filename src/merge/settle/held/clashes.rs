//! Two insertions at one place that are two versions of one thing, or of which one has to stand before the other: a
//! decorator stays with what it decorates, whichever side put it there. Pure.

use std::collections::HashSet;

use crate::merge::lines::{has_words, is_blank};
use crate::merge::operators::go_on_otherwise;

use super::calls::call_the_same;
use super::identified::known_by;
use super::rows::have_one_key;
use super::same_words::say_the_same;
use crate::merge::settle::order::clauses::catch_other_things;
use crate::merge::settle::order::precedence::{depend_on_order, take_the_rest};
use crate::merge::settle::order::turns::comes_before;
use crate::merge::settle::reading::kind::Kind;
use crate::merge::settle::reading::leaning::{
    depth, ends_there, go_on_flat, goes_astray, indent, leans_down, leans_up, open_brackets,
};
use crate::merge::settle::reading::names::name_the_same;
use crate::merge::settle::reading::sections::precedes;
use crate::merge::settle::reading::text::Text;

/// How what may stand but once begins.
const ONCE: [&str; 10] = [
    "export default",
    "module.exports =",
    "default:",
    "_ =>",
    "CMD ",
    "ENTRYPOINT ",
    "package ",
    "#!/",
    "\"\"\"",
    "'''",
];

/// Both insertions after the lines `above`, one after the other: ours first, unless theirs has to be. `None` when both have
/// to be, or neither may be parted from its place.
pub(in crate::merge::settle) fn one_after_the_other<'a>(
    ours: &[&'a [u8]],
    theirs: &[&'a [u8]],
    above: &[&[u8]],
    kind: Kind,
) -> Option<Vec<&'a [u8]>> {
    if open_brackets(ours) != 0 || open_brackets(theirs) != 0 {
        return None;
    }
    // What ends with the line that stands above may as well be read from there on.
    let leans =
        |lines: &[&[u8]]| leans_down(lines) && !is_directive(lines) && lines.last() != above.last();
    let before = |one: &[&[u8]], two: &[&[u8]]| {
        let goes_on = leans_up(one) && !go_on_flat(one, two, above);
        goes_on && !take_the_rest(one, two) && !catch_other_things(one, two)
            || go_on_flat(two, one, above)
            || leans(two)
            || take_the_rest(two, one)
            || ends_there(two)
            || goes_astray(one, two, above)
            || precedes(one, two, above, kind)
            || comes_before(one, two)
    };
    match (before(ours, theirs), before(theirs, ours)) {
        (true, true) => None,
        (false, true) => Some([theirs, ours].concat()),
        (true | false, false) => Some([ours, theirs].concat()),
    }
}

/// Tells whether two insertions before the line `at` of the base are two versions of one thing.
pub(in crate::merge::settle) fn clash(
    ours: &[&[u8]],
    theirs: &[&[u8]],
    base: &Text<'_, '_>,
    at: usize,
) -> bool {
    let only = |lines: &[&[u8]], others: &[&[u8]]| -> HashSet<String> {
        let others: HashSet<&[u8]> = others.iter().copied().collect();
        let depth = depth(lines);
        let own = lines.iter().filter(|line| !others.contains(**line));
        own.flat_map(|line| keys(line, depth)).collect()
    };
    let our_keys = only(ours, theirs);
    let above = base.lines.get(..at).unwrap_or_default();
    name_the_same(ours, theirs, base)
        || !only(theirs, ours).is_disjoint(&our_keys)
        || say_the_same(ours, theirs, base.lines, at)
        || have_one_key(ours, theirs, above)
        || go_on_otherwise(ours, theirs)
        || depend_on_order(ours, theirs, base.kind)
        || call_the_same(ours, theirs, base.lines)
        || have_one_number(ours, theirs, above)
        || go_on_with_one_number(ours, theirs, above)
}

/// What a line is the only one to say: the names that it brings in, the case that it is about.
fn keys(line: &[u8], depth: usize) -> Vec<String> {
    let Ok(text) = std::str::from_utf8(line) else {
        return Vec::new();
    };
    if indent(line) != depth || !has_words(line) && !line.ends_with(b"\"\"\"") {
        return Vec::new();
    }
    let text = text.trim();
    let mut keys = imported(text);
    if let Some((pattern, _)) = text.split_once(" => ") {
        let alternatives = pattern.split('|').map(str::trim);
        keys.extend(alternatives.map(|pattern| format!("{pattern} =>")));
    }
    if let Some((values, _)) = text
        .strip_prefix("case ")
        .and_then(|label| label.split_once(':'))
    {
        let values = values.split(',').map(str::trim);
        keys.extend(values.map(|value| format!("case {value}")));
    }
    keys.extend(identified(text));
    keys.extend(known_by(text));
    let once = ONCE.iter().find(|begin| text.starts_with(**begin));
    keys.extend(once.map(|begin| (*begin).to_owned()));
    // `{ name: a },` is an entry of a list.
    if let Some((name, kind)) = text.split_once(':')
        && has_words(name.as_bytes())
        && !name.contains('{')
        && !kind.starts_with(':')
        && (kind.ends_with(';') || kind.ends_with(','))
    {
        keys.push(format!("{}:", name.trim_end_matches('?')));
    }
    keys
}

/// What an entry of a list begins with, if it is known by that: `{ id: 2`.
fn identified(text: &str) -> Option<String> {
    const KNOWN_BY: [&str; 5] = ["id", "key", "name", "path", "slug"];
    let (first, _) = text.strip_prefix('{')?.split_once(',')?;
    let (name, value) = first.split_once(':')?;
    let name = name.trim().trim_matches(['"', '\'']);
    KNOWN_BY
        .contains(&name)
        .then(|| format!("{{{name}:{}", value.trim()))
}

/// Tells whether the last line only looks like a comment: `#include "a.h"`, and `--wide: 2px;` of CSS.
fn is_directive(lines: &[&[u8]]) -> bool {
    const DIRECTIVES: [&[u8]; 5] = [b"include", b"import", b"define", b"undef", b"pragma"];
    let last = lines.iter().rfind(|line| !is_blank(line));
    last.is_some_and(|line| {
        let text = line.trim_ascii();
        let word = text.strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        let begins = |word: &[u8]| {
            let mut all = DIRECTIVES.iter();
            all.any(|it| {
                word.strip_prefix(*it)
                    .is_some_and(|rest| rest.starts_with(b" "))
            })
        };
        let is_property = text.starts_with(b"--")
            && text.ends_with(b";")
            && text.get(2).is_some_and(u8::is_ascii_alphabetic)
            && text.contains(&b':');
        word.is_some_and(begins) && !text.ends_with(b"\\") || is_property
    })
}

/// The names that an import makes known.
fn imported(text: &str) -> Vec<String> {
    let text = text.strip_prefix("pub ").unwrap_or(text);
    let list = if let Some(list) = text.strip_prefix("use ") {
        list
    } else if let Some((_, list)) = text
        .strip_prefix("from ")
        .and_then(|rest| rest.split_once(" import "))
    {
        list
    } else if let Some((list, _)) = text
        .strip_prefix("import ")
        .and_then(|rest| rest.split_once(" from "))
    {
        list
    } else {
        return Vec::new();
    };
    let entries = list.split([',', '{', '}', ';', '(', ')']).map(str::trim);
    let name = |entry: &str| {
        let name = entry.rsplit(" as ").next().unwrap_or(entry);
        let name = name.rsplit("::").next().unwrap_or(name).trim();
        let is_name = !["", "*", "_", "self", "type"].contains(&name);
        is_name.then(|| format!("import {name}"))
    };
    entries.filter_map(name).collect()
}

/// Both give the next number to something else.
fn have_one_number(ours: &[&[u8]], theirs: &[&[u8]], before: &[&[u8]]) -> bool {
    let numbers =
        |lines: &[&[u8]]| -> Vec<u64> { lines.iter().filter_map(|line| number(line)).collect() };
    let last = before.iter().rev().find(|line| !is_blank(line));
    let Some(last) = last.and_then(|line| number(line)) else {
        return false;
    };
    let (ours, theirs) = (numbers(ours), numbers(theirs));
    ours.first() == Some(&(last + 1)) && theirs.contains(&(last + 1))
}

/// Both go on with a numbered list, with the same number.
fn go_on_with_one_number(ours: &[&[u8]], theirs: &[&[u8]], before: &[&[u8]]) -> bool {
    let first = |lines: &[&[u8]]| {
        let line = lines.iter().find(|line| !is_blank(line))?;
        Some((indent(line), list_number(line)?))
    };
    let (Some(one), Some(two)) = (first(ours), first(theirs)) else {
        return false;
    };
    let mut above = before.iter().rev().filter(|line| !is_blank(line));
    let last = above.find(|line| indent(line) <= one.0);
    one == two && last.and_then(|last| list_number(last)) == one.1.checked_sub(1)
}

/// The number of an item of a list in prose: `3. ` or `3) `.
fn list_number(line: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(line).ok()?.trim_start();
    let (number, _) = text.split_once(". ").or_else(|| text.split_once(") "))?;
    number.parse().ok()
}

/// The number that a line gives to a name: `name = 3,`.
fn number(line: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(line).ok()?.trim();
    let (name, value) = text.trim_end_matches([',', ';']).rsplit_once('=')?;
    has_words(name.as_bytes()).then(|| value.trim().parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<&[u8]> {
        text.lines().map(str::as_bytes).collect()
    }

    fn joined(ours: &str, theirs: &str) -> Option<String> {
        let all = one_after_the_other(&lines(ours), &lines(theirs), &[], Kind::Other)?;
        Some(String::from_utf8(all.join(&b'\n')).unwrap())
    }

    #[test]
    fn what_belongs_to_the_next_line_stands_last_whichever_side_it_is_from() {
        for (first, last) in [
            ("def new():\n    n()", "@login_required"),
            ("    n: u8,", "    #[serde(skip)]"),
            ("fn n() {}", "/// About b.\n#[cfg(unix)]"),
            ("n: 3", "# about b"),
            ("    log()", "    if x:"),
            ("log", "[ -e x ] &&"),
            ("    log()", "    return a"),
            ("#!/bin/sh", "# about"),
            ("        inner()", "    after()"),
            ("    admin: true\n  - name: eve", "  - name: bob"),
            ("#include \"a.h\"", "// about b"),
        ] {
            let both = format!("{first}\n{last}");
            let both = lines(&both).join(&b'\n');
            let both = String::from_utf8(both).unwrap();
            assert_eq!(joined(first, last).as_ref(), Some(&both));
            assert_eq!(joined(last, first), Some(both));
        }
        for (one, two) in [
            ("#include \"a.h\"", "#include \"b.h\""),
            ("#define A 1", "#define B 2"),
            ("  --narrow: 1px;", "  --wide: 2px;"),
        ] {
            assert_eq!(joined(one, two), Some(format!("{one}\n{two}")));
        }
        for (one, two) in [
            ("@a", "@b"),
            ("/// a", "#[b]"),
            ("else:\n    a()", "elif b:\n    c()"),
            ("finally:\n    a()", "except B:\n    c()"),
            ("return a", "return b"),
            ("    a: 1\n  - b", "    c: 1\n  - d"),
            ("        a()\nb()", "    c()"),
            ("if (a) {", "log();"),
        ] {
            assert_eq!(joined(one, two), None, "{one} {two}");
            assert_eq!(joined(two, one), None, "{one} {two}");
        }
    }

    #[test]
    fn entries_that_are_compared_with_the_next_one_do_not_go_on_with_it() {
        let above = lines("[\n  {\n    \"a\": 1\n  },\n  {");
        let entry = |value: u8| format!("    \"a\": {value}\n  }},\n  {{");
        let [two, three] = [entry(2), entry(3)];
        let [two, three] = [lines(&two), lines(&three)];
        let both = one_after_the_other(&two, &three, &above, Kind::Other);
        assert_eq!(both, Some([two.clone(), three].concat()));
        // What goes on with the entry that stood there stays with it.
        let field = lines("    \"b\": 4,");
        for sides in [[&two, &field], [&field, &two]] {
            let both = one_after_the_other(sides[0], sides[1], &above, Kind::Other);
            assert_eq!(both, Some([two.clone(), field.clone()].concat()));
        }
    }

    #[test]
    fn what_stands_after_a_decorator_and_brings_another_one_is_whole() {
        let above = lines("#[cfg(test)]");
        let (ours, theirs) = (lines("mod a;\n#[cfg(test)]"), lines("mod b;\n#[cfg(test)]"));
        let both = one_after_the_other(&ours, &theirs, &above, Kind::Other);
        assert_eq!(both, Some([ours.clone(), theirs].concat()));
        let attribute = lines("#[ignore]");
        let both = one_after_the_other(&attribute, &ours, &above, Kind::Other);
        assert_eq!(both, Some([ours, attribute].concat()));
    }

    #[test]
    fn two_versions_of_one_thing_are_told_from_two_things() {
        let before = lines("    B = 2,");
        let base = Text::new(&before);
        let is_clash = |one: &str, two: &str| {
            let (one, two) = (lines(one), lines(two));
            let both_ways = [clash(&one, &two, &base, 1), clash(&two, &one, &base, 1)];
            assert_eq!(both_ways[0], both_ways[1]);
            both_ways[0]
        };
        for (one, two) in [
            ("export default a;", "export default b;"),
            ("\tAge int", "\tAge string"),
            ("  age?: string;", "  age: number;"),
            ("    C = 3,", "    D = 3,"),
            ("use a::X;", "use b::X;"),
            ("use a::{W, X};", "use b::{X, Y};"),
            ("from a import x", "from b import x"),
            ("    3 => none(),", "    3 => three(),"),
            ("    B | C => 2,", "    C => 3,"),
            ("    _ => none(),", "    _ => panic!(),"),
            ("  case 1:\n    a();", "  case 2, 1:\n    b();"),
            ("  && c", "  || d"),
            ("CMD [\"a\"]", "CMD b"),
            ("    \"\"\"One.\"\"\"", "    \"\"\"Two.\"\"\""),
            ("    let x = 1;", "    let x = two();"),
            ("retry.limit(3)", "retry.limit(5)"),
            ("{ path: '/b', to: B },", "{ path: '/b', to: C },"),
            ("check(order)", "check(order)  # first"),
        ] {
            assert!(is_clash(one, two), "{one} {two}");
        }
        for (one, two) in [
            ("- the first", "- the second"),
            ("- \"a\"", "- \"b\""),
            ("{ path: '/b', to: B },", "{ path: '/c', to: C },"),
            ("use a::X;", "use b::Y;"),
            ("import \"a\"", "import \"b\""),
            ("    3 => none(),", "    4 => none(),"),
            ("RUN make", "RUN test"),
            ("    log(a);", "    send(b);"),
            ("    let x = 1;", "    let y = 1;"),
            ("    C = 3,\n    D = 4,", "    E = 5,"),
        ] {
            assert!(!is_clash(one, two), "{one} {two}");
        }
    }

    #[test]
    fn what_is_put_into_a_block_that_is_not_indented_stands_before_its_else() {
        let above = lines("if x\na");
        for goes_on in [
            "else",
            "<% else %>",
            "{{else}}",
            "rescue",
            "@else",
            "ELSE",
            "{% elif y %}",
            "{:else}",
        ] {
            let other = format!("{goes_on}\nz");
            let (other, more) = (lines(&other), lines("n"));
            let expected = [more.as_slice(), &other].concat();
            for (one, two) in [(&other, &more), (&more, &other)] {
                let both = one_after_the_other(one, two, &above, Kind::Other);
                assert_eq!(both.as_ref(), Some(&expected), "{goes_on}");
            }
        }
        // Indented, it is what follows the block.
        let above = lines("if x:\n    a");
        let (other, more) = (lines("else:\n    z"), lines("n"));
        let both = one_after_the_other(&more, &other, &above, Kind::Other);
        assert_eq!(both, Some([other.clone(), more].concat()));
    }
}
