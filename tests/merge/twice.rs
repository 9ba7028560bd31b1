//! Equal lines: what both sides add at one place is one line, at different places it is two; and what git
//! merges by itself always balances, however often its lines repeat.

use std::cell::Cell;

use git2::{Repository, Signature};
use grove::git::{Oid, Repo};
use grove::merge::{
    Account, Conclusion, Declared, LineProblem, MergeOutcome, MergeTrees, Source, account,
    plan_commits,
};
use proptest::prelude::*;

use crate::repeated::repeated;
use crate::runner::runner;
use crate::support::{BRANCH, Sandbox, text};

fn numbered(with: &[(usize, &str)]) -> String {
    let mut lines: Vec<String> = (0..10).map(|n| format!("line {n}")).collect();
    for (at, line) in with.iter().rev() {
        lines.insert(*at, (*line).to_owned());
    }
    lines.join("\n") + "\n"
}

/// The account of a result that somebody wrote in place of the planned one.
fn checked(sandbox: &Sandbox, result: &str, settled: bool, source: Source) -> Account {
    let repo = sandbox.repo();
    let [main, branch] = ["main", BRANCH].map(|name| repo.branch_tip(name).unwrap());
    let outcome = plan_commits(&repo, main, branch).unwrap();
    let plan = outcome.plan().unwrap();
    let mut entry = repo.entry_at(plan.tree, b"f").unwrap().unwrap();
    entry.id = repo.write_blob(result.as_bytes()).unwrap();
    let changes = [(b"f".to_vec(), Some(entry))];
    let trees = MergeTrees {
        base: plan.base_tree,
        ours: repo.tree_of(main).unwrap(),
        theirs: repo.tree_of(branch).unwrap(),
        result: repo.tree_with(plan.tree, &changes).unwrap(),
    };
    let files = ["f".to_owned()];
    let declared = Declared {
        settled: if settled { &files } else { &[] },
        source,
        ..Declared::default()
    };
    account(&repo, trees, declared).unwrap()
}

#[test]
fn a_line_that_both_added_at_different_places_is_due_twice() {
    let sandbox = Sandbox::new(&[("f", &numbered(&[]))]);
    let (ours, theirs) = (numbered(&[(2, "log();")]), numbered(&[(7, "log();")]));
    sandbox.commit(BRANCH, &[("f", text(&theirs))], "b");
    sandbox.commit("main", &[("f", text(&ours))], "m");
    let both = numbered(&[(2, "log();"), (7, "log();")]);
    for settled in [false, true] {
        for source in [Source::Engine, Source::Chosen, Source::Written] {
            for once in [&ours, &theirs] {
                let account = checked(&sandbox, once, settled, source);
                let [lost] = account.unaccounted.as_slice() else {
                    panic!("{settled} {source:?}: {account:?}");
                };
                assert_eq!(
                    (lost.text.as_str(), lost.problem),
                    ("log();", LineProblem::Lost)
                );
            }
            assert!(checked(&sandbox, &both, settled, source).balances());
        }
    }
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
    assert_eq!(sandbox.show("main", "f"), both);
}

#[test]
fn a_line_that_both_added_at_the_same_place_is_due_once() {
    let sandbox = Sandbox::new(&[("f", &numbered(&[]))]);
    let ours = numbered(&[(2, "log();"), (5, "ours")]);
    let theirs = numbered(&[(2, "log();"), (8, "theirs")]);
    sandbox.commit(BRANCH, &[("f", text(&theirs))], "b");
    sandbox.commit("main", &[("f", text(&ours))], "m");
    let once = numbered(&[(2, "log();"), (5, "ours"), (8, "theirs")]);
    for settled in [false, true] {
        assert!(checked(&sandbox, &once, settled, Source::Written).balances());
    }
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
    assert_eq!(sandbox.show("main", "f"), once);
}

fn commit(repo: &Repository, content: &[u8], parent: Option<Oid>) -> Oid {
    let who = Signature::new("t", "t@example.org", &git2::Time::new(1, 0)).unwrap();
    let blob = repo.blob(content).unwrap();
    let mut tree = repo.treebuilder(None).unwrap();
    tree.insert("f", blob, 0o100_644).unwrap();
    let tree = repo.find_tree(tree.write().unwrap()).unwrap();
    let parent = parent.map(|id| repo.find_commit(id).unwrap());
    let parents: Vec<_> = parent.iter().collect();
    repo.commit(None, &who, &who, "c", &tree, &parents).unwrap()
}

#[test]
fn what_git_merges_by_itself_balances_however_often_its_lines_repeat() {
    let sandbox = Sandbox::new(&[("x", "x\n")]);
    let (repo, raw) = (sandbox.repo(), Repository::open(sandbox.root()).unwrap());
    let clean = Cell::new(0);
    let mut runner = runner(400, 10);
    let cases = runner.config().cases;
    let result = runner.run(&repeated(), |[base, ours, theirs]| {
        let first = commit(&raw, &base, None);
        let [ours, theirs] = [ours, theirs].map(|side| commit(&raw, &side, Some(first)));
        let outcome = plan_commits(&repo, ours, theirs).unwrap();
        let plan = outcome.plan().unwrap();
        clean.set(clean.get() + u32::from(matches!(outcome, MergeOutcome::Clean(_))));
        let account = account_of(&repo, plan, [ours, theirs]);
        prop_assert!(
            account.balances(),
            "{:?}\n{outcome:#?}",
            account.unaccounted
        );
        Ok(())
    });
    result.unwrap();
    assert!(
        clean.get() * 4 > cases,
        "{} of {cases} are clean",
        clean.get()
    );
}

fn account_of(repo: &Repo, plan: &grove::merge::MergePlan, sides: [Oid; 2]) -> Account {
    let [ours, theirs] = sides.map(|side| repo.tree_of(side).unwrap());
    let trees = MergeTrees {
        base: plan.base_tree,
        ours,
        theirs,
        result: plan.tree,
    };
    let declared = Declared {
        displaced: &plan.displaced,
        woven: &plan.woven,
        settled: &plan.conflict_files,
        source: Source::Engine,
        ..Declared::default()
    };
    account(repo, trees, declared).unwrap()
}
