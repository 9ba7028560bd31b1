//! Projects at paths, and words, that are no UTF-8: refused in one line before anything is written.
#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::support::{Finished, GROVE, TestProject};

fn grove_in(project: &TestProject, folder: &Path, args: &[&OsStr]) -> Finished {
    let output = project
        .command(GROVE)
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(names(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

/// The repository, moved to where its path is no text.
fn moved(project: &TestProject) -> Option<PathBuf> {
    let odd = project.beside().join(OsStr::from_bytes(b"n\xff\xfeu"));
    // Some file systems take text alone.
    std::fs::rename(project.root(), &odd).ok()?;
    Some(odd)
}

#[test]
fn a_project_whose_path_is_not_utf_8_is_refused_by_every_command() {
    let project = TestProject::initialised();
    let Some(odd) = moved(&project) else { return };
    let before = names(&odd);
    let commands = [
        "spec write a --body x --json",
        "spec write a --body x",
        "init -y --json",
        "update",
        "sling t-2 --name b2 --skip-task-check --runtime script",
        "worktree clean --all --json",
        "watch --background",
        "coordinator start --no-attach",
        "merge --branch b --dry-run",
        "redact",
        "status --json",
        "mail list",
        "log session-end --agent a",
    ];
    for command in commands {
        let words: Vec<&OsStr> = command.split(' ').map(OsStr::new).collect();
        let done = grove_in(&project, &odd, &words);
        assert_eq!(done.code, Some(1), "{command}: {done:#?}");
        let said = format!("{}{}", done.stdout, done.stderr);
        assert!(said.contains("is not UTF-8"), "{command}: {done:#?}");
        assert!(said.contains("rename the folder"), "{command}: {done:#?}");
        assert!(!said.contains("panicked"), "{command}: {done:#?}");
        assert_eq!(names(&odd), before, "{command}");
    }
    let project = TestProject::new();
    let Some(odd) = moved(&project) else { return };
    let before = names(&odd);
    for args in [&["init", "-y", "--json"][..], &["init"]] {
        let words: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let done = grove_in(&project, &odd, &words);
        assert_eq!(done.code, Some(1), "{done:#?}");
        assert_eq!(names(&odd), before, "{done:#?}");
    }
}

#[test]
fn an_argument_that_is_not_utf_8_is_named() {
    let project = TestProject::initialised();
    let word = OsStr::from_bytes(b"b\xff");
    let done = grove_in(&project, &project.root(), &[OsStr::new("inspect"), word]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(
        done.stderr.contains("argument 2 is not UTF-8: b\u{fffd}"),
        "{done:#?}"
    );
    let args = ["log", "session-end", "--agent", "a", "--transcript"].map(OsStr::new);
    let done = grove_in(&project, &project.root(), &[&args[..], &[word]].concat());
    assert!(!done.stderr.contains("panicked"), "{done:#?}");
    assert_eq!(done.code, Some(0), "{done:#?}");
}

/// The branch of a session is written down as text.
#[test]
fn a_branch_whose_name_is_not_utf_8_is_named_and_nothing_is_queued_or_merged() {
    let project = TestProject::initialised();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    project.git(&["checkout", "-q", "-b", "overstory/ann/t-1"]);
    project.write("new", "new\n");
    project.git(&["add", "new"]);
    project.git(&["commit", "-q", "-m", "Work"]);
    let odd = project
        .command("git")
        .args(["checkout", "-q", "-b"])
        .arg(OsStr::from_bytes(b"overstory/b\xffb/t-2"))
        .arg("main")
        .status();
    assert!(odd.unwrap().success());
    project.grove_ok(&["prime"]);
    let refs = project.git(&["for-each-ref", "refs/heads", "refs/grove"]);
    for args in [
        &["merge", "--branch", "overstory/ann/t-1"][..],
        &["conflicts"],
        &["pr", "overstory/ann/t-1", "--dry-run"],
    ] {
        let done = project.grove(args);
        assert_eq!(done.code, Some(1), "{args:?}: {done:#?}");
        assert!(
            done.stderr.contains("overstory/b\u{fffd}b/t-2"),
            "{done:#?}"
        );
        let next = "names that are not UTF-8 cannot be used here, rename that branch";
        assert!(done.stderr.contains(next), "{args:?}: {done:#?}");
        assert_eq!(done.stderr.lines().count(), 1, "{done:#?}");
    }
    assert_eq!(
        project.git(&["for-each-ref", "refs/heads", "refs/grove"]),
        refs
    );
    let listed = project.grove_ok(&["merge", "list"]);
    assert!(
        listed.contains("No branch has been in the merge queue"),
        "{listed}"
    );
    let looked = ["merge", "--branch", "overstory/ann/t-1", "--dry-run"];
    let looked = project.grove(&looked);
    assert!(
        looked.stdout.contains("names that are not UTF-8"),
        "{looked:#?}"
    );
    let merged = project.grove_ok(&["merge", "--branch", "overstory/ann/t-1", "--into", "main"]);
    assert!(merged.contains("Merged"), "{merged}");
}
