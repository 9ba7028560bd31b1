//! The arguments of a call or a definition, one on each line: which comes first means something, so two that the sides put
//! in at one place are not both there in any order. Pure.

use crate::merge::lines::is_blank;

use crate::merge::settle::pieces::Contest;
use crate::merge::settle::reading::leaning::{indent, is_decorator};
use crate::merge::settle::reading::names::defined_name;
use crate::merge::settle::reading::text::Text;

/// Lines that begin with these open lists of names in round brackets.
const NAMES: [&str; 4] = ["use ", "import ", "from ", "export "];

/// Tells whether a place before the line `at` of the base is among arguments, and both sides put some in that are known by
/// their order only, as those of a definition are to its callers.
pub(in crate::merge::settle) fn are_arguments(
    contest: &Contest<'_>,
    file: &Text<'_, '_>,
    at: usize,
) -> bool {
    let both = [&contest.ours, &contest.theirs];
    let are_more = both.iter().all(|side| side.len() > contest.base.len());
    if !are_more || contest.ours == contest.theirs {
        return false;
    }
    let above = file.lines.get(..at).unwrap_or_default();
    let Some(line) = opening(above, contest).filter(|line| opens_arguments(line)) else {
        return false;
    };
    let is_definition = defined_name(line).is_some();
    let says_which = |side: &[&[u8]]| side.iter().any(|line| is_named(line));
    is_definition || !both.into_iter().any(|side| says_which(side))
}

fn opens_arguments(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    let called = text.strip_suffix('(').and_then(|call| call.chars().last());
    called.is_some_and(|last| last.is_alphanumeric() || "_!>".contains(last))
        && !is_decorator(line)
        && !NAMES.iter().any(|word| text.starts_with(word))
}

/// Nobody lists more arguments than this.
const MOST: usize = 1_000;

/// The line that opens the block in which a place is.
fn opening<'a>(above: &[&'a [u8]], contest: &Contest<'_>) -> Option<&'a [u8]> {
    let sides = contest.ours.iter().chain(&contest.theirs);
    let said = sides.filter(|line| !is_blank(line));
    let depth = said.map(|line| indent(line)).min().filter(|it| *it > 0)?;
    let mut above = above.iter().rev().take(MOST).copied();
    above.find(|line| !is_blank(line) && indent(line) < depth)
}

/// An argument that says which one it is: `size=1`, `size: 1`.
fn is_named(line: &[u8]) -> bool {
    let name = line.trim_ascii();
    let end = name
        .iter()
        .position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
    let (name, rest) = name.split_at(end.unwrap_or(name.len()));
    let rest = rest.trim_ascii_start();
    let sets = rest.starts_with(b"=") && !rest.starts_with(b"==");
    !name.is_empty() && (sets || rest.starts_with(b":") && !rest.starts_with(b"::"))
}
