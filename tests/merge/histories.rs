//! Made-up histories in which branches collide the way agents' branches do: imports, changelogs,
//! appended functions, moved and renamed code, deletions against edits, files renamed twice.
//! Every merge is planned and checked; `write_history` writes one for tools outside of the tests.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use git2::{IndexEntry, IndexTime, Repository, Signature};
use grove::git::Oid;
use grove::merge::{
    Conclusion, Declared, MergeOutcome, MergeTrees, OnDisplaced, Source, account, execute,
    plan_commits,
};

use crate::support::{BRANCH, Sandbox, item};

type Files = BTreeMap<String, Vec<u8>>;

/// A small generator of numbers, so that a seed always makes the same history.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides.max(1)
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.roll(items.len())]
    }
}

const WORDS: [&str; 16] = [
    "order", "invoice", "ledger", "token", "user", "session", "queue", "batch", "report", "index",
    "cache", "route", "price", "stock", "event", "reply",
];

fn function(name: &str, dice: &mut Dice) -> Vec<String> {
    let (a, b) = (*dice.pick(&WORDS), *dice.pick(&WORDS));
    let limit = dice.roll(90) + 10;
    vec![
        format!("/// Handles the {a} of one {b}."),
        format!("pub fn {name}({a}: &str, {b}: usize) -> usize {{"),
        format!("    let limit = {limit};"),
        format!("    if {a}.len() > limit {{"),
        format!("        return {b} * 2;"),
        "    }".to_owned(),
        format!("    let sum_of_{name} = {a}.len() + {b};"),
        format!("    sum_of_{name}"),
        "}".to_owned(),
        String::new(),
    ]
}

fn module(number: usize, dice: &mut Dice) -> String {
    let mut lines = vec![
        format!("//! Module {number}."),
        String::new(),
        "use crate::alpha::Alpha;".to_owned(),
        "use crate::delta::Delta;".to_owned(),
        "use std::fmt;".to_owned(),
        String::new(),
    ];
    for n in 0..5 {
        let word = WORDS[(number + n) % WORDS.len()];
        lines.extend(function(&format!("{word}_{number}_{n}"), dice));
    }
    lines.join("\n") + "\n"
}

fn first_files(dice: &mut Dice) -> Files {
    let mut files = Files::new();
    for number in 0..8 {
        let folder = if number < 4 { "src" } else { "src/parts" };
        files.insert(
            format!("{folder}/m{number}.rs"),
            module(number, dice).into_bytes(),
        );
    }
    let texts = [
        (
            "CHANGELOG.md",
            "# Changelog\n\n## Unreleased\n\n- First entry.\n\n## 0.1.0\n\n- Start.\n",
        ),
        (
            "README.md",
            "# Things\n\nWhat it does.\n\n## Use\n\nRun it.\n\n- one\n- two\n\n## End\n",
        ),
        (
            "conf.toml",
            "[package]\nname = \"things\"\nversion = \"0.1.0\"\n\n[dependencies]\nalpha = \"1\"\ndelta = \"2\"\n",
        ),
        ("win.txt", "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\nsix\r\n"),
        ("open.txt", "alpha\nbeta\ngamma\ndelta"),
    ];
    for (path, text) in texts {
        files.insert(path.to_owned(), text.as_bytes().to_vec());
    }
    files.insert("logo.bin".to_owned(), b"\0\x01\x02logo".to_vec());
    files
}

/// One agent's changes to a tree.
struct Agent<'d> {
    files: Files,
    name: String,
    round: usize,
    dice: &'d mut Dice,
}

