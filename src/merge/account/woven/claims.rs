//! One claim after the other, held against the texts. Pure.

use std::collections::{HashMap, HashSet};

use crate::merge::account::texts::Texts;
use crate::merge::lines::is_blank;

use super::sides::Known;
use super::spaces::{are_spaced_as_both_want, is_spaced_as_both_want};
use super::visible::is_the_most_visible;
use super::words::{Loose, has_changes_of_both};

/// Lines of the sides that are said to be part of others in the result, made of some lines of the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim<'a> {
    pub(crate) base: Vec<&'a [u8]>,
    pub(crate) lines: Vec<&'a [u8]>,
    pub(crate) result: Vec<&'a [u8]>,
}

/// The lines of each claim that the texts show to be part of others; `None` of a claim that they do not show.
pub(in crate::merge::account) fn shown<'a>(
    texts: &Texts<'_>,
    claims: &[Claim<'a>],
) -> Vec<Option<Vec<&'a [u8]>>> {
    if claims.is_empty() {
        return Vec::new();
    }
    let known = Known::new(texts);
    // No line of the result stands for two claims.
    let counts = texts.all();
    let mut left: HashMap<u32, u64> = counts.map(|(n, _, counts)| (n, counts.result)).collect();
    claims
        .iter()
        .map(|claim| covered(&known, claim).filter(|_| is_there(texts, &claim.result, &mut left)))
        .collect()
}

fn is_there(texts: &Texts<'_>, result: &[&[u8]], left: &mut HashMap<u32, u64>) -> bool {
    result.iter().filter(|line| !is_blank(line)).all(|line| {
        let left = texts.number(line).and_then(|number| left.get_mut(&number));
        match left {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            Some(_) | None => false,
        }
    })
}

fn covered<'a>(known: &Known<'_, '_>, claim: &Claim<'a>) -> Option<Vec<&'a [u8]>> {
    let sides = known.sides.each_ref();
    let found = sides.map(|side| side.found(&claim.lines, &claim.result));
    let put_in: HashSet<&[u8]> = found
        .iter()
        .flat_map(|found| &found.lost)
        .copied()
        .collect();
    let is_put_in = |line: &&[u8]| put_in.contains(line);
    let lines: Vec<&[u8]> = claim.lines.iter().copied().filter(is_put_in).collect();
    // What a side only left as it was may be gone with the other one's change, and needs nobody's word.
    let base: HashSet<&[u8]> = claim.base.iter().copied().collect();
    let mut rest = claim.lines.iter().filter(|line| !is_put_in(line));
    if !rest.all(|line| is_blank(line) || base.contains(line)) {
        return None;
    }
    if let (true, [result]) = (claim.base.is_empty(), claim.result.as_slice())
        && is_the_most_visible(result, &claim.lines)
    {
        return Some(lines);
    }
    let places = known.places(&claim.base);
    let [ours, theirs] = sides;
    let [mine, other] = found;
    let ours = ours.versions(&claim.base, &places, &mine);
    let theirs = theirs.versions(&claim.base, &places, &other);
    let mut ways = ours
        .iter()
        .flat_map(|mine| theirs.iter().map(move |other| [mine, other]));
    ways.any(|[mine, other]| has_both(claim, [mine, other]))
        .then_some(lines)
}

/// Whether the result of a claim is what both sides made of its base.
fn has_both(claim: &Claim<'_>, [ours, theirs]: [&[&[u8]]; 2]) -> bool {
    let (base, result) = (claim.base.as_slice(), claim.result.as_slice());
    if !base.is_empty() && (ours == base || theirs == base) {
        return false;
    }
    if let ([base], [mine], [other], [result]) = (base, ours, theirs, result) {
        return has_changes_of_both(&[base], [&[mine], &[other]], &[result], Loose::Line)
            && is_spaced_as_both_want(base, [mine, other], result);
    }
    are_spaced_as_both_want(base, [ours, theirs], result)
        && has_changes_of_both(base, [ours, theirs], result, Loose::Lines)
}
