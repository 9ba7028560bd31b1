//! Which lines were made of others, by their words. That compares every line with every other one: a place that is too
//! large for it is for somebody to decide. Pure.

use std::collections::HashSet;

use crate::merge::tokens::tokens;

/// No more pairs of lines than this are compared by their words: well below a second.
const MOST_PAIRS: usize = 2_000_000;

/// Tells whether so many lines are not compared with so many others.
pub(crate) fn are_too_many(old: usize, new: usize) -> bool {
    old.saturating_mul(new) > MOST_PAIRS
}

/// The words of some lines.
pub(in crate::merge::settle) struct Wordings<'a>(Vec<Option<HashSet<&'a str>>>);

impl<'a> Wordings<'a> {
    pub(in crate::merge::settle) fn of(lines: &[&'a [u8]]) -> Self {
        let words = |line: &&'a [u8]| Some(words(line)?.into_iter().collect());
        Self(lines.iter().map(words).collect())
    }

    /// Tells whether one of them has most of the words of a line; so does one that nobody can read.
    pub(in crate::merge::settle) fn has_one_made_of(&self, old: &[u8]) -> bool {
        let Some(old) = words(old) else {
            return !self.0.is_empty();
        };
        let is_made = |new: &HashSet<&str>| {
            let kept = old.iter().filter(|word| new.contains(*word)).count();
            !old.is_empty() && kept * 2 > old.len()
        };
        self.0.iter().any(|new| new.as_ref().is_none_or(is_made))
    }
}

fn words(line: &[u8]) -> Option<Vec<&str>> {
    let mut words = tokens(std::str::from_utf8(line).ok()?);
    words.retain(|token| token.contains(char::is_alphanumeric));
    Some(words)
}
