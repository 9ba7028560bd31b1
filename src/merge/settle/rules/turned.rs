//! The order of the sides says nothing about their lines: what a rule makes of a place, it makes of the turned place,
//! too, but for order. Where it does not, it has read one of them by chance, and nobody has decided anything. Pure.

use crate::merge::lines::{is_blank, without};
use crate::merge::tokens::{is_significant, tokens};

use crate::merge::settle::pieces::{Contest, Piece, lines_of};

/// What `settled` makes of a place, if it makes the same of it with the sides turned; else the place stays contested.
pub(in crate::merge::settle) fn both_ways<'a>(
    contest: Contest<'a>,
    settled: impl Fn(&Contest<'a>) -> Vec<Piece<'a>>,
) -> Vec<Piece<'a>> {
    let found = settled(&contest);
    if contest.ours == contest.theirs || is_open(&found) {
        return found;
    }
    let other = settled(&turned(&contest));
    if come_to_the_same(&found, &other) {
        found
    } else {
        vec![Piece::Contested(contest)]
    }
}

/// Tells whether nobody has to be asked about the second of two ways, and it has the lines of the first.
pub(in crate::merge::settle) fn come_to_the_same(one: &[Piece<'_>], two: &[Piece<'_>]) -> bool {
    !is_open(two) && say_the_same(one, two)
}

/// The same place with the sides turned.
pub(in crate::merge::settle) fn turned<'a>(contest: &Contest<'a>) -> Contest<'a> {
    Contest {
        base: contest.base.clone(),
        ours: contest.theirs.clone(),
        theirs: contest.ours.clone(),
        our_start: contest.our_start,
    }
}

pub(in crate::merge::settle) fn is_open(pieces: &[Piece<'_>]) -> bool {
    pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Contested(_)))
}

/// Tells whether two results have the same lines in any order. Of entries on one line, that is their order there; and
/// of entries with commas between them, another one is the last, which has none.
fn say_the_same(one: &[Piece<'_>], two: &[Piece<'_>]) -> bool {
    let [one, two] = [one, two].map(|pieces| {
        let mut lines = lines_of(pieces);
        lines.retain(|line| !is_blank(line));
        lines
    });
    let only_one = entries(&without(&one, &two));
    only_one.is_some() && only_one == entries(&without(&two, &one))
}

/// What is on each line, in no order. `None` when nobody can read that.
fn entries<'a>(lines: &[&'a [u8]]) -> Option<Vec<Vec<&'a str>>> {
    let mut entries = Vec::new();
    for line in lines {
        let mut words = tokens(std::str::from_utf8(line).ok()?);
        words.retain(|token| is_significant(token) && *token != ",");
        words.sort_unstable();
        entries.push(words);
    }
    entries.sort_unstable();
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contest() -> Contest<'static> {
        Contest {
            base: Vec::new(),
            ours: vec![b"a"],
            theirs: vec![b"b"],
            our_start: 0,
        }
    }

    fn of(lines: &[&'static str]) -> Vec<Piece<'static>> {
        vec![Piece::Settled(
            lines.iter().map(|line| line.as_bytes()).collect(),
        )]
    }

    #[test]
    fn a_place_stays_contested_when_the_turned_sides_come_to_other_lines() {
        let is_ours = |contest: &Contest<'_>| contest.ours == [b"a"];
        let with = |one: &'static [&str], two: &'static [&str]| {
            both_ways(contest(), |contest| {
                of(if is_ours(contest) { one } else { two })
            })
        };
        let contested = [Piece::Contested(contest())];
        assert_eq!(with(&["a", "b"], &["b", "a", "a"]), contested);
        assert_eq!(with(&["a", "b"], &["b", "", "a"]), of(&["a", "b"]));
        assert_eq!(with(&["f(a, b),", "c"], &["c,", "f(b, a)"]).len(), 1);
        assert_eq!(with(&["f(a, b),", "c"], &["c,", "f(b, b)"]), contested);
        let one_way = |contest: &Contest<'static>| {
            if is_ours(contest) {
                of(&["a"])
            } else {
                vec![Piece::Contested(contest.clone())]
            }
        };
        assert_eq!(both_ways(contest(), one_way), contested);
    }
}
