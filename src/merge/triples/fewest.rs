//! Of a line that all versions have so many times, a merge has as many, or it is named; whatever both sides moved, and
//! in whichever order they are merged. Set `GROVE_TRIPLES` for more cases.

use std::cell::Cell;

use proptest::prelude::*;

use super::moved::moved;
use super::outcome::{Counted, counted, planned, settled};
use super::repository::Repository3;
use super::runner::runner;
use crate::merge::MergeOutcome;

/// The lines of which a result and what is named have too few. Written apart from the account, from the sentence.
fn short(versions: [&[u8]; 3], result: &Counted, named: &Counted) -> Vec<String> {
    let [base, ours, theirs] = versions.map(counted);
    let all = base.lines().chain(ours.lines()).chain(theirs.lines());
    let is_short = |line: &[u8]| {
        let [base, ours, theirs] = [&base, &ours, &theirs].map(|counts| counts.of(line));
        let removed = base.saturating_sub(ours) + base.saturating_sub(theirs);
        let added = ours.saturating_sub(base).max(theirs.saturating_sub(base));
        let fewest = if removed == 0 {
            base + added
        } else {
            (base + added).saturating_sub(removed)
        };
        result.of(line) + named.of(line) < fewest
    };
    let short = all.filter(|(line, _)| is_short(line));
    short
        .map(|(line, _)| String::from_utf8_lossy(line).into_owned())
        .collect()
}

#[test]
fn no_line_is_there_less_often_than_all_versions_tell_unless_it_is_named() {
    let (whole, open) = (Cell::new(0_u32), Cell::new(0_u32));
    let mut settling = runner(20_000, 1);
    let cases = settling.config().cases;
    let run = |[base, ours, theirs]: [Vec<u8>; 3]| {
        let one_way = settled([&base, &ours, &theirs]);
        let other_way = settled([&base, &theirs, &ours]);
        for found in [&one_way, &other_way] {
            let short = short([&base, &ours, &theirs], &found.result, &found.named);
            prop_assert!(short.is_empty(), "{short:?}");
        }
        let seen = if one_way.contested == 0 {
            &whole
        } else {
            &open
        };
        seen.set(seen.get() + 1);
        Ok(())
    };
    settling.run(&moved(), run).unwrap();
    // Or the property says little.
    let (whole, open) = (whole.get(), open.get());
    assert!(whole.min(open) > cases / 10, "{whole} settled, {open} not");
}

#[test]
fn no_merge_has_a_line_less_often_than_all_versions_tell_and_none_is_held_without_a_place() {
    let place = Repository3::new();
    let run = |[base, ours, theirs]: [Vec<u8>; 3]| {
        prop_assume!(ours != base && theirs != base);
        let first = place.commit(&base, None);
        let [mine, other] = [&ours, &theirs].map(|side| place.commit(side, Some(first)));
        for [mine, other] in [[mine, other], [other, mine]] {
            let Some(found) = planned(&place, mine, other) else {
                return Err(TestCaseError::fail("there is no plan"));
            };
            if matches!(found.outcome, MergeOutcome::Clean(_)) {
                continue;
            }
            let short = short([&base, &ours, &theirs], &found.result, &found.named);
            prop_assert!(short.is_empty(), "{short:?}\n{:#?}", found.outcome);
            let checked = found.account;
            prop_assert!(checked.balances(), "{:?}", checked.unaccounted);
        }
        Ok(())
    };
    runner(300, 100).run(&moved(), run).unwrap();
}
