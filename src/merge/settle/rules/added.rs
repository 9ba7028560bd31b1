//! Two files that were added under the same name. Pure.

use similar::Algorithm;

use crate::merge::edits::{edits, put_in_by_both};
use crate::merge::lines::{has_words, is_blank, split_three};

use super::turned::{come_to_the_same, is_open};
use super::twice::doubled;
use crate::merge::settle::file::Rules;
use crate::merge::settle::pieces::{Contest, Piece, Settlement, part, push_settled};

/// Merges two files that were added under the same name: there is no base, so what only one side has
/// is kept, and places where both have something else are contested.
pub(crate) fn settle_added<'a>(ours: &'a [u8], theirs: &'a [u8], rules: Rules) -> Settlement<'a> {
    let ([_, ours, theirs], ending) = split_three(b"", ours, theirs);
    let (ours, theirs) = (ours.lines, theirs.lines);
    let mut pieces = laid_together(&ours, &theirs, rules);
    // Of lines in another order, which are the same ones is read from one side or the other.
    if !is_open(&pieces) && !come_to_the_same(&pieces, &laid_together(&theirs, &ours, rules)) {
        pieces = vec![one_place(ours, theirs)];
    }
    Settlement {
        pieces,
        ending,
        twice: Vec::new(),
    }
}

fn laid_together<'a>(ours: &[&'a [u8]], theirs: &[&'a [u8]], rules: Rules) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for edit in edits(Algorithm::Histogram, ours, theirs) {
        push_settled(&mut pieces, part(ours, at..edit.base.start));
        let (mine, other) = (part(ours, edit.base.clone()), part(theirs, edit.new));
        if rules.union
            || mine.iter().all(|line| is_blank(line))
            || other.iter().all(|line| is_blank(line))
        {
            push_settled(&mut pieces, mine);
            push_settled(&mut pieces, other);
        } else {
            pieces.push(Piece::Contested(Contest {
                base: Vec::new(),
                ours: mine.to_vec(),
                theirs: other.to_vec(),
                our_start: edit.base.start,
            }));
        }
        at = edit.base.end;
    }
    push_settled(&mut pieces, part(ours, at..ours.len()));
    // In another order on the other side, the same lines look like additions of both.
    let shared = put_in_by_both(ours, theirs, has_words);
    if doubled(&shared, [ours, theirs], &pieces) {
        pieces = vec![one_place(ours.to_vec(), theirs.to_vec())];
    }
    pieces
}

/// Leaves the whole of two such files to somebody.
pub(in crate::merge::settle) fn added_apart<'a>(
    ours: &'a [u8],
    theirs: &'a [u8],
) -> Settlement<'a> {
    let ([_, ours, theirs], ending) = split_three(b"", ours, theirs);
    Settlement {
        pieces: vec![one_place(ours.lines, theirs.lines)],
        ending,
        twice: Vec::new(),
    }
}

fn one_place<'a>(ours: Vec<&'a [u8]>, theirs: Vec<&'a [u8]>) -> Piece<'a> {
    Piece::Contested(Contest {
        base: Vec::new(),
        ours,
        theirs,
        our_start: 0,
    })
}
