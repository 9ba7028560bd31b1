//! A line that somebody wrote in place of lines of both sides: whether it says nothing that these do not say. Pure.

use std::collections::HashMap;

use crate::merge::account::texts::Texts;

use super::claims::Claim;

/// Tells whether a claim takes lines of either side, so that no line of one side alone is only altered, and makes of
/// them, and of those of the base, what has no other word, number or operator than they have.
pub(super) fn is_of_both(texts: &Texts<'_>, claim: &Claim<'_>) -> bool {
    let (mut has_ours, mut has_theirs) = (false, false);
    for line in &claim.lines {
        let number = texts.number(line);
        if let Some(counts) = number.and_then(|number| texts.counts.get(number as usize)) {
            // A line that both have is no sign of either.
            let [by_ours, by_theirs] = [counts.ours, counts.theirs].map(|side| side > counts.base);
            has_ours |= by_ours && !by_theirs;
            has_theirs |= by_theirs && !by_ours;
        }
    }
    let mut known: HashMap<&[u8], usize> = HashMap::new();
    for word in claim.base.iter().chain(&claim.lines).flat_map(|l| whole(l)) {
        *known.entry(word).or_default() += 1;
    }
    let mut made = claim.result.iter().flat_map(|line| whole(line));
    let is_known = |word: &[u8]| {
        let left = known.get_mut(word).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    };
    has_ours && has_theirs && made.all(is_known)
}

/// The words, numbers and operators of a line. Brackets, commas and white space only hold and part them.
fn whole(line: &[u8]) -> Vec<&[u8]> {
    let mut all = Vec::new();
    let mut rest = line;
    while let Some((first, after)) = rest.split_first() {
        let length = match Sign::of(*first) {
            Sign::Loose => {
                rest = after;
                continue;
            }
            Sign::Alone => 1,
            Sign::Word => word_length(rest),
            Sign::Operator => {
                let is_operator = |byte: &&u8| Sign::of(**byte) == Sign::Operator;
                rest.iter().take_while(is_operator).count()
            }
        };
        let (word, after) = rest.split_at(length.min(rest.len()));
        all.push(word);
        rest = after;
    }
    all
}

/// The point in a number is part of it.
fn word_length(text: &[u8]) -> usize {
    let is_number = text.first().is_some_and(u8::is_ascii_digit);
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let is_part = |(at, byte): &(usize, &u8)| {
        Sign::of(**byte) == Sign::Word || is_number && **byte == b'.' && is_digit(at + 1)
    };
    text.iter().enumerate().take_while(is_part).count()
}

/// What a byte is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// Says nothing.
    Loose,
    /// A quote, or the end of a statement.
    Alone,
    Word,
    Operator,
}

impl Sign {
    fn of(byte: u8) -> Self {
        if byte.is_ascii_whitespace() || b"()[]{},".contains(&byte) {
            Self::Loose
        } else if b"\"'`;".contains(&byte) {
            Self::Alone
        } else if byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii() {
            Self::Word
        } else {
            Self::Operator
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Claim, Texts, is_of_both, whole};

    #[test]
    fn a_line_that_both_sides_have_is_no_line_of_either() {
        let lines =
            |text: &'static str| -> Vec<&[u8]> { text.lines().map(str::as_bytes).collect() };
        let is_of_both = |ours, theirs, made_of| {
            let versions = ["a", ours, theirs, "x y"].map(lines);
            let texts = Texts::new(versions.each_ref().map(Vec::as_slice));
            let claim = Claim {
                base: Vec::new(),
                lines: lines(made_of),
                result: lines("x y"),
            };
            is_of_both(&texts, &claim)
        };
        assert!(is_of_both("a\nx", "a\ny", "x\ny"));
        // However often either has it.
        assert!(!is_of_both("a\nx", "a\nx\ny", "x\ny"));
        assert!(!is_of_both("a\nx\nx", "a\nx\ny", "x\ny"));
        assert!(!is_of_both("a\nx", "a\nx\nx\ny", "x\ny"));
    }

    #[test]
    fn a_number_and_an_operator_are_one_word_each() {
        let words = |line: &'static str| -> Vec<&str> {
            let words = whole(line.as_bytes()).into_iter();
            words
                .map(|word| std::str::from_utf8(word).unwrap())
                .collect()
        };
        assert_eq!(words("rate -= 0.5;"), ["rate", "-=", "0.5", ";"]);
        assert_eq!(words("f(-a, [b.c])"), ["f", "-", "a", "b", ".", "c"]);
        assert_eq!(words("x = \"a.\""), ["x", "=", "\"", "a", ".", "\""]);
        assert_eq!(words("1..2"), ["1", "..", "2"]);
    }
}
