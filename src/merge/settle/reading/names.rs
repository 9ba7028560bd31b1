//! What a line gives a name to: a field, a setting, a function. Two insertions that name the same thing
//! are two versions of it, however little else they have in common.

use std::collections::{HashMap, HashSet};

use crate::merge::lines::{has_words, is_blank};

use super::text::Text;

/// A name and how deep it is: in another block it is another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::merge::settle) struct Name<'a> {
    indent: &'a [u8],
    name: &'a [u8],
    is_definition: bool,
}

/// Words before the name of what a line defines.
const DEFINES: [&[u8]; 12] = [
    b"fn",
    b"def",
    b"func",
    b"function",
    b"class",
    b"struct",
    b"enum",
    b"trait",
    b"interface",
    b"type",
    b"mod",
    b"macro_rules!",
];

/// Words before those, or before the name of a field.
const BEFORE: [&[u8]; 15] = [
    b"pub",
    b"pub(crate)",
    b"pub(super)",
    b"async",
    b"export",
    b"default",
    b"const",
    b"static",
    b"unsafe",
    b"abstract",
    b"public",
    b"private",
    b"protected",
    b"readonly",
    b"declare",
];

/// The name of what a line defines or sets.
pub(in crate::merge::settle) fn name_of(line: &[u8]) -> Option<Name<'_>> {
    let indent = indent(line);
    let mut rest = line.get(indent.len()..)?;
    loop {
        let (word, after) = first_word(rest);
        if DEFINES.contains(&word) {
            let name = identifier(after);
            return (!name.is_empty()).then_some(Name {
                indent,
                name,
                is_definition: true,
            });
        }
        rest = match word {
            // `pub(in crate::merge)` has a blank within.
            b"pub(in" => after.splitn(2, |b| *b == b')').nth(1)?,
            word if BEFORE.contains(&word) => after,
            _ => break,
        };
    }
    Some(Name {
        indent,
        name: key(rest.trim_ascii_start())?,
        is_definition: false,
    })
}

/// What a line defines: a function, a type.
pub(in crate::merge::settle) fn defined_name(line: &[u8]) -> Option<&[u8]> {
    let name = name_of(line)?;
    name.is_definition.then_some(name.name)
}

/// Tells whether a line sets something.
pub(in crate::merge::settle) fn is_setting(line: &[u8]) -> bool {
    name_of(line).is_some_and(|name| !name.is_definition)
}

fn indent(line: &[u8]) -> &[u8] {
    let depth = line.iter().take_while(|byte| byte.is_ascii_whitespace());
    line.get(..depth.count()).unwrap_or_default()
}

fn first_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace);
    text.split_at(end.unwrap_or(text.len()))
}

fn identifier(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_start();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let length = text.iter().take_while(|byte| is_part(byte)).count();
    text.get(..length).unwrap_or_default()
}

/// What is before a colon or a single equals sign, if it is one word or in quotes.
fn key(text: &[u8]) -> Option<&[u8]> {
    let length = match text.first()? {
        quote @ (b'"' | b'\'') => 2 + text.iter().skip(1).position(|byte| byte == quote)?,
        _other => {
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.?".contains(byte);
            text.iter().take_while(|byte| is_part(byte)).count()
        }
    };
    let (name, rest) = text.split_at_checked(length)?;
    let rest = rest.trim_ascii_start();
    let is_set = match rest.first()? {
        b':' => rest.get(1) != Some(&b':'),
        b'=' => !matches!(rest.get(1), Some(b'=' | b'>')),
        _other => false,
    };
    (is_set && has_words(name)).then_some(name)
}

/// Tells whether two insertions give the same name to different things, which are new in the file. Of
/// statements nobody can say that: only what is defined counts, and what is nothing but settings. What one side defines
/// and the other one sets has one name for two kinds of things.
pub(in crate::merge::settle) fn name_the_same(
    ours: &[&[u8]],
    theirs: &[&[u8]],
    base: &Text<'_, '_>,
) -> bool {
    let only_settings = are_settings(ours) && are_settings(theirs);
    let depth = |lines: &[&[u8]]| {
        let worded = lines.iter().filter(|line| has_words(line));
        worded.map(|line| indent(line).len()).min().unwrap_or(0)
    };
    let (our_depth, their_depth) = (depth(ours), depth(theirs));
    let mut known: HashMap<[&[u8]; 2], Known<'_>> = HashMap::new();
    for (name, line) in outermost(ours, our_depth) {
        let known = known.entry([name.indent, name.name]).or_default();
        known.is_defined |= name.is_definition;
        known.lines.insert(line);
    }
    outermost(theirs, their_depth).any(|(name, line)| {
        let Some(known) = known.get(&[name.indent, name.name]) else {
            return false;
        };
        let is_either = known.is_defined || name.is_definition;
        let is_other = known.lines.len() > 1 || !known.lines.contains(line);
        let other_kind = Name {
            is_definition: !name.is_definition,
            ..name
        };
        (is_either || only_settings && is_other)
            && !base.has_name(name)
            && !base.has_name(other_kind)
    })
}

/// What one side says of a name.
#[derive(Default)]
struct Known<'a> {
    is_defined: bool,
    lines: HashSet<&'a [u8]>,
}

fn outermost<'s, 'a>(
    lines: &'s [&'a [u8]],
    depth: usize,
) -> impl Iterator<Item = (Name<'a>, &'a [u8])> + use<'s, 'a> {
    let named = lines
        .iter()
        .filter_map(|line| Some((name_of(line).or_else(|| bound(line))?, *line)));
    named.filter(move |(name, _)| name.indent.len() == depth)
}

