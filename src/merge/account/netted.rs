//! What our own rules made, place by place: a line lost here is not made up for by an equal one that is back there. Pure.

use std::collections::HashSet;

use similar::Algorithm;

use super::between::Place;
use super::counts::Counts;
use super::texts::Texts;
use super::written::{counted_lines, judged_place};
use crate::merge::edits::{alike, edits};
use crate::merge::lines::has_words;

/// The lines that a text made by rules has lost in their places and has in others, where they do not belong: over the
/// whole text, they would be as many as are due. Only where no side moved a line: of several equal ones, the rules and
/// this may take another one for the one that was moved. Nor is it said where a brace belongs.
pub(super) fn lost_in_places<'a>(
    base: &'a [u8],
    ours: &'a [u8],
    theirs: &'a [u8],
    result: &'a [u8],
) -> Vec<&'a [u8]> {
    let [base, ours, theirs, result] = [base, ours, theirs, result].map(counted_lines);
    // What all have in common is in its place.
    let (mut head, mut tail) = (usize::MAX, usize::MAX);
    for other in [&ours, &theirs, &result] {
        let (first, last) = alike(&base, other);
        (head, tail) = (head.min(first), tail.min(last));
    }
    let differing = |lines: Vec<&'a [u8]>| -> Vec<&'a [u8]> {
        let end = lines.len() - tail;
        lines.get(head..end).unwrap_or_default().to_vec()
    };
    let place = Place {
        base: Some(differing(base)),
        ours: differing(ours),
        theirs: differing(theirs),
    };
    let answer = differing(result);
    let texts = Texts::new([place.base(), &place.ours, &place.theirs, &answer]);
    if !texts.counts.iter().any(Counts::may_net_out) {
        return Vec::new();
    }
    let said = judged_place(&place, &answer).unwrap_or_default();
    let back = said.brought_back.iter().map(|(line, _)| *line);
    let elsewhere: HashSet<&[u8]> = back.chain(said.invented).collect();
    let mut lost = said.lost;
    lost.retain(|line| has_words(line) && elsewhere.contains(line));
    if !lost.is_empty()
        && (has_moved(place.base(), &place.ours) || has_moved(place.base(), &place.theirs))
    {
        lost.clear();
    }
    lost
}

/// Tells whether a side may have moved a line, in some reading: it took one away, and put an equal one in.
fn has_moved(base: &[&[u8]], side: &[&[u8]]) -> bool {
    [Algorithm::Histogram, Algorithm::Myers]
        .iter()
        .any(|algorithm| {
            let edits = edits(*algorithm, base, side);
            let put_in = edits.iter().filter_map(|edit| side.get(edit.new.clone()));
            let put_in: HashSet<&[u8]> = put_in.flatten().copied().collect();
            let removed = edits.iter().filter_map(|edit| base.get(edit.base.clone()));
            let mut removed = removed.flatten();
            removed.any(|line| has_words(line) && put_in.contains(line))
        })
}

#[cfg(test)]
mod tests {
    use super::lost_in_places;

    #[test]
    fn a_rule_that_puts_a_line_where_another_equal_one_belongs_has_lost_one() {
        let text = |words: &str| -> String { words.replace(' ', "\n") + "\n" };
        let versions = [
            "one old two old end",
            "one ours two ours end",
            "one theirs two check theirs end",
        ];
        let [base, ours, theirs] = versions.map(text);
        let lost = |result: &str| {
            let result = text(result);
            let texts = [&base, &ours, &theirs, &result].map(|text| text.as_bytes());
            let [base, ours, theirs, result] = texts;
            let lost = lost_in_places(base, ours, theirs, result);
            String::from_utf8(lost.join(&b' ')).unwrap()
        };
        assert_eq!(lost("one ours theirs two ours check theirs end"), "");
        assert_eq!(lost("one ours two theirs ours check theirs end"), "theirs");
        // Where a landmark is not in its place, the others say nothing.
        assert_eq!(lost("one ours theirs ours check theirs end two"), "");
        let moved = ["x x y", "x y", "x y x", "x y"].map(text);
        let [base, ours, theirs, result] = moved.each_ref().map(|text| text.as_bytes());
        assert!(lost_in_places(base, ours, theirs, result).is_empty());
    }
}
