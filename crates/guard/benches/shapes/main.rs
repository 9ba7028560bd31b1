//! How long one judgement takes at most: texts of 100 kB made of one small piece, for every role. A hook waits for it.
//!
//! `cargo bench -p grove-guard` prints the slowest; more than 5 ms on a quiet machine is too much. Words behind
//! `--` choose the shapes that have one of them in their name.

mod again;
mod hostile;
mod pieces;
mod scripts;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use grove_guard::{Policy, effort, judge_raw};
use pieces::{CODE, SHELL};

const SIZE: usize = 100_000;
const ROLES: [&str; 5] = ["builder", "reviewer", "lead", "coordinator", "unknown"];
/// What seems to take long is looked at again, up to so many times, and the best counts: the rest is what else
/// runs on the machine.
const RUNS: usize = 25;
const LONG: Duration = Duration::from_millis(2);
const SHOWN: usize = 25;

const INTERPRETERS: &[&str] = &["python3", "node", "perl", "ruby", "php", "awk"];

fn commands() -> Vec<(String, String)> {
    let filled = |unit: &str| unit.repeat(SIZE / unit.len());
    let mut all = Vec::new();
    for unit in SHELL {
        all.push((format!("{unit:?}"), filled(unit)));
        all.push((
            format!("bash <<E {unit:?}"),
            format!("bash <<'E'\n{}\nE", filled(unit)),
        ));
        for head in ["eval ", "bash -c ", "echo ", "x=", "rm "] {
            all.push((format!("{head}{unit:?}"), format!("{head}{}", filled(unit))));
        }
        let quoted = filled(unit).replace('\'', "");
        all.push((format!("eval '{unit:?}'"), format!("eval '{quoted}'")));
        all.push((
            format!("eval eval {unit:?}"),
            format!("eval eval eval \"eval '{quoted}'\""),
        ));
    }
    for unit in CODE {
        for interpreter in INTERPRETERS {
            if *interpreter != "awk" {
                let text = format!("{interpreter} <<'E'\n{}\nE", filled(unit));
                all.push((format!("{interpreter} <<E {unit:?}"), text));
            }
            let option = match *interpreter {
                "python3" => "-c ",
                "awk" => "",
                "php" => "-r ",
                _ => "-e ",
            };
            let code = filled(unit).replace('\'', "");
            let text = format!("{interpreter} {option}'{code}'");
            all.push((format!("{interpreter} {option}{unit:?}"), text));
        }
    }
    all.extend(single());
    all
}

fn single() -> Vec<(String, String)> {
    let x = "x".repeat(4_000);
    let stars = |count: usize| "a*".repeat(count);
    vec![
        (
            "cut by many stars".to_owned(),
            format!("x={x}; echo ${{x%{}}}", stars(40_000)),
        ),
        (
            "cut by stars".to_owned(),
            format!("x={x}; echo ${{x##{}b}}", stars(1_500)),
        ),
        (
            "cuts".to_owned(),
            format!("x={x}; {}", "y=${x%%*a*a*b};".repeat(5_000)),
        ),
        (
            "names of stars".to_owned(),
            format!("rm {}", format!("{} ", stars(100)).repeat(500)),
        ),
        (
            "names of stars below".to_owned(),
            format!("rm {}", "*/".repeat(50_000)),
        ),
        (
            "hole".to_owned(),
            format!("ruby -e '\"#{{{}}}\"'", "a;".repeat(50_000)),
        ),
    ]
}

fn policy(capability: &str) -> Policy {
    Policy {
        agent: "a".to_owned(),
        capability: capability.to_owned(),
        worktree: PathBuf::from("/w/x"),
        root: PathBuf::from("/w"),
        temp: None,
        quality_gates: vec!["cargo test".to_owned()],
        task_id: None,
        allow: Vec::new(),
        block: vec!["make deploy*".to_owned()],
    }
}

/// What a hook is handed: a shell command, or the whole call of another tool.
enum Shape {
    Command(String),
    Call(String),
}

fn time(policy: &Policy, shape: &Shape) -> Duration {
    let once = || {
        let begun = Instant::now();
        match shape {
            Shape::Command(command) => {
                std::hint::black_box(effort(policy, command));
            }
            Shape::Call(json) => {
                std::hint::black_box(judge_raw(policy, json.as_bytes()));
            }
        }
        begun.elapsed()
    };
    let mut best = once();
    for _ in 1..RUNS {
        if best < LONG {
            break;
        }
        best = best.min(once());
    }
    best
}

fn shapes() -> Vec<(String, Shape)> {
    let written = commands().into_iter().chain(hostile::commands());
    let commands = written.map(|(name, command)| (name, Shape::Command(command)));
    let calls = hostile::calls().into_iter();
    commands
        .chain(calls.map(|(name, call)| (name, Shape::Call(call))))
        .collect()
}

fn main() -> io::Result<()> {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let policies = ROLES.map(policy);
    let mut shapes = shapes();
    shapes.retain(|(name, _)| wanted.is_empty() || wanted.iter().any(|word| name.contains(word)));
    let mut slowest: Vec<(Duration, String)> = Vec::new();
    for (name, shape) in &shapes {
        for policy in &policies {
            let took = time(policy, shape);
            slowest.push((took, format!("{} {name}", policy.capability)));
        }
    }
    slowest.sort_by(|a, b| b.cmp(a));
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{} shapes, {} roles, {} kB each; best of up to {RUNS}",
        shapes.len(),
        ROLES.len(),
        SIZE / 1000
    )?;
    for (took, name) in slowest.iter().take(SHOWN) {
        writeln!(out, "{:8.3} ms  {name}", took.as_secs_f64() * 1000.0)?;
    }
    Ok(())
}
