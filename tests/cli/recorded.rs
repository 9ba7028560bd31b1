//! Projects whose `.overstory/` is one of the recorded states, written by the other orchestrator.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::TestProject;

/// Commands that only read, in both forms where they have two.
pub(crate) const READING: &[&[&str]] = &[
    &["status"],
    &["status", "--all", "--verbose"],
    &["mail", "list"],
    &["run"],
    &["run", "list"],
    &["run", "show", "run-1"],
    &["group", "list"],
    &["costs"],
    &["costs", "--by-capability"],
    &["costs", "--live"],
    &["metrics"],
    &["trace", "builder-login"],
    &["trace", "demo-c3d4"],
    &["errors"],
    &["errors", "--agent", "builder-login"],
    &["replay"],
    &["feed", "--since", "2001-01-01T00:00:00Z"],
    &["inspect", "builder-login"],
    &["logs"],
    &["agents", "discover", "--all"],
    &["worktree", "list"],
    &["doctor"],
];

/// A repository with a recorded state in it.
pub(crate) fn project(scenario: &str) -> TestProject {
    let project = TestProject::new();
    let state = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/contract/golden")
        .join(scenario)
        .join("state");
    copy(&state, &project.overstory(""));
    project
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Every file below `.overstory/` with its bytes.
pub(crate) fn files(project: &TestProject) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    collect(&project.overstory(""), "", &mut found);
    found
}

fn collect(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{name}/"), found);
        } else {
            found.insert(name, fs::read(entry.path()).unwrap());
        }
    }
}
