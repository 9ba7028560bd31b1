//! An agent that tries to have git start its programs when somebody else looks at its worktree, saves
//! it, removes it or merges into it: nothing of its runs, and its work is kept all the same.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::support::{BRANCH, Sandbox, text};
use grove::git::{GitError, Oid, Pinned};
use grove::merge::Conclusion;
use grove::merge::overlap::changes_of;
use grove::worktree::{Removal, WorktreeError, create, remove, salvage};

/// A worktree with uncommitted work, and the folder where programs that ran leave a trace.
struct Attack {
    sandbox: Sandbox,
    worktree: PathBuf,
    admin: PathBuf,
}

impl Attack {
    fn new() -> Self {
        let sandbox = Sandbox::new(&[("a", "a\n"), (".gitignore", ".overstory\n")]);
        let worktree = sandbox.root().join(".overstory/worktrees/ann");
        create(&sandbox.repo(), &worktree, BRANCH, "main").unwrap();
        std::fs::create_dir(sandbox.root().join("traces")).unwrap();
        sandbox.write(".git/info/exclude", "traces\n");
        let admin = sandbox.root().join(".git/worktrees/ann");
        assert!(admin.is_dir());
        let attack = Self {
            sandbox,
            worktree,
            admin,
        };
        attack.put("a", "changed\n");
        attack.put("work", "mine\n");
        attack
    }

    fn put(&self, path: &str, content: &str) {
        let path = self.worktree.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn program(&self, path: &str) {
        let trace = self
            .sandbox
            .root()
            .join("traces")
            .join(path.replace('/', "-"));
        self.put(
            path,
            &format!("#!/bin/sh\ntouch {}\ncat\n", trace.display()),
        );
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.worktree.join(path), mode).unwrap();
    }

    /// Settings in which everything that can start a program does.
    fn settings(&self) -> String {
        let touch = |name: &str| {
            let trace = self.sandbox.root().join("traces").join(name);
            format!("touch {} #", trace.display())
        };
        self.program("evil-hooks/post-merge");
        self.program("evil-hooks/post-index-change");
        self.program("evil-hooks/reference-transaction");
        format!(
            "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = {}\n\thooksPath = {}\n\
             \tsshCommand = {}\n[filter \"x\"]\n\tclean = {}\n\tsmudge = {}\n\tprocess = {}\n\
             [diff]\n\texternal = {}\n[diff \"x\"]\n\ttextconv = {}\n\tcommand = {}\n\
             [merge \"x\"]\n\tdriver = {}\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {}\n",
            touch("fsmonitor"),
            self.worktree.join("evil-hooks").display(),
            touch("ssh"),
            touch("clean"),
            touch("smudge"),
            touch("process"),
            touch("external"),
            touch("textconv"),
            touch("command"),
            touch("driver"),
            self.worktree.join("evil-hooks/post-merge").display(),
        )
    }

