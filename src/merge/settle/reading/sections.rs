//! Lines that open a section where no indentation shows how far it goes: `[table]`, a heading of Markdown, a key of YAML
//! whose items stand as deep as the key. All that follows is read as part of it, so what the other side put into the
//! section above has to stand before such a line. Pure.

use std::collections::HashSet;

use crate::merge::lines::is_blank;

use super::kind::Kind;
use super::labels::{is_item, is_label};
use super::leaning::{MOST_ABOVE, indent};

/// A line that opens a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening<'a> {
    /// The lower, the more it holds.
    Heading(usize),
    Table {
        name: &'a [u8],
        is_one_of_many: bool,
    },
}

/// Tells whether of two insertions after the lines `above` this one has to stand before the other, so that each stays in the
/// section into which it was put.
pub(in crate::merge::settle) fn precedes(
    one: &[&[u8]],
    other: &[&[u8]],
    above: &[&[u8]],
    kind: Kind,
) -> bool {
    let [from, other_from] = [one, other].map(|lines| begun_above(lines, above, kind));
    if from != other_from {
        // It was put in further above.
        return from > other_from;
    }
    let [mut one, mut other] = [one, other].map(<[&[u8]]>::to_vec);
    one.rotate_right(from);
    other.rotate_right(from);
    captures(&other, &one, kind)
}

/// From how many lines further above an insertion has to be read so that it begins with a section: it ends with the lines
/// that stand there, as an entry does that is compared with the next one.
fn begun_above(lines: &[&[u8]], above: &[&[u8]], kind: Kind) -> usize {
    let pairs = lines.iter().rev().zip(above.iter().rev());
    let same = pairs.take_while(|(one, other)| one == other).count();
    let begins = |from: &usize| {
        let mut lines = lines.to_vec();
        lines.rotate_right(*from);
        let first = first(&lines, kind);
        openings(&lines, kind).iter().any(|(at, _)| *at == first)
    };
    let mut readings = 0..=same.min(MOST_ABOVE);
    readings.find(begins).unwrap_or(0)
}

/// Tells whether what begins `lower` would be read as part of a section that `upper` opens, if it stood below.
pub(in crate::merge::settle) fn captures(upper: &[&[u8]], lower: &[&[u8]], kind: Kind) -> bool {
    let opened = openings(upper, kind);
    let begins = openings(lower, kind).into_iter().next();
    let begins = begins
        .filter(|(at, _)| *at == first(lower, kind))
        .map(|it| it.1);
    opened.iter().any(|(_, opening)| match (*opening, begins) {
        (_, None) => true,
        (Opening::Heading(above), Some(Opening::Heading(below))) => above < below,
        (
            Opening::Table {
                name,
                is_one_of_many,
            },
            Some(Opening::Table { name: below, .. }),
        ) => {
            is_one_of_many
                && below
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with(b"."))
        }
        (Opening::Heading(_), Some(Opening::Table { .. }))
        | (Opening::Table { .. }, Some(Opening::Heading(_))) => false,
    }) || if kind == Kind::Markdown {
        labels_items(upper, lower)
    } else {
        takes_items(upper, lower)
    }
}

/// Tells whether both open the same section: its heading would be there twice.
pub(in crate::merge::settle) fn open_the_same(
    ours: &[&[u8]],
    theirs: &[&[u8]],
    kind: Kind,
) -> bool {
    let outermost = |lines: &[&[u8]]| -> Vec<Vec<u8>> {
        let all = openings(lines, kind);
        let level = |opening: &Opening<'_>| match opening {
            Opening::Heading(level) => *level,
            Opening::Table { .. } => 0,
        };
        let top = all.iter().map(|(_, opening)| level(opening)).min();
        let is_outermost = |opening: &Opening<'_>| match opening {
            Opening::Heading(level) => Some(*level) == top,
            Opening::Table { is_one_of_many, .. } => !is_one_of_many,
        };
        let all = all.into_iter().filter(|(_, opening)| is_outermost(opening));
        all.filter_map(|(at, _)| lines.get(at).map(|line| line.trim_ascii().to_vec()))
            .collect()
    };
    let known: HashSet<Vec<u8>> = outermost(ours).into_iter().collect();
    outermost(theirs).iter().any(|line| known.contains(line))
}

/// Where the first line is that says something: a comment belongs to what follows it.
fn first(lines: &[&[u8]], kind: Kind) -> usize {
    let is_comment = |line: &[u8]| {
        let text = line.trim_ascii_start();
        kind != Kind::Markdown
            && [&b"#"[..], b";", b"//"]
                .iter()
                .any(|mark| text.starts_with(mark))
    };
    let mut all = lines.iter();
    all.position(|line| !is_blank(line) && !is_comment(line))
        .unwrap_or(lines.len())
}

