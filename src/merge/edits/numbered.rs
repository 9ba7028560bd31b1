//! The lines of several versions of a text as numbers, equal lines with the same one: what is asked often about a long
//! text is asked about numbers. Pure.

use std::collections::HashMap;

use similar::Algorithm;

use super::between::{Edit, edits_of_numbers};

/// Versions of a text, numbered together.
#[derive(Debug)]
pub(crate) struct Numbered<'a, const N: usize> {
    known: HashMap<&'a [u8], u32>,
    /// The line that each number stands for.
    pub(crate) lines: Vec<&'a [u8]>,
    /// The numbers of the lines of each version.
    pub(crate) versions: [Vec<u32>; N],
}

impl<'a, const N: usize> Numbered<'a, N> {
    pub(crate) fn new(versions: [&[&'a [u8]]; N]) -> Self {
        let mut numbering = Numbering::default();
        let first = versions.first().copied().unwrap_or_default();
        let mut numbers: [Vec<u32>; N] = std::array::from_fn(|_| Vec::new());
        if let Some((in_first, others)) = numbers.split_first_mut() {
            *in_first = first.iter().map(|line| numbering.number(line)).collect();
            for (lines, numbers) in versions.iter().skip(1).zip(others) {
                *numbers = numbering.along(lines, first, in_first);
            }
        }
        Self {
            known: numbering.known,
            lines: numbering.lines,
            versions: numbers,
        }
    }

    /// The number of a line, if any version has it.
    pub(crate) fn number(&self, line: &[u8]) -> Option<u32> {
        self.known.get(line).copied()
    }

    /// The edits from one of the versions to another.
    pub(crate) fn edits(&self, algorithm: Algorithm, from: usize, to: usize) -> Vec<Edit> {
        let [from, to] = [from, to].map(|version| self.version(version));
        edits_of_numbers(algorithm, from, to)
    }

    pub(crate) fn version(&self, version: usize) -> &[u32] {
        self.versions.get(version).map_or(&[], Vec::as_slice)
    }

    /// How often each line is among some, by number.
    pub(crate) fn counted(&self, numbers: &[u32]) -> Vec<u64> {
        let mut counts = vec![0; self.lines.len()];
        for number in numbers {
            if let Some(count) = counts.get_mut(*number as usize) {
                *count += 1;
            }
        }
        counts
    }
}

#[derive(Default)]
struct Numbering<'a> {
    known: HashMap<&'a [u8], u32>,
    lines: Vec<&'a [u8]>,
}

impl<'a> Numbering<'a> {
    fn number(&mut self, line: &'a [u8]) -> u32 {
        let next = self.lines.len() as u32;
        let number = *self.known.entry(line).or_insert(next);
        if number == next {
            self.lines.push(line);
        }
        number
    }

    /// Numbers lines most of which follow each other as in another text: to compare two is less than to look one up.
    fn along(&mut self, lines: &[&'a [u8]], other: &[&[u8]], numbers: &[u32]) -> Vec<u32> {
        let mut last_place: Vec<usize> = vec![0; self.lines.len()];
        for (at, number) in numbers.iter().enumerate() {
            if let Some(place) = last_place.get_mut(*number as usize) {
                *place = at + 1;
            }
        }
        let mut next = 0;
        let along = lines.iter().map(|line| {
            if other.get(next) == Some(line)
                && let Some(number) = numbers.get(next)
            {
                next += 1;
                return *number;
            }
            let number = self.number(line);
            match last_place.get(number as usize) {
                Some(place) if *place > 0 => next = *place,
                // Something else stands here: what follows may be what follows there.
                Some(_) | None => next += 1,
            }
            number
        });
        along.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::edits::edits;

    #[test]
    fn equal_lines_have_one_number_wherever_they_stand() {
        let versions = ["a b } c } d", "a x } } c d a", "} d c", ""];
        let versions = versions
            .map(|text| -> Vec<&[u8]> { text.split_whitespace().map(str::as_bytes).collect() });
        let numbered = Numbered::new(versions.each_ref().map(Vec::as_slice));
        for (version, lines) in versions.iter().enumerate() {
            let numbers = numbered.version(version).iter();
            let back: Vec<&[u8]> = numbers.map(|n| numbered.lines[*n as usize]).collect();
            assert_eq!(&back, lines);
            for line in lines {
                let number = numbered.number(line).unwrap();
                assert_eq!(numbered.lines[number as usize], *line);
            }
        }
        assert_eq!(numbered.lines.len(), 6);
        assert_eq!(numbered.number(b"y"), None);
        assert_eq!(numbered.counted(numbered.version(0)), [1, 1, 2, 1, 1, 0]);
        for algorithm in [Algorithm::Histogram, Algorithm::Myers] {
            let expected = edits(algorithm, &versions[0], &versions[1]);
            assert_eq!(numbered.edits(algorithm, 0, 1), expected);
        }
    }
}
