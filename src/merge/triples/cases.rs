//! Random triples of versions of one file: insertions, deletions, moves, edits, blank and repeated lines, both kinds
//! of line ends.

use proptest::prelude::*;

#[derive(Debug, Clone)]
pub(super) enum Edit {
    Insert(u8, Vec<u8>),
    Delete(u8, u8),
    Rewrite(u8, u8),
    Word(u8, u8),
    Move { from: u8, length: u8, to: u8 },
    Blank(u8),
    Repeat(u8),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        3 => (any::<u8>(), proptest::collection::vec(0..6_u8, 1..4)).prop_map(|(at, w)| Edit::Insert(at, w)),
        2 => (any::<u8>(), 1..4_u8).prop_map(|(at, n)| Edit::Delete(at, n)),
        1 => (any::<u8>(), 0..4_u8).prop_map(|(at, w)| Edit::Rewrite(at, w)),
        3 => (any::<u8>(), 0..3_u8).prop_map(|(at, w)| Edit::Word(at, w)),
        2 => (any::<u8>(), 3..7_u8, any::<u8>()).prop_map(|(from, length, to)| Edit::Move { from, length, to }),
        1 => any::<u8>().prop_map(Edit::Blank),
        1 => any::<u8>().prop_map(Edit::Repeat),
    ]
}

fn base_lines(length: usize) -> Vec<String> {
    (0..length)
        .map(|n| match n % 8 {
            6 => "}".to_owned(),
            7 => String::new(),
            _ => format!("  step{n}(left{n}, mid{n}, right{n});"),
        })
        .collect()
}

fn apply(base: &[String], edits: &[Edit], side: &str) -> Vec<String> {
    let mut lines = base.to_vec();
    for (n, edit) in edits.iter().enumerate() {
        let at = |place: u8| usize::from(place) % (lines.len() + 1);
        match edit {
            Edit::Insert(place, words) => {
                let at = at(*place);
                let new = words.iter().enumerate().map(|(m, word)| match word {
                    0 => "}".to_owned(),
                    1 => String::new(),
                    2 => format!("shared {n}"),
                    _ => format!("new {n}.{m} of {side}"),
                });
                lines.splice(at..at, new.collect::<Vec<_>>());
            }
            Edit::Delete(place, count) => {
                let at = at(*place);
                let end = (at + usize::from(*count)).min(lines.len());
                lines.drain(at..end);
            }
            Edit::Rewrite(place, word) => {
                let at = at(*place);
                if let Some(line) = lines.get_mut(at) {
                    // Both sides may write the same.
                    *line = if *word == 0 {
                        format!("agreed {at}")
                    } else {
                        format!("rewritten {at} by {side}")
                    };
                }
            }
            Edit::Word(place, word) => {
                let at = at(*place);
                if let Some(line) = lines.get_mut(at) {
                    let name = ["left", "mid", "right"][usize::from(*word)];
                    *line = line.replace(name, &format!("{name}_{side}"));
                }
            }
            Edit::Move { from, length, to } => {
                let from = at(*from);
                let end = (from + usize::from(*length)).min(lines.len());
                let block: Vec<String> = lines.drain(from..end).collect();
                let to = usize::from(*to) % (lines.len() + 1);
                lines.splice(to..to, block);
            }
            Edit::Blank(place) => {
                let at = at(*place);
                lines.insert(at, "   ".to_owned());
            }
            Edit::Repeat(place) => {
                let at = at(*place);
                if let Some(line) = lines.get(at).cloned() {
                    lines.insert(at, line);
                }
            }
        }
    }
    lines
}

/// A file's bytes, with the line ends of one platform or the other, with a last one or without.
fn bytes(lines: &[String], crlf: bool, last: bool) -> Vec<u8> {
    let end = if crlf { "\r\n" } else { "\n" };
    let mut text = lines.join(end);
    if last && !lines.is_empty() {
        text += end;
    }
    text.into_bytes()
}

#[derive(Debug, Clone)]
pub(in crate::merge) struct Case {
    length: usize,
    pub(super) ours: Vec<Edit>,
    pub(super) theirs: Vec<Edit>,
    pub(super) crlf: [bool; 3],
    last: [bool; 3],
}

impl Case {
    /// The texts of base, ours and theirs.
    pub(in crate::merge) fn versions(&self) -> [Vec<u8>; 3] {
        let base = base_lines(self.length);
        let ours = apply(&base, &self.ours, "ours");
        let theirs = apply(&base, &self.theirs, "theirs");
        let mut ends = self.crlf.into_iter().zip(self.last);
        [base, ours, theirs].map(|lines| {
            let (crlf, last) = ends.next().unwrap();
            bytes(&lines, crlf, last)
        })
    }

    pub(in crate::merge) fn moves(&self) -> bool {
        let mut edits = self.ours.iter().chain(&self.theirs);
        edits.any(|edit| matches!(edit, Edit::Move { .. }))
    }
}

pub(in crate::merge) fn case() -> impl Strategy<Value = Case> {
    let edits = || proptest::collection::vec(edit(), 1..6);
    let crlf = prop_oneof![
        6 => Just([false; 3]),
        1 => Just([true; 3]),
        1 => Just([false, true, false]),
        1 => Just([true, true, false]),
    ];
    let last = prop_oneof![4 => Just([true; 3]), 1 => any::<[bool; 3]>()];
    (2..40_usize, edits(), edits(), crlf, last).prop_map(|(length, ours, theirs, crlf, last)| {
        Case {
            length,
            ours,
            theirs,
            crlf,
            last,
        }
    })
}