/// Words before the name of what a statement binds.
const BINDS: [&[u8]; 5] = [b"let", b"var", b"val", b"const", b"local"];

/// Words before round brackets that define nothing of that name.
const NO_METHODS: [&[u8]; 25] = [
    b"if",
    b"for",
    b"foreach",
    b"while",
    b"until",
    b"unless",
    b"switch",
    b"catch",
    b"match",
    b"with",
    b"using",
    b"lock",
    b"synchronized",
    b"return",
    b"new",
    b"await",
    b"else",
    b"elif",
    b"throw",
    b"case",
    b"do",
    b"go",
    b"defer",
    b"func",
    b"function",
];

/// The name that a statement binds, or a method whose definition has no word for that.
fn bound(line: &[u8]) -> Option<Name<'_>> {
    let indent = indent(line);
    let text = line.get(indent.len()..)?;
    let (first, mut rest) = first_word(text.strip_prefix(b"export ").unwrap_or(text));
    if BINDS.contains(&first) {
        if let (b"mut", after) = first_word(rest) {
            rest = after;
        }
        let name = identifier(rest);
        return (!name.is_empty()).then_some(Name {
            indent,
            name,
            is_definition: false,
        });
    }
    Some(Name {
        indent,
        name: method(text)?,
        is_definition: true,
    })
}

/// `name(…) {` with words before it. One that sets goes with one that gets.
fn method(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_ascii_end();
    let open = text.iter().position(|byte| *byte == b'(')?;
    let (head, rest) = text.split_at_checked(open)?;
    let close = rest.iter().rposition(|byte| *byte == b')')?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$".contains(byte);
    let mut words = head.split(u8::is_ascii_whitespace);
    let are_words = words.clone().all(|word| word.iter().all(is_part))
        && !words
            .any(|word| NO_METHODS.contains(&word) || word == b"set" && !head.ends_with(b"set"));
    let has_body = (text.ends_with(b"{") || text.ends_with(b"}")) && rest.contains(&b'{');
    let arguments = rest.get(..close).unwrap_or_default();
    let says = |byte: &u8| b"\"'`=".contains(byte);
    let name = head.rsplit(u8::is_ascii_whitespace).next()?;
    // An arm of a match, and a macro that makes something of its arguments.
    let is_arm = rest
        .get(close..)
        .is_some_and(|after| after.windows(2).any(|it| it == b"=>"));
    let is_macro = !name.iter().any(u8::is_ascii_lowercase);
    let is_method = are_words
        && has_body
        && has_words(name)
        && !arguments.iter().any(says)
        && !is_arm
        && !is_macro;
    is_method.then_some(name)
}

/// Every line sets something, or closes a bracket.
fn are_settings(lines: &[&[u8]]) -> bool {
    let sets = |line: &[u8]| name_of(line).is_some_and(|name| !name.is_definition);
    lines
        .iter()
        .all(|line| is_blank(line) || !has_words(line) || sets(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(line: &str) -> Option<(String, bool)> {
        let name = name_of(line.as_bytes())?;
        let text = String::from_utf8(name.name.to_vec()).unwrap();
        Some((text, name.is_definition))
    }

    #[test]
    fn names_are_read_from_definitions_and_settings() {
        for (line, name, is_definition) in [
            ("    pub async fn send(&self) {", "send", true),
            ("pub(in crate::merge) fn tip(&self) {", "tip", true),
            ("export default function App() {", "App", true),
            ("def load(path):", "load", true),
            ("  \"serde\": \"1.0\",", "\"serde\"", false),
            ("pub retries: u32,", "retries", false),
            ("timeout = 10", "timeout", false),
            ("serde.workspace = true", "serde.workspace", false),
        ] {
            let expected = Some((name.to_owned(), is_definition));
            assert_eq!(named(line), expected, "{line}");
        }
        for line in [
            "a == b",
            "A => b,",
            "std::fs",
            "}",
            "let x = 1;",
            "- a: b",
            "some words: here",
        ] {
            assert_eq!(named(line), None, "{line}");
        }
    }

    #[test]
    fn the_same_name_in_another_block_is_another_name() {
        let lines = |text: &'static str| text.lines().map(str::as_bytes).collect::<Vec<_>>();
        let base = lines("{");
        let base = Text::new(&base);
        let same = |one, two| name_the_same(&lines(one), &lines(two), &base);
        assert!(same("fn a() {\n    1\n}", "fn a() {\n    2\n}"));
        assert!(same("  \"x\": 1,", "  \"y\": 3,\n  \"x\": 2,"));
        assert!(!same(
            "impl A {\n    fn new() {}\n}",
            "impl B {\n    fn new() {}\n}"
        ));
        assert!(!same("x = 1\nprint(x)", "x = 2\nprint(x)"));
        for (one, two) in [
            ("export const b = (x) => x;", "export function b(x) {"),
            ("const port = 1;", "function port() {}"),
            ("let port = 1;", "function port() {}"),
            ("    y = 2", "    def y(self):"),
            ("  get b() { return 1; }", "  b() { return 2; }"),
            ("  public int b(int x) {", "  private int b() {"),
        ] {
            assert!(same(one, two) && same(two, one), "{one} {two}");
        }
        for (one, two) in [
            ("  get b() { return 1; }", "  set b(x) { y(x); }"),
            ("  if (a) {", "  if (b) {"),
            ("  test(\"a\", () => {", "  test(\"b\", () => {"),
            ("let x = a;", "let x = b;"),
            ("    Some(1) => {", "    Some(2) => {"),
            ("TEST(A, One) {", "TEST(A, Two) {"),
            ("go func() {", "go func() {\n\tb()"),
        ] {
            assert!(!same(one, two) && !same(two, one), "{one} {two}");
        }
    }
}