impl Agent<'_> {
    fn source(&mut self) -> Option<String> {
        let sources: Vec<String> = self
            .files
            .keys()
            .filter(|path| path.rsplit_once('.').is_some_and(|(_, end)| end == "rs"))
            .cloned()
            .collect();
        // Mostly the same few files, as branches of one day do.
        let reach = if self.dice.roll(3) == 0 {
            sources.len()
        } else {
            2
        };
        let start = self.round % sources.len().max(1);
        let at = (start + self.dice.roll(reach)) % sources.len().max(1);
        sources.get(at).cloned()
    }

    fn lines(&self, path: &str) -> Vec<String> {
        let text = String::from_utf8(self.files[path].clone()).unwrap();
        text.split('\n').map(str::to_owned).collect()
    }

    fn put(&mut self, path: &str, lines: &[String]) {
        self.files
            .insert(path.to_owned(), lines.join("\n").into_bytes());
    }

    /// Where the functions of a file begin and end (with the blank line after).
    fn functions(lines: &[String]) -> Vec<(usize, usize)> {
        let starts: Vec<usize> = (0..lines.len())
            .filter(|n| lines[*n].starts_with("/// "))
            .collect();
        starts
            .into_iter()
            .filter_map(|start| {
                let end = (start..lines.len()).find(|n| lines[*n] == "}")?;
                Some((start, (end + 2).min(lines.len())))
            })
            .collect()
    }

    fn act(&mut self) {
        match self.dice.roll(24) {
            0..=3 => self.import(),
            4..=7 => self.add_function(),
            8..=11 => self.edit_line(),
            12 | 13 => self.changelog(),
            14 => self.move_function_within(),
            15 => self.move_function_across(),
            16 => self.rename_file(),
            17 => self.delete_something(),
            18 => self.add_file(),
            19 => self.configure(),
            20 => self.reword_plain_text(),
            21 => self.reindent(),
            22 => self.rename_folder(),
            _ => self.document(),
        }
    }

    fn import(&mut self) {
        let Some(path) = self.source() else { return };
        let mut lines = self.lines(&path);
        let word = self.dice.pick(&WORDS).to_string();
        let uses: Vec<usize> = (0..lines.len())
            .filter(|n| lines[*n].starts_with("use "))
            .collect();
        let line = format!("use crate::{word}::{}{};", word.to_uppercase(), self.round);
        let at = match self.dice.roll(2) {
            0 => uses.iter().find(|n| lines[**n] > line).copied(),
            _ => None,
        };
        let at = at.or_else(|| uses.last().map(|n| n + 1)).unwrap_or(0);
        lines.insert(at, line);
        self.put(&path, &lines);
    }

    fn add_function(&mut self) {
        let Some(path) = self.source() else { return };
        let mut lines = self.lines(&path);
        let name = format!("{}_{}_{}", self.name, self.round, self.dice.roll(1000));
        let body = function(&name, self.dice);
        let places = Self::functions(&lines);
        let at = match (self.dice.roll(2), places.is_empty()) {
            (0, false) => self.dice.pick(&places).0,
            _ => lines.len().saturating_sub(1),
        };
        lines.splice(at..at, body);
        self.put(&path, &lines);
    }

    fn edit_line(&mut self) {
        let Some(path) = self.source() else { return };
        let mut lines = self.lines(&path);
        let candidates: Vec<usize> = (0..lines.len())
            .filter(|n| lines[*n].starts_with("    ") || lines[*n].starts_with("pub fn"))
            .collect();
        if candidates.is_empty() {
            return;
        }
        // Few distinct lines, so that both sides often take the same.
        let at = candidates[self.dice.roll(candidates.len().min(9))];
        let line = lines[at].clone();
        lines[at] = match self.dice.roll(5) {
            0 => line.replace("usize", "u64"),
            1 => line.replace("limit", &format!("limit_{}", self.name)),
            2 => format!("{line} // {} {}", self.name, self.round),
            3 => line.replace(" * 2", " * 3"),
            _ => format!("    work({}, {});", self.round, self.dice.roll(100)),
        };
        self.put(&path, &lines);
    }

    fn changelog(&mut self) {
        if !self.files.contains_key("CHANGELOG.md") {
            return;
        }
        let mut lines = self.lines("CHANGELOG.md");
        let at = lines
            .iter()
            .position(|line| line == "## Unreleased")
            .map_or(0, |n| n + 2);
        let text = format!(
            "- {} did {} in {}.",
            self.name,
            self.dice.pick(&WORDS),
            self.round
        );
        lines.insert(at.min(lines.len()), text);
        self.put("CHANGELOG.md", &lines);
    }

    fn move_function_within(&mut self) {
        let Some(path) = self.source() else { return };
        let mut lines = self.lines(&path);
        let places = Self::functions(&lines);
        if places.len() < 3 {
            return;
        }
        let (start, end) = places[self.dice.roll(places.len().min(3))];
        let body: Vec<String> = lines.drain(start..end).collect();
        let at = lines.len().saturating_sub(1);
        lines.splice(at..at, body);
        self.put(&path, &lines);
    }

    fn move_function_across(&mut self) {
        let (Some(from), Some(to)) = (self.source(), self.source()) else {
            return;
        };
        if from == to {
            return;
        }
        let mut lines = self.lines(&from);
        let places = Self::functions(&lines);
        if places.len() < 2 {
            return;
        }
        let (start, end) = places[self.dice.roll(places.len().min(3))];
        let body: Vec<String> = lines.drain(start..end).collect();
        self.put(&from, &lines);
        let mut other = self.lines(&to);
        let at = other.len().saturating_sub(1);
        other.splice(at..at, body);
        self.put(&to, &other);
    }

    fn rename_file(&mut self) {
        let Some(path) = self.source() else { return };
        let content = self.files.remove(&path).unwrap();
        let base = path.rsplit('/').next().unwrap();
        let new = match self.dice.roll(2) {
            0 => format!("moved/{base}"),
            _ => format!("src/{}_{base}", self.name),
        };
        self.files.insert(new, content);
    }

    fn rename_folder(&mut self) {
        let inside: Vec<String> = self
            .files
            .keys()
            .filter(|path| path.starts_with("src/parts/"))
            .cloned()
            .collect();
        if self.dice.roll(3) > 0 {
            return;
        }
        for path in inside {
            let content = self.files.remove(&path).unwrap();
            self.files
                .insert(path.replace("src/parts/", "moved/parts/"), content);
        }
    }

    fn delete_something(&mut self) {
        let Some(path) = self.source() else { return };
        if self.dice.roll(3) == 0 && self.files.len() > 8 {
            self.files.remove(&path);
            return;
        }
        let mut lines = self.lines(&path);
        let places = Self::functions(&lines);
        if places.len() < 2 {
            return;
        }
        let (start, end) = places[self.dice.roll(places.len().min(3))];
        lines.drain(start..end);
        self.put(&path, &lines);
    }

    fn add_file(&mut self) {
        let number = self.dice.roll(2);
        let path = format!("src/new_{}_{number}.rs", self.round);
        let body = function(&format!("{}_{}", self.name, self.round), self.dice);
        self.put(&path, &body);
    }

    fn configure(&mut self) {
        if !self.files.contains_key("conf.toml") {
            return;
        }
        let mut lines = self.lines("conf.toml");
        if self.dice.roll(2) == 0 {
            let word = self.dice.pick(&WORDS).to_string();
            let at = lines.len().saturating_sub(1);
            lines.insert(at, format!("{word} = \"{}\"", self.round));
        } else {
            for line in &mut lines {
                if line.starts_with("version") {
                    *line = format!("version = \"0.{}.{}\"", self.round, self.dice.roll(3));
                }
            }
        }
        self.put("conf.toml", &lines);
    }

    fn reword_plain_text(&mut self) {
        let path = *self.dice.pick(&["win.txt", "open.txt", "logo.bin"]);
        let Some(content) = self.files.get(path).cloned() else {
            return;
        };
        if path == "logo.bin" {
            self.files.insert(
                path.to_owned(),
                [content, vec![self.dice.roll(200) as u8]].concat(),
            );
            return;
        }
        if self.dice.roll(6) == 0 {
            // The other platform's line ends, throughout.
            let text = String::from_utf8(content).unwrap();
            let lf = text.replace("\r\n", "\n");
            let turned = if lf == text {
                lf.replace('\n', "\r\n")
            } else {
                lf
            };
            self.files.insert(path.to_owned(), turned.into_bytes());
            return;
        }
        let mut lines = self.lines(path);
        let at = self.dice.roll(lines.len());
        let end = if lines[at].ends_with('\r') { "\r" } else { "" };
        lines[at] = format!("{} {}{end}", self.name, self.round);
        self.put(path, &lines);
    }

    fn reindent(&mut self) {
        let Some(path) = self.source() else { return };
        let mut lines = self.lines(&path);
        let places = Self::functions(&lines);
        if places.is_empty() {
            return;
        }
        let (start, end) = places[self.dice.roll(places.len().min(3))];
        for line in &mut lines[start + 1..end] {
            if line.starts_with("    ") {
                *line = format!("    {line}");
            }
        }
        self.put(&path, &lines);
    }

    fn document(&mut self) {
        if !self.files.contains_key("README.md") {
            return;
        }
        let mut lines = self.lines("README.md");
        let at = lines.iter().position(|line| line == "## End").unwrap_or(0);
        let text = [
            format!("## About {} {}", self.dice.pick(&WORDS), self.name),
            String::new(),
            format!("Text of {} in round {}.", self.name, self.round),
            String::new(),
        ];
        lines.splice(at..at, text);
        self.put("README.md", &lines);
    }
}

