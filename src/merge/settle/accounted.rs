//! Whether a settlement balances, so that nothing is offered that the account of the merge would refuse in the end.

use std::collections::HashMap;

use crate::merge::account::{Claim, SettledText, refused};
use crate::merge::lines::has_words;

use super::pieces::{Piece, Settlement};

/// The lines that the account refuses, with the branch's side in contested places.
pub(super) fn refused_lines(
    base: Option<&[u8]>,
    [ours, theirs]: [&[u8]; 2],
    settlement: &Settlement<'_>,
) -> Vec<String> {
    let result = settlement.render(|contest| contest.theirs.clone());
    let mut text = SettledText::new(base, [ours, theirs], &result);
    for piece in &settlement.pieces {
        match piece {
            Piece::Settled(_) => {}
            Piece::Woven(woven) => {
                text.woven.push(Claim {
                    base: woven.base.clone(),
                    lines: woven.lines.clone(),
                    result: woven.result.iter().map(Vec::as_slice).collect(),
                });
            }
            Piece::Contested(contest) => {
                let versions = [&contest.base, &contest.ours, &contest.theirs];
                text.contested.push(versions.map(Vec::as_slice));
            }
        }
    }
    refused(&text)
}

/// Tells whether something is there less often than each of the three versions says it, at whatever depth: both sides put
/// it elsewhere, and what one of them left where it was, the other one had moved away.
pub(super) fn says_less(versions: [&[u8]; 3], settlement: &Settlement<'_>) -> bool {
    let result = settlement.render(|contest| [contest.ours.as_slice(), &contest.theirs].concat());
    let [base, ours, theirs] = versions.map(counts);
    let found = counts(&result);
    let often = |counts: &HashMap<&[u8], u32>, line: &[u8]| {
        let count = counts.get(line);
        count.copied().unwrap_or_default()
    };
    base.iter().any(|(line, count)| {
        let least = often(&ours, line).min(often(&theirs, line)).min(*count);
        often(&found, line) < least
    })
}

/// How often a text says something.
fn counts(text: &[u8]) -> HashMap<&[u8], u32> {
    let mut counts = HashMap::new();
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    for line in lines.filter(|line| has_words(line)) {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    #[test]
    fn a_line_that_stands_twice_everywhere_stands_twice_where_both_sides_indented_it() {
        let base = "head,     word 1,   word 1,     word 0,   word 2, tail";
        let one = "head,       word 1,     word 1,       word 0 one,     word 2 one,     new of one, tail";
        let two = "head,       word 1,   new of two,   word 1,       word 0,   word 2, tail";
        for (ours, theirs) in [(one, two), (two, one)] {
            let twice = |text: &String| text.matches("word 1").count() == 2;
            assert!(settled(base, ours, theirs).as_ref().is_none_or(twice));
        }
    }
}
