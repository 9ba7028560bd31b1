//! One side went on in the line after what was said there, the other one put lines in below: what goes on in a line
//! stands before what follows the line. Only after the end of a sentence, where the line is whole without it. Pure.

use crate::merge::lines::is_blank;

use crate::merge::settle::held::clashes::clash;
use crate::merge::settle::pieces::{Contest, part};
use crate::merge::settle::reading::leaning::{goes_astray, leans_up};
use crate::merge::settle::reading::text::Text;

/// Both additions to a place before the line `at` of the base, which has the lines `file`.
pub(in crate::merge::settle) fn continued<'a>(
    contest: &Contest<'a>,
    file: &Text<'_, '_>,
    at: usize,
) -> Option<Vec<&'a [u8]>> {
    let (last, before) = contest.base.split_last()?;
    let added = |side: &[&'a [u8]]| -> Option<Vec<&'a [u8]>> {
        let below = side.strip_prefix(contest.base.as_slice())?;
        let says = below.iter().any(|line| !is_blank(line));
        (says && !leans_up(below)).then(|| below.to_vec())
    };
    let went_on = |side: &[&'a [u8]]| -> Option<Vec<&'a [u8]>> {
        let rest = side.strip_prefix(before)?;
        let more = rest.first()?.strip_prefix(*last)?;
        let is_sentence = more.len() > 1 && more.starts_with(b" ") && ends_a_sentence(last);
        (is_sentence && !rest.iter().any(|line| is_blank(line))).then(|| rest.to_vec())
    };
    let (longer, below) = match (went_on(&contest.ours), went_on(&contest.theirs)) {
        (Some(longer), None) => (longer, added(&contest.theirs)?),
        (None, Some(longer)) => (longer, added(&contest.ours)?),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let next = at + contest.base.len();
    let rest = part(&longer, 1..longer.len());
    if clash(rest, &below, file, next) || goes_astray(&below, rest, &[]) {
        return None;
    }
    Some([before, &longer, &below].concat())
}

fn ends_a_sentence(line: &[u8]) -> bool {
    let mut said = line.iter().rev();
    let (end, before) = (said.next(), said.next());
    end.is_some_and(|byte| b".!?".contains(byte))
        && before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b")`\"'*".contains(byte))
}
