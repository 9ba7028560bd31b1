//! Definitions: a word of the language, and the name after it. Pure.

use super::bound::{Bound, Space};
use super::language::Language;
use super::scopes::ScopedLine;
use super::words::{after, has_word, is_part, name, tokens, without, without_visibility};

/// Words before those that define something, or before what a class has.
pub(super) const BEFORE: [&str; 28] = [
    "export",
    "default",
    "declare",
    "async",
    "abstract",
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "readonly",
    "override",
    "unsafe",
    "virtual",
    "sealed",
    "open",
    "data",
    "inner",
    "lateinit",
    "suspend",
    "inline",
    "extern \"C\"",
    "volatile",
    "transient",
    "synchronized",
    "required",
    "constexpr",
];

/// The words after which a name stands, of which a scope has one, and what kind of name it is.
fn words(language: Language) -> &'static [(&'static str, Space)] {
    use Space::{Module, Name, Type};
    match language {
        Language::Rust => &[
            ("fn", Name),
            ("struct", Name),
            ("enum", Name),
            ("union", Name),
            ("trait", Name),
            ("type", Name),
            ("const", Name),
            ("static", Name),
            ("mod", Module),
        ],
        Language::Go => &[
            ("func", Name),
            ("type", Name),
            ("var", Name),
            ("const", Name),
        ],
        Language::Java => &[
            ("class", Type),
            ("interface", Type),
            ("enum", Type),
            ("record", Type),
        ],
        Language::CSharp => &[
            ("class", Type),
            ("interface", Type),
            ("enum", Type),
            ("struct", Type),
        ],
        Language::Kotlin => &[
            ("class", Type),
            ("interface", Type),
            ("object", Type),
            ("typealias", Type),
            ("val", Name),
            ("var", Name),
        ],
        Language::Script => &[
            ("function", Name),
            ("class", Name),
            ("enum", Name),
            ("type", Type),
            ("let", Name),
            ("var", Name),
            ("const", Name),
        ],
        Language::Python => &[("def", Name), ("class", Name)],
        Language::Php => &[
            ("function", Name),
            ("class", Type),
            ("interface", Type),
            ("const", Name),
        ],
        Language::GraphQl => &[
            ("type", Type),
            ("input", Type),
            ("enum", Type),
            ("interface", Type),
            ("union", Type),
            ("scalar", Type),
        ],
        Language::Proto => &[
            ("message", Name),
            ("enum", Name),
            ("service", Name),
            ("rpc", Name),
        ],
        Language::C => &[("#define", Name)],
        Language::Css
        | Language::Docker
        | Language::Ini
        | Language::Json
        | Language::Make
        | Language::Markdown
        | Language::Nginx
        | Language::Other
        | Language::Shell
        | Language::Sql
        | Language::Yaml => &[],
    }
}

pub(super) fn names(said: &[ScopedLine<'_>], language: Language) -> Vec<Bound> {
    let mut found = Vec::new();
    for (at, line) in said.iter().enumerate() {
        let bounds = of_line(line, language);
        if bounds.is_empty() {
            continue;
        }
        // The same head may have another body.
        let rest = said.get(at + 1..).unwrap_or_default().iter();
        // Arguments that stand on lines of their own are closed as deep as the head is.
        let is_head = |below: &ScopedLine<'_>| {
            below.indent == line.indent && below.text.starts_with([')', ']', '{'])
        };
        let body = rest.take_while(|below| below.indent > line.indent || is_head(below));
        let body = body.take(LONGEST).map(|line| line.text);
        let what: Vec<&str> = std::iter::once(line.text).chain(body).collect();
        let what = what.join("\n");
        found.extend(bounds.into_iter().map(|bound| Bound {
            what: what.clone(),
            ..bound
        }));
    }
    found
}

/// Two bodies that are the same over so many lines are the same.
const LONGEST: usize = 100;

fn of_line(said: &ScopedLine<'_>, language: Language) -> Vec<Bound> {
    let text = without(without_visibility(said.text), &BEFORE);
    // `const fn`, `unsafe fn`.
    let text = [
        "const fn",
        "const async fn",
        "static mut",
        "const unsafe fn",
    ]
    .iter()
    .find_map(|words| {
        let rest = after(text, words)?;
        let word = words.rsplit(' ').next()?;
        let length = text.len() - rest.len() - 1 - word.len();
        text.get(length..)
    })
    .unwrap_or(text);
    let defined = words(language)
        .iter()
        .find_map(|(word, space)| Some((*word, *space, after(text, word)?)));
    if let Some((word, space, rest)) = defined {
        return named(said, language, (word, rest))
            .into_iter()
            .map(|name| Bound::new(said, space, name))
            .collect();
    }
    let is_impl = language == Language::Rust && has_word(text, "for");
    if is_impl && let Some(head) = after(text, "impl") {
        let head = head.trim_end_matches(['{', '}']).trim_end();
        return vec![Bound::new(said, Space::Label, head)];
    }
    let typed = typed_name(text, language).or_else(|| short_binding(text, language));
    let typed = typed.map(|name| Bound::new(said, Space::Name, name));
    typed.into_iter().collect()
}

