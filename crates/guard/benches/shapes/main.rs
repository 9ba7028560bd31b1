//! How long one judgement takes at most: texts of 100 kB made of one small piece, for every role. A hook waits for it.
//!
//! `cargo bench -p grove-guard` prints the slowest, and all that take more than 5 ms, which is too much on a quiet
//! machine. Words behind `--` choose the shapes that have one of them in their name. `--quick` asks the other roles only
//! where one that writes or one that reads takes long, and ends in a few minutes.

mod again;
#[rustfmt::skip] // many short pieces
mod calls;
mod families;
#[rustfmt::skip] // many short pieces
mod grammars;
mod hostile;
mod pieces;
mod scripts;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use grove_guard::{Policy, effort, judge_raw};
use pieces::{CODE, SHELL};

const SIZE: usize = 100_000;
const ROLES: [&str; 5] = ["builder", "reviewer", "lead", "coordinator", "unknown"];
/// What seems to take long is looked at again, up to so many times, and the best counts: the rest is what other
/// programs do to the processor's caches.
const RUNS: usize = 9;
/// What a judgement may take.
const MOST: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_millis(4);
/// Where the first roles take less, the others would not take too much: they differ in what they are refused.
const FAR: Duration = Duration::from_millis(2);
/// Roles that are always asked: one that writes and one that reads.
const FIRST: usize = 2;
const SHOWN: usize = 25;

const INTERPRETERS: &[&str] = &["python3", "node", "perl", "ruby", "php", "awk"];

fn commands(see: &mut dyn FnMut(&str, String)) {
    let mut push = |(name, text): (String, String)| see(&name, text);
    let filled = |unit: &str| unit.repeat(SIZE / unit.len());
    for unit in SHELL {
        push((format!("{unit:?}"), filled(unit)));
        push((
            format!("bash <<E {unit:?}"),
            format!("bash <<'E'\n{}\nE", filled(unit)),
        ));
        for head in ["eval ", "bash -c ", "echo ", "x=", "rm "] {
            push((format!("{head}{unit:?}"), format!("{head}{}", filled(unit))));
        }
        let quoted = filled(unit).replace('\'', "");
        push((format!("eval '{unit:?}'"), format!("eval '{quoted}'")));
        push((
            format!("eval eval {unit:?}"),
            format!("eval eval eval \"eval '{quoted}'\""),
        ));
    }
    for unit in CODE {
        for interpreter in INTERPRETERS {
            if *interpreter != "awk" {
                let text = format!("{interpreter} <<'E'\n{}\nE", filled(unit));
                push((format!("{interpreter} <<E {unit:?}"), text));
            }
            let option = match *interpreter {
                "python3" => "-c ",
                "awk" => "",
                "php" => "-r ",
                _ => "-e ",
            };
            let code = filled(unit).replace('\'', "");
            let text = format!("{interpreter} {option}'{code}'");
            push((format!("{interpreter} {option}{unit:?}"), text));
        }
    }
    single().into_iter().for_each(push);
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
    Call(Vec<u8>),
}

/// The time this thread had of a processor: what else runs on the machine does not count.
#[cfg(unix)]
fn used() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

#[cfg(not(unix))]
fn used() -> Duration {
    static BEGUN: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    BEGUN.elapsed()
}

fn time(policy: &Policy, shape: &Shape, runs: Option<usize>) -> Duration {
    let once = || {
        let begun = used();
        match shape {
            Shape::Command(command) => {
                std::hint::black_box(effort(policy, command));
            }
            Shape::Call(json) => {
                std::hint::black_box(judge_raw(policy, json));
            }
        }
        used().saturating_sub(begun)
    };
    let mut best = once();
    for _ in 1..runs.unwrap_or(RUNS) {
        if best < LONG && runs.is_none() {
            break;
        }
        best = best.min(once());
    }
    best
}

/// Every shape, one at a time: all of them together are gigabytes.
///
/// The older ones for every role, the others for one that writes and one that reads.
fn each(see: &mut dyn FnMut(&str, Shape, usize)) {
    let all = ROLES.len();
    let mut command = |name: &str, command: String| see(name, Shape::Command(command), all);
    commands(&mut command);
    hostile::commands(&mut command);
    hostile::calls(&mut |name, call| see(name, Shape::Call(call.into_bytes()), all));
    let mut command = |name: &str, command: String| see(name, Shape::Command(command), FIRST);
    families::each(&mut command);
    families::paths(&mut command);
    calls::each(&mut |name, call| see(name, Shape::Call(call), FIRST));
}

fn main() -> io::Result<()> {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let runs = std::env::args().find_map(|word| word.strip_prefix("--runs=")?.parse().ok());
    let quick = std::env::args().any(|word| word == "--quick");
    let policies = ROLES.map(policy);
    let mut shapes = 0;
    let mut slowest: Vec<(Duration, &str, String)> = Vec::new();
    each(&mut |name, shape, roles| {
        if !wanted.is_empty() && !wanted.iter().any(|word| name.contains(word)) {
            return;
        }
        shapes += 1;
        let mut most = (Duration::ZERO, "");
        for (at, policy) in policies.iter().take(roles).enumerate() {
            if quick && at >= FIRST && most.0 < FAR {
                break;
            }
            most = most.max((time(policy, &shape, runs), policy.capability.as_str()));
        }
        slowest.push((most.0, most.1, name.to_owned()));
    });
    slowest.sort_by(|a, b| b.cmp(a));
    let over = slowest.iter().take_while(|(took, ..)| *took > MOST).count();
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{shapes} shapes, {} kB each; best of up to {RUNS}; {over} take more than {MOST:?}",
        SIZE / 1000
    )?;
    for (took, role, name) in slowest.iter().take(SHOWN.max(over)) {
        writeln!(out, "{:8.3} ms  {role} {name}", took.as_secs_f64() * 1000.0)?;
    }
    Ok(())
}
