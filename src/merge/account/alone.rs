//! The account of one text that the rules settled, for the engine to ask before it offers the text. Pure.

use super::check::Source;
use super::fewest::{displaced_there, missing};
use super::most::{doubled_there, too_many};
use super::netted::lost_in_places;
use super::spare::Spare;
use super::tally::{Tally, lines_of};
use super::texts::Texts;
use super::woven::{Claim, shown};
use crate::merge::form::joined_base::without_marks;
use crate::merge::lines::{line_key, without};

/// A text, what it was made of, and what will be said about it.
pub(crate) struct SettledText<'a> {
    /// None where both sides added the file.
    base: Option<&'a [u8]>,
    sides: [&'a [u8]; 2],
    result: &'a [u8],
    /// What contested places have in the base, on the target, and on the branch; the last is in the text.
    pub(crate) contested: Vec<[&'a [&'a [u8]]; 3]>,
    /// Lines that are said to have become part of others, and those others.
    pub(crate) woven: Vec<Claim<'a>>,
}

impl<'a> SettledText<'a> {
    pub(crate) fn new(base: Option<&'a [u8]>, sides: [&'a [u8]; 2], result: &'a [u8]) -> Self {
        Self {
            base,
            sides,
            result,
            contested: Vec::new(),
            woven: Vec::new(),
        }
    }
}

/// The lines of a text that its account refuses: they are lost, made up, or there too often.
pub(crate) fn refused(text: &SettledText<'_>) -> Vec<String> {
    let [ours, theirs] = text.sides;
    let versions = [text.base.unwrap_or_default(), ours, theirs, text.result].map(lines_of);
    let mut tally = Tally::of_one_path();
    let texts = Texts::new(versions.each_ref().map(Vec::as_slice));
    tally.add_lines(&texts, text.base.is_none(), true);
    let contested = text.contested.iter().map(|versions| versions.map(keys));
    let contested: Vec<[Vec<&[u8]>; 3]> = contested.collect();
    let displaced: Vec<&[u8]> = contested
        .iter()
        .flat_map(|[_, ours, _]| ours)
        .copied()
        .collect();
    let (woven, made) = believed(&texts, &text.woven);
    let spare = Spare::of_lines(&displaced, &woven, &made);
    let checked = tally.checked("", spare, Source::Engine.may_invent(), true);
    let listed = contested.iter();
    let listed = listed.flat_map(|[base, ours, theirs]| doubled_there(base, ours, theirs));
    let extra = too_many(&texts, listed);
    let displaced = contested.iter();
    let mut named: Vec<&[u8]> = displaced
        .flat_map(|[_, ours, theirs]| displaced_there(ours, theirs))
        .collect();
    named.extend(&woven);
    let lost = missing(&texts, &named, Source::Engine);
    let base = without_marks(text.base.unwrap_or_default());
    let in_places = match text.base {
        // What stands in a contested place is for whoever decides it.
        Some(_) if contested.is_empty() => lost_in_places(&base, ours, theirs, text.result),
        Some(_) | None => Vec::new(),
    };
    let in_places = without(&in_places, &woven);
    let by_lines = extra.into_iter().chain(lost).chain(in_places);
    let by_lines = by_lines.map(|line| String::from_utf8_lossy(line).into_owned());
    let by_sums = checked.unaccounted.into_iter().map(|line| line.text);
    by_sums.chain(by_lines).collect()
}

/// The lines that the texts show to be part of others, and those others.
fn believed<'a>(texts: &Texts<'_>, claims: &[Claim<'a>]) -> (Vec<&'a [u8]>, Vec<&'a [u8]>) {
    let claims: Vec<Claim<'a>> = claims
        .iter()
        .map(|claim| Claim {
            base: keys(&claim.base),
            lines: keys(&claim.lines),
            result: keys(&claim.result),
        })
        .collect();
    let shown = shown(texts, &claims);
    let (mut woven, mut made) = (Vec::new(), Vec::new());
    for (claim, lines) in claims.iter().zip(shown) {
        if let Some(lines) = lines {
            woven.extend(lines);
            made.extend(&claim.result);
        }
    }
    (woven, made)
}

fn keys<'a>(lines: &[&'a [u8]]) -> Vec<&'a [u8]> {
    lines.iter().map(|line| line_key(line)).collect()
}
