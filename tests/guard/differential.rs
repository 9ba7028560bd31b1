//! Commands from a grammar, judged and, when allowed, really run: nothing outside of the worktree may change.
//!
//! Once inside the system's sandbox, and once without it, where a miss of the guard shows as a changed tree.
//! Every command is bounded, touches only names that start with `zz`, and knows no home and no temporary
//! folder but those of the tree that is thrown away. `GROVE_DIFFERENTIAL=5000` runs more, `GROVE_SEED=7` others.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::generator::{Dice, command};
use crate::place::Place;

const GROVE: &str = env!("CARGO_BIN_EXE_grove");

/// Runs its arguments with files of at most 4 MB and so many seconds of a processor: a command that reads what it
/// writes would never end.
const BOUNDED: &str = "ulimit -f 4096; ulimit -t 20; exec \"$@\"";

/// How long a command may take that waits for something.
const LONGEST: Duration = Duration::from_secs(60);

/// A project with a worktree, and folders around it that nobody may touch.
pub(crate) struct Tree {
    pub(crate) place: Place,
    base: PathBuf,
    home: PathBuf,
    pub(crate) outside: PathBuf,
    temp: PathBuf,
}

impl Tree {
    fn new() -> Self {
        let place = Place::new();
        let base = place.root.parent().unwrap().to_owned();
        let tree = Self {
            home: base.join("home"),
            outside: base.join("outside"),
            temp: base.join("temp"),
            place,
            base,
        };
        for folder in [&tree.home, &tree.outside, &tree.temp] {
            std::fs::create_dir_all(folder).unwrap();
        }
        for folder in [
            tree.base.as_path(),
            &tree.home,
            &tree.outside,
            &tree.place.root,
            &tree.place.root.join("src"),
            tree.place.worktree.parent().unwrap(),
            tree.place.worktree.parent().unwrap().parent().unwrap(),
        ] {
            for name in ["zz1", "zz2", "zz 3"] {
                std::fs::write(folder.join(name), "not yours a\n").unwrap();
            }
            std::fs::create_dir_all(folder.join("zzdir/deep")).unwrap();
        }
        tree
    }

    /// Gives the worktree the files that commands expect.
    fn prepare(&self) {
        let worktree = &self.place.worktree;
        for folder in ["src", "zzdir", "zzdir/deep"] {
            // What is in the way was put there by the last command.
            if !worktree.join(folder).is_dir() {
                drop(std::fs::remove_file(worktree.join(folder)));
            }
            std::fs::create_dir_all(worktree.join(folder)).unwrap();
        }
        for name in ["zz1", "zz2", "zz 3", "src/zz1", "zzdir/zz1"] {
            let file = worktree.join(name);
            if file.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
                std::fs::remove_dir_all(&file).unwrap();
            } else if file.symlink_metadata().is_ok() {
                std::fs::remove_file(&file).unwrap();
            }
            std::fs::write(file, "mine a\n").unwrap();
        }
        for (name, target) in [
            ("zzlink", self.outside.as_path()),
            ("zzinner", Path::new("src")),
        ] {
            let link = worktree.join(name);
            match link.symlink_metadata() {
                Ok(meta) if meta.is_dir() => std::fs::remove_dir_all(&link).unwrap(),
                Ok(_) => std::fs::remove_file(&link).unwrap(),
                Err(_) => {}
            }
            std::os::unix::fs::symlink(target, link).unwrap();
        }
    }

    /// Everything that a role has no business with, file by file.
    fn surroundings(&self, capability: &str) -> BTreeMap<PathBuf, u64> {
        let git = self.place.root.join(".git");
        let own = if capability == "builder" {
            vec![
                self.place.worktree.clone(),
                self.temp.clone(),
                git.join("objects"),
                git.join("worktrees"),
                git.join("logs/refs/heads/overstory/ada"),
                git.join("refs/heads/overstory/ada"),
                // Of a whole repository, and a builder may tag and stash.
                git.join("refs/tags"),
                git.join("refs/stash"),
                git.join("logs/refs/stash"),
            ]
        } else {
            // What `git status` finds out about files is kept in the index.
            vec![self.temp.clone(), git.join("worktrees/ada/index")]
        };
        let mut found = BTreeMap::new();
        let mut todo = vec![self.base.clone()];
        while let Some(path) = todo.pop() {
            if own.contains(&path) {
                continue;
            }
            let meta = path.symlink_metadata().unwrap();
            let mut hash = DefaultHasher::new();
            format!("{:?}", meta.permissions()).hash(&mut hash);
            if meta.is_dir() {
                todo.extend(
                    std::fs::read_dir(&path)
                        .unwrap()
                        .map(|entry| entry.unwrap().path()),
                );
            } else if meta.is_symlink() {
                std::fs::read_link(&path).unwrap().hash(&mut hash);
            } else {
                std::fs::read(&path).unwrap().hash(&mut hash);
            }
            // Folders that git makes on its way to an own ref hold nothing else.
            let passing = meta.is_dir() && path.starts_with(&git);
            if !passing {
                found.insert(path, hash.finish());
            }
        }
        found
    }

    /// Runs a command to its end, or to that of what it may use.
    fn run(&self, command: &str, rules: Option<&Path>) {
        let mut process = Command::new("bash");
        process.args(["-c", BOUNDED, "bash"]);
        if let Some(rules) = rules {
            process
                .args([GROVE, "sandbox-exec", "--rules"])
                .arg(rules)
                .arg("--");
        }
        let child = process
            .args(["bash", "-c", command])
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", &self.home)
            .env("TMPDIR", &self.temp)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "t")
            .env("GIT_AUTHOR_EMAIL", "t@example.org")
            .env("GIT_COMMITTER_NAME", "t")
            .env("GIT_COMMITTER_EMAIL", "t@example.org")
            .current_dir(&self.place.worktree)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn();
        ended(child.unwrap());
    }

    fn sandbox_rules(&self) -> PathBuf {
        let git = self.place.root.join(".git");
        let rules = serde_json::json!({
            "write": [self.place.worktree, self.temp, git.join("objects"), git.join("worktrees"),
                git.join("refs/heads/overstory/ada"), git.join("logs/refs/heads/overstory/ada")],
            "hidden": [], "read": [], "devices": ["/dev/null", "/dev/tty"],
        });
        let file = self.base.join("rules.json");
        std::fs::write(&file, rules.to_string()).unwrap();
        file
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}

