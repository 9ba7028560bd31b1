//! One line of each side, in the same words but for values: two settings of one thing, or two entries of a list. That they
//! are entries is told by the lines around them, or by the word that they begin with. Pure.

use crate::merge::lines::is_blank;
use crate::merge::tokens::tokens;

use super::asserted::{asserts, contradict};
use crate::merge::settle::reading::leaning::{depth, indent};
use crate::merge::settle::rules::insertions::is_mark;

/// How many lines above and below the like of an entry is looked for.
const AROUND: usize = 40;

/// How an entry begins that a file has as many of as it wants, each for something else.
const ENTRIES: [&str; 39] = [
    // What is depended on.
    "gem",
    "pod",
    "brew",
    "cask",
    "add_dependency",
    "add_development_dependency",
    "add_runtime_dependency",
    "implementation",
    "testImplementation",
    "androidTestImplementation",
    "debugImplementation",
    "testCompile",
    "compileOnly",
    "runtimeOnly",
    "testRuntimeOnly",
    "annotationProcessor",
    "classpath",
    "kapt",
    "ksp",
    // Docker and SQL.
    "EXPOSE",
    "COPY",
    "ADD",
    "VOLUME",
    "INSERT",
    "insert",
    // Style sheets.
    "@import",
    "@use",
    "@forward",
    // HTML and XML.
    "<script",
    "<link",
    "<option",
    "<meta",
    "<img",
    "<source",
    "<string",
    "<PackageReference",
    "<ProjectReference",
    "<Reference",
    "<add",
];

/// What begins a statement of two words, of which the second is no kind of a field of that name.
const COMMANDS: [&str; 28] = [
    "include",
    "extend",
    "prepend",
    "belongs_to",
    "has_one",
    "has_many",
    "attr_reader",
    "attr_writer",
    "attr_accessor",
    "await",
    "yield",
    "echo",
    "npm",
    "yarn",
    "pnpm",
    "make",
    "cargo",
    "go",
    "git",
    "docker",
    "pip",
    "python",
    "node",
    "bundle",
    "mvn",
    "gradle",
    "source",
    "plug",
];

/// Tells whether the sides put in a line each that sets the same thing, before the line `at` of the base.
pub(in crate::merge::settle) fn say_the_same(
    ours: &[&[u8]],
    theirs: &[&[u8]],
    base: &[&[u8]],
    at: usize,
) -> bool {
    let around = Around {
        base,
        at,
        depth: depth(ours),
    };
    let is_inside = around.depth > 0;
    let (Some(ours), Some(theirs)) = (only_line(ours), only_line(theirs)) else {
        return false;
    };
    // Of two cases, what they are about tells.
    let is_case = ours.contains(" => ") || theirs.contains(" => ");
    if is_case
        || ours.starts_with(['-', '*', '+', '|'])
        || ours.split(' ').next().is_some_and(is_entry)
    {
        return false;
    }
    let (one, two) = (spoken(ours), spoken(theirs));
    let is_field = |text: &str| text.split_whitespace().count() == 2 && !text.contains(['(', ';']);
    let name = ours.split_whitespace().next().unwrap_or_default();
    let is_same_field = is_inside
        && is_field(ours)
        && is_field(theirs)
        && one.len() > 1
        && !name.starts_with('<')
        && theirs.split_whitespace().next() == Some(name)
        && !COMMANDS.contains(&name)
        && !around.has(|line| line.split_whitespace().next() == Some(name));
    let binds = |words: &[&str]| matches!(words.first(), Some(&("let" | "const" | "var")));
    let bound = |words: &[&str]| {
        words
            .iter()
            .skip(1)
            .find(|word| **word != "mut")
            .map(|word| (*word).to_owned())
    };
    let is_same_binding = binds(&one) && binds(&two) && bound(&one) == bound(&two);
    let is_same = are_alike(&one, &two) && !are_entries(ours, theirs, &around);
    is_same || is_same_field || is_same_binding
}

fn is_entry(word: &str) -> bool {
    is_mark(word.as_bytes())
}

fn are_alike(one: &[&str], two: &[&str]) -> bool {
    !one.is_empty() && !two.is_empty() && (one.starts_with(two) || two.starts_with(one))
}

