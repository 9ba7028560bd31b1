//! A base that is itself a merge: where histories cross, both sides have several best ancestors, and git
//! merges those first. Where they contradict each other, its text holds conflict marks, which nobody ever
//! wrote. Here such a place is known by what each ancestor says.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;
use similar::Algorithm;

use crate::merge::edits::edits;
use crate::merge::lines::between_newlines;

/// The shortest mark: in files that people see, it has seven characters.
const SHORTEST: usize = 9;
const LABEL: &[u8] = b" Temporary merge branch ";

/// The lines of a base. Each contradicted place is one line, which no version has.
pub(in crate::merge) struct Base<'a> {
    pub(in crate::merge) lines: Vec<&'a [u8]>,
    contradicted: HashMap<usize, Place<'a>>,
}

/// What the ancestors have at one place.
struct Place<'a> {
    first: Vec<&'a [u8]>,
    second: Vec<&'a [u8]>,
}

/// Which reading of the contradicted places is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::merge) enum Reading {
    First,
    Second,
    /// Only what the ancestors have in common.
    Agreed,
}

impl<'a> Base<'a> {
    pub(in crate::merge) fn new(lines: Vec<&'a [u8]>) -> Self {
        let mut base = Self {
            lines: Vec::new(),
            contradicted: HashMap::new(),
        };
        let mut rest = lines.as_slice();
        while let Some((line, after)) = rest.split_first() {
            let place = opening(line).and_then(|length| place(after, length));
            if let Some((place, left)) = place {
                base.contradicted.insert(base.lines.len(), place);
                rest = left;
            } else {
                rest = after;
            }
            base.lines.push(line);
        }
        base
    }

    /// Tells whether the ancestors contradict each other in a part of the base.
    pub(in crate::merge) fn is_contradicted(&self, range: &Range<usize>) -> bool {
        !self.contradicted.is_empty() && range.clone().any(|at| self.contradicted.contains_key(&at))
    }

    /// A part of the base as one would read it.
    pub(in crate::merge) fn read(&self, range: Range<usize>, reading: Reading) -> Vec<&'a [u8]> {
        let mut lines = Vec::new();
        for (at, line) in range.clone().zip(part(&self.lines, range)) {
            match self.contradicted.get(&at) {
                None => lines.push(*line),
                Some(place) => lines.extend(place.read(reading)),
            }
        }
        lines
    }
}

impl<'a> Place<'a> {
    fn read(&self, reading: Reading) -> Vec<&'a [u8]> {
        match reading {
            Reading::First => self.first.clone(),
            Reading::Second => self.second.clone(),
            Reading::Agreed => {
                let (mut lines, mut at) = (Vec::new(), 0);
                for edit in edits(Algorithm::Histogram, &self.first, &self.second) {
                    lines.extend(part(&self.first, at..edit.base.start));
                    at = edit.base.end;
                }
                lines.extend(part(&self.first, at..self.first.len()));
                lines
            }
        }
    }
}

/// A text of a base as somebody should see it: without conflict marks, and only with what all ancestors
/// have.
pub(in crate::merge) fn without_marks(text: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(text, LABEL).is_none() {
        return Cow::Borrowed(text);
    }
    let base = Base::new(between_newlines(text));
    let lines = base.read(0..base.lines.len(), Reading::Agreed);
    Cow::Owned(lines.join(&b'\n'))
}

fn part<'s, 'a>(lines: &'s [&'a [u8]], range: Range<usize>) -> &'s [&'a [u8]] {
    lines.get(range).unwrap_or_default()
}

/// The length of an opening mark.
fn opening(line: &[u8]) -> Option<usize> {
    let length = line.iter().take_while(|byte| **byte == b'<').count();
    is_mark(line, b'<', length).then_some(length)
}

fn is_mark(line: &[u8], mark: u8, length: usize) -> bool {
    let run = line.iter().take_while(|byte| **byte == mark).count();
    let label = line.get(run..).unwrap_or_default();
    let is_labelled = match mark {
        b'<' | b'>' => label.starts_with(LABEL),
        b'=' => label.trim_ascii().is_empty(),
        _other => true,
    };
    run == length && length >= SHORTEST && is_labelled
}

/// Reads a place up to its closing mark, and returns what follows. Ancestors may have had several
/// ancestors in turn: their marks are longer.
fn place<'s, 'a>(lines: &'s [&'a [u8]], length: usize) -> Option<(Place<'a>, &'s [&'a [u8]])> {
    let find = |mark: u8| lines.iter().position(|line| is_mark(line, mark, length));
    let (middle, end) = (find(b'=')?, find(b'>')?);
    // Some settings make git show the ancestor of the ancestors, too.
    let first_end = find(b'|').filter(|at| *at < middle).unwrap_or(middle);
    let inner = |range: Range<usize>, reading: Reading| {
        let base = Base::new(part(lines, range).to_vec());
        base.read(0..base.lines.len(), reading)
    };
    (middle < end).then(|| {
        let place = Place {
            first: inner(0..first_end, Reading::First),
            second: inner(middle + 1..end, Reading::Second),
        };
        (place, lines.get(end + 1..).unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKED: &str = "a\n<<<<<<<<< Temporary merge branch 1\nx\ny\n=========\ny\nz\n\
                          >>>>>>>>> Temporary merge branch 2\nb\n";

    #[test]
    fn marks_of_git_are_read_and_never_shown() {
        assert_eq!(&*without_marks(MARKED.as_bytes()), b"a\ny\nb\n");
        let base = Base::new(MARKED.lines().map(str::as_bytes).collect());
        assert_eq!(base.lines.len(), 3);
        assert!(base.is_contradicted(&(0..2)) && !base.is_contradicted(&(0..1)));
        let read = |reading| base.read(1..3, reading).concat();
        assert_eq!(read(Reading::First), b"xyb");
        assert_eq!(read(Reading::Second), b"yzb");
    }

    #[test]
    fn places_within_places_and_marks_of_people() {
        let nested = "<<<<<<<<< Temporary merge branch 1\n<<<<<<<<<<< Temporary merge branch 1\np\n\
                      ===========\nq\n>>>>>>>>>>> Temporary merge branch 2\n||||||||| old\no\n=========\nq\n\
                      >>>>>>>>> Temporary merge branch 2\n";
        let base = Base::new(nested.lines().map(str::as_bytes).collect());
        assert_eq!(base.read(0..1, Reading::First).concat(), b"p");
        assert_eq!(base.read(0..1, Reading::Second).concat(), b"q");
        for text in [
            "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
            "<<<<<<<<< Temporary merge branch 1\na\n",
        ] {
            assert_eq!(&*without_marks(text.as_bytes()), text.as_bytes());
        }
    }
}