/// The names after a word that defines; none if there may be another one of that name.
fn named(said: &ScopedLine<'_>, language: Language, (word, rest): (&str, &str)) -> Vec<String> {
    let rest = rest.strip_prefix('*').unwrap_or(rest).trim_start();
    if language == Language::Go && word == "func" && rest.starts_with('(') {
        let Some((receiver, rest)) = rest.split_once(')') else {
            return Vec::new();
        };
        let of = receiver.rsplit([' ', '*', '(']).next().unwrap_or_default();
        let of = of.split('[').next().unwrap_or_default();
        let name = name(rest.trim_start()).map(|(name, _)| format!("{of}.{name}"));
        return name.into_iter().collect();
    }
    if language == Language::Script
        && word == "const"
        && let Some((inner, _)) = rest.strip_prefix('{').and_then(|it| it.split_once('}'))
    {
        return inner
            .split(',')
            .filter_map(taken_apart)
            .map(str::to_owned)
            .collect();
    }
    let Some((name, rest)) = name(rest) else {
        return Vec::new();
    };
    let is_other = match language {
        // One of several that take other arguments has no body.
        Language::Script => {
            ["const", "let"].contains(&word) && rest.trim_start().starts_with("enum")
                || word == "function" && !said.text.contains('{')
        }
        Language::Go => name == "init" && word == "func",
        Language::CSharp => has_word(said.text, "partial"),
        Language::Php => said.text.contains("=>") || said.text.ends_with(';') && word != "const",
        // A property of another type may have the same name.
        Language::Kotlin => rest.starts_with('.') || rest.starts_with('<'),
        Language::C | Language::GraphQl | Language::Java | Language::Proto | Language::Python => {
            false
        }
        Language::Rust
        | Language::Css
        | Language::Docker
        | Language::Ini
        | Language::Json
        | Language::Make
        | Language::Markdown
        | Language::Nginx
        | Language::Other
        | Language::Shell
        | Language::Sql
        | Language::Yaml => false,
    };
    let is_name = name != "_" && !is_other;
    is_name.then(|| name.to_owned()).into_iter().collect()
}

/// What an entry of `const { a, b: c = 1 }` binds.
fn taken_apart(entry: &str) -> Option<&str> {
    let entry = entry.split('=').next()?.trim();
    let entry = entry.rsplit(':').next()?.trim();
    name(entry).map(|(name, _)| name)
}

/// Words that begin something else than a type and a name.
const NO_TYPES: [&str; 24] = [
    "return",
    "throw",
    "new",
    "delete",
    "goto",
    "case",
    "else",
    "package",
    "import",
    "using",
    "typedef",
    "break",
    "continue",
    "await",
    "yield",
    "assert",
    "echo",
    "use",
    "namespace",
    "out",
    "in",
    "var",
    "friend",
    "template",
];

/// `Type name = …;` and `Type name;`.
fn typed_name(text: &str, language: Language) -> Option<&str> {
    if !matches!(language, Language::C | Language::CSharp | Language::Java) {
        return None;
    }
    let text = text.strip_prefix("const ").unwrap_or(text);
    let end = text.find(['=', ';'])?;
    let head = text.get(..end)?.trim_end();
    let head = head.strip_suffix("{ get").unwrap_or(head).trim_end();
    let head = head
        .split('[')
        .next()
        .filter(|_| head.ends_with(']'))
        .unwrap_or(head);
    let start = head.rfind(|c| !is_part(c))? + 1;
    let (kind, name) = head.split_at_checked(start)?;
    let of_type = |c: char| is_part(c) || " .<>[]?*&:,@".contains(c);
    let first = tokens(kind).first().copied().unwrap_or_default();
    let is_type = kind.chars().all(of_type)
        && first.starts_with(is_part)
        && !NO_TYPES.contains(&first)
        && kind.ends_with([' ', '*', '&', '>'])
        && kind.matches('<').count() == kind.matches('>').count()
        && (!kind.contains(',') || kind.contains('<'));
    let is_name = name.starts_with(|c: char| is_part(c) && !c.is_ascii_digit());
    (is_type && is_name).then_some(name)
}

/// `name := …`, which binds a new name if it is the only one; and in Python a constant of a module, or what all know by
/// its name (`__all__`).
fn short_binding(text: &str, language: Language) -> Option<&str> {
    let (name, rest) = name(text)?;
    let rest = rest.trim_start();
    let is_constant = || {
        let is_set = rest.starts_with('=') && !rest.starts_with("==") || rest.starts_with(": ");
        let is_for_all = name.starts_with("__") && name.ends_with("__");
        is_set && name.len() > 1 && (is_for_all || !name.contains(|c: char| c.is_lowercase()))
    };
    let is_bound = language == Language::Go && rest.starts_with(":=")
        || language == Language::Python && is_constant();
    (is_bound && name != "_").then_some(name)
}