/// Tells whether two lines in the same words are about different things, and such that stand beside each other.
fn are_entries(one: &str, two: &str, around: &Around<'_, '_>) -> bool {
    let (our_values, their_values) = (values(one), values(two));
    if our_values.is_empty() || their_values.is_empty() || our_values == their_values {
        return false;
    }
    if asserts(one) && asserts(two) {
        return !contradict(one, two);
    }
    let words = spoken(one);
    let begins = |line: &str| {
        let first = line.split([' ', '(', '>']).next().unwrap_or_default();
        ENTRIES.contains(&first) || ENTRIES.contains(&first.rsplit('.').next().unwrap_or_default())
    };
    let is_one_of_many =
        begins(one) || around.is_list() || around.has(|line| are_alike(&words, &spoken(line)));
    // What is inserted into a table is known by more than its first value.
    let is_row = one
        .get(..6)
        .is_some_and(|first| first.eq_ignore_ascii_case("insert"));
    let key = |line, values: &[&str]| {
        let known = attribute(line).or_else(|| values.first().map(|it| (*it).to_owned()));
        known.map(|value| without_version(&value).to_owned())
    };
    is_one_of_many && (is_row || key(one, &our_values) != key(two, &their_values))
}

/// The value of the attribute by which an element of HTML or XML is known.
fn attribute(line: &str) -> Option<String> {
    const KNOWN_BY: [&str; 6] = ["src", "href", "name", "id", "key", "Include"];
    let parts = parts(line.strip_prefix('<')?);
    let mut pairs = parts.windows(3);
    pairs.find_map(|it| match it {
        [name, equals, value] if equals.text == "=" && KNOWN_BY.contains(&name.text) => {
            value.is_quoted.then(|| value.text.to_owned())
        }
        _other => None,
    })
}

/// `group:name` of `group:name:1.0`.
fn without_version(value: &str) -> &str {
    match value.rsplit_once(':') {
        Some((name, _)) if name.contains(':') => name,
        Some(_) | None => value,
    }
}

/// What stands around a place.
struct Around<'s, 'a> {
    base: &'s [&'a [u8]],
    at: usize,
    depth: usize,
}

impl Around<'_, '_> {
    /// Tells whether a line of the block around is such a one.
    fn has(&self, is_it: impl Fn(&str) -> bool) -> bool {
        let (above, below) = self.base.split_at(self.at.min(self.base.len()));
        let is_here = |line: &&&[u8]| is_blank(line) || indent(line) >= self.depth;
        let is_like = |line: &&[u8]| {
            let text = std::str::from_utf8(line).unwrap_or_default().trim();
            indent(line) == self.depth && is_it(text)
        };
        let mut above = above.iter().rev().take(AROUND).take_while(is_here);
        let mut below = below.iter().take(AROUND).take_while(is_here);
        above.any(is_like) || below.any(is_like)
    }

    /// Tells whether the block around is a list in square brackets.
    fn is_list(&self) -> bool {
        let above = self.base.get(..self.at).unwrap_or_default();
        let mut outside = above.iter().rev().take(10 * AROUND);
        let head = outside.find(|line| !is_blank(line) && indent(line) < self.depth);
        head.is_some_and(|head| {
            let text = head.trim_ascii_end();
            text.ends_with(b"[") || text.ends_with(b"{") && text.windows(2).any(|it| it == b"[]")
        })
    }
}

fn only_line<'a>(lines: &[&'a [u8]]) -> Option<&'a str> {
    let mut said = lines.iter().filter(|line| !is_blank(line));
    let line = said.next()?;
    let is_only = said.next().is_none();
    std::str::from_utf8(line)
        .ok()
        .filter(|_| is_only)
        .map(str::trim)
}

/// The words of a line without what stands in quotes, and without numbers.
fn spoken(text: &str) -> Vec<&str> {
    let is_word = |part: &&Part<'_>| {
        let is_worded = |c: char| c.is_alphabetic() || c == '_';
        !part.is_quoted && part.text.starts_with(is_worded)
    };
    parts(text)
        .iter()
        .filter(is_word)
        .map(|it| it.text)
        .collect()
}

/// What stands in quotes, and the numbers.
fn values(text: &str) -> Vec<&str> {
    let is_value = |part: &&Part<'_>| part.is_quoted || part.text.starts_with(char::is_numeric);
    parts(text)
        .iter()
        .filter(is_value)
        .map(|it| it.text)
        .collect()
}

/// A token, or all that stands between two quotes.
pub(in crate::merge::settle) struct Part<'t> {
    pub(in crate::merge::settle) text: &'t str,
    pub(in crate::merge::settle) is_quoted: bool,
}

/// A line in its tokens, each text in quotes whole.
pub(in crate::merge::settle) fn parts(line: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    // The quote that is open, and where its text begins.
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for token in tokens(line) {
        let start = at;
        at += token.len();
        match open {
            Some((quote, from)) if quote == token => {
                parts.push(Part {
                    text: line.get(from..start).unwrap_or_default(),
                    is_quoted: true,
                });
                open = None;
            }
            Some(_) => {}
            None if ["\"", "'", "`"].contains(&token) => open = Some((token, at)),
            None => parts.push(Part {
                text: token,
                is_quoted: false,
            }),
        }
    }
    parts
}
