//! Two insertions into a list that is sorted, one entry a line: what both put in goes where the order puts
//! it. Only where the list around shows the order, and all three versions keep to it.

use super::insertions::is_mark;
use crate::merge::settle::reading::names::name_of;

/// The least lines around that show a list to be sorted.
const LEAST: usize = 3;
/// No more of them than this are looked at.
const MOST: usize = 64;

/// Joins two sorted insertions before the line `at` of a sorted list.
pub(in crate::merge::settle) fn in_order<'a>(
    ours: &[&'a [u8]],
    theirs: &[&'a [u8]],
    base: &[&[u8]],
    at: usize,
) -> Option<Vec<&'a [u8]>> {
    let kind = kind_of(ours.first()?)?;
    let is_entry = |line: &&[u8]| kind_of(line) == Some(kind);
    if !ours.iter().chain(theirs).all(is_entry) {
        return None;
    }
    let (before, after) = base.split_at_checked(at)?;
    let head = before.iter().rev().take(MOST).take_while(|l| is_entry(l));
    let head = before.get(at - head.count()..)?;
    let tail = after.iter().take(MOST).take_while(|l| is_entry(l)).count();
    let tail = after.get(..tail)?;
    if head.len() + tail.len() < LEAST {
        return None;
    }
    let order = ORDERS.into_iter().find(|order| {
        let keeps_to_it = |new: &[&[u8]]| {
            let all = head.iter().chain(new).chain(tail);
            all.is_sorted_by(|one, two| order(one) < order(two))
        };
        keeps_to_it(&[]) && keeps_to_it(ours) && keeps_to_it(theirs)
    })?;
    let mut all = [ours, theirs].concat();
    all.sort_by_key(|line| order(line));
    all.dedup();
    // Two entries of the same name would be two versions of one.
    all.is_sorted_by(|one, two| order(one) < order(two))
        .then_some(all)
}

/// Entries that belong to the same list: how deep, and what they begin with.
fn kind_of(line: &[u8]) -> Option<(usize, &[u8])> {
    let said = line.trim_ascii();
    let depth = line.len() - line.trim_ascii_start().len();
    let first = said.split(u8::is_ascii_whitespace).next()?;
    if is_mark(first) || first == b"pub" && said.starts_with(b"pub mod ") {
        return said.ends_with(b";").then_some((depth, first)).or_else(|| {
            // A wrapped import goes on in the next line.
            (!said.ends_with(b"{") && !said.ends_with(b"(")).then_some((depth, first))
        });
    }
    // Go: a path in quotes and nothing else.
    let is_path = said.len() > 2 && said.starts_with(b"\"") && said.ends_with(b"\"");
    if is_path && !said.contains(&b' ') {
        return Some((depth, b"\""));
    }
    let is_string = said.starts_with(b"\"") && said.ends_with(b",");
    let is_setting = name_of(line).is_some() && !said.ends_with(b"{") && !said.ends_with(b"[");
    (is_string || is_setting).then_some((depth, &[]))
}

type Order = fn(&[u8]) -> Vec<u8>;

const ORDERS: [Order; 2] = [name, |line| name(line).to_ascii_lowercase()];

/// What entries are sorted by: all before the colon or equals sign of a setting, else the whole line.
fn name(line: &[u8]) -> Vec<u8> {
    let said = line.trim_ascii();
    let is_import = said
        .split(u8::is_ascii_whitespace)
        .next()
        .is_some_and(is_mark);
    let end = said
        .iter()
        .position(|byte| matches!(byte, b':' | b'='))
        .filter(|_| !is_import && !said.starts_with(b"pub mod"));
    let name = said.get(..end.unwrap_or(said.len())).unwrap_or(said);
    let name = name.trim_ascii_end();
    name.strip_suffix(b";")
        .or_else(|| name.strip_suffix(b","))
        .unwrap_or(name)
        .to_vec()
}
