//! Lists whose entries are separated by commas, with none after the last: whoever appends one or takes the
//! last away changes the line before it, too. Without its commas the list is merged line by line; then
//! each entry but the last has its comma again. Only where all three versions are such lists.

use similar::Algorithm;

use crate::merge::edits::{Edit, Stretch, edits, lay_over};
use crate::merge::lines::{has_words, is_blank, without};

use super::beside::Beside;
use crate::merge::settle::pieces::{Contest, Piece, Woven, part};
use crate::merge::settle::reading::kind::Kind;
use crate::merge::settle::reading::names::name_the_same;
use crate::merge::settle::reading::text::Text;

/// Joins the lists. `None` when something other than the commas is contested.
pub(in crate::merge::settle) fn reseparated<'a>(contest: &Contest<'a>) -> Option<Vec<Piece<'a>>> {
    let versions = [&contest.base, &contest.ours, &contest.theirs];
    let [base, ours, theirs] = versions.map(|lines| bare(lines));
    for (bare, lines) in [&base, &ours, &theirs].into_iter().zip(versions) {
        let is_plain = with_commas(bare)
            .iter()
            .zip(lines)
            .all(|(new, old)| new == old);
        if bare.is_empty() || !is_plain {
            return None;
        }
    }
    let all = merged(&base, &ours, &theirs)?;
    let result = with_commas(&all);
    let kept: Vec<&[u8]> = result.iter().map(Vec::as_slice).collect();
    let mut lines = without(&contest.ours, &kept);
    lines.extend(without(&contest.theirs, &kept));
    Some(vec![Piece::Woven(Woven {
        base: contest.base.clone(),
        lines,
        result,
    })])
}

fn merged<'a>(base: &[&'a [u8]], ours: &[&'a [u8]], theirs: &[&'a [u8]]) -> Option<Vec<&'a [u8]>> {
    let our_edits = edits(Algorithm::Histogram, base, ours);
    let their_edits = edits(Algorithm::Histogram, base, theirs);
    let mut all: Vec<&[u8]> = Vec::new();
    let beside = Beside {
        base,
        after: &[],
        ours,
        theirs,
        kind: Kind::Other,
    };
    let also = |mine: &Edit, other: &Edit| beside.meet(mine, other);
    for stretch in lay_over(base.len(), &our_edits, &their_edits, &also) {
        match stretch {
            Stretch::Same { base: range } => all.extend(part(base, range)),
            Stretch::Ours { new, .. } => all.extend(part(ours, new)),
            Stretch::Theirs { new, .. } => all.extend(part(theirs, new)),
            Stretch::Both {
                base: old,
                ours: mine,
                theirs: other,
            } => {
                let (mine, other) = (part(ours, mine), part(theirs, other));
                all.extend(mine);
                if mine == other {
                    continue;
                }
                let is_sure = old.is_empty() && is_level(mine) && is_level(other);
                if !is_sure || name_the_same(mine, other, &Text::new(base)) {
                    return None;
                }
                all.extend(without(other, mine));
            }
        }
    }
    // An entry twice, or one that both sides name, is nothing to decide here.
    let mut names: Vec<&[u8]> = all.iter().copied().filter(|line| has_words(line)).collect();
    names.sort_unstable();
    names
        .windows(2)
        .all(|pair| pair.first() != pair.last())
        .then_some(all)
}

/// The lines without the comma that each may end with.
fn bare<'a>(lines: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let bare = |line: &&'a [u8]| line.strip_suffix(b",").unwrap_or(line);
    lines.iter().map(bare).collect()
}

/// Every entry but the last of its list gets a comma. The last line is the last of a list, too.
fn with_commas(lines: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut result = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1);
        let ends = next.is_none_or(|next| closes(next));
        let is_entry = !is_blank(line) && !opens(line);
        let comma: &[u8] = if is_entry && !ends { b"," } else { b"" };
        result.push([line, comma].concat());
    }
    result
}

fn opens(line: &[u8]) -> bool {
    matches!(line.trim_ascii_end().last(), Some(b'{' | b'[' | b'('))
}

fn closes(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), Some(b'}' | b']' | b')'))
}

/// Every bracket that is opened is closed, and none that was open before.
fn is_level(lines: &[&[u8]]) -> bool {
    let mut depth = 0_i64;
    for line in lines {
        depth -= i64::from(closes(line));
        if depth < 0 {
            return false;
        }
        depth += i64::from(opens(line));
    }
    depth == 0
}
