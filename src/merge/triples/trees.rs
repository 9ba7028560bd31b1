//! Ten thousand random triples the whole way, with git and the account: in trees of many files, some of which a side
//! deletes, renames or makes executable, or both sides make. Set `GROVE_TRIPLES` for more.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use git2::build::TreeUpdateBuilder;
use git2::{FileMode, Repository, Signature};
use proptest::prelude::*;

use super::cases::{Case, case};
use super::outcome::{Counted, counted};
use super::properties::lost;
use super::runner::runner;
use crate::git::{Oid, Repo};
use crate::merge::account::account_of;
use crate::merge::{MergePlan, Source, plan_commits};

/// Files of a tree, and how many trees come to ten thousand of them.
const FILES: usize = 100;
const TREES: u32 = 100;

/// What the sides do to a file besides changing its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Plain,
    Made,
    Deleted(usize),
    Renamed(usize),
    Executable(usize),
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        16 => Just(Shape::Plain),
        1 => Just(Shape::Made),
        1 => (1..3_usize).prop_map(Shape::Deleted),
        1 => (1..3_usize).prop_map(Shape::Renamed),
        1 => (1..3_usize).prop_map(Shape::Executable),
    ]
}

/// One file in base, ours and theirs: its name, text and mode, where it is there.
type Versions = [Option<(String, Vec<u8>, FileMode)>; 3];

fn versions(number: usize, case: &Case, shape: Shape) -> Versions {
    // No file has the lines of another one: git would take one for the other.
    let own = format!("f{number}_");
    let mut at = 0;
    case.versions().map(|text| {
        let version = at;
        at += 1;
        let is_gone = shape == Shape::Deleted(version) || (shape == Shape::Made && version == 0);
        let folder = if shape == Shape::Renamed(version) {
            "moved"
        } else {
            "d"
        };
        let mode = if shape == Shape::Executable(version) {
            FileMode::BlobExecutable
        } else {
            FileMode::Blob
        };
        let text = String::from_utf8(text).unwrap();
        let text = text
            .replace("step", &own)
            .replace("new ", &format!("new {own}"));
        (!is_gone).then(|| {
            (
                format!("{folder}{}/f{number}", number % 7),
                text.into_bytes(),
                mode,
            )
        })
    })
}

struct Place {
    raw: Repository,
    repo: Repo,
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let raw = Repository::init(dir.path()).unwrap();
        let repo = Repo::open(dir.path()).unwrap();
        Self { raw, repo, dir }
    }

    fn commit(&self, files: &[Versions], version: usize, parent: Option<Oid>) -> Oid {
        let empty = self.raw.treebuilder(None).unwrap().write().unwrap();
        let empty = self.raw.find_tree(empty).unwrap();
        let mut update = TreeUpdateBuilder::new();
        for (name, text, mode) in files.iter().filter_map(|file| file[version].as_ref()) {
            update.upsert(name.as_str(), self.raw.blob(text).unwrap(), *mode);
        }
        let tree = update.create_updated(&self.raw, &empty).unwrap();
        let tree = self.raw.find_tree(tree).unwrap();
        let who = Signature::new("t", "t@example.org", &git2::Time::new(1, 0)).unwrap();
        let parent = parent.map(|id| self.raw.find_commit(id).unwrap());
        let parents: Vec<_> = parent.iter().collect();
        self.raw
            .commit(None, &who, &who, "c", &tree, &parents)
            .unwrap()
    }

    /// The tree that git comes to, and the names of files that it leaves open.
    fn by_git(&self, ours: Oid, theirs: Oid) -> (Oid, BTreeSet<String>) {
        let said = Command::new("git")
            .current_dir(self.dir.path())
            .args(["merge-tree", "--write-tree", "--name-only", "--no-messages"])
            .args([ours.to_string(), theirs.to_string()])
            .output()
            .unwrap();
        let said = String::from_utf8(said.stdout).unwrap();
        let mut lines = said.lines();
        let tree = Oid::from_str(lines.next().unwrap()).unwrap();
        (tree, lines.map(str::to_owned).collect())
    }

    /// What a file has in a tree under any of its names.
    fn lines(&self, tree: Oid, names: &BTreeSet<&str>) -> Counted {
        let found = names.iter().filter_map(|name| {
            let entry = self.repo.entry_at(tree, name.as_bytes()).unwrap()?;
            Some(self.repo.blob(entry.id).unwrap())
        });
        counted(&found.collect::<Vec<_>>().join(&b'\n'))
    }
}

fn names(file: &Versions) -> BTreeSet<&str> {
    file.iter()
        .flatten()
        .map(|(name, ..)| name.as_str())
        .collect()
}

