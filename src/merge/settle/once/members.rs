//! What a type has, and entries of an object or a call that say which one they are. Pure.

use super::bound::{Bound, Space};
use super::defined::BEFORE;
use super::language::Language;
use super::scopes::ScopedLine;
use super::words::{after, has_word, is_part, name, tokens, unquoted, without, without_visibility};

pub(super) fn names(said: &[ScopedLine<'_>], language: Language) -> Vec<Bound> {
    let mut found = Vec::new();
    let mut switches: Vec<&ScopedLine<'_>> = Vec::new();
    for (at, line) in said.iter().enumerate() {
        let text = without(without_visibility(line.text), &BEFORE);
        let head = without(without_visibility(line.head), &BEFORE);
        let head = without(head, &["typedef", "extend"]);
        let is_in = |words: &[&str]| words.iter().any(|word| after(head, word).is_some());
        let mut bind = |space: Space, name: &str| found.push(Bound::new(line, space, name));
        match language {
            Language::Proto => {
                let scope = of_message(said, at);
                for (space, name) in proto(text, line.head) {
                    let bound = Bound::new(line, space, name);
                    found.push(Bound { scope, ..bound });
                }
            }
            Language::GraphQl => {
                if is_in(&["type", "input", "interface", "enum"])
                    && let Some((name, rest)) = name(text)
                    && (rest.is_empty() || rest.starts_with([':', '(', ' ']))
                {
                    bind(Space::Name, name);
                }
            }
            Language::Go => {
                let of = line.head.trim_end_matches('{').trim_end();
                let is_field = ["struct", "interface"]
                    .iter()
                    .any(|word| of.ends_with(word))
                    || ["const (", "var (", "type ("].contains(&line.head);
                if is_field {
                    go_names(text).for_each(|name| bind(Space::Name, name));
                } else if let Some(name) = entry(line) {
                    bind(Space::Name, name);
                }
            }
            Language::Rust => {
                let variant = variant(text).filter(|_| is_in(&["enum"]));
                let field = || entry(line).filter(|_| !line.text.contains("=>"));
                if let Some(name) = variant.or_else(field) {
                    bind(Space::Name, name);
                }
                if is_in(&["enum"])
                    && let Some((_, value)) = text.trim_end_matches(',').split_once(" = ")
                {
                    bind(Space::Number, value);
                }
            }
            Language::Java | Language::C | Language::CSharp | Language::Kotlin => {
                let own = name(text).is_some_and(|(name, _)| has_word(line.head, name));
                let is_variant = is_in(&["enum"]) && !own && !text.ends_with(") {");
                let variant = variant(text).filter(|_| is_variant);
                if let Some(name) = variant {
                    bind(Space::Name, name);
                }
            }
            Language::Script => {
                let member = of_class(text).filter(|_| is_in(&["class", "interface", "type"]));
                let variant = variant(text).filter(|_| is_in(&["enum"]));
                let other = || variant.or_else(|| entry(line)).map(str::to_owned);
                let name = member.or_else(other);
                if let Some(name) = name {
                    bind(Space::Name, &name);
                }
            }
            Language::Python => {
                let field = name(text).filter(|(_, rest)| {
                    let rest = rest.trim_start();
                    rest.starts_with(": ") || rest.starts_with("= ")
                });
                let field = field
                    .map(|(name, _)| name)
                    .filter(|_| after(line.head, "class").is_some());
                field
                    .or_else(|| entry(line))
                    .into_iter()
                    .for_each(|name| bind(Space::Name, name));
            }
            Language::Php => {
                let is_field = is_in(&["class", "trait"]) && text != line.text;
                // What stands in brackets is an argument.
                let rest = text
                    .split_once('$')
                    .filter(|(kind, _)| is_field && !kind.contains('('));
                if let Some((name, _)) = rest.and_then(|(_, rest)| name(rest)) {
                    bind(Space::Name, &format!("${name}"));
                }
            }
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
            | Language::Yaml => {}
        }
        if let Some(values) = case(line.text, language) {
            let mut above = switches.iter().rev();
            let of = above.find(|above| above.indent <= line.indent);
            let scope = [of.map_or(0, |of| of.at), line.part];
            let bound = |value| Bound::new(line, Space::Case, value);
            found.extend(values.into_iter().map(|value| Bound {
                scope,
                ..bound(value)
            }));
        }
        let is_match = language == Language::Python && after(line.text, "match").is_some();
        if is_match || has_word(line.text, "switch") {
            // One that is as deep as this hides those above.
            switches.retain(|above| above.indent < line.indent);
            switches.push(line);
        }
    }
    found
}

/// The values of a `case` of a `switch`, or of a `match`.
fn case(text: &str, language: Language) -> Option<Vec<String>> {
    let is_switch = matches!(
        language,
        Language::C
            | Language::CSharp
            | Language::Go
            | Language::Java
            | Language::Python
            | Language::Script
    );
    let label = after(text, "case").filter(|_| is_switch)?;
    let (values, _) = label
        .split_once(": ")
        .or_else(|| label.split_once(" ->"))
        .or_else(|| Some((label.strip_suffix(':')?, "")))?;
    let is_plain = |c: char| is_part(c) || " ,.'\"`-:/".contains(c);
    // One with a condition is another one.
    let is_value = values.chars().all(is_plain) && !has_word(values, "when");
    is_value.then(|| values.split(',').map(|it| it.trim().to_owned()).collect())
}

/// The block of a field of a message; what excludes one another there is of the message.
fn of_message(said: &[ScopedLine<'_>], at: usize) -> [usize; 2] {
    let Some(line) = said.get(at) else {
        return [0, 0];
    };
    if after(line.head, "oneof").is_some()
        && let block = said.partition_point(|it| it.at * 2 + 1 < line.block)
        && block < at
        && said
            .get(block)
            .is_some_and(|it| it.at * 2 + 1 == line.block)
    {
        return of_message(said, block);
    }
    line.scope()
}

fn proto<'t>(text: &'t str, head: &str) -> Vec<(Space, &'t str)> {
    let is_in = |word| after(head, word).is_some();
    let is_field = is_in("message") || is_in("oneof") || is_in("extend");
    if !is_field && !is_in("enum")
        || ["option", "reserved"]
            .iter()
            .any(|it| after(text, it).is_some())
    {
        return Vec::new();
    }
    let Some((left, right)) = text.split_once('=') else {
        return Vec::new();
    };
    let right = right.trim_start();
    let end = right.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let number = right.get(..end.unwrap_or(right.len())).unwrap_or_default();
    let left = left.trim_end();
    let name = left.rsplit(|c| !is_part(c)).next().unwrap_or_default();
    vec![(Space::Name, name), (Space::Number, number)]
}

/// The fields of a line of a struct, the constants of a line of a list of them.
fn go_names(text: &str) -> impl Iterator<Item = &str> {
    let end = text.find(['=', '(', '`', '/']).unwrap_or(text.len());
    let head = text.get(..end).unwrap_or_default();
    let words = tokens(head);
    // `*pkg.Type` has the name of the type.
    let is_embedded = words.first() == Some(&"*") || words.get(1) == Some(&".");
    let mut names = Vec::new();
    if is_embedded {
        names.extend(words.last());
    } else {
        names.extend(words.first());
        let more = words.iter().skip(1).collect::<Vec<_>>();
        let more = more
            .chunks(2)
            .take_while(|pair| matches!(pair, [comma, _] if **comma == ","));
        names.extend(more.filter_map(|pair| pair.get(1).copied()));
    }
    let is_name =
        |it: &&str| it.starts_with(|c: char| is_part(c) && !c.is_ascii_digit()) && *it != "_";
    names.into_iter().filter(is_name)
}

/// `Name`, `Name,`, `Name(…)`, `Name = …`.
fn variant(text: &str) -> Option<&str> {
    let (name, rest) = name(text)?;
    let rest = rest.trim_start();
    let is_one = rest.is_empty() || rest.starts_with([',', ';', '(', '{', '=']);
    is_one.then_some(name)
}

/// What a class or an interface has; what is got and what is set go together.
fn of_class(text: &str) -> Option<String> {
    let (kind, text) = match (after(text, "get"), after(text, "set")) {
        (Some(rest), _) if name(rest).is_some() => ("get ", rest),
        (_, Some(rest)) if name(rest).is_some() => ("set ", rest),
        _other => ("", text),
    };
    let (name, rest) = name(text.strip_prefix('#').unwrap_or(text))?;
    let rest = rest.trim_start_matches(['?', '!']).trim_start();
    let is_field = rest.starts_with(':') || rest.starts_with("= ");
    let is_method = rest.starts_with('(') && rest.ends_with('{');
    let is_word = [
        "if",
        "for",
        "while",
        "switch",
        "catch",
        "return",
        "function",
        "constructor",
    ];
    (is_field || is_method && !is_word.contains(&name)).then(|| format!("{kind}{name}"))
}

/// `name: …,`, `"name": …,` and `name=…,` within brackets; the last one may have no comma.
fn entry<'a>(line: &ScopedLine<'a>) -> Option<&'a str> {
    let text = without_visibility(line.text);
    let is_inside = line.head.ends_with(['{', '(', '[']);
    let is_ended = line.text.ends_with([',', '{', '[', '(']) || !line.text.ends_with([';', ':']);
    let (name, rest) = match text.chars().next()? {
        quote @ ('"' | '\'') => {
            let end = text.get(1..)?.find(quote)? + 2;
            text.split_at_checked(end)?
        }
        _other => name(text)?,
    };
    let rest = rest.strip_prefix('?').unwrap_or(rest);
    let is_keyed = rest.starts_with(": ") || rest.starts_with(":\t");
    let is_given = rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>");
    let is_case = ["case", "default", "else"].contains(&name);
    let is_entry = is_keyed || is_given && line.head.ends_with('(');
    (is_inside && is_ended && is_entry && !is_case).then_some(unquoted(name))
}
