//! Repositories that are laid out in another way than most: where the project is, what is refused and
//! with which words.

use crate::support::{Finished, SHORT, TestProject, wait_until};
use std::path::Path;

fn grove_in(project: &TestProject, dir: &Path, args: &[&str]) -> Finished {
    let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
    let output = command.args(args).current_dir(dir).output().unwrap();
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Starts a scripted agent that commits a file, merges its branch, and looks at the result.
fn an_agents_work_lands(project: &TestProject, root: &Path) {
    let script = project.script(
        "ann",
        "steps:\n\
         - run: \"echo done > by-ann.txt && git add -A && git commit -q -m Work\"\n\
         - done: \"ready\"\n",
    );
    let sling = [
        "sling",
        "t-1",
        "--name",
        "ann",
        "--runtime",
        "script",
        "--spec",
        &script,
    ];
    let slung = grove_in(project, root, &sling);
    assert_eq!(slung.code, Some(0), "{slung:#?}");
    assert!(root.join(".overstory/worktrees/ann").is_dir());
    wait_until(
        "the agent ends",
        SHORT,
        || {
            let status = grove_in(project, root, &["agents", "discover", "--all", "--json"]);
            status
                .stdout
                .contains("\"state\":\"completed\"")
                .then_some(())
        },
        || format!("{:#?}", grove_in(project, root, &["status"])),
    );
    let merged = grove_in(project, root, &["merge", "--branch", "overstory/ann/t-1"]);
    assert_eq!(merged.code, Some(0), "{merged:#?}");
    let landed = std::fs::read_to_string(root.join("by-ann.txt")).unwrap_or_default();
    assert_eq!(landed, "done\n", "{merged:#?}");
    assert_eq!(project.git_in(root, &["status", "--porcelain", "-uno"]), "");
    let cleaned = grove_in(project, root, &["worktree", "clean", "--completed"]);
    assert_eq!(cleaned.code, Some(0), "{cleaned:#?}");
    assert!(
        !root.join(".overstory/worktrees/ann").exists(),
        "{cleaned:#?}"
    );
    // From a folder inside, the same project is found.
    std::fs::create_dir(root.join("inside")).unwrap();
    let inside = grove_in(project, &root.join("inside"), &["status", "--json"]);
    assert_eq!(inside.code, Some(0), "{inside:#?}");
}

#[test]
fn a_git_directory_elsewhere_does_not_move_the_project_there() {
    let project = TestProject::bare_folder();
    let root = project.root().join("work");
    std::fs::create_dir_all(project.root().join("gits")).unwrap();
    project.git(&[
        "init",
        "-q",
        "-b",
        "main",
        "--separate-git-dir",
        "gits/g",
        "work",
    ]);
    std::fs::write(root.join("a"), "a").unwrap();
    project.git_in(&root, &["add", "a"]);
    project.git_in(&root, &["commit", "-q", "-m", "a"]);
    let done = grove_in(&project, &root, &["init"]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert!(done.stdout.contains("work is ready"), "{done:#?}");
    assert!(root.join(".overstory/config.yaml").is_file());
    assert!(!project.root().join("gits/.overstory").exists());
    an_agents_work_lands(&project, &root);
}

#[test]
fn a_submodule_is_a_project_of_its_own() {
    let project = TestProject::new();
    let library = project.root().join("../library");
    std::fs::create_dir(&library).unwrap();
    project.git_in(&library, &["init", "-q", "-b", "main"]);
    std::fs::write(library.join("a"), "a").unwrap();
    project.git_in(&library, &["add", "a"]);
    project.git_in(&library, &["commit", "-q", "-m", "a"]);
    project.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        "../library",
        "lib",
    ]);
    let root = project.root().join("lib");
    let done = grove_in(&project, &root, &["init"]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert!(root.join(".overstory/config.yaml").is_file());
    an_agents_work_lands(&project, &root);
}

#[test]
fn files_that_are_said_to_be_where_no_repository_is_are_named_with_what_to_do() {
    let project = TestProject::initialised();
    project.git(&["branch", "overstory/ann/t-1"]);
    let other = project.beside().join("files");
    std::fs::create_dir_all(&other).unwrap();
    project.git(&["config", "core.worktree", other.to_str().unwrap()]);
    let done = project.grove(&["merge", "--branch", "overstory/ann/t-1"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(done.stderr.contains("core.worktree"), "{done:#?}");
    assert!(done.stderr.contains("--unset core.worktree"), "{done:#?}");
}

#[test]
fn a_worktree_of_a_bare_repository_is_a_project() {
    let project = TestProject::new();
    let beside = project.beside();
    project.git(&[
        "clone",
        "-q",
        "--bare",
        ".",
        beside.join(".bare").to_str().unwrap(),
    ]);
    let root = beside.join("main");
    project.git_in(
        &beside.join(".bare"),
        &["worktree", "add", "-q", "../main", "main"],
    );
    let done = grove_in(&project, &root, &["init"]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert!(root.join(".overstory/config.yaml").is_file());
    an_agents_work_lands(&project, &root);
}

#[test]
fn formats_that_cannot_be_read_are_named_with_a_way_out() {
    for (format, words, next) in [
        (
            "--object-format=sha256",
            "object format sha256",
            "--object-format=sha1",
        ),
        (
            "--ref-format=reftable",
            "ref format reftable",
            "git refs migrate",
        ),
    ] {
        let project = TestProject::bare_folder();
        let mut made = project.command("git");
        made.args(["init", "-q", "-b", "main", format]);
        if !made.status().unwrap().success() {
            eprintln!("this git does not know {format}: nothing to try");
            continue;
        }
        project.git(&["commit", "-q", "--allow-empty", "-m", "Begin"]);
        let init = project.grove(&["init"]);
        assert_eq!(init.code, Some(1), "{init:#?}");
        assert!(!project.overstory("config.yaml").exists());
        assert!(init.stderr.contains("next: "), "{init:#?}");
        assert!(
            !init.stderr.contains("not in a git repository"),
            "{init:#?}"
        );
        // A project of the other program may be in such a repository.
        let other = TestProject::initialised();
        project.write(
            ".overstory/config.yaml",
            &other.read(".overstory/config.yaml"),
        );
        project.write(
            ".overstory/agent-manifest.json",
            &other.read(".overstory/agent-manifest.json"),
        );
        for args in [
            &["init", "--force"][..],
            &["sling", "t-1", "--skip-task-check"],
            &["merge", "--branch", "main"],
            &["doctor", "--category", "config"],
            &["clean", "--worktrees"],
        ] {
            let done = project.grove(args);
            let said = format!("{}{}", done.stdout, done.stderr);
            // What could not be cleaned is told and is no failure.
            assert!(
                args[0] == "clean" || done.code != Some(0),
                "{args:?} {done:#?}"
            );
            assert!(
                said.contains(words) && said.contains(next),
                "{args:?} {done:#?}"
            );
        }
    }
}
