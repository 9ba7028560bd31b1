//! A worktree that is reached through a linked folder above the project: the answers are those of its plain path.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where"
)]

use std::path::{Path, PathBuf};

use serde_json::Value;
use shared::{Case, ask};

mod shared;

/// One in so many cases is asked about, by its text; the lists that are about files and links as a whole.
const ONE_IN: u64 = 3;
const WHOLE: &[&str] = &[
    "links_made.jsonl",
    "linked.jsonl",
    "changed_files.jsonl",
    "cases.jsonl",
];

/// A project by its plain path and by one through a link, removed in the end.
struct Place {
    base: PathBuf,
}

impl Place {
    fn new() -> Self {
        // Below the machine's temporary folder, where other paths are refused for being shared.
        let base = Path::new("/tmp").join(format!("grove-guard-parents-{}", std::process::id()));
        let project = base.join("real/project");
        std::fs::create_dir_all(project.join(".overstory/worktrees/ada")).unwrap();
        std::fs::create_dir_all(project.join("src")).unwrap();
        // A link next to the project would be found by patterns of one spelling alone.
        std::fs::create_dir_all(base.join("via")).unwrap();
        std::os::unix::fs::symlink(base.join("real"), base.join("via/link")).unwrap();
        Self { base }
    }

    fn ask(&self, parent: &str, capability: &str, tool: &str, input: &Value) -> String {
        let root = self.base.join(parent).join("project");
        let worktree = root.join(".overstory/worktrees/ada");
        let (decision, reason) = ask((&root, &worktree), capability, tool, input);
        format!("{decision} ({reason})")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.base));
    }
}

/// The same in every run: FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[test]
fn the_answer_does_not_depend_on_a_link_above_the_project() {
    let place = Place::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/guard");
    let mut differing = Vec::new();
    let mut asked = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let list = std::fs::read_to_string(&path).unwrap();
        for line in list.lines().filter(|line| !line.trim().is_empty()) {
            if !WHOLE.contains(&name.as_str()) && !hash(line).is_multiple_of(ONE_IN) {
                continue;
            }
            let Some(case) = Case::of(line).filter(|case| case.expect.is_some()) else {
                continue;
            };
            let (capability, tool, input) = (&case.capability, &case.tool, &case.input);
            asked += 1;
            let plain = place.ask("real", capability, tool, input);
            let linked = place.ask("via/link", capability, tool, input);
            let decision = |answer: &str| answer.split(' ').next().map(str::to_owned);
            if decision(&plain) != decision(&linked) {
                differing.push(format!(
                    "{name}: {capability} {tool} {input}\n    plain: {plain}\n    linked: {linked}"
                ));
            }
        }
    }
    assert!(asked > 3_000, "only {asked} cases");
    assert!(
        differing.is_empty(),
        "{} of {asked}:\n{}",
        differing.len(),
        differing.join("\n")
    );
}
