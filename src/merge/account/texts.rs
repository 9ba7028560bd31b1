//! Four versions of a text as the account looks at them: lines as numbers, how often each is there, and what the sides
//! did to the base in either reading. Pure.

use std::cell::OnceCell;

use similar::Algorithm;

use super::counts::Counts;
use crate::merge::edits::{Edit, Numbered};

/// The versions in their order: base, ours, theirs, result.
#[derive(Debug)]
pub(super) struct Texts<'a> {
    numbered: Numbered<'a, 4>,
    /// How often each line is there, by number.
    pub(super) counts: Vec<Counts>,
    readings: OnceCell<[Reading; 2]>,
}

/// What the sides did to the base. Where several equal lines could have been moved, there is more than one way to read
/// that.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) ours: Vec<Edit>,
    pub(super) theirs: Vec<Edit>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(versions: [&[&'a [u8]]; 4]) -> Self {
        let numbered = Numbered::new(versions);
        let mut counts = vec![Counts::default(); numbered.lines.len()];
        for (version, numbers) in numbered.versions.iter().enumerate() {
            for number in numbers {
                if let Some(counts) = counts.get_mut(*number as usize) {
                    *counts.of(version) += 1;
                }
            }
        }
        Self {
            numbered,
            counts,
            readings: OnceCell::new(),
        }
    }

    pub(super) fn base(&self) -> &[u32] {
        self.numbered.version(0)
    }

    pub(super) fn ours(&self) -> &[u32] {
        self.numbered.version(1)
    }

    pub(super) fn theirs(&self) -> &[u32] {
        self.numbered.version(2)
    }

    /// The line that a number stands for.
    pub(super) fn line(&self, number: u32) -> &'a [u8] {
        let line = self.numbered.lines.get(number as usize);
        line.copied().unwrap_or_default()
    }

    /// The number of a line, if any version has it.
    pub(super) fn number(&self, line: &[u8]) -> Option<u32> {
        self.numbered.number(line)
    }

    /// All lines with their numbers and how often each is there.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &'a [u8], &Counts)> {
        let lines = self.numbered.lines.iter().zip(&self.counts);
        (0..)
            .zip(lines)
            .map(|(n, (line, counts))| (n, *line, counts))
    }

    /// How often each line is among some, by number.
    pub(super) fn counted(&self, numbers: &[u32]) -> Vec<u64> {
        self.numbered.counted(numbers)
    }

    /// The readings by the order of lines that are rare, and by the fewest edits.
    pub(super) fn readings(&self) -> &[Reading; 2] {
        self.readings.get_or_init(|| {
            [Algorithm::Histogram, Algorithm::Myers].map(|algorithm| Reading {
                ours: self.numbered.edits(algorithm, 0, 1),
                theirs: self.numbered.edits(algorithm, 0, 2),
            })
        })
    }

    /// The reading by the order of lines that are rare.
    pub(super) fn first_reading(&self) -> &Reading {
        let [first, _] = self.readings();
        first
    }
}
