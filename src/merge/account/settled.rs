//! How strict reading place by place is: what our own rules settle of random triples is not refused when it stands
//! next to something that somebody wrote, though no two readers would always agree on which of two lines was moved.
//! Set `GROVE_TRIPLES` for more.

use std::cell::Cell;
use std::collections::HashMap;

use proptest::prelude::*;

use super::most::too_many;
use super::tally::lines_of;
use super::written::judged;
use crate::merge::settle::{Rules, settle};
use crate::merge::triples::{Case, case, runner};

#[test]
fn what_the_rules_settle_is_not_refused_as_an_answer() {
    // Cases that are settled and those of them that are refused, without moved lines and with some.
    let [settled, refused] = [(); 2].map(|()| [Cell::new(0_u32), Cell::new(0_u32)]);
    let run = |case: Case| {
        let [base, ours, theirs] = case.versions();
        let settlement = settle(&base, &ours, &theirs, Rules::default());
        if settlement.contests().count() > 0 {
            return Ok(());
        }
        let mut woven: HashMap<&[u8], usize> = HashMap::new();
        for line in settlement.woven().flat_map(|woven| &woven.lines) {
            *woven.entry(line).or_default() += 1;
        }
        let result = settlement.render(|_| Vec::new());
        let said = judged(Some(&base), &ours, &theirs, &result);
        let mut declared = |line: &[u8]| match woven.get_mut(line) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            Some(_) | None => false,
        };
        let is_right = said.is_ok_and(|said| said.lost.iter().all(|line| declared(line)));
        let kind = usize::from(case.moves());
        settled[kind].set(settled[kind].get() + 1);
        refused[kind].set(refused[kind].get() + u32::from(!is_right));
        Ok(())
    };
    runner(4_000, 1).run(&case(), run).unwrap();
    for (kind, most) in [1_000, 100].into_iter().enumerate() {
        let (settled, refused) = (settled[kind].get(), refused[kind].get());
        assert!(settled > 1_000, "{settled}");
        assert!(refused <= settled / most, "{refused} of {settled}");
    }
}

#[test]
fn what_the_rules_settle_is_not_there_too_often() {
    let settled = Cell::new(0_u32);
    let run = |case: Case| {
        let [base, ours, theirs] = case.versions();
        let settlement = settle(&base, &ours, &theirs, Rules::default());
        if settlement.contests().count() > 0 {
            return Ok(());
        }
        settled.set(settled.get() + 1);
        let result = settlement.render(|_| Vec::new());
        let texts = [&base, &ours, &theirs, &result].map(|text| lines_of(text));
        let extra = too_many(texts.each_ref().map(Vec::as_slice), std::iter::empty());
        let extra = String::from_utf8_lossy(&extra.join(&b'\n')).into_owned();
        prop_assert!(extra.is_empty(), "{extra}");
        Ok(())
    };
    let mut runner = runner(4_000, 1);
    let cases = runner.config().cases;
    runner.run(&case(), run).unwrap();
    assert!(settled.get() * 4 > cases, "{} of {cases}", settled.get());
}
