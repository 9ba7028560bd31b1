//! What a side has of the lines that a claim speaks of: where they were, or where it moved them. Pure.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::merge::account::counts::Counts;
use crate::merge::account::texts::Texts;
use crate::merge::edits::Edit;
use crate::merge::lines::is_blank;

/// Of lines that the base has again and again, no more places than this are looked at.
const MOST_PLACES: usize = 16;

/// Four versions of a text, ready for questions about one claim after the other.
pub(super) struct Known<'t, 'a> {
    pub(super) texts: &'t Texts<'a>,
    /// Where the base has each line, by number.
    at: HashMap<u32, Vec<usize>>,
    pub(super) sides: [OneSide<'t, 'a>; 2],
}

impl<'t, 'a> Known<'t, 'a> {
    pub(super) fn new(texts: &'t Texts<'a>) -> Self {
        let mut at: HashMap<u32, Vec<usize>> = HashMap::new();
        for (place, number) in texts.base().iter().enumerate() {
            at.entry(*number).or_default().push(place);
        }
        let readings = texts.readings();
        let ours = readings.each_ref().map(|reading| reading.ours.as_slice());
        let theirs = readings.each_ref().map(|reading| reading.theirs.as_slice());
        Self {
            texts,
            at,
            sides: [
                OneSide::new(texts, texts.ours(), ours, |counts| counts.ours),
                OneSide::new(texts, texts.theirs(), theirs, |counts| counts.theirs),
            ],
        }
    }

    /// Where the base has some lines one after the other.
    pub(super) fn places(&self, base: &[&[u8]]) -> Vec<Range<usize>> {
        let numbers: Option<Vec<u32>> = base.iter().map(|line| self.texts.number(line)).collect();
        let numbers = numbers.unwrap_or_default();
        let found = |number: &u32| self.at.get(number).map_or(&[][..], Vec::as_slice);
        let rarest = (0..)
            .zip(&numbers)
            .min_by_key(|(_, number)| found(number).len());
        let Some((offset, rarest)) = rarest else {
            return Vec::new();
        };
        let starts = found(rarest).iter().filter_map(|at| at.checked_sub(offset));
        let ranges = starts.map(|start| start..start + numbers.len());
        let is_there =
            |range: &Range<usize>| self.texts.base().get(range.clone()) == Some(&numbers);
        ranges.filter(is_there).take(MOST_PLACES).collect()
    }
}

/// One of the two sides.
pub(super) struct OneSide<'t, 'a> {
    texts: &'t Texts<'a>,
    numbers: &'t [u32],
    /// What it did to the base, in either reading.
    readings: [&'t [Edit]; 2],
    count: fn(&Counts) -> u64,
    /// What it has more often than the base, or put in somewhere in some reading.
    put_in: HashSet<u32>,
}

/// What a side has of the lines of a claim.
pub(super) struct Found<'a> {
    /// Those that are said to be gone.
    pub(super) lost: Vec<&'a [u8]>,
    /// Those that became of them.
    made: Vec<&'a [u8]>,
    /// Either.
    all: HashSet<&'a [u8]>,
}

impl<'t, 'a> OneSide<'t, 'a> {
    fn new(
        texts: &'t Texts<'a>,
        numbers: &'t [u32],
        readings: [&'t [Edit]; 2],
        count: fn(&Counts) -> u64,
    ) -> Self {
        let new = readings.into_iter().flatten();
        let new = new.filter_map(|edit| numbers.get(edit.new.clone()));
        let mut put_in: HashSet<u32> = new.flatten().copied().collect();
        let all = texts.all();
        put_in.extend(all.filter_map(|(n, _, counts)| (count(counts) > counts.base).then_some(n)));
        Self {
            texts,
            numbers,
            readings,
            count,
            put_in,
        }
    }

    pub(super) fn found(&self, lines: &[&[u8]], result: &[&[u8]]) -> Found<'a> {
        let (lost, made) = (self.those_put_in(lines), self.those_put_in(result));
        let all = lost.iter().chain(&made).copied().collect();
        Found { lost, made, all }
    }

    /// Those of some lines that the side has put in, no more often than it has them.
    fn those_put_in(&self, lines: &[&[u8]]) -> Vec<&'a [u8]> {
        let mut left: HashMap<u32, u64> = HashMap::new();
        let mut found = Vec::new();
        for line in lines.iter().filter(|line| !is_blank(line)) {
            let number = self.texts.number(line);
            let Some(number) = number.filter(|number| self.put_in.contains(number)) else {
                continue;
            };
            let left = left.entry(number).or_insert_with(|| self.times(number).0);
            if *left > 0 {
                *left -= 1;
                found.push(self.texts.line(number));
            }
        }
        found
    }

    /// How often the side has a line, and the base.
    fn times(&self, number: u32) -> (u64, u64) {
        let counts = self.texts.counts.get(number as usize);
        counts.map_or((0, 0), |counts| ((self.count)(counts), counts.base))
    }

    /// What the side may have made of some lines of the base, which are in these places, in all ways that come into
    /// question.
    pub(super) fn versions(
        &self,
        base: &[&[u8]],
        places: &[Range<usize>],
        found: &Found<'a>,
    ) -> Vec<Vec<&'a [u8]>> {
        let mut versions: Vec<Vec<&[u8]>> = Vec::new();
        for range in places {
            for edits in self.readings {
                versions.extend(self.in_place(range, edits, found));
            }
        }
        // Or it moved them.
        if self.has_moved(base) {
            versions.push([found.lost.as_slice(), &found.made].concat());
        }
        versions.dedup();
        versions
    }

    /// What became of a range of the base in one reading; `None` where nothing did.
    fn in_place(
        &self,
        range: &Range<usize>,
        edits: &[Edit],
        found: &Found<'a>,
    ) -> Option<Vec<&'a [u8]>> {
        let first = edits.partition_point(|edit| edit.base.end < range.start);
        let edits = edits.iter().skip(first);
        let edits = edits.take_while(|edit| edit.base.start <= range.end);
        let mut lines: Vec<&[u8]> = Vec::new();
        let mut at = range.start;
        let mut is_changed = false;
        for edit in edits {
            self.push(&mut lines, self.texts.base(), at..edit.base.start);
            let before = lines.len();
            self.push(&mut lines, self.numbers, edit.new.clone());
            // What stands before or after the place is for others.
            let mut new = lines.split_off(before);
            new.retain(|line| found.all.contains(line));
            lines.extend(new);
            at = at.max(edit.base.end);
            is_changed = true;
        }
        self.push(&mut lines, self.texts.base(), at..range.end);
        is_changed.then_some(lines)
    }

    fn push(&self, lines: &mut Vec<&'a [u8]>, numbers: &[u32], range: Range<usize>) {
        let numbers = numbers.get(range).unwrap_or_default();
        lines.extend(numbers.iter().map(|number| self.texts.line(*number)));
    }

    /// Whether the side has the lines less often than the base.
    fn has_moved(&self, base: &[&[u8]]) -> bool {
        base.iter().filter(|line| !is_blank(line)).all(|line| {
            let times = self.texts.number(line).map(|number| self.times(number));
            times.is_some_and(|(side, base)| side < base)
        })
    }
}
