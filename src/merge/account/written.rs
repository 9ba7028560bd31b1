//! What somebody wrote, place by place. Outside of the contested places it has to be what the sides agree on,
//! line by line; in each of them, additions and deletions are counted for that place alone, so that nothing
//! lost in one is made up for by something that came back in another. Pure.

use std::collections::HashMap;
use std::ops::Range;

use super::counts::Counts;
use super::stretches::standing_fast;
use super::tally::cut_lines;
use crate::merge::lines::{between_newlines, is_blank, line_key};
use crate::merge::settle::{Piece, Rules, settle, settle_added};

/// Where the same settled lines stand more often than this, only the first of them are looked at.
const MOST_READINGS: usize = 16;

/// What is to be said about a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said<'a> {
    /// Lines that are due in their place and not there.
    pub(super) lost: Vec<&'a [u8]>,
    /// Lines that a side (`target`, `branch` or `both`) removed from this place.
    pub(super) brought_back: Vec<(&'a [u8], &'static str)>,
    /// Lines that no version has in this place, or not as often.
    pub(super) invented: Vec<&'a [u8]>,
}

impl Said<'_> {
    fn count(&self) -> usize {
        self.lost.len() + self.brought_back.len() + self.invented.len()
    }
}

/// Reads a text as the merge of three others. The inner error is the line at which it differs from what nobody
/// contested.
pub(super) fn judged<'a>(
    base: Option<&'a [u8]>,
    ours: &'a [u8],
    theirs: &'a [u8],
    result: &'a [u8],
) -> Result<Said<'a>, Vec<u8>> {
    let settlement = match base {
        Some(base) => settle(base, ours, theirs, Rules::default()),
        None => settle_added(ours, theirs, Rules::default()),
    };
    let answer = counted_lines(between_newlines(result));
    let layout = Layout::of(&settlement.pieces);
    let Some(ranges) = layout.reading(&answer) else {
        return Err(layout.first_difference(&answer).to_vec());
    };
    let mut said: Vec<Said<'a>> = layout
        .places
        .iter()
        .zip(ranges)
        .map(|(place, range)| place.judged(answer.get(range).unwrap_or_default()))
        .collect();
    let whole = occurrences([base.unwrap_or_default(), ours, theirs, result]);
    take_moved(&mut said, &whole);
    let mut sum = Said::default();
    for said in said {
        sum.lost.extend(said.lost);
        sum.brought_back.extend(said.brought_back);
        for line in said.invented {
            // New in this place, but a side has taken it out of the file.
            match whole.get(line).filter(|counts| counts.is_removed()) {
                Some(counts) => sum.brought_back.push((line, counts.remover())),
                None => sum.invented.push(line),
            }
        }
    }
    Ok(sum)
}

fn counted_lines<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Vec<&'a [u8]> {
    let lines = lines.into_iter().map(line_key);
    lines.filter(|line| !is_blank(line)).collect()
}

fn occurrences(versions: [&[u8]; 4]) -> HashMap<&[u8], Counts> {
    let mut counts: HashMap<&[u8], Counts> = HashMap::new();
    for (version, text) in versions.into_iter().enumerate() {
        for line in counted_lines(between_newlines(text)) {
            *counts.entry(line).or_default().of(version) += 1;
        }
    }
    counts
}

/// A new line that every version has once at most, and the result once: it is the same line, in a place next to
/// its own. Of any other, nobody can tell.
fn take_moved(said: &mut [Said<'_>], whole: &HashMap<&[u8], Counts>) {
    let is_single = |line: &[u8]| {
        whole.get(line).is_some_and(|counts| {
            counts.base == 0 && counts.ours <= 1 && counts.theirs <= 1 && counts.result == 1
        })
    };
    let all = said.iter().flat_map(|said| said.invented.iter().copied());
    let moved: Vec<&[u8]> = all.filter(|line| is_single(line)).collect();
    for said in said {
        said.lost.retain(|line| !moved.contains(line));
        said.invented
            .retain(|line| !(is_single(line) && is_of_a_side(whole, line)));
    }
}

fn is_of_a_side(whole: &HashMap<&[u8], Counts>, line: &[u8]) -> bool {
    whole
        .get(line)
        .is_some_and(|counts| counts.ours + counts.theirs > 0)
}

/// A contested place: what the three versions have there.
#[derive(Debug, Default)]
struct Place<'a> {
    base: Vec<&'a [u8]>,
    ours: Vec<&'a [u8]>,
    theirs: Vec<&'a [u8]>,
}

