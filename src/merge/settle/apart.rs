//! Settling a large file on a thread of its own: whoever waits for it leaves it where it is when this process is asked to
//! end, or when the merge is cancelled. Nothing has been written by then.

use std::ops::Range;

use crate::process::leaving;
use crate::process::shell::Cancel;

use super::checked::settle_file;
use super::file::Rules;
use super::pieces::{Contest, Piece, Settlement, Woven};

/// Smaller texts, all three together, are settled before anybody notices. In bytes.
const LARGE: usize = 256 * 1024;

/// Merges two versions of a file as `settle_file` does. `None` when the merge was cancelled, or this process was asked to
/// end meanwhile.
pub(crate) fn settle_unless_asked<'a>(
    name: &str,
    base: Option<&'a [u8]>,
    [ours, theirs]: [&'a [u8]; 2],
    (rules, cancel): (Rules, Option<&Cancel>),
) -> Option<Settlement<'a>> {
    if cancel.is_some_and(Cancel::is_called) {
        return None;
    }
    let texts = [base.unwrap_or_default(), ours, theirs];
    if texts.iter().map(|text| text.len()).sum::<usize>() < LARGE {
        return Some(settle_file(name, base, [ours, theirs], rules));
    }
    let has_base = base.is_some();
    let (name, copies) = (name.to_owned(), texts.map(<[u8]>::to_vec));
    let (pieces, ending, twice) = leaving::unless_asked(cancel, move || {
        let texts = copies.each_ref().map(Vec::as_slice);
        let [base, ours, theirs] = texts;
        let base = has_base.then_some(base);
        let settled = settle_file(&name, base, [ours, theirs], rules);
        let pieces = settled.pieces.into_iter();
        let pieces = pieces.map(|piece| placed(piece, texts));
        (pieces.collect::<Vec<_>>(), settled.ending, settled.twice)
    })?;
    let pieces = pieces.into_iter().map(|piece| piece.read(texts)).collect();
    Some(Settlement {
        pieces,
        ending,
        twice,
    })
}

/// Which of the three texts a line is in, and where.
type At = (usize, Range<usize>);

/// A piece by where its lines are.
enum Placed {
    Settled(Vec<At>),
    Woven {
        base: Vec<At>,
        lines: Vec<At>,
        result: Vec<Vec<u8>>,
    },
    Contested {
        versions: [Vec<At>; 3],
        our_start: usize,
    },
}

fn placed(piece: Piece<'_>, texts: [&[u8]; 3]) -> Placed {
    let places = |lines: &[&[u8]]| lines.iter().map(|line| place(line, texts)).collect();
    match piece {
        Piece::Settled(lines) => Placed::Settled(places(&lines)),
        Piece::Woven(woven) => Placed::Woven {
            base: places(&woven.base),
            lines: places(&woven.lines),
            result: woven.result,
        },
        Piece::Contested(contest) => Placed::Contested {
            versions: [&contest.base, &contest.ours, &contest.theirs].map(|lines| places(lines)),
            our_start: contest.our_start,
        },
    }
}

/// Every line is a part of one of the texts; only an empty one may be of none.
fn place(line: &[u8], texts: [&[u8]; 3]) -> At {
    let begin = line.as_ptr() as usize;
    let inside = |text: &&[u8]| {
        let from = text.as_ptr() as usize;
        from <= begin && begin + line.len() <= from + text.len()
    };
    let Some(text) = texts.iter().position(inside) else {
        debug_assert!(line.is_empty(), "a line of no version");
        return (0, 0..0);
    };
    let from = texts.get(text).map_or(begin, |text| text.as_ptr() as usize);
    (text, begin - from..begin - from + line.len())
}

impl Placed {
    fn read(self, texts: [&[u8]; 3]) -> Piece<'_> {
        let read = |places: Vec<At>| {
            let line = |(text, range): At| texts.get(text).and_then(|text| text.get(range));
            let lines = places.into_iter().map(line);
            lines.map(Option::unwrap_or_default).collect()
        };
        match self {
            Self::Settled(lines) => Piece::Settled(read(lines)),
            Self::Woven {
                base,
                lines,
                result,
            } => Piece::Woven(Woven {
                base: read(base),
                lines: read(lines),
                result,
            }),
            Self::Contested {
                versions,
                our_start,
            } => {
                let [base, ours, theirs] = versions.map(read);
                Piece::Contested(Contest {
                    base,
                    ours,
                    theirs,
                    our_start,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_settled_apart_comes_back_as_it_is() {
        let line = |side: &str, n: usize| match n % 7 {
            0 => format!("{side} says {n}\r\n"),
            1 if side == "ours" => format!("line {n}, the first\r\n"),
            2 if side == "theirs" => format!("line {n}, the second\r\n\r\n"),
            _more => format!("line {n}\r\n"),
        };
        let version = |side: &str| -> String { (0..9_000).map(|n| line(side, n)).collect() };
        let texts = ["base", "ours", "theirs"].map(version);
        let [base, ours, theirs] = texts.each_ref().map(|text| text.as_bytes());
        for base in [Some(base), None] {
            let rules = Rules::default();
            let apart = settle_unless_asked("a.rs", base, [ours, theirs], (rules, None));
            let here = settle_file("a.rs", base, [ours, theirs], rules);
            assert!(here.contests().next().is_some());
            assert_eq!(apart, Some(here));
        }
    }
}
