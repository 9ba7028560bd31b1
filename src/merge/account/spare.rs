//! What a merge declared about lines that are not where a reader would look for them, handed out one
//! occurrence at a time: no declaration covers two losses.

use std::collections::{HashMap, HashSet};

use crate::types::merge::DisplacedKind;

use super::check::Declared;
use super::tally::lines_of;
use crate::merge::lines::line_key;

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
        let put = |map: &mut HashMap<Vec<u8>, u64>, text: &str| {
            for line in lines_of(text.as_bytes()) {
                *map.entry(declared_key(line)).or_default() += 1;
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
                    put(&mut spare.displaced, &hunk.text);
                    spare.opaque |= hunk.text.is_empty() || hunk.start_line == 0;
                }
                // A text that must not be merged as one: its lines are known.
                DisplacedKind::Binary | DisplacedKind::Driven if hunk.start_line > 0 => {
                    put(&mut spare.displaced, &hunk.text);
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
                    put(&mut spare.woven, line);
                }
                put(&mut spare.results, &woven.result);
            }
        }
        spare
    }

    /// The same for lines that are at hand themselves.
    pub(super) fn of_lines(displaced: &[&[u8]], woven: &[&[u8]], results: &[&[u8]]) -> Self {
        let counted = |lines: &[&[u8]]| {
            let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
            for line in lines {
                let text = String::from_utf8_lossy(line_key(line)).into_owned();
                *counts.entry(text.into_bytes()).or_default() += 1;
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

fn declared_key(line: &[u8]) -> Vec<u8> {
    line_key(line).to_vec()
}

/// Takes up to `wanted` occurrences of a line. Declared text went through UTF-8, so bytes that are
/// not valid are looked up the way they were written down.
pub(super) fn take(spare: &mut HashMap<Vec<u8>, u64>, line: &[u8], wanted: u64) -> u64 {
    if wanted == 0 {
        return 0;
    }
    let key = String::from_utf8_lossy(line).into_owned().into_bytes();
    match spare.get_mut(&key) {
        Some(left) => {
            let taken = wanted.min(*left);
            *left -= taken;
            taken
        }
        None => 0,
    }
}
