//! What a text in Markdown has but once: footnotes, what a link leads to, the numbers of a list. Pure.

use super::bound::{Bound, Space};
use super::scopes::ScopedLine;

pub(super) fn names(said: &[ScopedLine<'_>]) -> Vec<Bound> {
    let mut found = Vec::new();
    // The lists that are open: how deep each is, and where it began.
    let mut lists: Vec<(usize, usize)> = Vec::new();
    for line in said {
        if let Some(label) = label(line.text) {
            found.push(Bound::new(line, Space::Label, label.to_lowercase()).of_file());
            continue;
        }
        lists.retain(|(depth, _)| *depth <= line.indent);
        let Some(number) = number(line.text) else {
            lists.retain(|(depth, _)| *depth < line.indent);
            continue;
        };
        let known = lists.iter().find(|(depth, _)| *depth == line.indent);
        let began = known.map_or(line.at, |(_, began)| *began);
        if known.is_none() {
            lists.push((line.indent, began));
        }
        let bound = Bound::new(line, Space::Number, number);
        found.push(Bound {
            scope: [began + 1, 0],
            ..bound
        });
    }
    found
}

/// `[^1]: …` and `[x]: …`.
fn label(text: &str) -> Option<&str> {
    let (label, _) = text.strip_prefix('[')?.split_once("]:")?;
    (!label.is_empty() && !label.contains(['[', ']'])).then_some(label)
}

/// The number of an item: `3. …` or `3) …`.
fn number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, rest) = text.split_at(end);
    let is_item = rest.starts_with(". ") || rest.starts_with(") ");
    (is_item && !number.is_empty()).then_some(number)
}
