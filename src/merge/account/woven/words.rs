//! What two sides put into some lines and took out of them, word by word, and whether other lines have all of that. Pure.

use std::collections::{HashMap, HashSet};

/// A line as words and what stands between them.
#[derive(Debug, Default)]
pub(super) struct Words<'a> {
    /// Names, numbers, and each other sign by itself.
    pub(super) words: Vec<&'a [u8]>,
    /// White space before each word, and after the last one: one more than there are words.
    pub(super) gaps: Vec<&'a [u8]>,
}

impl<'a> Words<'a> {
    pub(super) fn of(line: &'a [u8]) -> Self {
        let mut said = Self::default();
        let mut rest = line;
        loop {
            let (gap, after) = split_at(rest, |byte| byte.is_ascii_whitespace());
            said.gaps.push(gap);
            let Some(first) = after.first() else {
                return said;
            };
            let (word, after) = if is_part(*first) {
                split_at(after, |byte| is_part(*byte))
            } else {
                after.split_at(1)
            };
            said.words.push(word);
            rest = after;
        }
    }
}

impl<'a> Words<'a> {
    /// Lines as one. Where one ends and the next begins, only that is said.
    pub(super) fn of_lines(lines: &[&'a [u8]]) -> Self {
        let mut all = Self {
            words: Vec::new(),
            gaps: vec![LINE_END],
        };
        for line in lines {
            let said = Self::of(line);
            let inner = said.words.len().saturating_sub(1);
            if said.words.is_empty() {
                continue;
            }
            all.gaps.extend(said.gaps.iter().skip(1).take(inner));
            all.gaps.push(LINE_END);
            all.words.extend(said.words);
        }
        all
    }
}

/// Stands for whatever is between two lines.
pub(super) const LINE_END: &[u8] = b"\n";

/// Bytes beyond ASCII belong to letters.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn split_at(text: &[u8], is_in: impl Fn(&u8) -> bool) -> (&[u8], &[u8]) {
    let length = text.iter().take_while(|byte| is_in(byte)).count();
    text.split_at(length)
}

/// How often each word is in some lines.
type Counted<'a> = HashMap<&'a [u8], i64>;

fn counted<'a>(lines: &[&'a [u8]]) -> Counted<'a> {
    let mut counted = Counted::new();
    for word in lines.iter().flat_map(|line| Words::of(line).words) {
        *counted.entry(word).or_default() += 1;
    }
    counted
}

/// What may come and go with the entries that it separates or holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loose {
    /// In one line.
    Line,
    /// In lines that are broken anew.
    Lines,
}

impl Loose {
    fn is_loose(self, word: &[u8]) -> bool {
        match self {
            Self::Line => [&b","[..], b";", b"{", b"}"].contains(&word),
            Self::Lines => {
                Self::Line.is_loose(word) || [&b"("[..], b")", b"[", b"]"].contains(&word)
            }
        }
    }
}

/// Tells whether a result has what either side put in, and nothing that either took out: of what both did, once or
/// twice, as it may be one change or two.
pub(super) fn has_changes_of_both(
    base: &[&[u8]],
    [ours, theirs]: [&[&[u8]]; 2],
    result: &[&[u8]],
    loose: Loose,
) -> bool {
    let [base, ours, theirs, result] = [base, ours, theirs, result].map(counted);
    let all = [&base, &ours, &theirs, &result];
    let words: HashSet<&[u8]> = all.iter().flat_map(|words| words.keys().copied()).collect();
    words.into_iter().all(|word| {
        let of = |words: &Counted<'_>| words.get(word).copied().unwrap_or(0);
        let before = of(&base);
        let [mine, other, made] = [&ours, &theirs, &result].map(|words| of(words) - before);
        let together = mine + other;
        loose.is_loose(word)
            || made == together
            || mine.signum() == other.signum()
                && made.abs() < together.abs()
                && made.signum() == mine.signum()
                && made.abs() >= mine.abs().max(other.abs())
    })
}

/// Tells whether a line has all that another one has beyond the base.
pub(super) fn carries(base: &[&[u8]], line: &[u8], result: &[&[u8]]) -> bool {
    let [base, line, result] = [base, &[line], result].map(counted);
    let of = |words: &Counted<'_>, word: &[u8]| words.get(word).copied().unwrap_or(0);
    line.iter()
        .all(|(word, count)| count - of(&base, word) <= of(&result, word))
}
