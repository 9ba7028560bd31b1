//! Of a line that all versions have so many times, a merge has as many, or it is named; whatever both sides moved, and
//! in whichever order they are merged. Set `GROVE_TRIPLES` for more cases.

use std::cell::Cell;
use std::collections::HashMap;

use proptest::prelude::*;

use super::moved::moved;
use super::repository::Repository3;
use super::runner::runner;
use crate::merge::settle::{Piece, Rules, settle};
use crate::merge::{Declared, MergeOutcome, MergeTrees, Source, account, plan_commits};

type Counted = HashMap<Vec<u8>, usize>;

fn counted<'l>(lines: impl IntoIterator<Item = &'l [u8]>) -> Counted {
    let mut counts = Counted::new();
    for line in lines {
        *counts.entry(line.to_vec()).or_default() += 1;
    }
    counts
}

fn lines(text: &[u8]) -> Counted {
    counted(text.split(|byte| *byte == b'\n').filter(|l| !l.is_empty()))
}

fn of(counts: &Counted, line: &[u8]) -> usize {
    counts.get(line).copied().unwrap_or(0)
}

/// The lines of which a result and what is named have too few. Written apart from the account, from the sentence.
fn short(versions: [&[u8]; 3], result: &Counted, named: &Counted) -> Vec<String> {
    let [base, ours, theirs] = versions.map(lines);
    let all = base.keys().chain(ours.keys()).chain(theirs.keys());
    let is_short = |line: &&Vec<u8>| {
        let [base, ours, theirs] = [&base, &ours, &theirs].map(|counts| of(counts, line));
        let removed = base.saturating_sub(ours) + base.saturating_sub(theirs);
        let added = ours.saturating_sub(base).max(theirs.saturating_sub(base));
        let fewest = if removed == 0 {
            base + added
        } else {
            (base + added).saturating_sub(removed)
        };
        of(result, line) + of(named, line) < fewest
    };
    let short = all.filter(is_short);
    short
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect()
}

/// How often each of some lines is there that others do not have as often.
fn add_gone(named: &mut Counted, lines: &Counted, instead: &Counted) {
    for (line, count) in lines {
        let gone = count.saturating_sub(of(instead, line));
        *named.entry(line.clone()).or_default() += gone;
    }
}

struct Settled {
    result: Counted,
    named: Counted,
    contested: usize,
    /// Who removed something is not asked whether the other side may have changed it: that depends on the order.
    revived: usize,
}

fn settled([base, ours, theirs]: [&[u8]; 3]) -> Settled {
    let settlement = settle(base, ours, theirs, Rules::default());
    let mut named = Counted::new();
    for piece in &settlement.pieces {
        match piece {
            Piece::Settled(_) => {}
            Piece::Woven(woven) => {
                add_gone(
                    &mut named,
                    &counted(woven.lines.iter().copied()),
                    &Counted::new(),
                );
            }
            Piece::Contested(contest) => {
                let [ours, theirs] =
                    [&contest.ours, &contest.theirs].map(|lines| counted(lines.iter().copied()));
                add_gone(&mut named, &ours, &theirs);
            }
        }
    }
    Settled {
        contested: settlement.contests().count(),
        revived: settlement.revived,
        result: lines(&settlement.render(|contest| contest.theirs.clone())),
        named,
    }
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
        let is_whole = [&one_way, &other_way].map(|found| found.contested + found.revived == 0);
        if is_whole == [true, true] {
            prop_assert_eq!(&one_way.result, &other_way.result);
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
            let outcome = plan_commits(&place.repo, mine, other).unwrap();
            let plan = match &outcome {
                MergeOutcome::Clean(_) => continue,
                MergeOutcome::Resolved(plan) | MergeOutcome::ContentDisplaced(plan) => plan,
                MergeOutcome::Failed(_) => {
                    return Err(TestCaseError::fail(format!("{outcome:?}")));
                }
            };
            let mut named = Counted::new();
            for hunk in &plan.displaced {
                let [ours, theirs] = [&hunk.text, &hunk.incoming].map(|t| lines(t.as_bytes()));
                add_gone(&mut named, &ours, &theirs);
            }
            for line in plan.woven.iter().flat_map(|woven| &woven.lines) {
                *named.entry(line.clone().into_bytes()).or_default() += 1;
            }
            let result = lines(&place.text(plan.tree));
            let short = short([&base, &ours, &theirs], &result, &named);
            prop_assert!(short.is_empty(), "{short:?}\n{outcome:#?}");
            let [our_tree, their_tree] = [mine, other].map(|id| place.repo.tree_of(id).unwrap());
            let trees = MergeTrees {
                base: plan.base_tree,
                ours: our_tree,
                theirs: their_tree,
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
            prop_assert!(checked.balances(), "{:?}", checked.unaccounted);
        }
        Ok(())
    };
    runner(300, 100).run(&moved(), run).unwrap();
}
