//! Imports that both sides changed: each name that one brings in stands for itself, wherever its lines end. What either side
//! brought in is there, what either took out is not. Pure.

use std::collections::HashSet;

use super::wrapped::joined_names;
use crate::merge::settle::pieces::{Contest, Piece, Woven};

/// Joins imports of three versions that have nothing else. `None` where a name would come from two places.
pub(in crate::merge::settle) fn imports<'a>(contest: &Contest<'a>) -> Option<Vec<Piece<'a>>> {
    let [base, ours, theirs] = [&contest.base, &contest.ours, &contest.theirs].map(|l| read(l));
    let (base, ours, theirs) = (base?, ours?, theirs?);
    if replace_the_same([&base, &ours, &theirs].map(|version| named(version))) {
        return None;
    }
    let of = |version: &[Import<'a>], source: &Source| -> Option<usize> {
        version.iter().position(|import| import.source == *source)
    };
    let only_theirs = theirs.iter().filter(|it| of(&ours, &it.source).is_none());
    let (mut all, mut known) = (Vec::new(), HashSet::new());
    for import in ours.iter().chain(only_theirs) {
        let source = &import.source;
        let [was, mine, other] = [&base, &ours, &theirs].map(|version| {
            let found = of(version, source).and_then(|at| version.get(at));
            found.map(|it| it.names.iter().map(String::as_str).collect::<Vec<_>>())
        });
        let names = due(was.unwrap_or_default(), mine, other)?;
        // Two places for one name.
        let mut last = names.iter().map(|name| name.rsplit("::").next());
        if !last.all(|name| known.insert(name.map(str::to_owned))) {
            return None;
        }
        if names.is_empty() {
            continue;
        }
        let is_it = |it: &&Import<'a>| {
            it.source == *source
                && it
                    .names
                    .iter()
                    .map(String::as_str)
                    .eq(names.iter().copied())
        };
        let written = ours.iter().chain(&theirs).find(is_it);
        all.push(match written {
            Some(written) => written.lines.iter().map(|line| line.to_vec()).collect(),
            None => source.written(&names),
        });
    }
    let is_sorted = |version: &[Import<'_>]| version.is_sorted_by(|a, b| a.lines < b.lines);
    if is_sorted(&ours) && is_sorted(&theirs) {
        all.sort();
    }
    let result = all.concat();
    let new: HashSet<&[u8]> = result.iter().map(Vec::as_slice).collect();
    let sides = contest.ours.iter().chain(&contest.theirs).copied();
    Some(vec![Piece::Woven(Woven {
        base: contest.base.clone(),
        lines: sides.filter(|line| !new.contains(line)).collect(),
        result,
    })])
}

/// Each name with its source.
fn named<'i>(imports: &'i [Import<'_>]) -> HashSet<(&'i Source, &'i str)> {
    let each = imports.iter().flat_map(|import| {
        let names = import.names.iter();
        names.map(|name| (&import.source, name.as_str()))
    });
    each.collect()
}

/// Tells whether both sides took a name out, and each brought something else in: that may be for it.
fn replace_the_same([base, ours, theirs]: [HashSet<(&Source, &str)>; 3]) -> bool {
    let is_gone = |item: &(&Source, &str)| !ours.contains(item) && !theirs.contains(item);
    let [mine, other] = [&ours, &theirs].map(|side| side.difference(&base).collect::<HashSet<_>>());
    base.iter().any(is_gone) && !mine.is_empty() && !other.is_empty() && mine != other
}

/// What is due of one source. `None` where nobody can say in which order.
fn due<'n>(
    was: Vec<&'n str>,
    mine: Option<Vec<&'n str>>,
    other: Option<Vec<&'n str>>,
) -> Option<Vec<&'n str>> {
    match (mine, other) {
        (Some(mine), Some(other)) if mine == was => Some(other),
        (Some(mine), Some(other)) if other == was || mine == other => Some(mine),
        (Some(mine), Some(other)) => joined_names([&was, &mine, &other], 1),
        (Some(names), None) | (None, Some(names)) if was.is_empty() => Some(names),
        // What one side took out whole, the other one may have brought more in with.
        (Some(names), None) | (None, Some(names)) => {
            names.iter().all(|name| was.contains(name)).then(Vec::new)
        }
        (None, None) => None,
    }
}