/// Writes one tree.
fn write_tree(repo: &Repository, files: &Files) -> Oid {
    let mut index = git2::Index::new().unwrap();
    for (path, content) in files {
        index
            .add(&IndexEntry {
                ctime: IndexTime::new(0, 0),
                mtime: IndexTime::new(0, 0),
                dev: 0,
                ino: 0,
                mode: 0o100_644,
                uid: 0,
                gid: 0,
                file_size: 0,
                id: repo.blob(content).unwrap(),
                flags: 0,
                flags_extended: 0,
                path: path.clone().into_bytes(),
            })
            .unwrap();
    }
    index.write_tree_to(repo).unwrap()
}

fn files_of(repo: &Repository, tree: Oid) -> Files {
    let mut files = Files::new();
    repo.find_tree(tree)
        .unwrap()
        .walk(git2::TreeWalkMode::PreOrder, |folder, entry| {
            if let Ok(blob) = entry.to_object(repo).unwrap().into_blob() {
                let name = String::from_utf8_lossy(entry.name_bytes()).into_owned();
                files.insert(format!("{folder}{name}"), blob.content().to_vec());
            }
            git2::TreeWalkResult::Ok
        })
        .unwrap();
    files
}

/// Makes a history of `count` two-parent merges on `main`; returns the parents of each.
fn make_history(repo: &Repository, seed: u64, count: usize) -> Vec<[Oid; 2]> {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let who = Signature::new("t", "t@example.org", &git2::Time::new(1, 0)).unwrap();
    let commit = |files: &Files, parents: &[Oid], message: &str| -> Oid {
        let tree = repo.find_tree(write_tree(repo, files)).unwrap();
        let parents: Vec<_> = parents
            .iter()
            .map(|id| repo.find_commit(*id).unwrap())
            .collect();
        let parents: Vec<_> = parents.iter().collect();
        repo.commit(None, &who, &who, message, &tree, &parents)
            .unwrap()
    };
    let mut files = first_files(&mut dice);
    let mut main = commit(&files, &[], "start");
    let mut merges = Vec::new();
    for round in 0..count {
        // Every few rounds the files are as in the beginning: a history must not run dry.
        if round % 12 == 11 {
            files = first_files(&mut dice);
            main = commit(&files, &[main], "start anew");
        }
        let side = |name: &str, files: &Files, dice: &mut Dice| {
            let mut agent = Agent {
                files: files.clone(),
                name: name.to_owned(),
                round,
                dice,
            };
            for _ in 0..=agent.dice.roll(9) {
                agent.act();
            }
            agent.files
        };
        let (ann, bob) = (
            side("ann", &files, &mut dice),
            side("bob", &files, &mut dice),
        );
        let mut ours = commit(&ann, &[main], "work of ann");
        let mut theirs = commit(&bob, &[main], "work of bob");
        merges.push([ours, theirs]);
        // Now and then both merge the other's work, each in its own way, and go on: a criss-cross, whose
        // two ancestors contradict each other where the first merge did.
        if round % 5 == 3 {
            let crossed = [[ours, theirs], [theirs, ours]].map(|[first, second]| {
                let tree = files_of(repo, union_tree(repo, first, second));
                (commit(&tree, &[first, second], "cross"), tree)
            });
            let [(one, ann), (two, bob)] = crossed;
            let (ann, bob) = (side("ann", &ann, &mut dice), side("bob", &bob, &mut dice));
            ours = commit(&ann, &[one], "more of ann");
            theirs = commit(&bob, &[two], "more of bob");
            merges.push([ours, theirs]);
        }
        let tree = union_tree(repo, ours, theirs);
        files = files_of(repo, tree);
        main = commit(&files, &[ours, theirs], "merge");
    }
    repo.reference("refs/heads/main", main, true, "history")
        .unwrap();
    merges
}

