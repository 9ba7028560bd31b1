//! One side made the other's change and went further: its version is both. So it is where a branch was built on work
//! that came to the target in another commit. Proven edit by edit: what the other side put in stands in the version
//! as it is, and what else is different there became of lines that the other side left alone. Pure.

use std::ops::Range;

use similar::Algorithm;

use crate::merge::edits::{Edit, edits};
use crate::merge::lines::{has_words, is_blank};

use crate::merge::settle::pieces::{Contest, part};
use crate::merge::settle::reading::text::Text;
use crate::merge::settle::reading::wording::{Wordings, are_too_many};

/// The version that has the other one's change, and more.
pub(in crate::merge::settle) fn further<'a>(
    contest: &Contest<'a>,
    file: &Text<'_, '_>,
) -> Option<Vec<&'a [u8]>> {
    let [ours, theirs] = [&contest.ours, &contest.theirs].map(|lines| Side {
        base: &contest.base,
        lines,
        edits: edits(Algorithm::Histogram, &contest.base, lines),
    });
    let is_new = |line: &[u8]| has_words(line) && file.count(line) == 0;
    if theirs.holds(&ours, is_new) {
        Some(contest.theirs.clone())
    } else if ours.holds(&theirs, is_new) {
        Some(contest.ours.clone())
    } else {
        None
    }
}

/// What one side made of a place.
struct Side<'s, 'a> {
    base: &'s [&'a [u8]],
    lines: &'s [&'a [u8]],
    edits: Vec<Edit>,
}

impl Side<'_, '_> {
    /// Tells whether every edit of another side is a part of one of these.
    fn holds(&self, other: &Self, is_new: impl Fn(&[u8]) -> bool + Copy) -> bool {
        let mut left = other.edits.iter().peekable();
        for own in &self.edits {
            let inside =
                |edit: &&Edit| own.base.start <= edit.base.start && edit.base.end <= own.base.end;
            let mut parts = Vec::new();
            while let Some(edit) = left.next_if(inside) {
                parts.push(edit);
            }
            if !self.is_made_of(own, other, &parts, is_new) {
                return false;
            }
        }
        left.next().is_none()
    }

    /// Tells whether an edit is some edits of another side one after the other, with other changes between them.
    fn is_made_of(
        &self,
        own: &Edit,
        other: &Self,
        parts: &[&Edit],
        is_new: impl Fn(&[u8]) -> bool,
    ) -> bool {
        let new = part(self.lines, own.new.clone());
        let (mut base_at, mut at) = (own.base.start, 0);
        for edit in parts {
            let put_in = part(other.lines, edit.new.clone());
            // Who only took lines away may have moved them, and a line that is anywhere proves nothing.
            if !put_in.iter().any(|line| is_new(line)) {
                return false;
            }
            let rest = part(new, at..new.len());
            let Some(found) = rest.windows(put_in.len()).position(|run| run == put_in) else {
                return false;
            };
            let between = part(rest, 0..found);
            if !self.is_of_others(base_at..edit.base.start, between, parts) {
                return false;
            }
            base_at = edit.base.end;
            at += found + put_in.len();
        }
        parts.is_empty()
            || self.is_of_others(base_at..own.base.end, part(new, at..new.len()), parts)
    }

    /// Tells whether lines became of a part of the base that no edit of the other side concerns.
    fn is_of_others(&self, base: Range<usize>, lines: &[&[u8]], parts: &[&Edit]) -> bool {
        let say = |lines: &[&[u8]]| lines.iter().any(|line| !is_blank(line));
        // What is new among them may have been made of the lines that are gone, and the other way round.
        if say(part(self.base, base)) != say(lines) {
            return false;
        }
        let concerned = parts
            .iter()
            .flat_map(|edit| part(self.base, edit.base.clone()));
        let concerned: Vec<&[u8]> = concerned.copied().collect();
        if are_too_many(concerned.len(), lines.len()) {
            return false;
        }
        let wordings = Wordings::of(lines);
        !concerned
            .iter()
            .any(|old| lines.contains(old) || wordings.has_one_made_of(old))
    }
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    const BASE: &str = "start, read a file, print it, close it, stop";

    #[test]
    fn who_made_the_same_change_and_went_further_has_both() {
        let one = "start, open the door, print it, close it, stop";
        for more in [
            "start, open the door, say hello, wave, close it, stop",
            "begin, open the door, say hello, wave, leave, stop",
        ] {
            for (ours, theirs) in [(one, more), (more, one)] {
                assert_eq!(settled(BASE, ours, theirs).as_deref(), Some(more));
            }
        }
    }

    #[test]
    fn who_made_something_else_of_the_same_lines_did_not_make_the_same_change() {
        let one = "start, open the door, close it, stop";
        for other in [
            // A line that the other side took away is here in other words.
            "start, open the door, print it twice, shut, stop",
            // They are still there.
            "start, print it, say hello, open the door, close it, stop",
            "start, open the door, read a file, print it, shut, stop",
        ] {
            for (ours, theirs) in [(one, other), (other, one)] {
                let found = settled(BASE, ours, theirs);
                assert!(found.is_none(), "{other}: {found:?}");
            }
        }
    }
}
