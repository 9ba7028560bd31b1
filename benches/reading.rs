//! Measures every reading command on a large project, and again with ten times the events.
//!
//! `cargo bench --bench reading`. Times are whole lives of a process, from its start to its end, with
//! nothing subtracted. The peer's figures are what is published for overstory 0.11 on a project of this
//! size; where `ov` is installed it is measured in the same run instead.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program for developers, which ends at the first surprise"
)]

mod big;
#[path = "../tests/support/mod.rs"]
mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use big::{ORCHESTRATED, Size};
use support::TestProject;

const GROVE: &str = env!("CARGO_BIN_EXE_grove");
/// The program whose place this one takes.
const PEER: &str = "ov";
const PUBLISHED: &str = "80-130 ms, 52-75 MB (published)";

/// Words, and how many milliseconds they may take with 100,000 events.
const COMMANDS: &[(&[&str], f64)] = &[
    (&["status", "--json"], 10.0),
    (&["mail", "check", "--json"], 10.0),
    (&["mail", "list", "--json"], 30.0),
    (&["costs", "--json"], 10.0),
    (&["metrics", "--json"], 10.0),
    (&["trace", "builder-001", "--json"], 10.0),
    (&["errors", "--json"], 10.0),
    (&["replay", "--json"], 10.0),
    (&["feed", "--json"], 10.0),
    (&["feed", "--since", "2026-03-01T00:00:00Z", "--json"], 10.0),
    (&["inspect", "builder-001", "--json"], 10.0),
    (&["run", "list", "--json"], 10.0),
    (&["agents", "discover", "--json"], 10.0),
];
const MEMORY_MB: f64 = 20.0;

fn main() {
    let peer = installed(PEER);
    println!(
        "{:<44} {:>8} {:>8} {:>8} {:>8}   {PEER}",
        "", "median", "p95", "promise", "MB"
    );
    let large = Size {
        events: ORCHESTRATED.events * 10,
        ..ORCHESTRATED
    };
    for (size, slower) in [(ORCHESTRATED, 1.0), (large, 1.5)] {
        let project = TestProject::initialised();
        big::fill(&project, size);
        println!(
            "{} agents, {} events, {} mails",
            size.agents, size.events, size.mails
        );
        for (words, promise) in COMMANDS {
            row(&project, &words.join(" "), words, promise * slower, peer);
        }
        // A file that the other program has made lacks the index for this one question.
        project_of_the_peer(&project);
        let words = &["inspect", "builder-001", "--json"];
        row(
            &project,
            "inspect, on a database ov has made",
            words,
            10.0 * slower,
            peer,
        );
    }
}

fn project_of_the_peer(project: &TestProject) {
    rusqlite::Connection::open(project.overstory("events.db"))
        .and_then(|c| c.execute_batch("DROP INDEX grove_events_tools"))
        .unwrap();
}

fn row(project: &TestProject, name: &str, words: &[&str], promise: f64, peer: bool) {
    let ours = measure(project, GROVE, words, 51);
    let theirs = if peer {
        let (median, _, memory) = measure(project, PEER, words, 7);
        format!("{median:.0} ms, {memory:.0} MB")
    } else {
        PUBLISHED.to_owned()
    };
    let (median, p95, memory) = ours;
    let mark = if median > promise || memory > MEMORY_MB {
        "!"
    } else {
        ""
    };
    println!("{name:<44} {median:>8.2} {p95:>8.2} {promise:>8.1} {memory:>8.1}   {theirs} {mark}");
}

/// Median and 95th percentile in milliseconds, and the largest memory in MB.
fn measure(project: &TestProject, program: &str, words: &[&str], times: usize) -> (f64, f64, f64) {
    let marks_read = words.starts_with(&["mail", "check"]);
    let (mail, kept) = (
        project.overstory("mail.db"),
        project.beside().join("mail.db"),
    );
    if marks_read {
        fs::copy(&mail, &kept).unwrap();
    }
    let life = |watched: bool| {
        if marks_read {
            for beside in ["mail.db-wal", "mail.db-shm"] {
                drop(fs::remove_file(project.overstory(beside)));
            }
            fs::copy(&kept, &mail).unwrap();
            // Else the first flush of the program that is measured would write this copy, too.
            fs::File::open(&mail).and_then(|f| f.sync_all()).unwrap();
        }
        let mut command = project.command(program);
        command
            .args(words)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if watched {
            return peak_memory(command);
        }
        let started = Instant::now();
        assert!(command.status().unwrap().success(), "{words:?}");
        started.elapsed().as_secs_f64() * 1000.0
    };
    life(false);
    let mut lives: Vec<f64> = (0..times).map(|_| life(false)).collect();
    lives.sort_by(f64::total_cmp);
    let memory = (0..9).map(|_| life(true)).fold(0.0, f64::max);
    (lives[times / 2], lives[times * 95 / 100], memory)
}

/// The largest memory seen while a process lived, in MB.
fn peak_memory(mut command: Command) -> f64 {
    let mut child = command.spawn().unwrap();
    let path = format!("/proc/{}/status", child.id());
    let mut peak: f64 = 0.0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(&path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        peak = peak.max(kib.unwrap_or(0.0) / 1024.0);
    }
    peak
}

fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