/// Where names come from: what stands before them, and after them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Source {
    before: String,
    after: String,
}

impl Source {
    /// An import as those who write such languages break it into lines.
    fn written(&self, names: &[&str]) -> Vec<Vec<u8>> {
        let Self { before, after } = self;
        let is_rust = after == ";" && !before.starts_with("import");
        let is_python = before.starts_with("from ");
        let list = names.join(", ");
        let line = match names {
            [name] if is_rust => format!("{before}{name}{after}"),
            _ if is_rust => format!("{before}{{{list}}}{after}"),
            _ if is_python => format!("{before}{list}{after}"),
            _ => format!("{before}{{ {list} }}{after}"),
        };
        let width = if is_rust { 100 } else { 88 };
        if line.len() <= width {
            return vec![line.into_bytes()];
        }
        let [open, close] = if is_python { ["(", ")"] } else { ["{", "}"] };
        let mut lines = vec![format!("{before}{open}")];
        let indent = if is_rust || is_python { "    " } else { "  " };
        for name in names {
            match lines.last_mut() {
                Some(last)
                    if is_rust
                        && last.starts_with(indent)
                        && last.len() + name.len() + 2 < width =>
                {
                    last.push(' ');
                    last.push_str(name);
                    last.push(',');
                }
                Some(_) | None => lines.push(format!("{indent}{name},")),
            }
        }
        lines.push(format!("{close}{after}"));
        lines.into_iter().map(String::into_bytes).collect()
    }
}

/// One import, with its lines.
struct Import<'a> {
    lines: Vec<&'a [u8]>,
    source: Source,
    names: Vec<String>,
}

/// The imports of lines that are nothing else, each from a source of its own.
fn read<'a>(lines: &[&'a [u8]]) -> Option<Vec<Import<'a>>> {
    let mut imports: Vec<Import<'a>> = Vec::new();
    let (mut text, mut start) = (String::new(), 0);
    for (at, line) in lines.iter().enumerate() {
        let line = std::str::from_utf8(line).ok()?;
        if text.is_empty() {
            start = at;
        } else if !line.starts_with(['}', ')', ' ', '\t']) {
            return None;
        }
        text.push_str(line.trim_end());
        text.push(' ');
        let count = |mark: char| text.matches(mark).count();
        if count('{') == count('}') && count('(') == count(')') {
            let (source, names) = parsed(text.trim_end())?;
            imports.push(Import {
                lines: lines.get(start..=at)?.to_vec(),
                source,
                names,
            });
            text.clear();
        }
    }
    let mut seen = HashSet::new();
    let is_once = |import: &Import<'_>| seen.insert(import.source.clone());
    (text.is_empty() && imports.iter().all(is_once)).then_some(imports)
}

