//! What a line is known by among its like: the path of a `location`, the value of an arm, the `id` of an element, the package
//! of a version. Two lines that both sides put in and that are known by the same are two versions of one. Pure.

use super::same_words::parts;

/// What a line is known by.
pub(super) fn known_by(text: &str) -> Vec<String> {
    let found = [block(text), arm(text), clause(text), package(text)];
    found.into_iter().flatten().chain(element(text)).collect()
}

/// Words of blocks of which there are as many of one name as one likes.
const MANY: [&str; 30] = [
    "if",
    "else",
    "for",
    "foreach",
    "while",
    "until",
    "loop",
    "match",
    "switch",
    "case",
    "try",
    "catch",
    "with",
    "do",
    "impl",
    "unsafe",
    "extern",
    "namespace",
    "extension",
    "extend",
    "return",
    "let",
    "const",
    "var",
    "val",
    "async",
    "await",
    "static",
    "when",
    "module",
];

/// `location /x {`, `resource "a" "b" {`
fn block(text: &str) -> Option<String> {
    let (head, _) = text.split_once(" {")?;
    let first = head.split_whitespace().next()?;
    let is_named = head.contains(' ') || head.starts_with(['.', '#']);
    let is_plain = !head.contains(['(', '=', '{', '}', '|', ':', ',', '@', '<', '>']);
    (is_named && is_plain && !MANY.contains(&first)).then(|| format!("{head} {{"))
}

/// `2 -> b()`
fn arm(text: &str) -> Option<String> {
    let (pattern, _) = text.split_once(" -> ")?;
    let is_value = pattern
        .starts_with(|c: char| c.is_ascii_digit() || c.is_uppercase() || c == '"' || c == ':');
    let is_whole = !pattern.contains(['(', '{', '|', '=', '<', ' ']);
    (is_value && is_whole).then(|| format!("{pattern} ->"))
}

/// A clause of a function of Elixir: of two, the first one that fits is taken.
fn clause(text: &str) -> Option<String> {
    let rest = text
        .strip_prefix("def ")
        .or_else(|| text.strip_prefix("defp "))?;
    let is_clause = text.contains(", do:") || text.ends_with(" do");
    let (name, _) = rest.split_once('(')?;
    is_clause.then(|| format!("def {name}"))
}

/// The `id` of an element whatever it is, and the `name` or `key` of one of its kind.
fn element(text: &str) -> Vec<String> {
    let Some(inside) = text
        .strip_prefix('<')
        .and_then(|rest| rest.split('>').next())
    else {
        return Vec::new();
    };
    let tag = inside.split_whitespace().next().unwrap_or_default();
    let parts = parts(inside);
    let pairs = parts.windows(3).filter_map(|it| match it {
        [name, equals, value] if equals.text == "=" && value.is_quoted => {
            Some((name.text, value.text))
        }
        _other => None,
    });
    let known = pairs.filter_map(|(name, value)| match name {
        "id" => Some(format!("id={value}")),
        "name" | "key" if !["input", "meta", "button"].contains(&tag) => {
            Some(format!("<{tag} {name}={value}"))
        }
        _other => None,
    });
    known.collect()
}

/// `"b>=1",` and `b==1`: the package of which a version is wanted.
fn package(text: &str) -> Option<String> {
    let text = text.trim_end_matches(',').trim_matches(['"', '\'']);
    let is_name = |c: char| c.is_alphanumeric() || "_-.[]".contains(c);
    let end = text.find(|c| !is_name(c))?;
    let (name, rest) = text.split_at_checked(end)?;
    let version = ["==", ">=", "<=", "~=", "!=", ">", "<"]
        .iter()
        .find_map(|sign| rest.strip_prefix(sign))?;
    let is_version = version
        .trim_start()
        .starts_with(|c: char| c.is_ascii_digit());
    let is_alone = !text.contains([' ', '(', ';']);
    (is_version && is_alone && name.starts_with(char::is_alphabetic))
        .then(|| format!("{}==", name.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    #[test]
    fn two_versions_of_what_is_known_by_the_same_are_held() {
        for (one, two) in [
            ("location /x { b; }", "location /x { c; }"),
            ("  2 -> b()", "  2 -> c()"),
            ("def f(2) do\n  b", "def f(x) do\n  c"),
            (
                "  <string name=\"a\">x</string>",
                "  <string name=\"a\">y</string>",
            ),
            ("<p id=\"a\">", "<div id=\"a\">"),
            ("  \"b>=1\"", "  \"b>=2\""),
            ("requests==2.1", "requests==2.2"),
        ] {
            let [one, two] = [one, two].map(|line| format!("head, {line}, tail"));
            assert_eq!(settled("head, tail", &one, &two), None, "{one}");
            assert_eq!(settled("head, tail", &two, &one), None, "{one}");
        }
        for (one, two) in [
            ("location /x { b; }", "location /y { c; }"),
            ("  2 -> b()", "  3 -> c()"),
            (
                "  <string name=\"a\">x</string>",
                "  <string name=\"b\">x</string>",
            ),
            ("requests==2.1", "flask==2.2"),
        ] {
            let [one, two] = [one, two].map(|line| format!("head, {line}, tail"));
            assert!(settled("head, tail", &one, &two).is_some(), "{one}");
        }
    }
}
