//! The account of one text that the rules settled, for the engine to ask before it offers the text. Pure.

use super::check::Source;
use super::most::too_many;
use super::spare::Spare;
use super::tally::{Tally, lines_of};
use crate::merge::lines::line_key;

/// A text, what it was made of, and what will be said about it.
pub(crate) struct SettledText<'a> {
    /// None where both sides added the file.
    base: Option<&'a [u8]>,
    sides: [&'a [u8]; 2],
    result: &'a [u8],
    /// The target's lines of contested places, which are not in the text; and the branch's, which are.
    pub(crate) displaced: Vec<&'a [u8]>,
    pub(crate) incoming: Vec<&'a [u8]>,
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
            displaced: Vec::new(),
            incoming: Vec::new(),
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
    let spare = Spare::of_lines(&text.displaced, &text.woven, &text.made);
    let checked = tally.checked("", spare, Source::Engine.may_invent(), true);
    if !checked.balances() {
        return false;
    }
    let incoming = text.incoming.iter().map(|line| line_key(line));
    too_many(versions.each_ref().map(Vec::as_slice), incoming).is_empty()
}
