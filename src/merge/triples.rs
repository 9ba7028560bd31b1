//! Ten thousand random triples of versions of one file: insertions, deletions, moves, edits, blank
//! and repeated lines, both kinds of line ends. Nothing is lost unsaid, nothing is made up, and the
//! order of the sides changes nothing but order. Set `GROVE_TRIPLES` for more.

use std::collections::{HashMap, HashSet};

use git2::{Repository, Signature};
use proptest::prelude::*;

use super::settle::{Piece, Rules, settle};
use super::{Declared, MergeTrees, Source, account, plan_commits};
use crate::git::{Oid, Repo};

#[derive(Debug, Clone)]
enum Edit {
    Insert(u8, Vec<u8>),
    Delete(u8, u8),
    Rewrite(u8, u8),
    Word(u8, u8),
    Move { from: u8, length: u8, to: u8 },
    Blank(u8),
    Repeat(u8),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        3 => (any::<u8>(), proptest::collection::vec(0..6_u8, 1..4)).prop_map(|(at, w)| Edit::Insert(at, w)),
        2 => (any::<u8>(), 1..4_u8).prop_map(|(at, n)| Edit::Delete(at, n)),
        1 => (any::<u8>(), 0..4_u8).prop_map(|(at, w)| Edit::Rewrite(at, w)),
        3 => (any::<u8>(), 0..3_u8).prop_map(|(at, w)| Edit::Word(at, w)),
        2 => (any::<u8>(), 3..7_u8, any::<u8>()).prop_map(|(from, length, to)| Edit::Move { from, length, to }),
        1 => any::<u8>().prop_map(Edit::Blank),
        1 => any::<u8>().prop_map(Edit::Repeat),
    ]
}

fn base_lines(length: usize) -> Vec<String> {
    (0..length)
        .map(|n| match n % 8 {
            6 => "}".to_owned(),
            7 => String::new(),
            _ => format!("  step{n}(left{n}, mid{n}, right{n});"),
        })
        .collect()
}

fn apply(base: &[String], edits: &[Edit], side: &str) -> Vec<String> {
    let mut lines = base.to_vec();
    for (n, edit) in edits.iter().enumerate() {
        let at = |place: u8| usize::from(place) % (lines.len() + 1);
        match edit {
            Edit::Insert(place, words) => {
                let at = at(*place);
                let new = words.iter().enumerate().map(|(m, word)| match word {
                    0 => "}".to_owned(),
                    1 => String::new(),
                    2 => format!("shared {n}"),
                    _ => format!("new {n}.{m} of {side}"),
                });
                lines.splice(at..at, new.collect::<Vec<_>>());
            }
            Edit::Delete(place, count) => {
                let at = at(*place);
                let end = (at + usize::from(*count)).min(lines.len());
                lines.drain(at..end);
            }
            Edit::Rewrite(place, word) => {
                let at = at(*place);
                if let Some(line) = lines.get_mut(at) {
                    // Both sides may write the same.
                    *line = if *word == 0 {
                        format!("agreed {at}")
                    } else {
                        format!("rewritten {at} by {side}")
                    };
                }
            }
            Edit::Word(place, word) => {
                let at = at(*place);
                if let Some(line) = lines.get_mut(at) {
                    let name = ["left", "mid", "right"][usize::from(*word)];
                    *line = line.replace(name, &format!("{name}_{side}"));
                }
            }
            Edit::Move { from, length, to } => {
                let from = at(*from);
                let end = (from + usize::from(*length)).min(lines.len());
                let block: Vec<String> = lines.drain(from..end).collect();
                let to = usize::from(*to) % (lines.len() + 1);
                lines.splice(to..to, block);
            }
            Edit::Blank(place) => {
                let at = at(*place);
                lines.insert(at, "   ".to_owned());
            }
            Edit::Repeat(place) => {
                let at = at(*place);
                if let Some(line) = lines.get(at).cloned() {
                    lines.insert(at, line);
                }
            }
        }
    }
    lines
}

/// A file's bytes, with the line ends of one platform or the other, with a last one or without.
fn bytes(lines: &[String], crlf: bool, last: bool) -> Vec<u8> {
    let end = if crlf { "\r\n" } else { "\n" };
    let mut text = lines.join(end);
    if last && !lines.is_empty() {
        text += end;
    }
    text.into_bytes()
}

struct Repository3 {
    raw: Repository,
    repo: Repo,
    who: Signature<'static>,
    _dir: tempfile::TempDir,
}

impl Repository3 {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let raw = Repository::init(dir.path()).unwrap();
        let repo = Repo::open(dir.path()).unwrap();
        let who = Signature::new("t", "t@example.org", &git2::Time::new(1, 0)).unwrap();
        Self {
            raw,
            repo,
            who,
            _dir: dir,
        }
    }

    fn commit(&self, content: &[u8], parent: Option<Oid>) -> Oid {
        let blob = self.raw.blob(content).unwrap();
        let mut tree = self.raw.treebuilder(None).unwrap();
        tree.insert("f", blob, 0o100_644).unwrap();
        let tree = self.raw.find_tree(tree.write().unwrap()).unwrap();
        let parent = parent.map(|id| self.raw.find_commit(id).unwrap());
        let parents: Vec<_> = parent.iter().collect();
        self.raw
            .commit(None, &self.who, &self.who, "c", &tree, &parents)
            .unwrap()
    }

    fn text(&self, tree: Oid) -> Vec<u8> {
        let entry = self.repo.entry_at(tree, b"f").unwrap().unwrap();
        self.repo.blob(entry.id).unwrap()
    }
}

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

#[derive(Debug, Clone)]
pub(super) struct Case {
    length: usize,
    ours: Vec<Edit>,
    theirs: Vec<Edit>,
    crlf: [bool; 3],
    last: [bool; 3],
}

impl Case {
    /// The texts of base, ours and theirs.
    pub(super) fn versions(&self) -> [Vec<u8>; 3] {
        let base = base_lines(self.length);
        let ours = apply(&base, &self.ours, "ours");
        let theirs = apply(&base, &self.theirs, "theirs");
        let mut ends = self.crlf.into_iter().zip(self.last);
        [base, ours, theirs].map(|lines| {
            let (crlf, last) = ends.next().unwrap();
            bytes(&lines, crlf, last)
        })
    }

    pub(super) fn moves(&self) -> bool {
        let mut edits = self.ours.iter().chain(&self.theirs);
        edits.any(|edit| matches!(edit, Edit::Move { .. }))
    }
}

pub(super) fn case() -> impl Strategy<Value = Case> {
    let edits = || proptest::collection::vec(edit(), 1..6);
    let crlf = prop_oneof![
        6 => Just([false; 3]),
        1 => Just([true; 3]),
        1 => Just([false, true, false]),
        1 => Just([true, true, false]),
    ];
    let last = prop_oneof![4 => Just([true; 3]), 1 => any::<[bool; 3]>()];
    (2..40_usize, edits(), edits(), crlf, last).prop_map(|(length, ours, theirs, crlf, last)| {
        Case {
            length,
            ours,
            theirs,
            crlf,
            last,
        }
    })
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
    let cases = std::env::var("GROVE_TRIPLES").map_or(10_000, |n| n.parse().unwrap());
    let place = Repository3::new();
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let seen_cell = std::cell::RefCell::new(&mut seen);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases,
        max_global_rejects: cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
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
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: (cases / 50).max(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
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
