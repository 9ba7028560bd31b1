//! What imports make known, by the name that it has here: also of lists over several lines, whose names are bound by the
//! lines on which they stand. Pure.

use super::bound::{Bound, Space};
use super::language::Language;
use super::scopes::ScopedLine;
use super::words::{after, is_part, tokens, unquoted, without_visibility};

/// No import goes on over more lines than this.
const LONGEST: usize = 200;

pub(super) fn names(said: &[ScopedLine<'_>], language: Language) -> Vec<Bound> {
    let mut found = Vec::new();
    for (at, line) in said.iter().enumerate() {
        if language == Language::Go {
            found.extend(of_go(line));
            continue;
        }
        if !begins(line, language) {
            continue;
        }
        let rest = said.get(at..).unwrap_or_default();
        let length = 1 + rest
            .iter()
            .take(LONGEST)
            .scan(0_i64, |open, line| {
                let count = |brackets: [char; 2]| line.text.matches(brackets).count() as i64;
                *open += count(['{', '(']) - count(['}', ')']);
                Some(*open > 0)
            })
            .take_while(|is_open| *is_open)
            .count();
        let lines = rest.get(..length).unwrap_or_default();
        let words: Vec<(&str, &ScopedLine<'_>)> = lines
            .iter()
            .flat_map(|line| {
                let text = line.text.split(" // ").next().unwrap_or(line.text);
                tokens(text).into_iter().map(move |word| (word, line))
            })
            .collect();
        let space = match language {
            Language::Java | Language::Kotlin | Language::Php | Language::CSharp => Space::Type,
            Language::Script if line.text.starts_with("export") => Space::Export,
            Language::C
            | Language::Css
            | Language::Docker
            | Language::Go
            | Language::GraphQl
            | Language::Ini
            | Language::Json
            | Language::Make
            | Language::Markdown
            | Language::Nginx
            | Language::Other
            | Language::Proto
            | Language::Python
            | Language::Rust
            | Language::Script
            | Language::Shell
            | Language::Sql
            | Language::Yaml => Space::Name,
        };
        let known = match language {
            Language::Rust | Language::Php => tree(&words),
            Language::Script => of_script(&words),
            Language::Python => of_python(&words),
            Language::Java | Language::Kotlin | Language::CSharp => of_path(&words),
            Language::C
            | Language::Css
            | Language::Docker
            | Language::Go
            | Language::GraphQl
            | Language::Ini
            | Language::Json
            | Language::Make
            | Language::Markdown
            | Language::Nginx
            | Language::Other
            | Language::Proto
            | Language::Shell
            | Language::Sql
            | Language::Yaml => Vec::new(),
        };
        // Elsewhere the same import twice is one.
        let is_strict = matches!(language, Language::Rust | Language::Script | Language::Php);
        for (name, of, path) in known {
            let is_extension =
                language == Language::Kotlin && !name.starts_with(char::is_uppercase);
            if is_extension {
                continue;
            }
            let what = if is_strict {
                format!("{path} {}", of.text)
            } else {
                path
            };
            found.push(Bound {
                at: of.at,
                scope: line.scope(),
                space,
                name: name.to_owned(),
                what,
            });
        }
    }
    found
}

fn begins(line: &ScopedLine<'_>, language: Language) -> bool {
    let text = without_visibility(line.text);
    match language {
        Language::Rust => after(text, "use").is_some(),
        Language::Php => after(text, "use").is_some() && line.indent == 0,
        Language::Script => {
            let list = after(text, "export").map(|rest| after(rest, "type").unwrap_or(rest));
            after(text, "import").is_some_and(|rest| !rest.starts_with('('))
                || list.is_some_and(|rest| rest.starts_with('{'))
        }
        Language::Python => after(text, "import").is_some() || after(text, "from").is_some(),
        Language::Java => after(text, "import").is_some_and(|rest| after(rest, "static").is_none()),
        Language::Kotlin => after(text, "import").is_some(),
        Language::CSharp => after(text, "using").is_some() && text.contains('='),
        Language::C
        | Language::Css
        | Language::Docker
        | Language::Go
        | Language::GraphQl
        | Language::Ini
        | Language::Json
        | Language::Make
        | Language::Markdown
        | Language::Nginx
        | Language::Other
        | Language::Proto
        | Language::Shell
        | Language::Sql
        | Language::Yaml => false,
    }
}

type Word<'s, 'a> = (&'a str, &'s ScopedLine<'a>);
/// A name, the line on which it stands, and of what it is the name.
type Known<'s, 'a> = (&'a str, &'s ScopedLine<'a>, String);

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| is_part(c) && !c.is_ascii_digit()) && word != "_"
}

/// `use a::{self, b::{C, D as E}};`.
fn tree<'s, 'a>(words: &[Word<'s, 'a>]) -> Vec<Known<'s, 'a>> {
    let start = words.iter().position(|(word, _)| *word == "use");
    let mut found = Vec::new();
    let mut around: Vec<Vec<&str>> = Vec::new();
    let mut path: Vec<Word<'s, 'a>> = Vec::new();
    let mut is_renamed = false;
    let all = words.iter().skip(start.map_or(0, |at| at + 1));
    for (word, line) in all
        .copied()
        .chain(words.last().map(|(_, line)| (";", *line)))
    {
        match word {
            "{" => {
                around.push(path.iter().map(|(word, _)| *word).collect());
                path.clear();
            }
            "," | "}" | ";" => {
                let whole = [
                    around.concat(),
                    path.iter().map(|(word, _)| *word).collect(),
                ]
                .concat();
                if let Some((last, line)) = path.last().copied() {
                    let name = if last == "self" && !is_renamed {
                        around.concat().last().copied()
                    } else {
                        Some(last)
                    };
                    let name = name.filter(|name| is_name(name) && path.len() + around.len() > 1);
                    found.extend(name.map(|name| (name, line, whole.join("::"))));
                }
                path.clear();
                is_renamed = false;
                if word == "}" {
                    around.pop();
                }
            }
            "as" => is_renamed = true,
            word if is_part(word.chars().next().unwrap_or(' ')) => path.push((word, line)),
            // A path to everything has no name.
            "*" => path.push(("_", line)),
            _other => {}
        }
    }
    found
}

/// `import A, { b, c as d } from 'x'`, `import * as n from 'x'`, `export { a } from 'x'`.
fn of_script<'s, 'a>(words: &[Word<'s, 'a>]) -> Vec<Known<'s, 'a>> {
    let from = words.iter().rposition(|(word, _)| *word == "from");
    let source = from.and_then(|at| words.get(at + 1));
    let source = source.map_or("", |(source, _)| unquoted(source));
    let end = from.unwrap_or(words.len());
    let mut found = Vec::new();
    let mut entry: Vec<Word<'s, 'a>> = Vec::new();
    let list = words.get(1..end).unwrap_or_default().iter().copied();
    let closing = words.last().map(|(_, line)| (",", *line));
    for (word, line) in list.chain(closing) {
        match word {
            "," | "{" | "}" | ";" => {
                if let Some((name, line)) = entry.last().copied().filter(|(name, _)| is_name(name))
                {
                    let whole: Vec<&str> = entry.iter().map(|(word, _)| *word).collect();
                    let is_only_kind = whole == ["type"] && word == "{";
                    if !is_only_kind && !whole.contains(&"=") {
                        found.push((name, line, format!("{source} {}", whole.join(" "))));
                    }
                }
                entry.clear();
            }
            _other => entry.push((word, line)),
        }
    }
    found
}

/// `import a as b, c` and `from a import (b, c as d)`.
fn of_python<'s, 'a>(words: &[Word<'s, 'a>]) -> Vec<Known<'s, 'a>> {
    let Some(start) = words.iter().position(|(word, _)| *word == "import") else {
        return Vec::new();
    };
    let source: String = words
        .get(1..start)
        .unwrap_or_default()
        .iter()
        .map(|(word, _)| *word)
        .collect();
    let list = words.get(start + 1..).unwrap_or_default();
    let list = list
        .iter()
        .take_while(|(word, _)| *word != "#" && *word != ";");
    let list: Vec<Word<'s, 'a>> = list
        .copied()
        .filter(|(word, _)| !["(", ")"].contains(word))
        .collect();
    let entries = list.split(|(word, _)| *word == ",");
    let known = entries.filter_map(|entry| {
        let (name, line) = entry.last().copied()?;
        let whole: Vec<&str> = entry.iter().map(|(word, _)| *word).collect();
        // `import a.b` makes `a` known, as others do.
        let is_bound = entry.len() == 1 || whole.contains(&"as");
        let original: String = whole
            .iter()
            .take_while(|word| **word != "as")
            .copied()
            .collect();
        (is_bound && is_name(name)).then(|| (name, line, format!("{source} {original}")))
    });
    known.collect()
}

/// `import a.b.C;`, `import a.b.C as D`, `using C = a.b;`.
fn of_path<'s, 'a>(words: &[Word<'s, 'a>]) -> Vec<Known<'s, 'a>> {
    let list = words.get(1..).unwrap_or_default();
    let list: Vec<Word<'s, 'a>> = list
        .iter()
        .copied()
        .take_while(|(word, _)| *word != ";")
        .collect();
    let path: String = list.iter().map(|(word, _)| *word).collect();
    let named = if list.get(1).is_some_and(|(word, _)| *word == "=") {
        list.first()
    } else {
        list.last()
    };
    let named = named.copied().filter(|(name, _)| is_name(name));
    named
        .map(|(name, line)| (name, line, path))
        .into_iter()
        .collect()
}

/// `import x "a/b"`, and a line of a list of those. Without a name, the last part of the path is it.
fn of_go(line: &ScopedLine<'_>) -> Option<Bound> {
    let text = match after(line.text, "import") {
        Some(rest) => rest,
        None if line.head == "import (" => line.text,
        None => return None,
    };
    let words = tokens(text);
    let at = words.iter().position(|word| word.starts_with('"'))?;
    let path = unquoted(words.get(at)?);
    let is_version = |part: &str| {
        let number = part.strip_prefix('v').unwrap_or_default();
        !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
    };
    let own = path.rsplit('/').find(|part| !is_version(part))?;
    let own = own.split(".v").next().unwrap_or(own);
    let name = if at == 0 { own } else { words.first()? };
    let bound = Bound::new(line, Space::Name, name);
    (is_name(name) && at < 2).then(|| bound.of_file())
}
