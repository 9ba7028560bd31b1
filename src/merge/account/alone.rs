//! The account of one text that the rules settled, for the engine to ask before it offers the text. Pure.

use super::check::Source;
use super::most::{doubled_there, too_many};
use super::spare::Spare;
use super::tally::{Tally, lines_of};
use crate::merge::lines::line_key;

/// A text, what it was made of, and what will be said about it.
pub(crate) struct SettledText<'a> {
    /// None where both sides added the file.
    base: Option<&'a [u8]>,
    sides: [&'a [u8]; 2],
    result: &'a [u8],
    /// What contested places have in the base, on the target, and on the branch; the last is in the text.
    pub(crate) contested: Vec<[&'a [&'a [u8]]; 3]>,
    /// Lines that became part of others, and those others.
    pub(crate) woven: Vec<&'a [u8]>,
    pub(crate) made: Vec<&'a [u8]>,
}

impl<'a> SettledText<'a> {
    pub(crate) fn new(base: Option<&'a [u8]>, sides: [&'a [u8]; 2], result: &'a [u8]) -> Self {
        Self {
            base,
            sides,
            result,
            contested: Vec::new(),
            woven: Vec::new(),
            made: Vec::new(),
        }
    }
}

/// Tells whether nothing of a text is lost, made up, or there too often.
pub(crate) fn balances(text: &SettledText<'_>) -> bool {
    let [ours, theirs] = text.sides;
    let versions = [text.base.unwrap_or_default(), ours, theirs, text.result].map(lines_of);
    let mut tally = Tally::of_one_path();
    tally.add_lines(&versions, text.base.is_none(), true);
    let contested = text.contested.iter().map(|versions| versions.map(keys));
    let contested: Vec<[Vec<&[u8]>; 3]> = contested.collect();
    let displaced: Vec<&[u8]> = contested
        .iter()
        .flat_map(|[_, ours, _]| ours)
        .copied()
        .collect();
    let spare = Spare::of_lines(&displaced, &text.woven, &text.made);
    let checked = tally.checked("", spare, Source::Engine.may_invent(), true);
    if !checked.balances() {
        return false;
    }
    let listed = contested.iter();
    let listed = listed.flat_map(|[base, ours, theirs]| doubled_there(base, ours, theirs));
    too_many(versions.each_ref().map(Vec::as_slice), listed).is_empty()
}

fn keys<'a>(lines: &[&'a [u8]]) -> Vec<&'a [u8]> {
    lines.iter().map(|line| line_key(line)).collect()
}
