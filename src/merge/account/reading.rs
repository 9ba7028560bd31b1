//! Where an answer has the landmarks. Pure.

use std::collections::HashMap;

/// Where an answer has a landmark more often than this, only the first of them are looked at.
const MOST_READINGS: usize = 16;

/// A way to read an answer up to some landmark.
#[derive(Clone, Copy)]
struct Way {
    /// The landmark stands here.
    at: usize,
    misfits: u64,
    /// Which of the ways to the landmark before.
    from: usize,
}

/// Where the landmarks stand in an answer. If it has one of them more often than once, that one is meant with which
/// the places fit best. The error is a landmark that is not where it belongs.
///
/// `there` has the places of each line of the answer, and `misfits` tells how badly some lines fit between a landmark,
/// given by its number, and the one before.
pub(super) fn reading<'a>(
    marks: &[&'a [u8]],
    answer: &[&'a [u8]],
    there: &HashMap<&'a [u8], Vec<usize>>,
    misfits: impl Fn(usize, &[&'a [u8]]) -> u64,
) -> Result<Vec<usize>, &'a [u8]> {
    // As if there were a landmark before the first line, and one after the last.
    let mut ways: Vec<Vec<Way>> = Vec::new();
    let last = vec![answer.len()];
    let marks = marks.iter().map(Some).chain([None]);
    for (number, mark) in marks.enumerate() {
        let places = mark.map_or(Some(&last), |mark| there.get(mark));
        let before = ways.last().map(Vec::as_slice);
        let first = before.and_then(<[Way]>::first).map_or(0, |way| way.at + 1);
        let places: Vec<usize> = places
            .into_iter()
            .flatten()
            .copied()
            .filter(|at| first <= *at)
            .take(MOST_READINGS)
            .collect();
        let is_plain = places.len() == 1 && before.is_none_or(|ways| ways.len() == 1);
        let cost = |start: usize, at: usize| {
            let lines = answer.get(start..at)?;
            Some(if is_plain { 0 } else { misfits(number, lines) })
        };
        let found = places.into_iter().filter_map(|at| match before {
            None => Some(Way {
                at,
                misfits: cost(0, at)?,
                from: 0,
            }),
            Some(before) => {
                let before = before.iter().enumerate();
                let ways = before.filter_map(|(from, way)| {
                    let misfits = way.misfits + cost(way.at + 1, at)?;
                    Some(Way { at, misfits, from })
                });
                ways.min_by_key(|way| way.misfits)
            }
        });
        let found: Vec<Way> = found.collect();
        if found.is_empty() {
            return Err(mark.copied().unwrap_or_default());
        }
        ways.push(found);
    }
    let mut places = Vec::new();
    let mut at = 0;
    for level in ways.iter().rev() {
        let Some(way) = level.get(at) else { break };
        places.push(way.at);
        at = way.from;
    }
    places.reverse();
    // The end of the answer is no landmark.
    places.pop();
    Ok(places)
}
