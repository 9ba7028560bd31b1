//! What a merge declared about lines that are not where a reader would look for them, handed out one
//! occurrence at a time: no declaration covers two losses.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::types::merge::DisplacedKind;

use super::check::Declared;
use super::tally::lines_of;
use crate::merge::conflict::bytes_as_listed;

/// Declared content that has not been matched with a missing line yet.
pub(super) struct Spare {
    pub(super) displaced: HashMap<Vec<u8>, u64>,
    pub(super) woven: HashMap<Vec<u8>, u64>,
    pub(super) results: HashMap<Vec<u8>, u64>,
    pub(super) opaque: bool,
}

impl Spare {
    pub(super) fn for_files(files: &HashSet<&str>, declared: Declared<'_>) -> Self {
        let mut spare = Self {
            displaced: HashMap::new(),
            woven: HashMap::new(),
            results: HashMap::new(),
            opaque: false,
        };
        let put = |map: &mut HashMap<Vec<u8>, u64>, text: &[u8]| {
            for line in lines_of(text) {
                *map.entry(line.to_vec()).or_default() += 1;
            }
        };
        for hunk in declared.displaced {
            if !files.contains(hunk.file.as_str()) {
                continue;
            }
            match hunk.kind {
                DisplacedKind::Text
                | DisplacedKind::DeletedByBranch
                | DisplacedKind::DeletedByTarget => {
                    put(
                        &mut spare.displaced,
                        &bytes_as_listed(&hunk.text, &hunk.text_bytes),
                    );
                    spare.opaque |= hunk.text.is_empty() || hunk.start_line == 0;
                }
                // A text that must not be merged as one: its lines are known.
                DisplacedKind::Binary | DisplacedKind::Driven if hunk.start_line > 0 => {
                    put(
                        &mut spare.displaced,
                        &bytes_as_listed(&hunk.text, &hunk.text_bytes),
                    );
                }
                DisplacedKind::Binary
                | DisplacedKind::Driven
                | DisplacedKind::Symlink
                | DisplacedKind::Mode => spare.opaque = true,
                // A name is no line.
                DisplacedKind::Renamed => {}
            }
        }
        for woven in declared.woven {
            if files.contains(woven.file.as_str()) {
                for line in &woven.lines {
                    put(&mut spare.woven, line.as_bytes());
                }
                put(&mut spare.results, woven.result.as_bytes());
            }
        }
        spare
    }

    /// The same for lines that are at hand themselves, as they are counted.
    pub(super) fn of_lines(displaced: &[&[u8]], woven: &[&[u8]], results: &[&[u8]]) -> Self {
        let counted = |lines: &[&[u8]]| {
            let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
            for line in lines {
                *counts.entry(line.to_vec()).or_default() += 1;
            }
            counts
        };
        Self {
            displaced: counted(displaced),
            woven: counted(woven),
            results: counted(results),
            opaque: false,
        }
    }
}

/// Takes up to `wanted` occurrences of a line. What was declared without its bytes went through UTF-8: there, bytes
/// that are not valid are looked up the way they were written down.
pub(super) fn take(spare: &mut HashMap<Vec<u8>, u64>, line: &[u8], wanted: u64) -> u64 {
    let taken = take_exactly(spare, line, wanted);
    match String::from_utf8_lossy(line) {
        Cow::Borrowed(_) => taken,
        Cow::Owned(written) => taken + take_exactly(spare, written.as_bytes(), wanted - taken),
    }
}

fn take_exactly(spare: &mut HashMap<Vec<u8>, u64>, line: &[u8], wanted: u64) -> u64 {
    match spare.get_mut(line) {
        Some(left) => {
            let taken = wanted.min(*left);
            *left -= taken;
            taken
        }
        None => 0,
    }
}
