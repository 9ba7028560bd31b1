//! Ten thousand random triples: nothing is lost unsaid and nothing is made up. Set `GROVE_TRIPLES` for more.

use std::cell::RefCell;
use std::collections::HashMap;

use proptest::prelude::*;

use super::cases::{Edit, case};
use super::outcome::{Counted, counted, planned, settled};
use super::repository::Repository3;
use super::runner::runner;

/// The definition in the simplest words: a line that a side added and that is neither in the result
/// nor declared is lost.
pub(super) fn lost(versions: [&[u8]; 3], result: &Counted, named: &Counted) -> Option<String> {
    let [base, ours, theirs] = versions.map(counted);
    for (side, other) in [(&ours, &theirs), (&theirs, &ours)] {
        for (line, count) in side.lines() {
            let before = base.of(line);
            let added = count > before;
            let kept_by_both = before > 0 && count >= before && other.of(line) >= before;
            if (added || kept_by_both) && result.of(line) + named.of(line) == 0 {
                // An addition that the other side's removal may have met is no loss.
                if added && before > 0 {
                    continue;
                }
                return Some(String::from_utf8_lossy(line).into_owned());
            }
        }
    }
    None
}

#[test]
fn random_triples_lose_nothing() {
    let seen: RefCell<HashMap<&str, u32>> = RefCell::default();
    let mut settling = runner(10_000, 1);
    let cases = settling.config().cases;
    settling
        .run(&case(), |case| {
            let [base, ours, theirs] = case.versions();
            prop_assume!(ours != base && theirs != base);
            let merged = settled([&base, &ours, &theirs]);
            let lost = lost([&base, &ours, &theirs], &merged.result, &merged.named);
            prop_assert!(lost.is_none(), "{lost:?} is lost");
            let is_mark = |line: &Vec<u8>| line.starts_with(b"<<<<<<<");
            prop_assert!(!merged.result.lines().any(|(line, _)| is_mark(line)));
            let has = |wanted: fn(&Edit) -> bool| case.ours.iter().chain(&case.theirs).any(wanted);
            let kinds = [
                ("settled", merged.contested == 0),
                ("contested", merged.contested > 0),
                ("moved", has(|edit| matches!(edit, Edit::Move { .. }))),
                ("blank", has(|edit| matches!(edit, Edit::Blank(_)))),
                ("repeated", has(|edit| matches!(edit, Edit::Repeat(_)))),
                ("crlf", case.crlf.contains(&true)),
            ];
            for (name, _) in kinds.iter().filter(|(_, is_so)| *is_so) {
                *seen.borrow_mut().entry(name).or_default() += 1;
            }
            Ok(())
        })
        .unwrap();
    let seen = seen.into_inner();
    let count = |name: &str| seen.get(name).copied().unwrap_or(0);
    assert_eq!(count("settled") + count("contested"), cases, "{seen:?}");
    for name in ["settled", "contested", "moved", "blank", "repeated", "crlf"] {
        assert!(count(name) > cases / 50, "{seen:?}");
    }
    // The whole way, with git and the account, on fewer of them: each starts a program.
    let place = Repository3::new();
    runner(200, 50)
        .run(&case(), |case| {
            let [base, ours, theirs] = case.versions();
            let first = place.commit(&base, None);
            let [mine, other] = [&ours, &theirs].map(|side| place.commit(side, Some(first)));
            let Some(found) = planned(&place, mine, other) else {
                return Ok(());
            };
            let lost = lost([&base, &ours, &theirs], &found.result, &found.named);
            prop_assert!(lost.is_none(), "{lost:?}\n{:#?}", found.outcome);
            let checked = found.account;
            prop_assert!(
                checked.balances(),
                "{:?}\n{:#?}",
                checked.unaccounted,
                found.outcome
            );
            Ok(())
        })
        .unwrap();
}