/// Waits for a command, and ends it with all it started when that takes too long.
fn ended(mut child: Child) {
    let group = format!("-{}", child.id());
    let (tell, told) = mpsc::channel();
    let waiting = std::thread::spawn(move || {
        child.wait().unwrap();
        drop(tell);
    });
    // Nothing is ever told: the other end goes away when the command has ended.
    if told.recv_timeout(LONGEST) == Err::<(), _>(mpsc::RecvTimeoutError::Timeout) {
        let done = Command::new("kill").args(["-KILL", "--", &group]).status();
        assert!(done.is_ok(), "{done:?}");
    }
    waiting.join().unwrap();
}

/// What came of the commands that were allowed.
struct Outcome {
    ran: u64,
    misses: Vec<String>,
}

/// Misses after which a run ends.
const ENOUGH: usize = 40;

/// Runs what the guard allows a role of `count` commands, in the sandbox or without it.
fn run_allowed(capability: &str, sandboxed: bool, seed: u64, count: u64) -> Outcome {
    let mut dice = Dice(seed);
    let mut outcome = Outcome {
        ran: 0,
        misses: Vec::new(),
    };
    let mut tree = Tree::new();
    let mut rules = sandboxed.then(|| tree.sandbox_rules());
    tree.prepare();
    let mut before = tree.surroundings(capability);
    for turn in 0..count {
        let depth = dice.roll(3);
        let command = command(&mut dice, &tree, depth);
        if capability == "builder" {
            tree.prepare();
        }
        let (decision, _) = tree.place.bash(capability, &command);
        if decision != "allow" {
            continue;
        }
        outcome.ran += 1;
        tree.run(&command, rules.as_deref());
        let after = tree.surroundings(capability);
        let changed: Vec<_> = before
            .iter()
            .filter(|(path, hash)| after.get(*path) != Some(hash))
            .map(|(path, _)| path)
            .chain(after.keys().filter(|path| !before.contains_key(*path)))
            .collect();
        if changed.is_empty() {
            continue;
        }
        outcome.misses.push(format!(
            "{capability} was allowed this, and it changed {changed:?} (seed {seed}, turn {turn}):\n{command}\n"
        ));
        if outcome.misses.len() >= ENOUGH {
            break;
        }
        tree = Tree::new();
        tree.prepare();
        rules = sandboxed.then(|| tree.sandbox_rules());
        before = tree.surroundings(capability);
    }
    outcome
}

impl Outcome {
    /// No miss; and a guard that refuses everything would prove nothing.
    fn proves(&self, count: u64, least: u64) {
        assert!(self.misses.is_empty(), "{}", self.misses.join("\n"));
        let ran = self.ran;
        assert!(ran * least > count, "only {ran} of {count} were allowed");
        assert!(ran < count, "nothing was refused");
    }
}

#[test]
fn what_the_guard_allows_changes_nothing_outside_of_the_worktree() {
    let count = number("GROVE_DIFFERENTIAL", 400);
    run_allowed("builder", false, number("GROVE_SEED", 1), count).proves(count, 8);
}

#[test]
fn inside_the_sandbox_nothing_outside_changes_either() {
    let count = number("GROVE_DIFFERENTIAL", 400) / 4;
    run_allowed("builder", true, number("GROVE_SEED", 2), count).proves(count, 8);
}

#[test]
fn what_a_reader_is_allowed_changes_nothing_at_all() {
    let count = number("GROVE_DIFFERENTIAL", 400);
    run_allowed("reviewer", false, number("GROVE_SEED", 3), count).proves(count, 100);
}

#[test]
fn a_command_that_writes_without_end_is_ended() {
    let tree = Tree::new();
    tree.prepare();
    tree.run("yes | tee zz1 > zz2", None);
    let size = |name: &str| tree.place.worktree.join(name).metadata().unwrap().len();
    assert!(size("zz1") <= 4 << 20, "{}", size("zz1"));
    assert!(size("zz2") <= 4 << 20, "{}", size("zz2"));
}

#[test]
fn a_miss_of_the_guard_would_be_seen() {
    let tree = Tree::new();
    for command in [
        "touch ../zznew",
        "echo x > zzlink/zz1",
        "rm -rf ../../../zzdir",
        "git branch zzbranch",
        "chmod 600 ~/zz1",
        "sed -i s/a/b/ \"$PWD\"/../zz2",
    ] {
        tree.prepare();
        let before = tree.surroundings("builder");
        tree.run(command, None);
        assert_ne!(before, tree.surroundings("builder"), "{command}");
    }
}
