//! Merging side by side with `git merge` on the same branches. `cargo bench --bench merging` prints
//! what each took on this machine; nothing fails when it is slow.
//!
//! Two busy cores, git 2.47: 1 file of 200 in 1.6 times git's time, 100 of 1,000 in 1.3, 1,000 of 3,000 in
//! 1.0 (it may take 1.5), each of 100 queued branches in 1.6. A small merge is the price of starting git
//! three times instead of once (the tree, the undo ref, the fast-forward; four with a signed commit or where
//! the index does not tell whether the checkout's files are as they were); a large one is the checkout's. The
//! numbers are from when it was six.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program for developers, which ends at the first surprise"
)]

use grove::merge::{
    Arrival, Gate, MergeContext, MergeItem, MergeProgress, OnDisplaced, TrainObserver, execute,
    execute_train,
};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const ROUNDS: usize = 7;

fn main() {
    println!("{:<44} {:>10} {:>10} {:>7}", "", "git", "grove", "ratio");
    one_branch("1 file of 200", 200, 1);
    one_branch("100 files of 1,000", 1000, 100);
    one_branch("1,000 files of 3,000", 3000, 1000);
    queue(100);
    gates(12);
}

fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(dir)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn repository(files: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "-b", "main"]);
    for (key, value) in [("user.name", "t"), ("user.email", "t@example.org")] {
        git(dir.path(), &["config", key, value]);
    }
    for n in 0..files {
        write(dir.path(), n, "base");
    }
    commit(dir.path(), "base");
    dir
}

fn path(n: usize) -> String {
    format!("d{}/f{n}.txt", n % 50)
}

fn write(dir: &Path, n: usize, word: &str) {
    let mut text = String::new();
    for line in 0..60 {
        let word = if line == 5 { word } else { "same" };
        writeln!(text, "line {line} of {n}: {word}").unwrap();
    }
    let path = dir.join(path(n));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn commit(dir: &Path, message: &str) {
    git(dir, &["add", "--", ".", ":!.overstory"]);
    git(dir, &["commit", "-q", "-m", message]);
}

fn branch(dir: &Path, name: &str, files: impl Iterator<Item = usize>, word: &str) {
    git(dir, &["checkout", "-q", "-b", name, "main"]);
    for n in files {
        write(dir, n, word);
    }
    commit(dir, name);
    git(dir, &["checkout", "-q", "main"]);
}

fn context(dir: &Path) -> MergeContext {
    MergeContext {
        root: dir.to_path_buf(),
        target_branch: "main".to_owned(),
        gates: Vec::new(),
        sandbox: grove::config::SandboxConfig::default(),
        gate_time_limit: Duration::from_secs(600),
        driver_time_limit: Duration::from_mins(10),
        gate_retries: 0,
        parallel: 4,
        on_displaced: OnDisplaced::Hold,
        call_off: grove::merge::CallOff::default(),
        own_settings: grove::merge::OwnSettings::Hold,
    }
}

fn item(branch: &str) -> MergeItem {
    MergeItem {
        branch: branch.to_owned(),
        agent: "ann".to_owned(),
        task: "t".to_owned(),
        ..MergeItem::default()
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

fn row(what: &str, git: f64, grove: f64) {
    println!(
        "{what:<44} {git:>7.1} ms {grove:>7.1} ms {:>7.2}",
        grove / git
    );
}

fn one_branch(what: &str, files: usize, changed: usize) {
    let dir = repository(files);
    let dir = dir.path();
    branch(dir, "overstory/ann/t", 0..changed, "theirs");
    write(dir, files - 1, "ours");
    commit(dir, "ours");
    let before = git(dir, &["rev-parse", "main"]);
    let (mut by_git, mut by_grove) = (Vec::new(), Vec::new());
    // In turns, so that both see the same machine.
    for _ in 0..ROUNDS {
        let started = Instant::now();
        git(dir, &["merge", "-q", "--no-edit", "overstory/ann/t"]);
        by_git.push(started.elapsed());
        git(dir, &["reset", "-q", "--hard", &before]);
        let started = Instant::now();
        let report = execute(&context(dir), &item("overstory/ann/t"), &mut |_| {}).unwrap();
        by_grove.push(started.elapsed());
        assert!(report.is_success(), "{report:?}");
        git(dir, &["reset", "-q", "--hard", &before]);
    }
    row(
        &format!("clean merge, {what}"),
        median(by_git),
        median(by_grove),
    );
}

struct Count(usize);

impl TrainObserver for Count {
    fn progress(&mut self, _index: usize, _progress: MergeProgress<'_>) {}

    fn arrived(&mut self, arrival: Arrival) {
        self.0 += usize::from(arrival.result.is_ok_and(|report| report.is_success()));
    }
}

fn queue(branches: usize) {
    let dir = repository(500);
    let dir = dir.path();
    let names: Vec<String> = (0..branches).map(|n| format!("overstory/a{n}/t")).collect();
    for (n, name) in names.iter().enumerate() {
        branch(dir, name, std::iter::once(n), "theirs");
    }
    let before = git(dir, &["rev-parse", "main"]);
    let started = Instant::now();
    for name in &names {
        git(dir, &["merge", "-q", "--no-ff", "--no-edit", name]);
    }
    let by_git = started.elapsed();
    git(dir, &["reset", "-q", "--hard", &before]);
    let items: Vec<MergeItem> = names.iter().map(|name| item(name)).collect();
    let started = Instant::now();
    let mut count = Count(0);
    execute_train(&context(dir), &items, None, &mut count).unwrap();
    assert_eq!(count.0, branches);
    let each = |time: Duration| time.as_secs_f64() * 1000.0 / branches as f64;
    row(
        &format!("{branches} queued branches, each"),
        each(by_git),
        each(started.elapsed()),
    );
}

/// A gate of half a second for each of several branches: one after the other against the train.
fn gates(branches: usize) {
    let dir = repository(50);
    let dir = dir.path();
    let names: Vec<String> = (0..branches).map(|n| format!("overstory/a{n}/t")).collect();
    for (n, name) in names.iter().enumerate() {
        branch(dir, name, std::iter::once(n), "theirs");
    }
    let mut context = context(dir);
    context.parallel = branches;
    context.gates = vec![Gate {
        name: "tests".to_owned(),
        command: "sleep 0.5".to_owned(),
        description: String::new(),
    }];
    let items: Vec<MergeItem> = names.iter().map(|name| item(name)).collect();
    let started = Instant::now();
    let mut count = Count(0);
    execute_train(&context, &items, None, &mut count).unwrap();
    assert_eq!(count.0, branches);
    println!(
        "{:<44} {:>7.1} ms for one gate of 500 ms each",
        format!("a train of {branches} branches"),
        started.elapsed().as_secs_f64() * 1000.0
    );
}
