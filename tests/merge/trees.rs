//! Agents' worktrees: made all or nothing, removed without losing anything.

use crate::support::{BRANCH, Sandbox, text};
use grove::git::Repo;
use grove::worktree::{
    Removal, WorktreeError, agent_worktrees, create, delete_branch, remove, salvage,
};

fn with_worktree() -> (Sandbox, std::path::PathBuf) {
    let sandbox = Sandbox::new(&[("a", "a\n"), (".gitignore", "ignored\n.overstory\n")]);
    let path = sandbox.root().join(".overstory/worktrees/ann");
    let created = create(&sandbox.repo(), &path, BRANCH, "main").unwrap();
    assert_eq!(created.base.to_string(), sandbox.tip("main"));
    (sandbox, path)
}

#[test]
fn a_worktree_is_created_and_listed() {
    let (sandbox, path) = with_worktree();
    assert_eq!(std::fs::read_to_string(path.join("a")).unwrap(), "a\n");
    let list = agent_worktrees(&sandbox.repo()).unwrap();
    let [ann] = list.as_slice() else {
        panic!("{list:?}")
    };
    assert_eq!(
        (ann.agent.as_str(), ann.task.as_str(), ann.missing),
        ("ann", "t-1", false)
    );
    assert_eq!(ann.head, sandbox.tip("main"));
}

#[test]
fn a_failed_creation_leaves_nothing() {
    let (sandbox, path) = with_worktree();
    let before = sandbox.state();
    let again = create(&sandbox.repo(), &path, "overstory/bob/t-2", "main");
    assert!(matches!(again, Err(WorktreeError::PathExists { .. })));
    let other = sandbox.root().join(".overstory/worktrees/bob");
    let taken = create(&sandbox.repo(), &other, BRANCH, "main");
    assert!(matches!(taken, Err(WorktreeError::BranchExists { .. })));
    // A ref of this name cannot exist beside `overstory/ann/t-1`: git itself fails here.
    let nested = create(&sandbox.repo(), &other, &format!("{BRANCH}/more"), "main");
    assert!(matches!(nested, Err(WorktreeError::Git(_))));
    assert!(!other.exists());
    assert_eq!(sandbox.state(), before);
}

#[test]
fn removing_keeps_commits_and_saves_files() {
    let (sandbox, path) = with_worktree();
    let run = |args: &[&str]| Sandbox::git_in(&path, args);
    std::fs::write(path.join("a"), "committed\n").unwrap();
    run(&["commit", "-qam", "work"]);
    let tip = sandbox.tip(BRANCH);
    std::fs::write(path.join("a"), "staged\n").unwrap();
    run(&["add", "a"]);
    std::fs::write(path.join("a"), "edited\n").unwrap();
    std::fs::create_dir(path.join("dir")).unwrap();
    std::fs::write(path.join("dir/new file"), "new\n").unwrap();
    std::fs::write(path.join("ignored"), "cache\n").unwrap();
    let index = std::fs::read(Repo::open(&path).unwrap().path().join("a")).unwrap();
    assert_eq!(index, b"edited\n");

    let removal = Removal {
        path: &path,
        agent: "ann",
        with_branch: true,
    };
    let removed = remove(&sandbox.repo(), &removal).unwrap();

    assert!(!path.exists());
    assert!(!sandbox.repo().branch_exists(BRANCH));
    assert_eq!(sandbox.tip(&removed.kept.unwrap()), tip);
    let saved = &removed.saved[0];
    assert!(saved.reference.starts_with("refs/grove/saved/ann/"));
    assert_eq!(saved.files, ["a", "dir/new file"]);
    assert_eq!(sandbox.show(&saved.reference, "a"), "edited\n");
    assert_eq!(sandbox.show(&saved.reference, "dir/new file"), "new\n");
    assert_eq!(
        sandbox.show(&format!("{}^2", saved.reference), "a"),
        "staged\n"
    );
    assert_eq!(sandbox.tip(&format!("{}^1", saved.reference)), tip);
}

/// Puts changes of `a` away as the agent's git does it, and cleans the worktree.
fn stash(path: &std::path::Path, content: &str) -> String {
    let run = |args: &[&str]| Sandbox::git_in(path, args);
    std::fs::write(path.join("a"), content).unwrap();
    let commit = run(&["stash", "create"]);
    run(&["checkout", "-q", "a"]);
    let git_dir = run(&["rev-parse", "--absolute-git-dir"]);
    let view = grove::git::view_in(std::path::Path::new(&git_dir));
    std::fs::create_dir_all(view.join("refs")).unwrap();
    std::fs::create_dir_all(view.join("logs/refs")).unwrap();
    std::fs::write(view.join("refs/stash"), format!("{commit}\n")).unwrap();
    let log = view.join("logs/refs/stash");
    let before = std::fs::read_to_string(&log).unwrap_or_default();
    let line = format!("{0} {commit} A <a@b> 1 +0000\tWIP\n", "0".repeat(40));
    std::fs::write(log, before + &line).unwrap();
    commit
}