/// The lines that open a section, by where they are.
fn openings<'a>(lines: &[&'a [u8]], kind: Kind) -> Vec<(usize, Opening<'a>)> {
    match kind {
        Kind::Markdown => headings(lines),
        Kind::Table(_) => Vec::new(),
        Kind::Other if are_stages(lines) => {
            let all = lines.iter().enumerate();
            all.filter_map(|(at, line)| Some((at, stage(line)?)))
                .collect()
        }
        Kind::Other => {
            let all = lines.iter().enumerate();
            // An attribute of something in a class looks the same.
            all.filter(|(_, line)| indent(line) == 0)
                .filter_map(|(at, line)| Some((at, table(line).or_else(|| document(line))?)))
                .collect()
        }
    }
}

fn headings<'a>(lines: &[&'a [u8]]) -> Vec<(usize, Opening<'a>)> {
    let mut found = Vec::new();
    let mut is_code = false;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim_ascii();
        if text.starts_with(b"```") || text.starts_with(b"~~~") {
            is_code = !is_code;
        }
        if is_code || indent(line) > 3 {
            continue;
        }
        let marks = text.iter().take_while(|byte| **byte == b'#').count();
        let rest = text.get(marks..).unwrap_or_default();
        let is_heading = (1..=6).contains(&marks) && (rest.is_empty() || rest.starts_with(b" "));
        let below = lines
            .get(at + 1)
            .map_or(&[][..], |below| below.trim_ascii());
        let is_line_of = |mark: u8| !below.is_empty() && below.iter().all(|byte| *byte == mark);
        if is_heading {
            found.push((at, Opening::Heading(marks)));
        } else if !text.is_empty() && text.first().is_some_and(u8::is_ascii_alphanumeric) {
            let level = if is_line_of(b'=') {
                Some(1)
            } else {
                (is_line_of(b'-') && below.len() > 1).then_some(2)
            };
            found.extend(level.map(|level| (at, Opening::Heading(level))));
        }
    }
    found
}

/// What the lines of a Dockerfile begin with.
const INSTRUCTIONS: [&[u8]; 17] = [
    b"ADD",
    b"ARG",
    b"CMD",
    b"COPY",
    b"ENTRYPOINT",
    b"ENV",
    b"EXPOSE",
    b"FROM",
    b"HEALTHCHECK",
    b"LABEL",
    b"ONBUILD",
    b"RUN",
    b"SHELL",
    b"STOPSIGNAL",
    b"USER",
    b"VOLUME",
    b"WORKDIR",
];

/// Tells whether some lines are of a Dockerfile, and begin a stage somewhere: each is an instruction or goes on with one.
fn are_stages(lines: &[&[u8]]) -> bool {
    let mut goes_on = false;
    lines.iter().any(|line| stage(line).is_some())
        && lines
            .iter()
            .filter(|line| !is_blank(line) && !line.trim_ascii_start().starts_with(b"#"))
            .all(|line| {
                let first = line.split(u8::is_ascii_whitespace).next();
                let is_instruction = first.is_some_and(|word| INSTRUCTIONS.contains(&word));
                let fits = goes_on || is_instruction;
                goes_on = line.trim_ascii_end().ends_with(b"\\");
                fits
            })
}

/// `FROM image`, `FROM --platform=x image AS name`: what follows is run in it.
fn stage(line: &[u8]) -> Option<Opening<'_>> {
    let said = line.strip_prefix(b"FROM ")?.trim_ascii();
    let mut words = said.split(u8::is_ascii_whitespace).filter(|word| {
        let is_option = word.starts_with(b"--");
        !word.is_empty() && !is_option
    });
    words.next()?;
    let is_stage = match (words.next(), words.next(), words.next()) {
        (None, ..) => true,
        (Some(word), Some(_), None) => word.eq_ignore_ascii_case(b"as"),
        (Some(_), ..) => false,
    };
    is_stage.then_some(Opening::Table {
        name: said,
        is_one_of_many: false,
    })
}

/// `[name]`, `[[name]]`, with a comment behind it or not.
fn table(line: &[u8]) -> Option<Opening<'_>> {
    let text = line.trim_ascii();
    let inner = text.strip_prefix(b"[")?;
    let is_one_of_many = inner.starts_with(b"[");
    let inner = inner.strip_prefix(b"[").unwrap_or(inner);
    let end = inner.iter().position(|byte| *byte == b']')?;
    let (name, rest) = inner.split_at_checked(end)?;
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b"]").unwrap_or(rest);
    let rest = rest.strip_prefix(b"]").unwrap_or(rest).trim_ascii();
    let is_end = rest.is_empty() || rest.starts_with(b"#") || rest.starts_with(b";");
    let is_name = name
        .first()
        .is_some_and(|byte| !byte.is_ascii_whitespace() && *byte != b'[')
        && !name.contains(&b',');
    (is_end && is_name).then_some(Opening::Table {
        name,
        is_one_of_many,
    })
}

/// `---`, which begins another document of YAML.
fn document(line: &[u8]) -> Option<Opening<'_>> {
    let name = line.trim_ascii_end();
    (name == b"---").then_some(Opening::Table {
        name,
        is_one_of_many: true,
    })
}

