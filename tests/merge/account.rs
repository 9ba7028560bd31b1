//! "No line disappears unreported", on random three-way edits, checked by a second, simpler
//! implementation of the account; and the account itself, on results that were tampered with.

use std::collections::{HashMap, HashSet};

use git2::{Repository, Signature};
use grove::git::{Oid, Repo};
use grove::merge::{
    Account, Declared, LineProblem, MergeOutcome, MergePlan, MergeTrees, Source, account,
    plan_commits,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::runner::runner;
use crate::support::Sandbox;

#[derive(Debug, Clone)]
enum LineEdit {
    Keep,
    Delete,
    ChangeWord(usize),
    Rewrite,
    InsertAfter(Vec<Inserted>),
}

#[derive(Debug, Clone)]
enum Inserted {
    Unique,
    Brace,
    Blank,
    Shared(u8),
}

fn line_edit() -> impl Strategy<Value = LineEdit> {
    let inserted = prop_oneof![
        4 => Just(Inserted::Unique),
        2 => Just(Inserted::Brace),
        1 => Just(Inserted::Blank),
        1 => (0..3_u8).prop_map(Inserted::Shared),
    ];
    prop_oneof![
        12 => Just(LineEdit::Keep),
        1 => Just(LineEdit::Delete),
        2 => (0..4_usize).prop_map(LineEdit::ChangeWord),
        1 => Just(LineEdit::Rewrite),
        2 => proptest::collection::vec(inserted, 1..4).prop_map(LineEdit::InsertAfter),
    ]
}

/// Base lines: mostly distinct, with the repetitions that real files have.
fn base_lines(length: usize) -> Vec<String> {
    (0..length)
        .map(|n| match n % 7 {
            5 => "}".to_owned(),
            6 => String::new(),
            _ => format!("  call{n}(alpha{n}, beta{n}, gamma{n});"),
        })
        .collect()
}

fn apply(base: &[String], edits: &[LineEdit], side: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (n, (line, edit)) in base.iter().zip(edits).enumerate() {
        match edit {
            LineEdit::Keep => lines.push(line.clone()),
            LineEdit::Delete => {}
            LineEdit::ChangeWord(word) => {
                let name = ["call", "alpha", "beta", "gamma"][*word];
                lines.push(line.replace(&format!("{name}{n}"), &format!("{name}{n}_{side}")));
            }
            LineEdit::Rewrite => lines.push(format!("rewritten {n} by {side}")),
            LineEdit::InsertAfter(inserted) => {
                lines.push(line.clone());
                for (m, kind) in inserted.iter().enumerate() {
                    lines.push(match kind {
                        Inserted::Unique => format!("new {n}.{m} of {side}"),
                        Inserted::Brace => "}".to_owned(),
                        Inserted::Blank => String::new(),
                        Inserted::Shared(word) => format!("shared {n} {word}"),
                    });
                }
            }
        }
    }
    lines
}

/// Three commits with one file each (and the base as parent of the other two).
fn commits(repo: &Repository, versions: [&[String]; 3]) -> [Oid; 3] {
    let who = Signature::new("t", "t@example.org", &git2::Time::new(1, 0)).unwrap();
    let mut made: Vec<Oid> = Vec::new();
    for lines in versions {
        let content: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let blob = repo.blob(content.as_bytes()).unwrap();
        let mut tree = repo.treebuilder(None).unwrap();
        tree.insert("f.txt", blob, 0o100_644).unwrap();
        let tree = repo.find_tree(tree.write().unwrap()).unwrap();
        let parents: Vec<git2::Commit<'_>> = made
            .first()
            .map(|id| repo.find_commit(*id).unwrap())
            .into_iter()
            .collect();
        let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
        made.push(repo.commit(None, &who, &who, "c", &tree, &parents).unwrap());
    }
    made.try_into().unwrap()
}

fn lines_in(repo: &Repo, tree: Oid) -> Vec<String> {
    let entry = repo.entry_at(tree, b"f.txt").unwrap().unwrap();
    let bytes = repo.blob(entry.id).unwrap();
    String::from_utf8(bytes)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

fn own_account(repo: &Repo, plan: &MergePlan, result: Oid) -> Account {
    account(
        repo,
        MergeTrees {
            base: plan.base_tree,
            ours: repo.tree_of(plan.target).unwrap(),
            theirs: repo.tree_of(plan.branch).unwrap(),
            result,
        },
        Declared {
            displaced: &plan.displaced,
            woven: &plan.woven,
            settled: &plan.conflict_files,
            versions: &plan.versions,
            source: Source::Engine,
            ..Declared::default()
        },
    )
    .unwrap()
}

/// The second implementation: looks at lines that occur at most once per version, as a reader would.
fn violations(
    base: &[String],
    ours: &[String],
    theirs: &[String],
    result: &[String],
    plan: &MergePlan,
) -> Vec<String> {
    let once = |lines: &[String]| -> HashSet<String> {
        let mut counts: HashMap<&String, usize> = HashMap::new();
        for line in lines {
            *counts.entry(line).or_default() += 1;
        }
        counts
            .into_iter()
            .filter(|(_, n)| *n == 1)
            .map(|(line, _)| line.clone())
            .collect()
    };
    let all = |lines: &[String]| -> HashSet<String> { lines.iter().cloned().collect() };
    let repeated: HashSet<String> = all(base).difference(&once(base)).cloned().collect();
    let (base, result) = (all(base), all(result));
    let mut reported: HashSet<String> = plan
        .displaced
        .iter()
        .flat_map(|hunk| hunk.text.lines().map(str::to_owned))
        .collect();
    reported.extend(plan.woven.iter().flat_map(|woven| woven.lines.clone()));
    let mut found = Vec::new();
    for (side, other) in [(ours, theirs), (theirs, ours)] {
        let other = all(other);
        for line in once(side) {
            let removed_by_other = base.contains(&line) && !other.contains(&line);
            if !line.trim().is_empty()
                && !repeated.contains(&line)
                && !result.contains(&line)
                && !removed_by_other
                && !reported.contains(&line)
            {
                found.push(format!("lost: {line}"));
            }
        }
    }
    let known: HashSet<String> = all(ours)
        .into_iter()
        .chain(all(theirs))
        .chain(base)
        .chain(plan.woven.iter().map(|woven| woven.result.clone()))
        .collect();
    found.extend(
        result
            .iter()
            .filter(|line| !known.contains(*line))
            .map(|l| format!("invented: {l}")),
    );
    found
}

#[test]
fn no_line_disappears_unreported() {
    let sandbox = Sandbox::new(&[("x", "x\n")]);
    let repo = sandbox.repo();
    let raw = Repository::open(sandbox.root()).unwrap();
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let edits = || proptest::collection::vec(line_edit(), 24);
    let strategy = (4..24_usize, edits(), edits(), any::<Index>());
    let seen_cell = std::cell::RefCell::new(&mut seen);
    runner(250, 50)
        .run(&strategy, |(length, our_edits, their_edits, tampered)| {
            let base = base_lines(length);
            let ours = apply(&base, &our_edits, "ours");
            let theirs = apply(&base, &their_edits, "theirs");
            let [base_id, our_id, their_id] = commits(&raw, [&base, &ours, &theirs]);
            prop_assume!(our_id != base_id && their_id != base_id && our_id != their_id);

            let outcome = plan_commits(&repo, our_id, their_id).unwrap();
            let (name, plan) = match &outcome {
                MergeOutcome::Clean(plan) => ("clean", plan),
                MergeOutcome::Resolved(plan) => ("resolved", plan),
                MergeOutcome::ContentDisplaced(plan) => ("displaced", plan),
                MergeOutcome::Failed(failure) => panic!("{failure}"),
            };
            *seen_cell.borrow_mut().entry(name).or_default() += 1;
            let result = lines_in(&repo, plan.tree);
            let found = violations(&base, &ours, &theirs, &result, plan);
            prop_assert!(found.is_empty(), "{found:?}\n{outcome:#?}");
            let checked = own_account(&repo, plan, plan.tree);
            prop_assert!(checked.balances(), "{:?}\n{result:#?}", checked.unaccounted);
            prop_assert!(!result.iter().any(|line| line.starts_with("<<<<<<<")));

            // Take one line out behind the plan's back: a line that only the result now lacks.
            let at = tampered.index(result.len().max(1));
            let Some(victim) = result.get(at).cloned() else {
                return Ok(());
            };
            let is_one_of_a_kind =
                |lines: &[String]| lines.iter().filter(|l| **l == victim).count() <= 1;
            let needed = victim.contains(char::is_alphanumeric)
                && [&result, &ours, &theirs, &base]
                    .iter()
                    .all(|lines| is_one_of_a_kind(lines))
                && (ours.contains(&victim) || theirs.contains(&victim))
                && (!base.contains(&victim)
                    || (ours.contains(&victim) && theirs.contains(&victim)))
                && !plan
                    .displaced
                    .iter()
                    .any(|hunk| hunk.text.lines().any(|line| line == victim));
            if needed {
                let mut broken = result.clone();
                broken.remove(at);
                let content: String = broken.iter().map(|line| format!("{line}\n")).collect();
                let blob = repo.write_blob(content.as_bytes()).unwrap();
                let mut entry = repo.entry_at(plan.tree, b"f.txt").unwrap().unwrap();
                entry.id = blob;
                let tree = repo
                    .tree_with(plan.tree, &[(b"f.txt".to_vec(), Some(entry))])
                    .unwrap();
                let caught = own_account(&repo, plan, tree);
                prop_assert!(!caught.balances(), "{victim:?} vanished unnoticed");
            }
            Ok(())
        })
        .unwrap();
    // The generator must reach all outcomes, or the property says little.
    for name in ["clean", "resolved", "displaced"] {
        assert!(seen.get(name).copied().unwrap_or(0) >= 10, "{seen:?}");
    }
}

#[test]
fn a_result_with_markers_or_made_up_lines_does_not_balance() {
    let sandbox = Sandbox::new(&[("x", "x\n")]);
    let repo = sandbox.repo();
    let raw = Repository::open(sandbox.root()).unwrap();
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let (base, ours, theirs) = (lines("a\nb\nc"), lines("a\nours\nc"), lines("a\ntheirs\nc"));
    let [_, our_id, their_id] = commits(&raw, [&base, &ours, &theirs]);
    let MergeOutcome::ContentDisplaced(plan) = plan_commits(&repo, our_id, their_id).unwrap()
    else {
        panic!();
    };
    let with = |content: &str| {
        let mut entry = repo.entry_at(plan.tree, b"f.txt").unwrap().unwrap();
        entry.id = repo.write_blob(content.as_bytes()).unwrap();
        let tree = repo
            .tree_with(plan.tree, &[(b"f.txt".to_vec(), Some(entry))])
            .unwrap();
        own_account(&repo, &plan, tree)
    };
    let marked = with("a\n<<<<<<< main\nours\n=======\ntheirs\n>>>>>>> b\nc\n");
    assert_eq!(marked.unaccounted.len(), 3);
    assert!(
        marked
            .unaccounted
            .iter()
            .all(|line| line.problem == LineProblem::Invented)
    );
    assert!(
        with("a\nours\ntheirs\nc\n").balances(),
        "keeping both is fine"
    );
    let lost = with("a\nours\nc\n");
    assert_eq!(lost.unaccounted[0].text, "theirs");
    assert_eq!(lost.unaccounted[0].problem, LineProblem::Lost);

    let removed = repo
        .tree_with(plan.tree, &[(b"f.txt".to_vec(), None)])
        .unwrap();
    assert!(
        !own_account(&repo, &plan, removed).balances(),
        "the whole file is gone"
    );
}
