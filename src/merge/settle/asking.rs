//! What somebody is asked about a file whose account would refuse what the rules make of it: as little as balances.
//! Pure.

use std::collections::HashSet;

use crate::merge::edits::Edit;
use crate::merge::lines::{between_newlines, line_key};

use super::accounted::refused_lines;
use super::pieces::{Settlement, part};
use super::rules::twice::touch;

/// So many times lines are added that nobody is sure of; then nobody is sure of anything.
const ROUNDS: usize = 8;

/// Lines of which nobody can say which of several equal ones a side removed or moved.
#[derive(Debug, Default)]
pub(super) struct Unsure {
    lines: HashSet<String>,
}

impl Unsure {
    /// The edits of one side, with what the other side edits that concerns such a line: where nothing of the one
    /// touches that, it answers with what the base has there.
    pub(super) fn answered(
        &self,
        base: &[&[u8]],
        (others, lines): (&[Edit], &[&[u8]]),
        own: &[Edit],
    ) -> Vec<Edit> {
        let is_open = |other: &&Edit| {
            let mut concerned = part(base, other.base.clone())
                .iter()
                .chain(part(lines, other.new.clone()));
            concerned.any(|line| self.has(line)) && !own.iter().any(|edit| touch(edit, other))
        };
        let open = others.iter().filter(is_open).map(|other| Edit {
            base: other.base.clone(),
            // As many lines as there were: they are the same.
            new: other.base.clone(),
        });
        let mut edits: Vec<Edit> = own.iter().cloned().chain(open).collect();
        edits.sort_by_key(|edit| (edit.base.start, edit.base.end));
        edits
    }

    fn has(&self, line: &[u8]) -> bool {
        !self.lines.is_empty()
            && self
                .lines
                .contains(&*String::from_utf8_lossy(line_key(line)))
    }

    /// Adds lines; tells whether any of them is new.
    fn take(&mut self, lines: impl IntoIterator<Item = String>) -> bool {
        let before = self.lines.len();
        self.lines.extend(lines);
        self.lines.len() > before
    }
}

/// Settles a file by asking: about the places where both sides touch, and, as long as the account refuses the result,
/// about each edit that has to do with a line that it refuses.
pub(super) fn asking<'a>(
    [base, ours, theirs]: [&'a [u8]; 3],
    settled: impl Fn(&Unsure) -> Settlement<'a>,
) -> Settlement<'a> {
    let mut unsure = Unsure::default();
    for _ in 0..ROUNDS {
        let asked = settled(&unsure);
        let refused = refused_lines(Some(base), [ours, theirs], &asked);
        if !unsure.take(refused) {
            return asked;
        }
    }
    for text in [base, ours, theirs] {
        let lines = between_newlines(text).into_iter();
        unsure.take(lines.map(|line| String::from_utf8_lossy(line_key(line)).into_owned()));
    }
    settled(&unsure)
}
