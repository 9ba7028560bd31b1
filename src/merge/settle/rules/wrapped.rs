//! Both sides changed a sorted list of names that is broken into lines, as imports are: what either added
//! is in it, what either took out is not, and the sorting says where. Order means nothing there.

use std::collections::HashSet;

use crate::merge::settle::pieces::{Contest, Piece, Woven};

/// The least names that show a list to be sorted.
const LEAST: usize = 3;

/// Joins the lists. `None` unless all three versions are sorted the same way.
pub(in crate::merge::settle) fn relisted<'a>(contest: &Contest<'a>) -> Option<Vec<Piece<'a>>> {
    let [base, ours, theirs] = [&contest.base, &contest.ours, &contest.theirs].map(|l| names(l));
    let (base, ours, theirs) = (base?, ours?, theirs?);
    let all = joined_names([&base, &ours, &theirs], LEAST)?;
    let result = broken(&all, contest)?;
    let sides = contest.ours.iter().chain(&contest.theirs).copied();
    let new: HashSet<&[u8]> = result.iter().map(Vec::as_slice).collect();
    let lines = sides.filter(|line| !new.contains(line));
    Some(vec![Piece::Woven(Woven {
        base: contest.base.clone(),
        lines: lines.collect(),
        result,
    })])
}

/// The names of base, ours and theirs that are due, in order. `None` unless all are sorted the same way.
pub(in crate::merge::settle) fn joined_names<'a>(
    versions: [&Vec<&'a str>; 3],
    least: usize,
) -> Option<Vec<&'a str>> {
    let [base, ours, theirs] = versions;
    // Two names are in order by chance; a version with so few says nothing against what the others show.
    let shows = |names: &&Vec<&str>| names.len() >= least;
    if versions.iter().filter(|names| shows(names)).count() < 2 {
        return None;
    }
    let mut orders = ORDERS.into_iter();
    let order = orders.find(|order| versions.iter().all(|names| is_sorted(names, *order)))?;
    let [in_base, in_ours, in_theirs] =
        [base, ours, theirs].map(|names| names.iter().copied().collect::<HashSet<&str>>());
    let mut all: Vec<&str> = in_ours
        .union(&in_theirs)
        .copied()
        .filter(|name| {
            let is_in_both = in_ours.contains(name) && in_theirs.contains(name);
            is_in_both || !in_base.contains(name)
        })
        .collect();
    all.sort_by_key(|name| order(name));
    Some(all)
}

type Order = fn(&str) -> (bool, String);

/// The ways in which lists are sorted; `self` comes first in both.
const ORDERS: [Order; 2] = [
    |name| (name != "self", name.to_owned()),
    |name| (name != "self", name.to_lowercase()),
];

/// Sorted, and no name twice.
fn is_sorted(names: &[&str], order: Order) -> bool {
    names.is_sorted_by(|one, two| order(one) < order(two))
}

/// The names in lines of nothing but names and commas.
fn names<'a>(lines: &[&'a [u8]]) -> Option<Vec<&'a str>> {
    let mut all = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line = std::str::from_utf8(line).ok()?.trim();
        let is_last = at + 1 == lines.len();
        let said = match line.strip_suffix(',') {
            Some(said) => said,
            None if is_last => line,
            None => return None,
        };
        all.extend(said.split(',').map(str::trim));
    }
    are_names(&all).then_some(all)
}

/// Tells whether these are names, or words in quotes.
pub(in crate::merge::settle) fn are_names(all: &[&str]) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_:\"'-./".contains(c);
    let starts = |c: char| c.is_alphabetic() || "_\"'".contains(c);
    all.iter()
        .all(|name| name.starts_with(starts) && name.chars().all(is_part))
}

/// Names as lines, no longer than those they come from, and with a last comma if ours has one.
fn broken(names: &[&str], contest: &Contest<'_>) -> Option<Vec<Vec<u8>>> {
    let versions = [&contest.base, &contest.ours, &contest.theirs];
    let first = std::str::from_utf8(contest.ours.first()?).ok()?;
    let indent = first.get(..first.len() - first.trim_start().len())?;
    let is_alike = |line: &&[u8]| {
        line.strip_prefix(indent.as_bytes())
            .is_some_and(|said| !said.starts_with(b" ") && !said.starts_with(b"\t"))
    };
    if !versions.iter().all(|lines| lines.iter().all(is_alike)) {
        return None;
    }
    let is_one_line = versions.iter().all(|lines| lines.len() == 1);
    let longest = versions
        .iter()
        .flat_map(|lines| lines.iter().map(|l| l.len()));
    let width = if is_one_line {
        usize::MAX
    } else {
        longest.max().unwrap_or(0)
    };
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut() {
            Some(line) if line.len() + name.len() + 2 <= width => {
                line.push(' ');
                line.push_str(name);
                line.push(',');
            }
            Some(_) | None => lines.push(format!("{indent}{name},")),
        }
    }
    if !contest.ours.last()?.ends_with(b",")
        && let Some(last) = lines.last_mut()
    {
        last.pop();
    }
    Some(lines.into_iter().map(String::into_bytes).collect())
}