#[test]
fn the_stash_of_an_agent_outlives_its_worktree() {
    let (sandbox, path) = with_worktree();
    let entries = [stash(&path, "first\n"), stash(&path, "second\n")];
    let saved = salvage(&sandbox.repo(), &path, "ann").unwrap();
    let contents = |saved: &[grove::worktree::Salvaged]| {
        let shown = saved.iter().map(|s| sandbox.show(&s.reference, "a"));
        shown.collect::<Vec<_>>()
    };
    assert_eq!(contents(&saved), ["second\n", "first\n"]);

    std::fs::write(path.join("a"), "edited\n").unwrap();
    let removal = Removal {
        path: &path,
        agent: "ann",
        with_branch: true,
    };
    let removed = remove(&sandbox.repo(), &removal).unwrap();
    let all = ["edited\n", "second\n", "first\n"];
    assert_eq!(contents(&removed.saved), all);
    assert_eq!(removed.saved[1..], saved);
    sandbox.git(&["reflog", "expire", "--expire=now", "--all"]);
    sandbox.git(&["gc", "-q", "--prune=now"]);
    sandbox.git(&["stash", "apply", "-q", &removed.saved[2].reference]);
    let applied = std::fs::read_to_string(sandbox.root().join("a")).unwrap();
    assert_eq!(applied, "first\n");
    assert!(removed.saved[2].reference.ends_with(&entries[0]));
}

#[test]
fn the_stash_of_an_agent_outlives_a_worktree_that_somebody_has_removed_by_hand() {
    let (sandbox, path) = with_worktree();
    stash(&path, "first\n");
    std::fs::remove_dir_all(&path).unwrap();
    let removal = Removal {
        path: &path,
        agent: "ann",
        with_branch: true,
    };
    let removed = remove(&sandbox.repo(), &removal).unwrap();
    assert_eq!(sandbox.show(&removed.saved[0].reference, "a"), "first\n");
}

#[test]
fn a_stash_that_an_agent_has_led_elsewhere_is_not_saved_as_its_own() {
    let (sandbox, path) = with_worktree();
    stash(&path, "own\n");
    let view = grove::git::view_in(&sandbox.root().join(".git/worktrees/ann"));
    std::fs::remove_dir_all(view.join("refs")).unwrap();
    std::os::unix::fs::symlink(sandbox.root().join(".git/refs"), view.join("refs")).unwrap();
    std::fs::write(sandbox.root().join("a"), "of the user\n").unwrap();
    sandbox.git(&["stash", "-q"]);
    assert_eq!(salvage(&sandbox.repo(), &path, "ann").unwrap(), []);
}

#[test]
fn a_file_that_is_little_but_its_length_is_not_saved_for_hours() {
    let (sandbox, path) = with_worktree();
    std::fs::write(path.join("b"), "new\n").unwrap();
    let file = std::fs::File::create(path.join("huge.bin")).unwrap();
    file.set_len(3 << 30).unwrap();
    let error = salvage(&sandbox.repo(), &path, "ann")
        .unwrap_err()
        .to_string();
    assert!(error.contains("huge.bin most of all"), "{error}");
    std::fs::remove_file(path.join("huge.bin")).unwrap();
    assert_eq!(salvage(&sandbox.repo(), &path, "ann").unwrap().len(), 1);
}

#[test]
fn salvage_leaves_the_worktree_as_it_is() {
    let (sandbox, path) = with_worktree();
    assert_eq!(salvage(&sandbox.repo(), &path, "ann").unwrap(), []);
    std::fs::write(path.join("a"), "edited\n").unwrap();
    std::fs::write(path.join("b"), "new\n").unwrap();
    let before = Sandbox::git_in(&path, &["status", "--porcelain"]);
    let first = salvage(&sandbox.repo(), &path, "ann").unwrap().remove(0);
    let second = salvage(&sandbox.repo(), &path, "ann").unwrap().remove(0);
    assert_ne!(first.reference, second.reference);
    assert_eq!(Sandbox::git_in(&path, &["status", "--porcelain"]), before);
    assert_eq!(sandbox.show(&first.reference, "b"), "new\n");
}

