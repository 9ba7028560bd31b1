//! Two versions of some lines side by side, and inside a changed line the words that differ.

use std::ops::Range;

use similar::Algorithm;

use super::differing::differing;

/// More lines than this are not compared with each other.
const MOST_LINES: usize = 4000;
/// Longer lines are not compared word by word.
const LONGEST_LINE: usize = 2000;

/// One row of a comparison: the index of a line in each version that has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlignedRow {
    pub old: Option<usize>,
    pub new: Option<usize>,
    /// Both versions have the same line.
    pub same: bool,
}

/// Puts the lines of two versions side by side.
pub fn align(old: &[&str], new: &[&str]) -> Vec<AlignedRow> {
    let mut rows = Vec::new();
    if old.len().max(new.len()) > MOST_LINES {
        beside(&mut rows, 0..old.len(), 0..new.len());
        return rows;
    }
    let (mut old_at, mut new_at) = (0, 0);
    for (in_old, in_new) in differing(Algorithm::Patience, old, new) {
        same(&mut rows, old_at..in_old.start, new_at..in_new.start);
        (old_at, new_at) = (in_old.end, in_new.end);
        beside(&mut rows, in_old, in_new);
    }
    same(&mut rows, old_at..old.len(), new_at..new.len());
    rows
}

fn same(rows: &mut Vec<AlignedRow>, old: Range<usize>, new: Range<usize>) {
    rows.extend(old.zip(new).map(|(old, new)| AlignedRow {
        old: Some(old),
        new: Some(new),
        same: true,
    }));
}

fn beside(rows: &mut Vec<AlignedRow>, old: Range<usize>, new: Range<usize>) {
    for index in 0..old.len().max(new.len()) {
        let at = |range: &Range<usize>| Some(range.start + index).filter(|at| *at < range.end);
        rows.push(AlignedRow {
            old: at(&old),
            new: at(&new),
            same: false,
        });
    }
}

/// Gives the byte ranges of both lines that the other has not. Nothing when the lines have too little
/// in common for that to help.
pub fn changed_words(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let nothing = (Vec::new(), Vec::new());
    if old.len().max(new.len()) > LONGEST_LINE {
        return nothing;
    }
    let (old_words, new_words) = (words(old), words(new));
    let (mut in_old, mut in_new, mut shared) = (Vec::new(), Vec::new(), 0);
    let (old_texts, new_texts) = (parts(old, &old_words), parts(new, &new_words));
    let mut at = 0;
    let differences = differing(Algorithm::Myers, &old_texts, &new_texts);
    let end = old_words.len()..old_words.len();
    for (of_old, of_new) in differences.into_iter().chain([(end, 0..0)]) {
        let alike = old_texts.get(at..of_old.start).unwrap_or_default();
        shared += alike.iter().map(|text| solid(text)).sum::<usize>();
        at = of_old.end;
        in_old.extend(whole(&old_words, of_old));
        in_new.extend(whole(&new_words, of_new));
    }
    if shared * 3 < solid(old).max(solid(new)) {
        return nothing;
    }
    (in_old, in_new)
}

/// How many characters of a text are no white space.
fn solid(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

fn parts<'a>(line: &'a str, words: &[Range<usize>]) -> Vec<&'a str> {
    words
        .iter()
        .filter_map(|range| line.get(range.clone()))
        .collect()
}

fn whole(words: &[Range<usize>], range: Range<usize>) -> Option<Range<usize>> {
    let changed = words.get(range)?;
    Some(changed.first()?.start..changed.last()?.end)
}

/// Splits a line into words, runs of white space, and single other characters.
fn words(line: &str) -> Vec<Range<usize>> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut list: Vec<Range<usize>> = Vec::new();
    let mut previous = None;
    for (at, c) in line.char_indices() {
        let (this, end) = (class(c), at + c.len_utf8());
        match list.last_mut() {
            Some(last) if previous == Some(this) && this != 2 => last.end = end,
            Some(_) | None => list.push(at..end),
        }
        previous = Some(this);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_words_that_differ_are_found() {
        let (old, new) = changed_words("let port = 80; // web", "let port = 8080; // web");
        let whole = |ranges: Vec<Range<usize>>| -> Vec<(usize, usize)> {
            ranges
                .iter()
                .map(|range| (range.start, range.end))
                .collect()
        };
        assert_eq!((whole(old), whole(new)), (vec![(11, 13)], vec![(11, 15)]));
        assert_eq!(changed_words("one two", "xyz 123"), (vec![], vec![]));
    }

    #[test]
    fn changed_lines_stand_beside_each_other() {
        let rows = align(&["a", "b", "c"], &["a", "x", "y", "c"]);
        let pairs: Vec<_> = rows.iter().map(|r| (r.old, r.new, r.same)).collect();
        assert_eq!(
            pairs,
            [
                (Some(0), Some(0), true),
                (Some(1), Some(1), false),
                (None, Some(2), false),
                (Some(2), Some(3), true)
            ]
        );
    }

    proptest! {
        #[test]
        fn every_line_has_its_row_and_every_range_is_text(
            old in proptest::collection::vec("[ab{} é]{0,6}", 0..12),
            new in proptest::collection::vec("[ab{} é]{0,6}", 0..12),
        ) {
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            let rows = align(&old, &new);
            let olds: Vec<usize> = rows.iter().filter_map(|r| r.old).collect();
            let news: Vec<usize> = rows.iter().filter_map(|r| r.new).collect();
            prop_assert_eq!(olds, (0..old.len()).collect::<Vec<_>>());
            prop_assert_eq!(news, (0..new.len()).collect::<Vec<_>>());
            for row in rows {
                let (Some(a), Some(b)) = (row.old, row.new) else { continue };
                prop_assert_eq!(row.same, row.same && old[a] == new[b]);
                let (in_old, in_new) = changed_words(old[a], new[b]);
                prop_assert!(in_old.iter().all(|r| old[a].get(r.clone()).is_some()));
                prop_assert!(in_new.iter().all(|r| new[b].get(r.clone()).is_some()));
            }
        }
    }
}
