//! Every list of cases of the whole program, asked of this crate alone: a worktree without a repository is
//! enough for them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on should say where"
)]

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use shared::{Case, ask};

mod shared;

/// A project with a worktree in it, removed in the end.
struct Place {
    base: PathBuf,
    root: PathBuf,
    worktree: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let base = std::env::temp_dir().join(format!("grove-guard-{name}-{}", std::process::id()));
        let root = base.join("repo");
        let worktree = root.join(".overstory/worktrees/ada");
        std::fs::create_dir_all(&worktree).unwrap();
        std::fs::create_dir_all(root.join("src")).unwrap();
        Self {
            base,
            root,
            worktree,
        }
    }

    fn ask(&self, capability: &str, tool: &str, input: &Value) -> (String, String) {
        ask((&self.root, &self.worktree), capability, tool, input)
    }

    fn wrong(&self, list: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        for line in list.lines().filter(|line| !line.trim().is_empty()) {
            let Some(case) = Case::of(line) else {
                continue;
            };
            let Some(expect) = &case.expect else {
                continue;
            };
            let (capability, tool, input) = (&case.capability, &case.tool, &case.input);
            let (decision, reason) = self.ask(capability, tool, input);
            if decision != *expect {
                wrong.push(format!(
                    "{capability} {decision}: {tool} {input} ({reason})"
                ));
            }
        }
        wrong
    }

    /// Asserts what a builder is told about each of these commands.
    #[cfg(unix)]
    fn answers(&self, cases: &[(&str, &str)]) {
        let mut wrong = Vec::new();
        for (expected, command) in cases {
            let (decision, reason) = self.ask("builder", "Bash", &json!({"command": command}));
            if decision != *expected {
                wrong.push(format!("{decision}: {command} ({reason})"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.base));
    }
}

#[test]
fn every_list_of_cases_is_answered_as_expected() {
    let place = Place::new("lists");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/guard");
    let mut wrong = Vec::new();
    let mut lists = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "jsonl") {
            let list = std::fs::read_to_string(&path).unwrap();
            lists += 1;
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // Its cases are about links that there are not here.
            if name == "linked.jsonl" {
                continue;
            }
            wrong.extend(
                place
                    .wrong(&list)
                    .into_iter()
                    .map(|line| format!("{name}: {line}")),
            );
        }
    }
    assert!(lists > 5);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(unix)]
#[test]
fn a_link_that_exists_is_followed_by_modules_programs_and_renames() {
    let place = Place::new("links");
    std::os::unix::fs::symlink(&place.root, place.worktree.join("outlink")).unwrap();
    place.answers(&[
        ("block", "python3 -m venv --without-pip outlink/v"),
        (
            "block",
            "python3 -c \"import os; os.rename('outlink','z'); open('z/x','w')\"",
        ),
        (
            "block",
            "python3 -c \"import shutil; shutil.move('outlink','z'); open('z/x','w')\"",
        ),
        ("block", "some-generator outlink/v"),
        ("allow", "python3 -m venv out/v"),
        ("allow", "some-generator out/v"),
        (
            "allow",
            "python3 -c \"import os; os.rename('a','z'); open('z','w')\"",
        ),
    ]);
}

#[cfg(unix)]
#[test]
fn a_pattern_of_folders_is_entered_and_left_as_what_it_finds() {
    let place = Place::new("patterns");
    for folder in ["crates/a", "crates/b", "web", "mixed/a", "links"] {
        std::fs::create_dir_all(place.worktree.join(folder)).unwrap();
    }
    std::fs::write(place.worktree.join("mixed/file"), "").unwrap();
    std::fs::write(place.worktree.join("taken"), "").unwrap();
    std::os::unix::fs::symlink(&place.root, place.worktree.join("links/out")).unwrap();
    place.answers(&[
        (
            "allow",
            "for d in crates/*; do pushd \"$d\"; touch x; popd; done; rm -rf y",
        ),
        (
            "allow",
            "for d in crates/*/; do cd \"$d\"; touch x; cd -; done",
        ),
        (
            "allow",
            "for d in crates/*; do cd \"$d\" && touch x && cd ../..; done; rm -rf y",
        ),
        (
            "allow",
            "for d in crates/*; do cd \"$d\"; touch x; cd ../..; done; rm -rf y",
        ),
        (
            "allow",
            "for d in mixed/*/; do cd \"$d\"; touch x; cd ../..; done",
        ),
        (
            "allow",
            "mkdir -p web && cd web && touch y; cd ..; rm -rf x",
        ),
        (
            "block",
            "for d in mixed/*; do cd \"$d\"; touch x; cd ../..; done",
        ),
        (
            "block",
            "for d in none/*; do cd \"$d\"; touch x; cd ../..; done",
        ),
        (
            "block",
            "for d in crates/*; do cd \"$d\"; touch x; cd ../../..; done; rm -rf y",
        ),
        (
            "block",
            "touch crates/c; for d in crates/*; do cd \"$d\"; cd ../..; touch x; done",
        ),
        (
            "block",
            "for d in links/*; do cd \"$d\"; touch x; cd -; done",
        ),
        (
            "block",
            "for d in links/*; do pushd \"$d\"; touch x; popd; done",
        ),
        (
            "block",
            "for d in links/*; do cd \"$d\" && touch x && cd ../..; done",
        ),
        ("block", "mkdir -p taken && cd taken; cd ..; rm -rf x"),
        ("block", "mkdir web && cd web; cd ..; rm -rf x"),
    ]);
}

#[cfg(unix)]
#[test]
fn a_link_that_git_lists_is_written_through_only_inside() {
    let place = Place::new("tracked");
    let listed = [
        "git ls-files | xargs sed -i s/a/b/",
        "for f in $(git ls-files); do echo x > \"$f\"; done",
        "git ls-files | while read -r f; do echo x > \"$f\"; done",
        "git diff --name-only | xargs touch",
        "git ls-tree --name-only HEAD | xargs touch",
    ];
    let ask = |command: &str| place.ask("builder", "Bash", &json!({"command": command})).0;
    std::os::unix::fs::symlink("src", place.worktree.join("inside")).unwrap();
    for command in listed {
        assert_eq!(ask(command), "allow", "{command}");
    }
    std::os::unix::fs::symlink(&place.root, place.worktree.join("outside")).unwrap();
    for command in listed {
        assert_eq!(ask(command), "block", "{command}");
    }
    for command in [
        "git ls-files | xargs rm",
        "git ls-files | xargs wc -l",
        "git grep -l foo | xargs sed -i s/a/b/",
    ] {
        assert_eq!(ask(command), "allow", "{command}");
    }
}

/// A home may be anywhere; what lies in it tells.
#[test]
fn a_search_through_a_home_is_refused_wherever_the_home_is() {
    let place = Place::new("home");
    let home = place.base.join("somebody");
    std::fs::create_dir_all(home.join(".ssh")).unwrap();
    std::fs::create_dir_all(place.base.join("plain")).unwrap();
    let mut wrong = Vec::new();
    for (expected, folder) in [("block", &home), ("allow", &place.base.join("plain"))] {
        let input = json!({"pattern": "KEY", "path": folder});
        let (decision, reason) = place.ask("builder", "Grep", &input);
        if decision != expected {
            wrong.push(format!("{decision}: {input} ({reason})"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
