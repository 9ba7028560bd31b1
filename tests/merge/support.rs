//! Repositories in few words. `Sandbox::new()` has `main` checked out with one commit; `commit`
//! writes files on a branch without touching the checkout of another.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use grove::git::{Oid, Repo};
use grove::merge::{
    Arrival, Conclusion, Gate, MergeContext, MergeError, MergeItem, MergeLock, MergeProgress,
    MergeReport, OnDisplaced, TrainObserver, execute,
};

/// The branch that tests merge.
pub(crate) const BRANCH: &str = "overstory/ann/t-1";

/// A repository in a temporary directory with a hermetic git.
pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
}

/// What to do to a file: `Some(content)` writes it, `None` deletes it.
pub(crate) type Change<'a> = (&'a str, Option<&'a [u8]>);

pub(crate) fn text(content: &str) -> Option<&[u8]> {
    Some(content.as_bytes())
}

pub(crate) const GONE: Option<&[u8]> = None;

impl Sandbox {
    pub(crate) fn empty() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let sandbox = Self { dir };
        sandbox.git(&["init", "-q", "-b", "main"]);
        for (key, value) in [
            ("user.name", "Tester"),
            ("user.email", "tester@example.org"),
            ("commit.gpgSign", "false"),
            ("core.autocrlf", "false"),
        ] {
            sandbox.git(&["config", key, value]);
        }
        sandbox
    }

    /// `main` with these files, checked out.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::empty();
        let changes: Vec<Change<'_>> = files
            .iter()
            .map(|(path, content)| (*path, text(content)))
            .collect();
        sandbox.commit("main", &changes, "base");
        sandbox
    }

    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn repo(&self) -> Repo {
        Repo::open(self.root()).unwrap()
    }

    pub(crate) fn git_in(dir: &Path, args: &[&str]) -> String {
        let output = Self::command(dir, args).output().unwrap();
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()
    }

    fn command(dir: &Path, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(dir)
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        Self::git_in(self.root(), args)
    }

    /// Commits changes on a branch; the branch starts at `main` if it is new. Uses the checkout when
    /// the branch is checked out, and plumbing otherwise.
    pub(crate) fn commit(&self, branch: &str, changes: &[Change<'_>], message: &str) -> Oid {
        let checked_out = self.git(&["symbolic-ref", "--short", "HEAD"]) == branch;
        let index = self.root().join(".git/test-index");
        let run = |args: &[&str]| {
            let mut command = Self::command(self.root(), args);
            if !checked_out {
                command.env("GIT_INDEX_FILE", &index);
            }
            let output = command.output().unwrap();
            assert!(
                output.status.success(),
                "git {args:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            String::from_utf8_lossy(&output.stdout)
                .trim_end()
                .to_owned()
        };
        let name = format!("refs/heads/{branch}");
        let known = Self::command(self.root(), &["rev-parse", "-q", "--verify", &name])
            .output()
            .unwrap();
        let tip = if known.status.success() {
            Some(String::from_utf8_lossy(&known.stdout).trim().to_owned())
        } else if checked_out {
            None
        } else {
            Some(self.git(&["rev-parse", "main"]))
        };
        if !checked_out {
            run(&["read-tree", tip.as_ref().unwrap()]);
        }
        for (path, content) in changes {
            let file = self.root().join(path);
            match content {
                Some(content) if checked_out => {
                    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                    std::fs::write(&file, content).unwrap();
                    run(&["add", "-f", path]);
                }
                Some(content) => {
                    let id = self.repo().write_blob(content).unwrap();
                    run(&[
                        "update-index",
                        "--add",
                        "--replace",
                        "--cacheinfo",
                        &format!("100644,{id},{path}"),
                    ]);
                }
                None => {
                    run(&["rm", "-q", "--cached", path]);
                    if checked_out {
                        std::fs::remove_file(&file).unwrap();
                    }
                }
            }
        }
        let tree = run(&["write-tree"]);
        self.commit_tree(branch, &tree, tip.as_deref(), message)
    }

    /// Commits raw entries (mode, object id, path) on top of a branch that is not checked out.
    pub(crate) fn commit_raw(&self, branch: &str, entries: &[(&str, &str, &str)], message: &str) {
        let index = self.root().join(".git/test-index");
        let name = format!("refs/heads/{branch}");
        let known = Self::command(self.root(), &["rev-parse", "-q", "--verify", &name])
            .output()
            .unwrap();
        let tip = if known.status.success() {
            String::from_utf8_lossy(&known.stdout).trim().to_owned()
        } else {
            self.tip("main")
        };
        let run = |args: &[&str]| {
            let mut command = Self::command(self.root(), args);
            let output = command.env("GIT_INDEX_FILE", &index).output().unwrap();
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            String::from_utf8_lossy(&output.stdout)
                .trim_end()
                .to_owned()
        };
        run(&["read-tree", &tip]);
        for (mode, id, path) in entries {
            let entry = format!("{mode},{id},{path}");
            run(&["update-index", "--add", "--replace", "--cacheinfo", &entry]);
        }
        let tree = run(&["write-tree"]);
        self.commit_tree(branch, &tree, Some(&tip), message);
    }

    /// Makes a commit of these files with the given parents, on no branch.
    pub(crate) fn commit_for(&self, files: &[(&str, &str)], parents: &[&str]) -> String {
        let mut tree = String::new();
        for (path, content) in files {
            tree += &format!("100644 blob {}\t{path}\n", self.blob(content));
        }
        let listed = self.root().join(".git/test-tree");
        std::fs::write(&listed, tree).unwrap();
        let mut command = Self::command(self.root(), &["mktree"]);
        let file = std::fs::File::open(&listed).unwrap();
        let output = command.stdin(file).output().unwrap();
        let tree = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let mut args = vec!["commit-tree", &tree, "-m", "made"];
        for parent in parents {
            args.extend(["-p", parent]);
        }
        self.git(&args)
    }

    /// Stores content and returns its id.
    pub(crate) fn blob(&self, content: &str) -> String {
        self.repo()
            .write_blob(content.as_bytes())
            .unwrap()
            .to_string()
    }

    fn commit_tree(&self, branch: &str, tree: &str, tip: Option<&str>, message: &str) -> Oid {
        let mut args = vec!["commit-tree", tree, "-m", message];
        if let Some(tip) = tip {
            args.extend(["-p", tip]);
        }
        let commit = self.git(&args);
        self.git(&["update-ref", &format!("refs/heads/{branch}"), &commit]);
        Oid::from_str(&commit).unwrap()
    }

    pub(crate) fn tip(&self, rev: &str) -> String {
        self.git(&["rev-parse", rev])
    }

    /// The content of a file in a commit.
    pub(crate) fn show(&self, rev: &str, path: &str) -> String {
        let output = Self::command(self.root(), &["show", &format!("{rev}:{path}")])
            .output()
            .unwrap();
        assert!(output.status.success(), "{rev}:{path} is not there");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn files(&self, rev: &str) -> Vec<String> {
        self.git(&["ls-tree", "-r", "--name-only", rev])
            .lines()
            .map(str::to_owned)
            .collect()
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, content).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// Uncommitted files, without grove's own directory.
    pub(crate) fn status(&self) -> String {
        self.git(&["status", "--porcelain", "--", ".", ":!.overstory"])
    }

    /// The lock of main, for what wants to be given it.
    pub(crate) fn lock(&self) -> MergeLock {
        MergeLock::acquire(self.root(), "main").unwrap()
    }

    pub(crate) fn context(&self) -> MergeContext {
        MergeContext {
            root: self.root().to_path_buf(),
            target_branch: "main".to_owned(),
            gates: Vec::new(),
            sandbox: grove::config::SandboxConfig::default(),
            gate_time_limit: Duration::from_mins(1),
            driver_time_limit: Duration::from_mins(10),
            gate_retries: 0,
            parallel: 4,
            on_displaced: OnDisplaced::Hold,
            call_off: grove::merge::CallOff::default(),
            own_settings: grove::merge::OwnSettings::Hold,
        }
    }

    /// A folder in which gates of this context may tell what they did.
    pub(crate) fn notebook(&self, context: &mut MergeContext) -> PathBuf {
        let folder = self.root().join(".git/notebook");
        std::fs::create_dir_all(&folder).unwrap();
        context.sandbox.writable.push(folder.display().to_string());
        folder
    }

    pub(crate) fn merge(&self) -> MergeReport {
        Self::merge_with(&self.context(), &mut |_| {}).unwrap()
    }

    pub(crate) fn merge_with(
        context: &MergeContext,
        observer: &mut dyn FnMut(MergeProgress<'_>),
    ) -> Result<MergeReport, MergeError> {
        execute(context, &item(BRANCH), observer)
    }

    /// Everything that refs and worktrees say, to show that nothing changed.
    pub(crate) fn state(&self) -> BTreeMap<String, String> {
        let mut state: BTreeMap<String, String> = self
            .git(&["for-each-ref", "--format=%(refname) %(objectname)"])
            .lines()
            .map(|line| line.split_once(' ').unwrap())
            .map(|(name, id)| (name.to_owned(), id.to_owned()))
            .collect();
        state.insert("worktrees".to_owned(), self.git(&["worktree", "list"]));
        state.insert("status".to_owned(), self.status());
        state
    }
}

pub(crate) fn item(branch: &str) -> MergeItem {
    let mut parts = branch.splitn(3, '/');
    parts.next();
    MergeItem {
        branch: branch.to_owned(),
        agent: parts.next().unwrap_or("nobody").to_owned(),
        task: parts.next().unwrap_or("t-0").to_owned(),
        ..MergeItem::default()
    }
}

pub(crate) fn gate(name: &str, command: &str) -> Gate {
    Gate {
        name: name.to_owned(),
        command: command.to_owned(),
        description: String::new(),
    }
}

/// What became of the branches of a train, in the order in which they arrived.
#[derive(Default)]
pub(crate) struct Arrived(pub(crate) Vec<Arrival>);

impl TrainObserver for Arrived {
    fn progress(&mut self, _index: usize, _progress: MergeProgress<'_>) {}

    fn arrived(&mut self, arrival: Arrival) {
        self.0.push(arrival);
    }
}

pub(crate) fn merged(file: &str, base: &str, ours: &str, theirs: &str) -> (Conclusion, String) {
    let sandbox = Sandbox::new(&[(file, base)]);
    sandbox.commit(BRANCH, &[(file, text(theirs))], "b");
    sandbox.commit("main", &[(file, text(ours))], "m");
    let report = sandbox.merge();
    assert_eq!(report.conflict_files, [file], "git merges this by itself");
    (report.conclusion, sandbox.show("main", file))
}

/// Either order of the sides lands as `expected`.
pub(crate) fn lands_both_ways(file: &str, base: &str, one: &str, two: &str, expected: &str) {
    for (ours, theirs) in [(one, two), (two, one)] {
        let (conclusion, found) = merged(file, base, ours, theirs);
        assert_eq!(conclusion, Conclusion::Landed, "{file}: {base}");
        assert_eq!(found, expected, "{file}");
    }
}

/// Held in either order of the sides.
pub(crate) fn held_both_ways(file: &str, base: &str, one: &str, two: &str) {
    for (ours, theirs) in [(one, two), (two, one)] {
        let (conclusion, found) = merged(file, base, ours, theirs);
        assert_eq!(conclusion, Conclusion::Held, "{file}: {found}");
        assert_eq!(found, ours, "the target is untouched");
    }
}