impl<'a> Place<'a> {
    /// Lines that stand fast in all versions make several places of one, if the result has them as they are.
    fn judged(&self, result: &[&'a [u8]]) -> Said<'a> {
        let (base, ours, theirs) = (&self.base[..], &self.ours[..], &self.theirs[..]);
        let sides = [base, ours, theirs];
        let fast = standing_fast(sides, &line_counts(&sides));
        let order = |lines: &[&'a [u8]]| -> Vec<&'a [u8]> {
            let known = lines.iter().filter(|line| fast.contains(*line));
            known.copied().collect()
        };
        if fast.is_empty() || order(result) != order(&self.base) {
            return judged_part([base, ours, theirs, result]);
        }
        let split = |lines: &'_ [&'a [u8]]| -> Vec<Vec<&'a [u8]>> {
            let parts = lines.split(|line| fast.contains(line));
            parts.map(<[&[u8]]>::to_vec).collect()
        };
        let (base, ours, theirs) = (split(base), split(ours), split(theirs));
        let mut sum = Said::default();
        for (((base, ours), theirs), result) in
            base.iter().zip(&ours).zip(&theirs).zip(&split(result))
        {
            let part = judged_part([base, ours, theirs, result]);
            sum.lost.extend(part.lost);
            sum.brought_back.extend(part.brought_back);
            sum.invented.extend(part.invented);
        }
        sum
    }
}

fn line_counts<'a>(versions: &[&[&'a [u8]]]) -> HashMap<&'a [u8], Counts> {
    let mut counts: HashMap<&'a [u8], Counts> = HashMap::new();
    for (version, lines) in versions.iter().enumerate() {
        for line in *lines {
            *counts.entry(line).or_default().of(version) += 1;
        }
    }
    counts
}

/// Base, ours, theirs and result of a place, counted.
fn judged_part<'a>(versions: [&[&'a [u8]]; 4]) -> Said<'a> {
    let mut counts = line_counts(&versions);
    let [base, ours, theirs, _] = versions;
    for (line, cuts) in cut_lines(base, ours) {
        counts.entry(line).or_default().cut_by_ours = cuts;
    }
    for (line, cuts) in cut_lines(base, theirs) {
        counts.entry(line).or_default().cut_by_theirs = cuts;
    }
    let mut lines: Vec<(&[u8], Counts)> = counts.into_iter().collect();
    lines.sort_unstable_by_key(|(line, _)| *line);
    let mut said = Said::default();
    for (line, counts) in lines {
        let times = |n: u64| std::iter::repeat_n(line, usize::try_from(n).unwrap_or(0));
        said.lost
            .extend(times(counts.due().saturating_sub(counts.result)));
        let (back, invented) = counts.too_many();
        let by = counts.remover();
        said.brought_back.extend(times(back).map(|line| (line, by)));
        said.invented.extend(times(invented));
    }
    said
}

/// A merged text: settled lines with contested places between them.
struct Layout<'s, 'a> {
    /// One more than there are places; the first and the last may be empty.
    settled: Vec<Vec<&'s [u8]>>,
    places: Vec<Place<'a>>,
}

/// A way to read the text up to some line.
#[derive(Clone, Copy)]
struct Reached {
    /// The place after this one begins here.
    next: usize,
    /// The place before ended here.
    end: usize,
    cost: usize,
    /// Which of the ways to the place before.
    from: usize,
}

impl<'s, 'a: 's> Layout<'s, 'a> {
    fn of(pieces: &'s [Piece<'a>]) -> Self {
        let mut layout = Self {
            settled: vec![Vec::new()],
            places: Vec::new(),
        };
        for piece in pieces {
            match piece {
                Piece::Settled(lines) => layout.push(lines.iter().copied()),
                Piece::Woven(woven) => layout.push(woven.result.iter().map(Vec::as_slice)),
                Piece::Contested(contest) => {
                    if layout.places.is_empty()
                        || layout.settled.last().is_some_and(|l| !l.is_empty())
                    {
                        layout.places.push(Place::default());
                        layout.settled.push(Vec::new());
                    }
                    // Nothing tells places apart that touch: they are one.
                    if let Some(place) = layout.places.last_mut() {
                        let lines = |lines: &[&'a [u8]]| counted_lines(lines.iter().copied());
                        place.base.extend(lines(&contest.base));
                        place.ours.extend(lines(&contest.ours));
                        place.theirs.extend(lines(&contest.theirs));
                    }
                }
            }
        }
        layout
    }

    fn push(&mut self, lines: impl Iterator<Item = &'s [u8]>) {
        if let Some(last) = self.settled.last_mut() {
            last.extend(counted_lines(lines));
        }
    }

    /// Which lines of a text stand in which place. Where the settled lines can be found in several ways, the one of
    /// which the least is to be said.
    fn reading(&self, answer: &[&'a [u8]]) -> Option<Vec<Range<usize>>> {
        let (first, rest) = self.settled.split_first()?;
        if !answer.starts_with(first) {
            return None;
        }
        let mut ways = vec![vec![Reached {
            next: first.len(),
            end: 0,
            cost: 0,
            from: 0,
        }]];
        for (at, (place, settled)) in self.places.iter().zip(rest).enumerate() {
            let is_last = at + 1 == self.places.len();
            let before = ways.last()?;
            let found = next_ways(place, settled, before, answer, is_last);
            if found.is_empty() {
                return None;
            }
            ways.push(found);
        }
        if self.places.is_empty() && answer.len() != first.len() {
            return None;
        }
        let mut way = ways
            .last()?
            .iter()
            .enumerate()
            .min_by_key(|(_, way)| way.cost)?
            .0;
        let mut ranges = Vec::new();
        for level in (1..ways.len()).rev() {
            let reached = ways.get(level)?.get(way)?;
            let start = ways.get(level - 1)?.get(reached.from)?.next;
            ranges.push(start..reached.end);
            way = reached.from;
        }
        ranges.reverse();
        Some(ranges)
    }

    /// The first line that does not belong where it stands; else the settled line that is missing.
    fn first_difference<'l>(&'l self, answer: &'l [&'a [u8]]) -> &'l [u8] {
        let mut at = 0;
        for (index, settled) in self.settled.iter().enumerate() {
            let alike = |from: usize| {
                let there = answer.get(from..).unwrap_or_default();
                let pairs = settled.iter().zip(there);
                pairs.take_while(|(one, other)| one == other).count()
            };
            let last = if index == 0 { 0 } else { answer.len() };
            let best = (at..=last).max_by_key(|from| (alike(*from), usize::MAX - from));
            let found = best.unwrap_or(at);
            at = found + alike(found);
            let Some(missing) = settled.get(alike(found)) else {
                continue;
            };
            let is_later = answer.iter().skip(at).any(|line| line == missing);
            return answer
                .get(at)
                .filter(|_| is_later)
                .copied()
                .unwrap_or(missing);
        }
        answer
            .get(at)
            .or(answer.last())
            .copied()
            .unwrap_or_default()
    }
}

