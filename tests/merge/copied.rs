//! Files that a side copies, renames or deletes while the other one changes them: the order of the sides changes nothing but
//! order. Random triples of trees; set `GROVE_TRIPLES` for more.

use std::cell::Cell;
use std::collections::BTreeMap;

use git2::{Repository, Signature};
use grove::git::Oid;
use grove::merge::{MergeOutcome, plan_commits};
use proptest::prelude::*;

use crate::runner::runner;
use crate::support::{Sandbox, text};

#[test]
fn a_copy_that_the_other_side_changed_with_its_original_is_held_whichever_side_it_is_on() {
    let [base, changed] = [
        "use f::f7;\n}\n    pub g1: u32,\n",
        "}\n#[test]\n    pub g1: u32,\nuse f::f7;\n",
    ];
    let sandbox = Sandbox::new(&[("f0.rs", base)]);
    let first = sandbox.tip("main");
    let repo = sandbox.repo();
    let copy = sandbox.commit("copy", &[("cp.rs", text(base))], "copy");
    sandbox.git(&["branch", "-f", "change", &first]);
    let change = [("f0.rs", text(changed)), ("cp.rs", text(changed))];
    let change = sandbox.commit("change", &change, "change");
    for (ours, theirs) in [(copy, change), (change, copy)] {
        let outcome = plan_commits(&repo, ours, theirs).unwrap();
        assert!(
            matches!(outcome, MergeOutcome::ContentDisplaced(_)),
            "{outcome:#?}"
        );
    }
}

/// A tree: what each of its files has.
type Files = BTreeMap<&'static str, Vec<String>>;

const NAMES: [&str; 3] = ["f0.rs", "f1.rs", "cp.rs"];

const LINES: [&str; 10] = [
    "use f::f7;",
    "}",
    "    pub g1: u32,",
    "#[test]",
    "fn f1() {",
    "    g(1);",
    "    g(2);",
    "",
    "mod a;",
    "// done",
];

#[derive(Debug, Clone)]
enum Act {
    Insert(usize, usize, usize),
    Delete(usize, usize),
    /// Moves a line within its file.
    Move(usize, usize, usize),
    /// Copies one file to the name of another one.
    Copy(usize, usize),
    Rename(usize, usize),
}

fn act() -> impl Strategy<Value = Act> {
    let (file, place) = (|| 0..NAMES.len(), || 0..12_usize);
    prop_oneof![
        3 => (file(), place(), 0..LINES.len()).prop_map(|(f, at, line)| Act::Insert(f, at, line)),
        1 => (file(), place()).prop_map(|(f, at)| Act::Delete(f, at)),
        2 => (file(), place(), place()).prop_map(|(f, from, to)| Act::Move(f, from, to)),
        3 => (0..2_usize, Just(2_usize)).prop_map(|(from, to)| Act::Copy(from, to)),
        1 => (0..2_usize, file()).prop_map(|(from, to)| Act::Rename(from, to)),
    ]
}

fn after(base: &Files, acts: &[Act]) -> Files {
    let mut files = base.clone();
    for act in acts {
        match *act {
            Act::Insert(file, at, line) => {
                if let Some(lines) = files.get_mut(NAMES[file]) {
                    lines.insert(at % (lines.len() + 1), LINES[line].to_owned());
                }
            }
            Act::Delete(file, at) => {
                if let Some(lines) = files.get_mut(NAMES[file]).filter(|it| !it.is_empty()) {
                    lines.remove(at % lines.len());
                }
            }
            Act::Move(file, from, to) => {
                if let Some(lines) = files.get_mut(NAMES[file]).filter(|it| !it.is_empty()) {
                    let line = lines.remove(from % lines.len());
                    lines.insert(to % (lines.len() + 1), line);
                }
            }
            Act::Copy(from, to) => {
                if let Some(lines) = files.get(NAMES[from]).cloned() {
                    files.insert(NAMES[to], lines);
                }
            }
            Act::Rename(from, to) => {
                if from != to
                    && let Some(lines) = files.remove(NAMES[from])
                {
                    files.insert(NAMES[to], lines);
                }
            }
        }
    }
    files
}

fn commit(repo: &Repository, files: &Files, parent: Option<Oid>) -> Oid {
    let who = Signature::new("t", "t@example.org", &git2::Time::new(1, 0)).unwrap();
    let mut tree = repo.treebuilder(None).unwrap();
    for (name, lines) in files {
        let content: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let blob = repo.blob(content.as_bytes()).unwrap();
        tree.insert(*name, blob, 0o100_644).unwrap();
    }
    let tree = repo.find_tree(tree.write().unwrap()).unwrap();
    let parents: Vec<_> = parent
        .map(|id| repo.find_commit(id).unwrap())
        .into_iter()
        .collect();
    let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
    repo.commit(None, &who, &who, "c", &tree, &parents).unwrap()
}

/// The lines of each file of what lands, sorted; `None` where somebody is asked.
fn landed(sandbox: &Sandbox, outcome: &MergeOutcome) -> Option<BTreeMap<String, Vec<String>>> {
    let plan = match outcome {
        MergeOutcome::Clean(plan) | MergeOutcome::Resolved(plan) => plan,
        MergeOutcome::ContentDisplaced(_) | MergeOutcome::Failed(_) => return None,
    };
    let repo = sandbox.repo();
    let mut files = BTreeMap::new();
    for name in NAMES {
        if let Some(entry) = repo.entry_at(plan.tree, name.as_bytes()).unwrap() {
            let content = String::from_utf8(repo.blob(entry.id).unwrap()).unwrap();
            let mut lines: Vec<String> = content.lines().map(str::to_owned).collect();
            lines.retain(|line| !line.is_empty());
            lines.sort();
            files.insert(name.to_owned(), lines);
        }
    }
    Some(files)
}

#[test]
fn random_trees_with_copied_files_come_to_the_same_in_either_order() {
    let sandbox = Sandbox::new(&[("x", "x\n")]);
    let repo = sandbox.repo();
    let raw = Repository::open(sandbox.root()).unwrap();
    let (resolved, held) = (Cell::new(0_u32), Cell::new(0_u32));
    let file = || proptest::collection::vec(0..LINES.len(), 2..8);
    let acts = || proptest::collection::vec(act(), 1..5);
    runner(150, 50)
        .run(
            &(file(), file(), acts(), acts()),
            |(f0, f1, ours, theirs)| {
                let lines =
                    |all: Vec<usize>| all.into_iter().map(|n| LINES[n].to_owned()).collect();
                let base = Files::from([(NAMES[0], lines(f0)), (NAMES[1], lines(f1))]);
                let first = commit(&raw, &base, None);
                let [ours, theirs] =
                    [ours, theirs].map(|acts| commit(&raw, &after(&base, &acts), Some(first)));
                prop_assume!(ours != first && theirs != first && ours != theirs);
                let outcome = plan_commits(&repo, ours, theirs).unwrap();
                let turned = plan_commits(&repo, theirs, ours).unwrap();
                // What git merges without a question is git's.
                if matches!(outcome, MergeOutcome::Clean(_)) {
                    return Ok(());
                }
                let (one, two) = (landed(&sandbox, &outcome), landed(&sandbox, &turned));
                let count = if one.is_some() { &resolved } else { &held };
                count.set(count.get() + 1);
                prop_assert_eq!(one, two, "{:#?}\n{:#?}", outcome, turned);
                Ok(())
            },
        )
        .unwrap();
    // Or the property says little.
    assert!(
        resolved.get() > 5 && held.get() > 5,
        "{resolved:?} {held:?}"
    );
}