/// What stands for the merge that people made: git's, with both sides where they collide.
fn union_tree(repo: &Repository, ours: Oid, theirs: Oid) -> Oid {
    let (ours, theirs) = (
        repo.find_commit(ours).unwrap(),
        repo.find_commit(theirs).unwrap(),
    );
    let mut options = git2::MergeOptions::new();
    options.file_favor(git2::FileFavor::Union);
    let mut index = repo.merge_commits(&ours, &theirs, Some(&options)).unwrap();
    index.write_tree_to(repo).unwrap_or(ours.tree_id())
}

/// `GROVE_HISTORY=DIR [GROVE_HISTORY_SEED=N] [GROVE_HISTORY_MERGES=N] cargo test --test merge
/// write_history -- --ignored` writes a bare repository for a replay from outside.
#[test]
#[ignore = "writes a repository where GROVE_HISTORY says"]
fn write_history() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
    };
    let Ok(dir) = std::env::var("GROVE_HISTORY") else {
        return;
    };
    let repo = Repository::init_bare(Path::new(&dir)).unwrap();
    repo.set_head("refs/heads/main").unwrap();
    make_history(
        &repo,
        number("GROVE_HISTORY_SEED", 1),
        number("GROVE_HISTORY_MERGES", 300) as usize,
    );
}