/// The ways to read one place and the settled lines after it.
fn next_ways<'a>(
    place: &Place<'a>,
    settled: &[&[u8]],
    before: &[Reached],
    answer: &[&'a [u8]],
    is_last: bool,
) -> Vec<Reached> {
    let from = before.iter().map(|way| way.next).min().unwrap_or(0);
    let Some(last) = answer.len().checked_sub(settled.len()) else {
        return Vec::new();
    };
    let range = if is_last {
        last.max(from)..last + 1
    } else {
        from..last + 1
    };
    let is_there = |at: &usize| answer.get(*at..at + settled.len()) == Some(settled);
    let mut found = Vec::new();
    for end in range.filter(is_there).take(MOST_READINGS) {
        let ways = before.iter().enumerate().filter(|(_, way)| way.next <= end);
        let costs = ways.map(|(from, way)| {
            let lines = answer.get(way.next..end).unwrap_or_default();
            (way.cost + place.judged(lines).count(), from)
        });
        if let Some((cost, from)) = costs.min() {
            found.push(Reached {
                next: end + settled.len(),
                end,
                cost,
                from,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "top\nx0\nmid\ncheck\ndone\nlast\ny0\nend\n";
    const OURS: &str = "top\ncheck\nx1\nmid\ncheck\ndone\nlast\ny1\nend\n";
    const THEIRS: &str = "top\nx2\nmid\ndone\nlast\ny2\nend\n";

    fn said(answer: &'static str) -> Result<Said<'static>, String> {
        let [base, ours, theirs] = [BASE, OURS, THEIRS].map(str::as_bytes);
        judged(Some(base), ours, theirs, answer.as_bytes())
            .map_err(|line| String::from_utf8(line).unwrap())
    }

    #[test]
    fn a_line_lost_here_is_not_made_up_for_by_one_that_is_back_there() {
        let good = "top\ncheck\nx1\nx2\nmid\ndone\nlast\ny1\ny2\nend\n";
        assert_eq!(said(good), Ok(Said::default()));
        let traded = "top\nx1\nx2\nmid\ncheck\ndone\nlast\ny1\ny2\nend\n";
        assert_eq!(said(traded), Err("check".to_owned()));
        let lost = said("top\nx1\nx2\nmid\ndone\nlast\ny1\ny2\nend\n").unwrap();
        assert_eq!(lost.lost, [b"check"]);
        let back = said("top\ncheck\nx1\nx2\nx0\nmid\ndone\nlast\ny1\ny2\nend\n").unwrap();
        assert_eq!(back.brought_back, [(&b"x0"[..], "both")]);
        let new = said("top\ncheck\nx1\nx2\nmid\ndone\nlast\ny1\ny2\ncheck\nend\n").unwrap();
        assert_eq!(new.brought_back, [(&b"check"[..], "branch")]);
        let new = said("top\ncheck\nx1\nx2\nmid\ndone\nlast\ny1\ny2\nnew\nend\n").unwrap();
        assert_eq!(new.invented, [b"new"]);
    }

    #[test]
    fn a_new_line_in_a_neighbouring_place_is_where_it_is_and_an_old_one_is_not() {
        let moved = said("top\ncheck\nx1\nmid\ndone\nlast\nx2\ny1\ny2\nend\n");
        assert_eq!(moved, Ok(Said::default()));
        let moved = said("top\nx1\nx2\nmid\ndone\nlast\ncheck\ny1\ny2\nend\n").unwrap();
        assert_eq!(moved.lost, [b"check"]);
        assert_eq!(moved.brought_back, [(&b"check"[..], "branch")]);
    }
}
