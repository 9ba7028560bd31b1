//! Settings, columns, targets and variables: files in which a name has one value. Pure.

use super::bound::{Bound, Space};
use super::language::Language;
use super::nginx;
use super::scopes::ScopedLine;
use super::words::{after, after_any, has_word, is_part, name, tokens, unquoted};

pub(super) fn names(said: &[ScopedLine<'_>], language: Language) -> Vec<Bound> {
    match language {
        Language::Css => style(said),
        Language::Docker => said.iter().flat_map(docker).collect(),
        Language::Make => make(said),
        Language::Nginx => nginx::names(said),
        Language::Shell => said
            .iter()
            .flat_map(|line| traps(line).into_iter().chain(shell(line)))
            .collect(),
        Language::Sql => sql(said),
        Language::Ini | Language::Json | Language::Yaml => said
            .iter()
            .filter_map(|line| setting(line, language))
            .collect(),
        Language::C
        | Language::CSharp
        | Language::Go
        | Language::GraphQl
        | Language::Java
        | Language::Kotlin
        | Language::Markdown
        | Language::Other
        | Language::Php
        | Language::Proto
        | Language::Python
        | Language::Rust
        | Language::Script => Vec::new(),
    }
}

/// `key = …`, `key: …`, `"key": …`.
fn setting(line: &ScopedLine<'_>, language: Language) -> Option<Bound> {
    // The lines of a text.
    if language == Language::Yaml && line.head.ends_with(['|', '>', '-', '+']) && line.head != "-" {
        return None;
    }
    if language == Language::Yaml && line.text.starts_with("<<:") {
        return Some(Bound::new(line, Space::Setting, "<<"));
    }
    let text = after(line.text, "export").unwrap_or(line.text);
    let length = match text.chars().next()? {
        quote @ ('"' | '\'') => text.get(1..)?.find(quote)? + 2,
        _other => {
            let is_key = |c: char| is_part(c) || "_-./".contains(c);
            text.find(|c| !is_key(c)).unwrap_or(text.len())
        }
    };
    let (key, rest) = text.split_at_checked(length)?;
    let rest = rest.trim_start();
    let is_set = if language == Language::Ini {
        rest.starts_with(['=', ':'])
    } else {
        rest == ":" || rest.starts_with(": ")
    };
    (is_set && !key.is_empty()).then(|| Bound::new(line, Space::Setting, unquoted(key)))
}

/// Properties by the selectors within which they are.
fn style(said: &[ScopedLine<'_>]) -> Vec<Bound> {
    let mut found = Vec::new();
    for (at, line) in said.iter().enumerate() {
        found.extend(used(line));
        let Some((property, _)) = line
            .text
            .split_once(':')
            .filter(|_| line.text.ends_with(';'))
        else {
            continue;
        };
        let is_property = property.chars().all(|c| is_part(c) || c == '-' || c == '@');
        if !is_property || !line.head.ends_with('{') {
            continue;
        }
        let mut path = vec![property.trim()];
        let mut block = line.block;
        let before = said.get(..at).unwrap_or_default();
        // What an item opens has an even number.
        while block % 2 == 1
            && let Ok(above) = before.binary_search_by_key(&(block / 2), |said| said.at)
            && let Some(above) = before.get(above)
        {
            path.push(above.text);
            block = above.block;
        }
        // Fonts and pages are told by what is in the block.
        if !path
            .iter()
            .any(|it| it.starts_with("@font-face") || it.starts_with("@page"))
        {
            found.push(Bound::new(line, Space::Setting, path.join("\n")).of_file());
        }
    }
    found
}

/// What `@use 'a/b'` and `@use 'a' as b` call what they bring in.
fn used(line: &ScopedLine<'_>) -> Option<Bound> {
    let rest = after(line.text, "@use")?.trim_end_matches(';');
    let path = unquoted(tokens(rest).first()?);
    let name = match rest.split_once(" as ") {
        Some((_, name)) => name.split_whitespace().next()?,
        None => path.rsplit(['/', ':']).next()?.trim_start_matches('_'),
    };
    let name = name.strip_suffix(".scss").unwrap_or(name);
    // Without a name, several may be brought in.
    (name != "*").then(|| Bound::new(line, Space::Module, name).of_file())
}

/// `ENV a=1 b=2`, `ENV a 1`, `ARG a`, `LABEL a=1`, `FROM x AS a`, and what only the last one of a stage says.
fn docker(line: &ScopedLine<'_>) -> Vec<Bound> {
    let word = line.text.split_whitespace().next().unwrap_or_default();
    let rest = line.text.get(word.len()..).unwrap_or_default().trim();
    let bind = |space: Space, name: &str| Bound::new(line, space, name);
    match word.to_ascii_uppercase().as_str() {
        "FROM" => {
            let name = rest
                .split_whitespace()
                .skip_while(|it| !it.eq_ignore_ascii_case("as"))
                .nth(1);
            name.map(|name| bind(Space::Label, name).of_file())
                .into_iter()
                .collect()
        }
        "ARG" => name(rest)
            .map(|(name, _)| bind(Space::Name, name))
            .into_iter()
            .collect(),
        kind @ ("CMD" | "ENTRYPOINT" | "HEALTHCHECK" | "STOPSIGNAL" | "MAINTAINER") => {
            vec![bind(Space::Setting, kind)]
        }
        kind @ ("ENV" | "LABEL") => {
            let space = if kind == "ENV" {
                Space::Name
            } else {
                Space::Label
            };
            let is_list = rest
                .split_whitespace()
                .next()
                .is_some_and(|it| it.contains('='));
            let all = rest.split_whitespace().filter(|it| it.contains('='));
            let names: Vec<&str> = if is_list {
                all.filter_map(|it| it.split('=').next()).collect()
            } else {
                rest.split_whitespace().take(1).collect()
            };
            let is_longer = |name: &str| {
                rest.contains(&format!("${name}")) || rest.contains(&format!("${{{name}"))
            };
            let names = names.into_iter().filter(|name| !is_longer(name));
            names.map(|name| bind(space, name)).collect()
        }
        _other => Vec::new(),
    }
}

/// `NAME := …`, and a target with a recipe.
fn make(said: &[ScopedLine<'_>]) -> Vec<Bound> {
    let mut found = Vec::new();
    for (at, line) in said.iter().enumerate().filter(|(_, line)| line.indent == 0) {
        let Some(end) = line.text.find(['=', ':']) else {
            continue;
        };
        let (head, rest) = line.text.split_at(end);
        let is_set = rest.starts_with('=') || rest.starts_with(":=") || rest.starts_with("::=");
        if is_set {
            let name = head.trim_end_matches(['?', '!']).trim();
            let name = after(name, "export").unwrap_or(name);
            // More of what it has.
            if !head.ends_with('+') && !name.contains(char::is_whitespace) {
                found.push(Bound::new(line, Space::Setting, name));
            }
            continue;
        }
        let has_recipe = said.get(at + 1).is_some_and(|next| next.indent > 0) || rest.contains(';');
        if has_recipe && !rest.starts_with("::") && !head.starts_with('.') {
            let targets = head.split_whitespace();
            found.extend(targets.map(|target| Bound::new(line, Space::Target, target)));
        }
    }
    found
}

/// The signals of `trap …`: each has one handler.
fn traps(line: &ScopedLine<'_>) -> Vec<Bound> {
    let words = after(line.text, "trap").map(tokens).unwrap_or_default();
    // `--` and `-` are no handlers.
    let mut rest = words.into_iter().skip_while(|word| *word == "-").peekable();
    let is_handler = |word: &&str| {
        !word
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
    };
    rest.next_if(is_handler);
    let signals = rest.take_while(|word| word.starts_with(is_part));
    let bound = |signal: &str| {
        let signal = signal.to_ascii_uppercase();
        let name = match signal.strip_prefix("SIG").unwrap_or(&signal) {
            "0" => "EXIT",
            name => name,
        };
        Bound::new(line, Space::Label, name)
    };
    signals.map(bound).collect()
}

/// `name=…`, `alias name=…`, `name() {`, a pattern of `case`.
fn shell(line: &ScopedLine<'_>) -> Option<Bound> {
    if let Some(rest) = after(line.text, "alias") {
        let (name, _) = rest.split_once('=')?;
        return Some(Bound::new(line, Space::Alias, name));
    }
    let declared = ["export", "local", "readonly", "declare", "typeset"];
    let text = declared
        .iter()
        .find_map(|word| after(line.text, word))
        .unwrap_or(line.text);
    if let Some(name) = after(text, "function").and_then(|rest| name(rest)) {
        return Some(Bound::new(line, Space::Target, name.0));
    }
    let is_case = has_word(line.head, "case") && !text.contains('(');
    if is_case && let Some((pattern, _)) = text.split_once(')') {
        let last = pattern.rsplit('|').next()?.trim();
        return Some(Bound::new(line, Space::Case, last));
    }
    let (name, rest) = name(text)?;
    if rest.trim_start().starts_with("()") {
        return Some(Bound::new(line, Space::Target, name));
    }
    let value = rest.strip_prefix('=')?;
    // One that is put before a command, or one that is made longer.
    let is_whole = !value.contains(' ') || value.starts_with(['"', '\'', '$', '(', '`']);
    let is_longer = value.contains(&format!("${name}")) || value.contains(&format!("${{{name}"));
    (is_whole && !is_longer).then(|| Bound::new(line, Space::Name, name))
}

/// Words after which no column follows.
const NO_COLUMNS: [&str; 13] = [
    "primary",
    "foreign",
    "constraint",
    "unique",
    "check",
    "index",
    "key",
    "exclude",
    "like",
    "period",
    "fulltext",
    "spatial",
    "select",
];

/// `ADD COLUMN a` of a table, columns of `CREATE TABLE`, and what else is created.
fn sql(said: &[ScopedLine<'_>]) -> Vec<Bound> {
    let mut found = Vec::new();
    let mut table = String::new();
    for line in said {
        let mut text = line.text;
        if let Some(rest) = after_any(text, &["alter table"]) {
            let (name, rest) = entity(rest);
            table = name;
            text = rest;
        }
        for part in text.split(", ") {
            let Some(rest) = after_any(part, &["add column"]).or_else(|| after_any(part, &["add"]))
            else {
                continue;
            };
            let (name, _) = entity(rest);
            if !name.is_empty() && !NO_COLUMNS.contains(&name.as_str()) {
                let name = format!("{table}.{name}");
                found.push(Bound::new(line, Space::Column, name).of_file());
            }
        }
        if let Some((space, rest)) = created(line.text) {
            let (name, _) = entity(rest);
            found.push(Bound::new(line, space, name).of_file());
        } else if created(line.head).is_some_and(|it| it.0 == Space::Table)
            && (line.head.ends_with('(') || line.head.to_lowercase().starts_with("create table"))
        {
            let (name, _) = entity(line.text);
            if !name.is_empty() && !NO_COLUMNS.contains(&name.as_str()) {
                found.push(Bound::new(line, Space::Column, name));
            }
        }
    }
    found
}

/// What is created, and its name and all that follows.
fn created(text: &str) -> Option<(Space, &str)> {
    let mut rest = after_any(text, &["create"])?;
    let before = [
        "or replace",
        "unique",
        "temporary",
        "temp",
        "unlogged",
        "materialized",
        "concurrently",
    ];
    while let Some(next) = after_any(rest, &before) {
        rest = next;
    }
    let table = after_any(rest, &["table", "view", "sequence"]).map(|rest| (Space::Table, rest));
    let index = || after_any(rest, &["index"]).map(|rest| (Space::Index, rest));
    let kind = || after_any(rest, &["type", "schema", "extension"]).map(|rest| (Space::Type, rest));
    let (space, rest) = table.or_else(index).or_else(kind)?;
    // An index may have no name.
    let is_named = after_any(rest, &["on"]).is_none();
    is_named.then_some((space, rest))
}

/// A name of a table or a column, in small letters and without quotes, and what follows it.
fn entity(text: &str) -> (String, &str) {
    let mut rest = text;
    while let Some(next) = after_any(
        rest,
        &["if not exists", "if exists", "only", "concurrently"],
    ) {
        rest = next;
    }
    let end = rest
        .find(|c: char| c.is_whitespace() || "(,;".contains(c))
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let name = tokens(name)
        .iter()
        .map(|word| unquoted(word))
        .collect::<String>();
    (name.to_lowercase(), rest.trim_start())
}
