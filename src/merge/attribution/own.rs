//! Which lines of a version that was decided against are its side's own: what the base had as well, that side has only
//! kept. Pure.

use crate::merge::conflict::lines_without;
use crate::merge::lines::without;
use crate::types::merge::DisplacedPart;

use super::origins::Origin;
use super::removed::overridden;

/// A version that somebody has decided against.
#[derive(Debug, Clone, Copy)]
pub(in crate::merge) struct GivenUp<'t> {
    /// The line at which it would stand.
    pub(in crate::merge) start: u64,
    pub(in crate::merge) base: &'t str,
    pub(in crate::merge) version: &'t str,
    /// What stands there instead.
    pub(in crate::merge) there: &'t str,
}

/// What of the lines that go is the work of `origin`: those that it put in, or where there are none, its removals of
/// lines that are there still. Empty where it put in all of them.
pub(in crate::merge) fn own_parts(given_up: GivenUp<'_>, origin: &Origin) -> Vec<DisplacedPart> {
    let gone = lines_without(given_up.version, given_up.there);
    let [base, version, there] = [given_up.base, given_up.version, given_up.there]
        .map(|text| text.lines().collect::<Vec<&str>>());
    let new = without(&version, &base);
    let (mut goes, mut came) = (gone.iter().peekable(), new.iter().peekable());
    let mut own: Vec<u64> = Vec::new();
    for (number, line) in (given_up.start..).zip(&version) {
        let is_gone = goes.next_if(|gone| *gone == line).is_some();
        let is_new = came.next_if(|new| *new == line).is_some();
        if is_gone && is_new {
            own.push(number);
        }
    }
    if own.len() == gone.len() {
        return Vec::new();
    }
    let part = |start_line: u64, lines: usize, removed: bool| DisplacedPart {
        start_line,
        line_count: lines as u64,
        removed,
        agent: origin.agent.clone(),
        commit: origin.commit.clone(),
        committed_at: origin.committed_at.clone(),
    };
    if own.is_empty() {
        let removed = overridden(&base, &version, &there).len();
        return (removed > 0)
            .then(|| part(given_up.start, removed, true))
            .into_iter()
            .collect();
    }
    let runs = own.chunk_by(|one, next| one + 1 == *next);
    runs.filter_map(|run| Some(part(*run.first()?, run.len(), false)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts as first line, number of lines, and whether they are removals.
    fn of([base, version, there]: [&str; 3]) -> Vec<(u64, u64, bool)> {
        let [base, version, there] = [base, version, there].map(|text| text.replace(' ', "\n"));
        let given_up = GivenUp {
            start: 4,
            base: &base,
            version: &version,
            there: &there,
        };
        let parts = own_parts(given_up, &Origin::default()).into_iter();
        parts
            .map(|part| (part.start_line, part.line_count, part.removed))
            .collect()
    }

    #[test]
    fn a_line_of_the_base_that_the_other_side_reworded_is_nobodys() {
        assert_eq!(of(["a b", "a b-ann", "a-bob b"]), [(5, 1, false)]);
        assert_eq!(
            of(["a b c", "a-ann x b c-ann", ""]),
            [(4, 2, false), (7, 1, false)]
        );
    }

    #[test]
    fn what_a_side_put_in_alone_needs_no_parts() {
        assert!(of(["a b", "a-ann b-ann", "a-bob b-bob"]).is_empty());
        assert!(of(["", "x y", "z"]).is_empty());
    }

    #[test]
    fn a_side_that_only_took_away_has_no_lines_of_its_own() {
        assert_eq!(of(["a b", "a", "a-bob b"]), [(4, 1, true)]);
    }
}