fn parsed(text: &str) -> Option<(Source, Vec<String>)> {
    const BEGIN: [&str; 6] = [
        "use ",
        "pub use ",
        "pub(crate) use ",
        "pub(super) use ",
        "import ",
        "from ",
    ];
    if !BEGIN.iter().any(|begin| text.starts_with(begin)) {
        return None;
    }
    let (before, names, after) = if let Some((before, rest)) = text.split_once('{') {
        let (names, after) = rest.split_once('}')?;
        (before, names, after)
    } else if let Some((before, rest)) = text.split_once(" import ") {
        let bare = rest.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
        let before = text.get(..before.len() + " import ".len())?;
        (before, bare.unwrap_or(rest), "")
    } else {
        let path = text.strip_suffix(';')?;
        let at = path.rfind("::")? + "::".len();
        (path.get(..at)?, path.get(at..)?, ";")
    };
    let is_name = |name: &String| {
        let is_part = |c: char| c.is_alphanumeric() || "_$:".contains(c);
        !name.is_empty() && name.chars().all(is_part)
    };
    let names = names.trim().trim_end_matches(',').split(',');
    let names: Vec<String> = names.map(|name| name.trim().to_owned()).collect();
    let is_plain = |text: &str| !text.contains(['{', '}', '(', '*', '#']);
    let is_known = is_plain(after) && (is_plain(before) || before.starts_with("pub("));
    (is_known && names.iter().all(is_name)).then(|| {
        let [before, after] = [before, after].map(str::to_owned);
        (Source { before, after }, names)
    })
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::{Rules, settle_file};

    fn merged(base: &str, ours: &str, theirs: &str) -> Option<String> {
        let name = match base.split(' ').next() {
            Some("from") => "a.py",
            Some("import") => "a.ts",
            Some(_) | None => "a.rs",
        };
        let [base, ours, theirs] = [base, ours, theirs].map(|it| format!("a\n{it}\nz\n"));
        let [base, ours, theirs] = [&base, &ours, &theirs].map(|text| text.as_bytes());
        let settled = settle_file(name, Some(base), [ours, theirs], Rules::default());
        let is_open = settled.contests().count() > 0;
        let text = String::from_utf8(settled.render(|_| Vec::new())).unwrap();
        (!is_open).then(|| text[2..text.len() - 3].to_owned())
    }

    #[test]
    fn names_that_either_side_brought_in_or_took_out_are_joined_wherever_lines_end() {
        let long = "AnswerOfSomebody, ComposeSomething, ConfirmEverything, FilterEverything";
        for (base, one, two, both) in [
            // Broken into lines by both.
            (
                format!("use super::{{{long}}};"),
                format!("use super::{{\n    {long}, Help,\n    Palette,\n}};"),
                format!("use super::{{\n    {long}, LogView,\n    Sling,\n}};"),
                format!("use super::{{\n    {long}, Help, LogView,\n    Palette, Sling,\n}};"),
            ),
            // Of one name, and several.
            (
                "use b::{C, d, e};".to_owned(),
                "use b::{A, C, d, e};".to_owned(),
                "use b::e;".to_owned(),
                "use b::{A, e};".to_owned(),
            ),
            (
                "use super::b;".to_owned(),
                "use super::a::{C, D};\nuse super::{b, c};".to_owned(),
                "use super::{b, d};".to_owned(),
                "use super::a::{C, D};\nuse super::{b, c, d};".to_owned(),
            ),
            // One took an import out that stood beside what the other changed.
            (
                "use r::b::{C, D};\nuse r::s::E;".to_owned(),
                "use r::b::{C, D};".to_owned(),
                "use r::b::D;\nuse r::s::E;".to_owned(),
                "use r::b::D;".to_owned(),
            ),
            (
                "from b import c".to_owned(),
                "from b import (\n    a,\n    c,\n)".to_owned(),
                "from b import c, d".to_owned(),
                "from b import a, c, d".to_owned(),
            ),
            (
                "import { C } from 'b';".to_owned(),
                "import {\n  A,\n  C,\n} from 'b';".to_owned(),
                "import { C, D } from 'b';".to_owned(),
                "import { A, C, D } from 'b';".to_owned(),
            ),
        ] {
            for (ours, theirs) in [(&one, &two), (&two, &one)] {
                let found = merged(&base, ours, theirs);
                assert_eq!(found.as_ref(), Some(&both), "{ours}\n{theirs}");
            }
        }
    }

    #[test]
    fn imports_of_one_name_from_two_places_or_in_no_order_are_contested() {
        for (base, one, two) in [
            (
                "use a::{B, C};",
                "use a::{B, C, X};\nuse b::D;",
                "use a::{B, C};\nuse c::X;",
            ),
            (
                "use a::{B, C};\nuse d::E;",
                "use d::{E, F};",
                "use a::{B, C, D};\nuse d::E;",
            ),
            ("use a::B;", "use a::C;", "use a::D;"),
            ("use a::B;", "use c::C;", "use d::D;"),
            ("use a::B;", "use a::B as X;\nuse a::C;", "use a::B as Y;"),
            (
                "use a::{B, C};",
                "use a::{\n    C, B, X,\n};",
                "use a::{B, C, D};\nx();",
            ),
        ] {
            for (ours, theirs) in [(one, two), (two, one)] {
                assert_eq!(merged(base, ours, theirs), None, "{ours}\n{theirs}");
            }
        }
    }
}
