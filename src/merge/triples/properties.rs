//! Ten thousand random triples: nothing is lost unsaid, nothing is made up, and the order of the sides changes
//! nothing but order. Set `GROVE_TRIPLES` for more.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::cases::{Edit, case};
use super::repository::Repository3;
use super::runner::runner;
use crate::merge::settle::{Piece, Rules, settle};
use crate::merge::{Declared, MergeTrees, Source, account, plan_commits};

type Counted = HashMap<String, usize>;

fn counted(lines: impl IntoIterator<Item = String>) -> Counted {
    let mut counts = Counted::new();
    for line in lines.into_iter().filter(|line| !line.trim().is_empty()) {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

fn keys(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes)
        .lines()
        .map(str::to_owned)
        .collect()
}

/// The definition in the simplest words: a line that a side added and that is neither in the result
/// nor declared is lost.
fn lost(versions: [&[u8]; 3], result: &[u8], declared: &HashSet<String>) -> Option<String> {
    let [base, ours, theirs] = versions.map(|v| counted(keys(v)));
    let result: HashSet<String> = keys(result).into_iter().collect();
    for (side, other) in [(&ours, &theirs), (&theirs, &ours)] {
        for (line, count) in side {
            let before = base.get(line).copied().unwrap_or(0);
            let in_other = other.get(line).copied().unwrap_or(0);
            let added = *count > before;
            let kept_by_both = before > 0 && *count >= before && in_other >= before;
            if (added || kept_by_both) && !result.contains(line) && !declared.contains(line) {
                // An addition that the other side's removal may have met is no loss.
                if added && before > 0 {
                    continue;
                }
                return Some(line.clone());
            }
        }
    }
    None
}

/// What settling alone comes to, with the branch's side in contested places.
struct Settled {
    text: Vec<u8>,
    contested: usize,
    /// Lines that are not in the text by decision of nobody, and lines that became part of others.
    declared: HashSet<String>,
}

fn settled(base: &[u8], ours: &[u8], theirs: &[u8]) -> Settled {
    let settlement = settle(base, ours, theirs, Rules::default());
    let lossy = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    let mut declared = HashSet::new();
    for piece in &settlement.pieces {
        match piece {
            Piece::Settled(_) => {}
            Piece::Woven(woven) => declared.extend(woven.lines.iter().map(|line| lossy(line))),
            Piece::Contested(contest) => {
                declared.extend(contest.ours.iter().map(|line| lossy(line)));
            }
        }
    }
    Settled {
        contested: settlement.contests().count(),
        text: settlement.render(|contest| contest.theirs.clone()),
        declared,
    }
}

#[test]
fn random_triples_lose_nothing_and_do_not_depend_on_order() {
    let place = Repository3::new();
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let seen_cell = std::cell::RefCell::new(&mut seen);
    let mut settling = runner(10_000, 1);
    let cases = settling.config().cases;
    settling
        .run(&case(), |case| {
            let [base, ours, theirs] = case.versions();
            prop_assume!(ours != base && theirs != base);
            let merged = settled(&base, &ours, &theirs);
            let turned = settled(&base, &theirs, &ours);
            let (result, contested) = (&merged.text, merged.contested);
            let lost = lost([&base, &ours, &theirs], result, &merged.declared);
            prop_assert!(lost.is_none(), "{lost:?} is lost");

            let marked = |text: &[u8]| keys(text).iter().any(|l| l.starts_with("<<<<<<<"));
            prop_assert!(!marked(result));
            if contested == 0 && turned.contested == 0 {
                // Of a line that a version has twice, which one was moved is a matter of reading.
                let versions = [&base, &ours, &theirs].map(|v| counted(keys(v)));
                let is_single =
                    |line: &String| versions.iter().all(|v| v.get(line).is_none_or(|n| *n < 2));
                let single = |text: &[u8]| {
                    let mut counts = counted(keys(text));
                    counts.retain(|line, _| is_single(line));
                    counts
                };
                prop_assert_eq!(
                    single(result),
                    single(&turned.text),
                    "the order of the sides changes nothing but order"
                );
            }
            let has = |wanted: fn(&Edit) -> bool| case.ours.iter().chain(&case.theirs).any(wanted);
            let kinds = [
                ("settled", contested == 0),
                ("contested", contested > 0),
                ("turned", contested == 0 && turned.contested == 0),
                ("moved", has(|edit| matches!(edit, Edit::Move { .. }))),
                ("blank", has(|edit| matches!(edit, Edit::Blank(_)))),
                ("repeated", has(|edit| matches!(edit, Edit::Repeat(_)))),
                ("crlf", case.crlf.contains(&true)),
            ];
            for (name, _) in kinds.iter().filter(|(_, is_so)| *is_so) {
                *seen_cell.borrow_mut().entry(name).or_default() += 1;
            }
            Ok(())
        })
        .unwrap();
    let count = |name: &str| seen.get(name).copied().unwrap_or(0);
    assert_eq!(count("settled") + count("contested"), cases, "{seen:?}");
    for name in [
        "settled",
        "contested",
        "moved",
        "blank",
        "repeated",
        "crlf",
        "turned",
    ] {
        assert!(count(name) > cases / 50, "{seen:?}");
    }
    // The whole way, with git and the account, on fewer of them: each starts a program.
    runner(200, 50)
        .run(&case(), |case| {
            let [base, ours, theirs] = case.versions();
            let first = place.commit(&base, None);
            let ours_id = place.commit(&ours, Some(first));
            let theirs_id = place.commit(&theirs, Some(first));
            let outcome = plan_commits(&place.repo, ours_id, theirs_id).unwrap();
            let Some(plan) = outcome.plan() else {
                return Ok(());
            };
            let result = place.text(plan.tree);
            let mut declared: HashSet<String> = HashSet::new();
            for hunk in &plan.displaced {
                declared.extend(hunk.text.lines().map(str::to_owned));
            }
            for woven in &plan.woven {
                declared.extend(woven.lines.iter().cloned());
            }
            let lost = lost([&base, &ours, &theirs], &result, &declared);
            prop_assert!(lost.is_none(), "{lost:?}\n{outcome:#?}");
            let trees = MergeTrees {
                base: plan.base_tree,
                ours: place.repo.tree_of(ours_id).unwrap(),
                theirs: place.repo.tree_of(theirs_id).unwrap(),
                result: plan.tree,
            };
            let declared = Declared {
                displaced: &plan.displaced,
                woven: &plan.woven,
                settled: &plan.conflict_files,
                versions: &plan.versions,
                source: Source::Engine,
                ..Declared::default()
            };
            let checked = account(&place.repo, trees, declared).unwrap();
            prop_assert!(
                checked.balances(),
                "{:?}\n{outcome:#?}",
                checked.unaccounted
            );
            Ok(())
        })
        .unwrap();
}