#[test]
fn made_up_histories_merge_without_losing_a_line() {
    let sandbox = Sandbox::new(&[("x", "x\n")]);
    let repo = sandbox.repo();
    let raw = Repository::open(sandbox.root()).unwrap();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for [ours, theirs] in make_history(&raw, 42, 60) {
        let outcome = plan_commits(&repo, ours, theirs).unwrap();
        let name = match &outcome {
            MergeOutcome::Clean(_) => "clean",
            MergeOutcome::Resolved(_) => "resolved",
            MergeOutcome::ContentDisplaced(_) => "displaced",
            MergeOutcome::Failed(_) => "failed",
        };
        *seen.entry(name).or_default() += 1;
        let Some(plan) = outcome.plan() else { continue };
        let checked = account(
            &repo,
            MergeTrees {
                base: plan.base_tree,
                ours: repo.tree_of(ours).unwrap(),
                theirs: repo.tree_of(theirs).unwrap(),
                result: plan.tree,
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
        .unwrap();
        assert!(
            checked.balances(),
            "{ours} {theirs}: {:?}\n{outcome:#?}",
            checked.unaccounted
        );
    }
    for name in ["clean", "resolved", "displaced"] {
        assert!(seen.get(name).copied().unwrap_or(0) >= 5, "{seen:?}");
    }
    assert_eq!(seen.get("failed"), None, "{seen:?}");
}

/// Non-blank lines of all files, how often each.
fn all_lines(files: &Files) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for content in files.values().filter(|content| !content.contains(&0)) {
        for line in String::from_utf8_lossy(content).lines() {
            if !line.trim().is_empty() {
                *counts.entry(line.trim().to_owned()).or_default() += 1;
            }
        }
    }
    counts
}

/// The whole way, from the queue's end to the moved branch, checked against git and by counting lines
/// without any of the code that merges.
#[test]
fn made_up_histories_land_as_git_would_have_it_and_lose_no_line() {
    let sandbox = Sandbox::new(&[("x", "x\n")]);
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    let raw = Repository::open(sandbox.root()).unwrap();
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let (mut clean, mut settled, mut crossed) = (0, 0, 0);
    for [ours, theirs] in make_history(&raw, 7, 24) {
        for (branch, tip) in [("main", ours), (BRANCH, theirs)] {
            raw.reference(&format!("refs/heads/{branch}"), tip, true, "test")
                .unwrap();
        }
        let by_git = std::process::Command::new("git")
            .current_dir(sandbox.root())
            .args([
                "merge-tree",
                "--write-tree",
                "--no-messages",
                "main",
                BRANCH,
            ])
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        let report = execute(&context, &item(BRANCH), &mut |_| {}).unwrap();
        if report.conclusion == Conclusion::AlreadyMerged {
            continue;
        }
        assert_eq!(
            report.conclusion,
            Conclusion::Landed,
            "{ours} {theirs}: {report:#?}"
        );
        let result = Oid::from_str(&sandbox.tip("main^{tree}")).unwrap();
        let bases = raw.merge_bases(ours, theirs).unwrap();
        crossed += usize::from(bases.len() > 1);
        if by_git.status.success() {
            let tree = String::from_utf8(by_git.stdout).unwrap();
            assert_eq!(result.to_string(), tree.trim(), "{ours} {theirs}");
            clean += 1;
        } else {
            settled += 1;
        }
        let tree_of = |commit: Oid| files_of(&raw, raw.find_commit(commit).unwrap().tree_id());
        // In a criss-cross a line of any ancestor may have been deleted on purpose.
        let mut base: HashMap<String, usize> = HashMap::new();
        for ancestor in bases.iter() {
            for (line, count) in all_lines(&tree_of(*ancestor)) {
                let known = base.entry(line).or_default();
                *known = (*known).max(count);
            }
        }
        let result = all_lines(&files_of(&raw, result));
        let mut declared: HashSet<String> = HashSet::new();
        let texts = report.displaced.iter().map(|hunk| &hunk.text);
        for text in texts.chain(report.woven.iter().flat_map(|woven| &woven.lines)) {
            declared.extend(text.lines().map(|line| line.trim().to_owned()));
        }
        for side in [ours, theirs] {
            for (line, count) in all_lines(&tree_of(side)) {
                let is_added = count > base.get(&line).copied().unwrap_or(0);
                assert!(
                    !is_added || result.contains_key(&line) || declared.contains(&line),
                    "{line:?} of {side} is lost: {ours} {theirs}"
                );
            }
        }
        assert!(!result.keys().any(|line| line.starts_with("<<<<<<<")));
    }
    assert!(
        clean >= 5 && settled >= 5 && crossed >= 3,
        "{clean} {settled} {crossed}"
    );
}
