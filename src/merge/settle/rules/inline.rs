//! A sorted list of names on one line, as of an import: what either side put in or took out of it is in or
//! out, in its order. The order shows that the place of a name says nothing. What both put in at two places is there once.

use super::wrapped::{are_names, joined_names};
use crate::merge::settle::pieces::{Contest, Piece, Woven};

/// Joins the lists of three versions of one line that differ in nothing else.
pub(in crate::merge::settle) fn in_line<'a>(contest: &Contest<'a>) -> Option<Vec<Piece<'a>>> {
    let ([base], [ours], [theirs]) = (
        contest.base.as_slice(),
        contest.ours.as_slice(),
        contest.theirs.as_slice(),
    ) else {
        return None;
    };
    let [base, mine, other] = [base, ours, theirs].map(|line| list(line));
    let (base, mine, other) = (base?, mine?, other?);
    if [&mine, &other].iter().any(|list| !list.fits(&base)) {
        return None;
    }
    // The order of imports says nothing anyway; of other lists, only being sorted shows that.
    let least = if base.is_import { 1 } else { 3 };
    let versions = [&base.names, &mine.names, &other.names];
    let all = joined_names(versions, least)
        .or_else(|| with_one_copy(versions).filter(|_| base.says_nothing_by_order()))?;
    let result = format!("{}{}{}", mine.before, all.join(", "), mine.after);
    Some(vec![Piece::Woven(Woven {
        base: contest.base.clone(),
        lines: vec![ours, theirs],
        result: vec![result.into_bytes()],
    })])
}

/// A line with a list in it.
struct List<'a> {
    before: &'a str,
    names: Vec<&'a str>,
    after: &'a str,
    is_import: bool,
}

/// The names of base and what either side put in, of which both put in something. `None` if one took a name out, or put
/// one elsewhere.
fn with_one_copy<'a>([base, ours, theirs]: [&Vec<&'a str>; 3]) -> Option<Vec<&'a str>> {
    let new = |side: &Vec<&'a str>| -> Vec<&'a str> {
        let new = side.iter().filter(|name| !base.contains(name));
        new.copied().collect()
    };
    let kept = |side: &Vec<&'a str>| {
        let kept = side.iter().filter(|name| base.contains(name));
        kept.eq(base.iter())
    };
    let (mine, other) = (new(ours), new(theirs));
    let is_shared = mine.iter().any(|name| other.contains(name));
    let more = other.iter().filter(|name| !mine.contains(name));
    let all = base.iter().chain(&mine).chain(more).copied();
    (is_shared && kept(ours) && kept(theirs)).then(|| all.collect())
}

impl List<'_> {
    fn fits(&self, other: &Self) -> bool {
        (self.before, self.after) == (other.before, other.after)
    }

    /// Imports, derives, and words in quotes, as of features and of what a module exports.
    fn says_nothing_by_order(&self) -> bool {
        self.is_import || self.names.iter().all(|name| name.starts_with(['"', '\'']))
    }
}

fn list(line: &[u8]) -> Option<List<'_>> {
    let line = std::str::from_utf8(line).ok()?;
    let first = line.split_whitespace().find(|word| *word != "pub")?;
    let is_import = ["use", "import", "from", "export"].contains(&first);
    let is_derive = line.trim_start().starts_with("#[derive(");
    let (start, end) = if is_derive {
        (line.find('(')? + 1, line.rfind(')')?)
    } else if let (true, Some(start), Some(end)) = (is_import, line.find('{'), line.rfind('}')) {
        // Braces elsewhere may be a pattern or an expression.
        (start + 1, end)
    } else if let (Some(start), Some(end)) = (line.rfind('['), line.rfind(']')) {
        (start + 1, end)
    } else if first == "from" {
        (line.find(" import ")? + " import ".len(), line.len())
    } else {
        return None;
    };
    let inner = line.get(start..end)?;
    let said = inner.trim();
    let left = start + inner.find(said)?;
    let names: Vec<&str> = said.split(',').map(str::trim).collect();
    are_names(&names).then_some(List {
        before: line.get(..left)?,
        names,
        after: line.get(left + said.len()..)?,
        is_import: is_import || is_derive,
    })
}