#[test]
fn nothing_is_removed_that_could_not_be_saved() {
    let (sandbox, path) = with_worktree();
    Sandbox::git_in(&path, &["init", "-q", "nested"]);
    std::fs::write(path.join("nested/file"), "x\n").unwrap();
    let removal = Removal {
        path: &path,
        agent: "ann",
        with_branch: true,
    };
    let refused = remove(&sandbox.repo(), &removal);
    assert!(
        matches!(refused, Err(WorktreeError::NestedRepository { .. })),
        "{refused:?}"
    );
    assert!(path.join("nested/file").exists());

    let main = Removal {
        path: sandbox.root(),
        agent: "ann",
        with_branch: false,
    };
    assert!(matches!(
        remove(&sandbox.repo(), &main),
        Err(WorktreeError::MainCheckout { .. })
    ));
}

#[test]
fn a_worktree_whose_directory_is_gone_is_cleared_and_its_commits_kept() {
    let (sandbox, path) = with_worktree();
    std::fs::write(path.join("a"), "committed\n").unwrap();
    Sandbox::git_in(&path, &["commit", "-qam", "work"]);
    let tip = sandbox.tip(BRANCH);
    std::fs::remove_dir_all(&path).unwrap();
    assert!(agent_worktrees(&sandbox.repo()).unwrap()[0].missing);
    let removal = Removal {
        path: &path,
        agent: "ann",
        with_branch: true,
    };
    let removed = remove(&sandbox.repo(), &removal).unwrap();
    assert_eq!(sandbox.tip(&removed.kept.unwrap()), tip);
    assert!(agent_worktrees(&sandbox.repo()).unwrap().is_empty());
}

#[test]
fn branches_of_one_name_removed_twice_are_both_kept() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let mut kept = Vec::new();
    for content in ["one\n", "two\n"] {
        let tip = sandbox.commit(BRANCH, &[("a", text(content))], content);
        kept.push((
            delete_branch(&sandbox.repo(), BRANCH).unwrap(),
            tip.to_string(),
        ));
    }
    assert_ne!(kept[0].0, kept[1].0);
    for (reference, tip) in kept {
        assert_eq!(sandbox.tip(&reference), tip);
    }
}

/// The file that says which branch a worktree is on is the agent's to change.
#[test]
fn a_worktree_that_claims_the_target_takes_no_branch_with_it_and_does_not_move_along() {
    let (sandbox, path) = with_worktree();
    let registered = sandbox.root().join(".git/worktrees/ann");
    std::fs::write(registered.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let (main, branch) = (sandbox.tip("main"), sandbox.tip(BRANCH));
    let removal = Removal {
        path: &path,
        agent: "ann",
        with_branch: true,
    };
    remove(&sandbox.repo(), &removal).unwrap();
    assert_eq!(sandbox.tip("main"), main);
    assert_eq!(sandbox.tip(BRANCH), branch);
}

/// What lies in a worktree can make git start programs; saving it must not.
#[test]
fn saving_a_worktree_runs_no_program_that_its_files_name() {
    let (sandbox, path) = with_worktree();
    let sign = sandbox.root().join("ran");
    let program = path.join("evil.sh");
    std::fs::write(
        &program,
        format!("#!/bin/sh\ntouch {}\ncat\n", sign.display()),
    )
    .unwrap();
    let evil = path.join("evil.git");
    Sandbox::git_in(&path, &["clone", "-q", "--bare", ".", "evil.git"]);
    let shell = format!("sh {}", program.display());
    for key in ["filter.x.clean", "core.fsmonitor", "core.hooksPath"] {
        Sandbox::git_in(&evil, &["config", key, &shell]);
    }
    Sandbox::git_in(&evil, &["config", "core.bare", "false"]);
    std::fs::write(path.join(".gitattributes"), "* filter=x\n").unwrap();
    std::fs::write(path.join("a"), "edited\n").unwrap();
    let link = std::fs::read_to_string(path.join(".git")).unwrap();
    std::fs::write(path.join(".git"), format!("gitdir: {}\n", evil.display())).unwrap();
    // The attack works on whoever follows the file.
    let registered = sandbox.root().join(".git/worktrees/ann");
    Sandbox::git_in(&path, &["add", "-A"]);
    assert!(sign.exists(), "the attack itself failed");
    std::fs::remove_file(&sign).unwrap();

    std::fs::write(
        registered.join("commondir"),
        format!("{}\n", evil.display()),
    )
    .unwrap();
    let saved = salvage(&sandbox.repo(), &path, "ann").unwrap().remove(0);
    assert!(!sign.exists());
    assert_eq!(sandbox.show(&saved.reference, "a"), "edited\n");
    std::fs::write(path.join(".git"), link).unwrap();
}