    /// A repository of the agent's own, inside its worktree.
    fn own_repository(&self) -> PathBuf {
        let own = self.worktree.join("own");
        for folder in ["objects", "refs/heads", "hooks"] {
            std::fs::create_dir_all(own.join(folder)).unwrap();
        }
        std::fs::write(own.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(own.join("config"), self.settings()).unwrap();
        std::fs::write(
            self.worktree.join(".gitattributes"),
            "* filter=x diff=x merge=x\n",
        )
        .unwrap();
        own
    }

    fn base(&self) -> Oid {
        Oid::from_str(&self.sandbox.tip("main")).unwrap()
    }

    fn nothing_ran(&self, what: &str) {
        let traces: Vec<_> = std::fs::read_dir(self.sandbox.root().join("traces"))
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        assert!(traces.is_empty(), "{what}: {traces:?} ran");
    }

    /// Everything grove does with a worktree of somebody else's.
    fn look_save_and_remove(&self, what: &str) {
        let repo = self.sandbox.repo();
        let changed = changes_of(&repo, &self.worktree, self.base()).unwrap();
        let names: Vec<&str> = changed.iter().map(|file| file.path.as_str()).collect();
        assert!(
            names.contains(&"a") && names.contains(&"work"),
            "{what}: {names:?}"
        );
        let saved = salvage(&repo, &self.worktree, "ann").unwrap().remove(0);
        assert_eq!(
            self.sandbox.show(&saved.reference, "work"),
            "mine\n",
            "{what}"
        );
        assert_eq!(
            self.sandbox.show(&saved.reference, "a"),
            "changed\n",
            "{what}"
        );
        let removal = Removal {
            path: &self.worktree,
            agent: "ann",
            with_branch: true,
        };
        let removed = remove(&repo, &removal).unwrap();
        assert!(
            !removed.saved.is_empty() && !self.worktree.exists(),
            "{what}"
        );
        self.nothing_ran(what);
    }
}

/// What git looks into when it is asked for the state of the worktree around it.
#[test]
fn a_repository_inside_of_the_worktree_starts_nothing_when_the_worktree_is_saved_and_removed() {
    let attack = Attack::new();
    // Where the sandbox around git would let a program leave it.
    let trace = attack.sandbox.root().join(".git/objects/ran");
    let nested = attack.worktree.join("nested");
    let git = |args: &[&str]| Sandbox::git_in(&nested, args);
    std::fs::create_dir(&nested).unwrap();
    git(&["init", "-q"]);
    attack.put("nested/f", "f\n");
    git(&["add", "f"]);
    git(&[
        "-c",
        "user.name=n",
        "-c",
        "user.email=e",
        "commit",
        "-q",
        "-m",
        "n",
    ]);
    Sandbox::git_in(&attack.worktree, &["add", "nested"]);
    let clean = format!("touch {}; cat", trace.display());
    git(&["config", "filter.x.clean", &clean]);
    git(&[
        "config",
        "core.fsmonitor",
        &format!("touch {} #", trace.display()),
    ]);
    attack.put("nested/.git/info/attributes", "* filter=x\n");
    attack.put("nested/f", "g\n");
    Sandbox::git_in(&attack.worktree, &["status", "--porcelain"]);
    assert!(trace.exists(), "the attack itself failed");
    std::fs::remove_file(&trace).unwrap();
    attack.look_save_and_remove("the nested repository");
    assert!(!trace.exists(), "a program of the nested repository ran");
}

#[test]
fn a_branch_that_is_another_name_of_the_users_goes_alone() {
    let attack = Attack::new();
    let main = attack.sandbox.tip("main");
    let name = format!("refs/heads/{BRANCH}");
    let point = ["symbolic-ref", &name, "refs/heads/main"];
    Sandbox::git_in(&attack.worktree, &point);
    attack.look_save_and_remove("the branch that is none");
    assert_eq!(attack.sandbox.tip("main"), main);
    let left = attack.sandbox.git(&["branch", "--list", BRANCH]);
    assert_eq!(left.trim(), "");
}

#[test]
fn an_agent_that_says_it_stands_on_the_users_branch_stops_no_landing() {
    let attack = Attack::new();
    let git = |args: &[&str]| Sandbox::git_in(&attack.worktree, args);
    git(&["add", "work"]);
    git(&[
        "-c",
        "user.name=n",
        "-c",
        "user.email=e",
        "commit",
        "-q",
        "-m",
        "w",
    ]);
    git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
    std::fs::create_dir_all(attack.admin.join("rebase-merge")).unwrap();
    std::fs::write(
        attack.admin.join("rebase-merge/head-name"),
        "refs/heads/main\n",
    )
    .unwrap();
    let context = attack.sandbox.context();
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(attack.sandbox.read("work"), "mine\n");
    assert_eq!(attack.sandbox.status(), "");
}

/// Every way in which one entry can stand in the place of another.
#[test]
fn files_folders_and_links_that_changed_places_are_saved_as_they_are() {
    let attack = Attack::new();
    for path in ["d/x", "e", "l/y"] {
        attack.put(path, "old\n");
    }
    let git = |args: &[&str]| Sandbox::git_in(&attack.worktree, args);
    git(&["add", "-A"]);
    git(&[
        "-c",
        "user.name=n",
        "-c",
        "user.email=e",
        "commit",
        "-q",
        "-m",
        "n",
    ]);
    for folder in ["d", "l"] {
        std::fs::remove_dir_all(attack.worktree.join(folder)).unwrap();
    }
    std::fs::remove_file(attack.worktree.join("e")).unwrap();
    attack.put("d", "a file\n");
    attack.put("e/z", "a folder\n");
    attack.put("m/y", "new\n");
    std::os::unix::fs::symlink("m", attack.worktree.join("l")).unwrap();
    git(&["mv", "a", "b"]);
    let saved = salvage(&attack.sandbox.repo(), &attack.worktree, "ann");
    let saved = saved.unwrap().remove(0);
    let root = attack.sandbox.root();
    let kept = Sandbox::git_in(root, &["ls-tree", "-r", "--name-only", &saved.reference]);
    let kept: Vec<&str> = kept.lines().collect();
    assert_eq!(kept, [".gitignore", "b", "d", "e/z", "l", "m/y", "work"]);
    assert_eq!(attack.sandbox.show(&saved.reference, "l"), "m");
}

#[test]
fn a_worktree_whose_pointer_leads_to_the_agents_own_repository_is_saved_and_removed() {
    let attack = Attack::new();
    let own = attack.own_repository();
    let pointer = format!("gitdir: {}\n", own.display());
    std::fs::write(attack.worktree.join(".git"), pointer).unwrap();
    attack.look_save_and_remove("the pointer");
}

#[test]
fn a_common_folder_of_the_agents_own_is_not_believed() {
    let attack = Attack::new();
    let own = attack.own_repository();
    std::fs::write(attack.admin.join("commondir"), own.display().to_string()).unwrap();
    attack.look_save_and_remove("the common folder");
}

#[test]
fn settings_of_the_agents_own_that_start_programs_are_refused_by_name() {
    let attack = Attack::new();
    attack
        .sandbox
        .git(&["config", "extensions.worktreeConfig", "true"]);
    attack.own_repository();
    let own = attack.admin.join("config.worktree");
    let settings = attack.settings();
    std::fs::write(&own, &settings).unwrap();
    let repo = attack.sandbox.repo();
    let error = salvage(&repo, &attack.worktree, "ann").unwrap_err();
    assert!(
        matches!(&error, WorktreeError::Git(GitError::ForeignSetting { .. })),
        "{error}"
    );
    assert!(error.to_string().contains("config.worktree"), "{error}");
    attack.nothing_ran("own settings");

    // Hooks and the monitor are not refused: they are outranked.
    let (harmless, _) = settings.split_once("\tsshCommand").unwrap();
    std::fs::write(&own, harmless).unwrap();
    attack.look_save_and_remove("outranked settings");
}

#[test]
fn hooks_and_filters_of_the_user_are_not_taken_from_the_agents_worktree() {
    let attack = Attack::new();
    attack.sandbox.git(&["config", "core.hooksPath", ".hooks"]);
    attack
        .sandbox
        .git(&["config", "filter.tidy.clean", "sh ./tools/tidy.sh"]);
    attack
        .sandbox
        .git(&["config", "filter.tidy.required", "true"]);
    for hook in [
        "post-index-change",
        "post-checkout",
        "reference-transaction",
        "post-merge",
    ] {
        attack.program(&format!(".hooks/{hook}"));
    }
    attack.program("tools/tidy.sh");
    attack.put(".gitattributes", "* filter=tidy\n");
    attack.look_save_and_remove("relative paths");
}

#[test]
fn a_target_that_an_agent_checks_out_runs_nothing_of_the_agents_when_it_moves() {
    let attack = Attack::new();
    let sandbox = &attack.sandbox;
    let other = "overstory/bob/t-2";
    sandbox.commit(other, &[("new", text("n\n"))], "work");
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    std::fs::remove_file(attack.worktree.join("work")).unwrap();
    std::fs::write(attack.worktree.join("a"), "a\n").unwrap();
    // The agent's worktree says that the target is checked out there.
    std::fs::write(attack.admin.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let own = attack.own_repository();
    std::fs::write(
        attack.worktree.join(".git"),
        format!("gitdir: {}\n", own.display()),
    )
    .unwrap();
    let context = sandbox.context();
    let report =
        grove::merge::execute(&context, &crate::support::item(other), &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.show("main", "new"), "n\n");
    attack.nothing_ran("landing");
}

#[test]
fn a_list_entry_bent_towards_somebody_elses_project_is_not_followed() {
    let attack = Attack::new();
    let project = Sandbox::new(&[("private", "p\n")]);
    project.write("private", "uncommitted\n");
    let bent = format!("{}\n", project.root().join(".git").display());
    std::fs::write(attack.admin.join("gitdir"), bent).unwrap();
    let repo = attack.sandbox.repo();
    for path in [project.root(), attack.worktree.as_path()] {
        let found = Pinned::of(&repo, path);
        assert!(
            matches!(found, Err(GitError::NotListed { .. })),
            "{found:?}"
        );
        assert!(salvage(&repo, path, "ann").is_err());
    }
    let removal = Removal {
        path: project.root(),
        agent: "ann",
        with_branch: true,
    };
    assert!(remove(&repo, &removal).is_err());
    assert_eq!(project.read("private"), "uncommitted\n");
    let ours = |dir: &Path| Sandbox::git_in(dir, &["for-each-ref", "refs/grove"]);
    assert_eq!(
        ours(attack.sandbox.root()),
        "",
        "nothing was read from there"
    );
}

#[test]
fn a_link_in_place_of_the_index_is_not_copied() {
    let attack = Attack::new();
    let secret = attack.sandbox.root().join("traces/../secret");
    std::fs::write(&secret, "key\n").unwrap();
    let index = attack.admin.join("index");
    std::fs::remove_file(&index).unwrap();
    std::os::unix::fs::symlink(&secret, &index).unwrap();
    // Whatever git makes of it: nothing of the file becomes part of what is saved.
    for saved in salvage(&attack.sandbox.repo(), &attack.worktree, "ann").unwrap_or_default() {
        assert_eq!(attack.sandbox.show(&saved.reference, "work"), "mine\n");
    }
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "key\n");
    let copies: Vec<_> = std::fs::read_dir(attack.sandbox.root().join(".git"))
        .unwrap()
        .flatten()
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .starts_with("grove-index")
        })
        .collect();
    assert!(copies.is_empty(), "{copies:?}");
}