/// What is listed of a file as not being there.
fn named(plan: &MergePlan, names: &BTreeSet<&str>) -> Counted {
    let mut named = Counted::default();
    for hunk in plan
        .displaced
        .iter()
        .filter(|hunk| names.contains(hunk.file.as_str()))
    {
        let [ours, theirs] = [&hunk.text, &hunk.incoming].map(|text| counted(text.as_bytes()));
        named.add_gone(&ours, &theirs);
    }
    for woven in plan
        .woven
        .iter()
        .filter(|woven| names.contains(woven.file.as_str()))
    {
        let lines: Counted = woven.lines.iter().map(String::as_bytes).collect();
        named.add_gone(&lines, &Counted::default());
    }
    named
}

fn is_mark(line: &[u8]) -> bool {
    [&b"<<<<<<<"[..], b"|||||||", b"=======", b">>>>>>>"]
        .iter()
        .any(|mark| line.starts_with(mark))
}

/// What holds of one plan, file by file.
fn check(place: &Place, files: &[Versions], plan: &MergePlan) -> Result<(), TestCaseError> {
    let (by_git, open) = place.by_git(plan.target, plan.branch);
    for file in files {
        let names = names(file);
        let texts = file
            .each_ref()
            .map(|version| version.as_ref().map_or(&[][..], |it| &it.1));
        let result = place.lines(plan.tree, &names);
        let lost = lost(texts, &result, &named(plan, &names));
        prop_assert!(lost.is_none(), "{lost:?} of {names:?} is lost");
        prop_assert!(
            !result.lines().any(|(line, _)| is_mark(line)),
            "a marker in {names:?}"
        );
        if open.iter().all(|name| !names.contains(name.as_str())) {
            for name in &names {
                let at = |tree| place.repo.entry_at(tree, name.as_bytes()).unwrap();
                prop_assert_eq!(at(plan.tree), at(by_git), "{} is not as git has it", name);
            }
        }
    }
    let account = account_of(&place.repo, plan, Source::Engine).unwrap();
    prop_assert!(account.balances(), "{:?}", account.unaccounted);
    Ok(())
}

/// The files that are contested, and what stands in the others, in any order.
fn settled<'f>(
    place: &Place,
    files: &'f [Versions],
    plan: &MergePlan,
) -> (BTreeSet<&'f str>, BTreeMap<&'f str, Counted>) {
    let (mut contested, mut settled) = (BTreeSet::new(), BTreeMap::new());
    for file in files {
        let names = names(file);
        let Some(name) = names.first().copied() else {
            continue;
        };
        if plan
            .displaced
            .iter()
            .any(|hunk| names.contains(hunk.file.as_str()))
        {
            contested.insert(name);
        } else {
            settled.insert(name, place.lines(plan.tree, &names));
        }
    }
    (contested, settled)
}

#[test]
fn random_trees_lose_nothing_keep_what_git_merges_and_come_to_the_same_in_either_order() {
    let place = Place::new();
    let seen = std::cell::RefCell::new(BTreeMap::<&str, usize>::new());
    let all = proptest::collection::vec((case(), shape()), FILES..=FILES);
    runner(TREES, FILES as u32)
        .run(&all, |cases| {
            let files = cases.iter().enumerate();
            let files = files.map(|(number, (case, shape))| versions(number, case, *shape));
            let files: Vec<Versions> = files.collect();
            let base = place.commit(&files, 0, None);
            let [ours, theirs] = [1, 2].map(|side| place.commit(&files, side, Some(base)));
            let planned = |ours, theirs| {
                let outcome = plan_commits(&place.repo, ours, theirs).unwrap();
                let plan = outcome.plan().cloned();
                plan.ok_or_else(|| TestCaseError::fail(format!("{outcome:#?}")))
            };
            let (plan, turned) = (planned(ours, theirs)?, planned(theirs, ours)?);
            check(&place, &files, &plan)?;
            check(&place, &files, &turned)?;
            let (contested, lines) = settled(&place, &files, &plan);
            let (contested_turned, lines_turned) = settled(&place, &files, &turned);
            prop_assert_eq!(&contested, &contested_turned);
            prop_assert_eq!(&lines, &lines_turned);
            let mut seen = seen.borrow_mut();
            *seen.entry("contested").or_default() += contested.len();
            *seen.entry("settled").or_default() += lines.len();
            *seen.entry("by rule").or_default() += plan.conflict_files.len();
            Ok(())
        })
        .unwrap();
    let seen = seen.into_inner();
    let count = |name: &str| seen.get(name).copied().unwrap_or(0);
    let of = count("contested") + count("settled");
    assert!(
        count("contested") > of / 10 && count("settled") > of / 10,
        "{seen:?}"
    );
    assert!(count("by rule") > of / 10, "{seen:?}");
}
