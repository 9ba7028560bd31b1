//! How far a name goes: the block that a line is in, told by indentation, and the part of a file, told by the lines that
//! begin one (`[section]`, `#ifdef`, `FROM`). Pure.

use super::language::Language;

/// A line that says something.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScopedLine<'a> {
    pub(super) at: usize,
    pub(super) text: &'a str,
    pub(super) indent: usize,
    /// The line that opens the block, by its number, and 0 for none: lines count from 1 here.
    pub(super) block: usize,
    /// The line that begins the part of the file.
    pub(super) part: usize,
    /// What the block is: the line that opens it, or the one before a bracket that stands alone.
    pub(super) head: &'a str,
}

impl ScopedLine<'_> {
    /// The scope of what the line gives a name to.
    pub(super) fn scope(&self) -> [usize; 2] {
        [self.block, self.part]
    }
}

/// The lines of a file that say something: no comments, and nothing within a text of several lines.
pub(super) fn said<'a>(lines: &[&'a str], language: Language) -> Vec<ScopedLine<'a>> {
    let mut found: Vec<ScopedLine<'a>> = Vec::new();
    // Open blocks: how deep the line is that opens each, and which of `found` it is.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut parts: Vec<usize> = Vec::new();
    let mut until: Option<String> = None;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        if let Some(end) = &until {
            until = closed(text, end, language);
            continue;
        }
        if text.is_empty()
            || language
                .comments()
                .iter()
                .any(|mark| text.starts_with(mark))
        {
            until = opened(text, language);
            continue;
        }
        until = opened(text, language);
        if begins_part(text, language, at, &mut parts) {
            if language == Language::C {
                if let Some(said) = directive(text, at, &parts) {
                    found.push(said);
                }
                continue;
            }
            open.clear();
        }
        let mut indent = line.len() - line.trim_start().len();
        open.retain(|(depth, _)| *depth < indent);
        let mut text = text;
        let mut push = |text: &'a str, indent: usize, open: &mut Vec<(usize, usize)>| {
            let block = open.last().and_then(|(_, of)| found.get(*of).copied());
            found.push(ScopedLine {
                at,
                text,
                indent,
                block: block.map_or(0, |block| block.at * 2 + 1 + usize::from(block.is_item())),
                part: parts.last().map_or(0, |at| at + 1),
                head: block.map_or("", |block| head(block, &found)),
            });
            open.push((indent, found.len() - 1));
        };
        // The first key of an item stands behind its mark.
        while language == Language::Yaml
            && let Some(rest) = text.strip_prefix("- ")
        {
            push("-", indent, &mut open);
            let rest = rest.trim_start();
            indent += text.len() - rest.len();
            text = rest;
        }
        push(text, indent, &mut open);
    }
    found
}

impl ScopedLine<'_> {
    fn is_item(&self) -> bool {
        self.text == "-"
    }
}

fn head<'a>(block: ScopedLine<'a>, found: &[ScopedLine<'a>]) -> &'a str {
    if block.text != "{" && block.text != "(" {
        return block.text;
    }
    let first = found.partition_point(|said| said.at < block.at);
    let above = first.checked_sub(1).and_then(|at| found.get(at));
    above.map_or("", |said| said.text)
}

/// `#define` in the part where it is: indentation says nothing about it.
fn directive<'a>(text: &'a str, at: usize, parts: &[usize]) -> Option<ScopedLine<'a>> {
    text.starts_with("#define").then(|| ScopedLine {
        at,
        text,
        indent: 0,
        block: 0,
        part: parts.last().map_or(0, |at| at + 1),
        head: "",
    })
}

/// Tells whether a line belongs to what parts a file, and keeps what is open.
fn begins_part(text: &str, language: Language, at: usize, parts: &mut Vec<usize>) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    if language == Language::C && !text.starts_with('#') {
        return false;
    }
    let (begins, turns, ends) = if language == Language::C {
        (
            word.starts_with("#if"),
            word.starts_with("#el"),
            word == "#endif",
        )
    } else if language == Language::Make {
        let begins = ["ifeq", "ifneq", "ifdef", "ifndef"].contains(&word);
        (begins, word == "else", word == "endif")
    } else {
        let begins = language == Language::Ini && text.starts_with('[')
            || language == Language::Docker && word.eq_ignore_ascii_case("from")
            || language == Language::Yaml && text == "---";
        (false, begins, false)
    };
    if turns || ends {
        parts.pop();
    }
    if begins || turns {
        parts.push(at);
    }
    begins || turns || ends || language == Language::C
}

/// What ends a text that a line opens and does not close.
fn opened(text: &str, language: Language) -> Option<String> {
    let mut rest = text;
    loop {
        let first = language.texts().iter().filter_map(|(mark, end)| {
            let at = rest.find(mark)?;
            Some((at, std::cmp::Reverse(mark.len()), *mark, *end))
        });
        let (at, _, mark, end) = first.min()?;
        let before = rest.get(..at).unwrap_or_default();
        let is_comment = language
            .comments()
            .iter()
            .any(|comment| *comment != "/*" && before.contains(comment));
        if is_comment {
            return None;
        }
        rest = rest.get(at + mark.len()..).unwrap_or_default();
        if mark == "<<" {
            let word = rest
                .trim_start_matches('-')
                .trim_start_matches(['\'', '"', '\\']);
            let end = word.find(|c: char| !c.is_alphanumeric() && c != '_');
            let word = word.get(..end.unwrap_or(word.len())).unwrap_or_default();
            if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            return Some(format!("\n{word}"));
        }
        // A character in quotes is no text.
        if mark == "\"" && before.ends_with('\'') && rest.starts_with('\'') {
            continue;
        }
        match end_of(rest, end) {
            Some(behind) => rest = behind,
            None => return Some(end.to_owned()),
        }
    }
}

/// What follows the end of a text.
fn end_of<'t>(text: &'t str, end: &str) -> Option<&'t str> {
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.find(end)?;
        let before = text.get(..at)?;
        let slashes = before.len() - before.trim_end_matches('\\').len();
        if end.len() > 1 || slashes % 2 == 0 {
            return text.get(at + end.len()..);
        }
        from = at + end.len();
    }
}

/// What still has to end after a line within a text.
fn closed(text: &str, end: &str, language: Language) -> Option<String> {
    if let Some(word) = end.strip_prefix('\n') {
        return (text != word).then(|| end.to_owned());
    }
    match end_of(text, end) {
        Some(rest) => opened(rest, language),
        None => Some(end.to_owned()),
    }
}