/// `lower` begins with an item, and `upper` with words that have a list of their own below them: `Not allowed:` or words
/// in bold.
fn labels_items(upper: &[&[u8]], lower: &[&[u8]]) -> bool {
    let Some(item) = lower.get(first(lower, Kind::Markdown)) else {
        return false;
    };
    let labels = |line: &[u8]| is_label(line) && indent(line) <= indent(item);
    is_item(item) && upper.iter().any(|line| labels(line))
}

/// `lower` begins with an item, and `upper` has a key as deep as that: below it, the item would be one of that key, or of
/// none.
fn takes_items(upper: &[&[u8]], lower: &[&[u8]]) -> bool {
    let Some(item) = lower.get(first(lower, Kind::Other)) else {
        return false;
    };
    let is_key = |line: &[u8]| {
        let text = line.trim_ascii();
        let name = text.iter().position(|byte| *byte == b':');
        let (name, after) = text.split_at(name.unwrap_or(0));
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.\"'".contains(byte);
        name.first().is_some_and(|byte| *byte != b'-')
            && name.iter().all(is_part)
            && (after == b":" || after.starts_with(b": "))
    };
    item.trim_ascii_start().starts_with(b"- ")
        && upper
            .iter()
            .any(|line| indent(line) == indent(item) && is_key(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<&[u8]> {
        text.lines().map(str::as_bytes).collect()
    }

    #[test]
    fn a_section_takes_what_is_not_one_of_its_own_level() {
        for (kind, upper, lower) in [
            (Kind::Other, "\n[b]\nz = 3", "y = 2"),
            (Kind::Other, "[[b]]\nz = 3", "# about y\ny = 2"),
            (Kind::Other, "[[b]]\nz = 3", "[b.c]\ny = 2"),
            (Kind::Other, "y = 2\n[b] # of them\nz = 3", "x = 2"),
            (Kind::Other, "other:\n- c", "- b"),
            (Kind::Other, "  name: x", "  - b"),
            (Kind::Other, "FROM a AS b\nRUN x", "RUN y"),
            (Kind::Other, "RUN x\nFROM --platform=p a", "# why\nCOPY . ."),
            (Kind::Markdown, "## New\n\ntext", "more text"),
            (Kind::Markdown, "New\n---\n\ntext", "- more text"),
            (Kind::Markdown, "## New\n\ntext", "### Part\n\nmore"),
        ] {
            assert!(captures(&lines(upper), &lines(lower), kind), "{upper}");
            assert!(!captures(&lines(lower), &lines(upper), kind), "{upper}");
        }
        for (kind, one, two) in [
            (Kind::Other, "[a]\nx = 1", "# about b\n[b]\ny = 1"),
            (Kind::Other, "FROM a AS b\nRUN x", "FROM c AS d\nRUN y"),
            (Kind::Other, "FROM a AS b\n  WHERE x", "y"),
            (Kind::Other, "SELECT x\nFROM a", "y"),
            (Kind::Other, "x = [1, 2]", "y = 2"),
            (Kind::Other, "# a", "- b"),
            (Kind::Other, "- a: 1", "- b: 2"),
            (
                Kind::Other,
                "    [Fact]\n    void A() {}",
                "    void B() {}",
            ),
            (Kind::Other, "[ -e x ] && y", "z"),
            (Kind::Markdown, "## A", "## B\n\n### C"),
            (Kind::Markdown, "```sh\n# a\n```", "text"),
            (Kind::Markdown, "#hash", "text"),
        ] {
            assert!(!captures(&lines(one), &lines(two), kind), "{one} {two}");
            assert!(!captures(&lines(two), &lines(one), kind), "{one} {two}");
        }
        let mixed = ["y = 2\n\n[b]\nz = 3", "x = 2\n\n[c]\nz = 4"].map(lines);
        assert!(captures(&mixed[0], &mixed[1], Kind::Other));
        assert!(captures(&mixed[1], &mixed[0], Kind::Other));
    }

    #[test]
    fn what_was_put_in_further_above_stands_first() {
        let above = lines("[[a]]\nname = 1\nkind = 2\n\n[[a]]");
        let new = lines("name = 3\nkind = 2\n\n[[a]]");
        let other = lines("name = 4\nkind = 2\n\n[[a]]");
        let precedes = |one: &[&[u8]], two: &[&[u8]]| precedes(one, two, &above, Kind::Other);
        assert!(!precedes(&new, &other) && !precedes(&other, &new));
        let entry = lines("more = 5");
        assert!(precedes(&new, &entry) && !precedes(&entry, &new));
    }

    #[test]
    fn a_heading_of_both_is_one_heading_unless_it_is_below_another_one() {
        let same = |one, two, kind| open_the_same(&lines(one), &lines(two), kind);
        let one = "## 1.1\n\n### Added\n\n- a";
        assert!(same(one, "## 1.1\n\n### Fixed\n\n- b", Kind::Markdown));
        assert!(!same(one, "## 1.2\n\n### Added\n\n- b", Kind::Markdown));
        assert!(same("[a]\nx = 1", "[a]\ny = 1", Kind::Other));
        assert!(!same("[[a]]\nx = 1", "[[a]]\nx = 2", Kind::Other));
    }
}
