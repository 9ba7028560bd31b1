//! Measures hooks beside an empty process, and what taking secrets out of a recording costs.
//!
//! `cargo bench --bench hooks`. Hooks only answer to the agent, so they are called by this program, run
//! inside scripted agents. Each is compared with `/bin/true` in the same run: warm; with the pages of both
//! program files dropped before each call (copies that no running process maps, synced and given up with
//! `posix_fadvise`; shared libraries stay warm); and in 25 agents at once, each asking its own host.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program for developers, which ends at the first surprise"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use grove::text::{RedactingStream, Redactor, secret_values};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{LONG, TestProject, wait_until};

const GROVE: &str = env!("CARGO_BIN_EXE_grove");
const EMPTY: &str = "/bin/true";
/// Given by the scripted agents that run this program again, inside.
const INSIDE: &str = "--inside";
/// Names the folder where each part is asked for; as an argument the guard would refuse it.
const SIGNALS: &str = "MEASURE_SIGNALS";
const TOGETHER: usize = 25;
const BUDGET: f64 = 2.0;
const STOP: &str = "stop";
/// What the names of parts begin with in which all agents ask at once.
const MANY: &str = "many-";
/// A turn as models make them: a prompt, some tool calls, and a moment in which the last words are written.
const A_TURN: Turn = Turn {
    tools: 3,
    thinking: Duration::from_secs(1),
};
/// A turn as no model makes them.
const AT_ONCE: Turn = Turn {
    tools: 0,
    thinking: Duration::ZERO,
};

const EVENTS: &[(&str, &str)] = &[
    (
        "pre-tool",
        r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"cargo test"}}"#,
    ),
    (
        "post-tool",
        r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"cargo test"},"tool_response":{}}"#,
    ),
    (
        "session-start",
        r#"{"hook_event_name":"SessionStart","session_id":"c1","source":"startup"}"#,
    ),
    (
        "prompt",
        r#"{"hook_event_name":"UserPromptSubmit","prompt":"go on"}"#,
    ),
    (
        "notification",
        r#"{"hook_event_name":"Notification","notification_type":"idle_prompt","message":"m"}"#,
    ),
    (
        "pre-compact",
        r#"{"hook_event_name":"PreCompact","trigger":"auto"}"#,
    ),
    (
        "stop",
        r#"{"hook_event_name":"Stop","stop_hook_active":false}"#,
    ),
    (
        "session-end",
        r#"{"hook_event_name":"SessionEnd","reason":"other"}"#,
    ),
];

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let [_, mode, output] = words.as_slice()
        && mode == INSIDE
    {
        let signals = std::env::var(SIGNALS).unwrap();
        return inside(Path::new(&signals), Path::new(output));
    }
    alone();
    together();
    redaction();
}

fn project() -> TestProject {
    let mut project = TestProject::initialised();
    let signals = project.beside().display().to_string();
    project.set_env(SIGNALS, &signals);
    project
}

/// Starts agents that run this program; gives the files they will write.
fn agents(project: &TestProject, count: usize) -> Vec<PathBuf> {
    // The guard lets agents run what belongs to their project, so this program becomes part of it.
    fs::copy(
        std::env::current_exe().unwrap(),
        project.root().join("measure"),
    )
    .unwrap();
    project.git(&["add", "measure"]);
    project.git(&["commit", "-q", "-m", "Add a program"]);
    let run = format!("./measure {INSIDE} times");
    let script = project.script("inside", &format!("steps:\n- run: \"{run}\"\n- hang\n"));
    (0..count)
        .map(|n| {
            let (task, name) = (format!("t-{n}"), format!("ann-{n}"));
            let words = ["--name", &name, "--runtime", "script", "--spec", &script];
            project.grove_ok(&[&["sling", &task], &words[..]].concat());
            project.overstory(&format!("worktrees/{name}/times"))
        })
        .collect()
}

fn results(project: &TestProject, files: &[PathBuf], part: &str) -> Vec<String> {
    let read = |file: &PathBuf| fs::read_to_string(file.with_extension(part)).ok();
    wait_until(
        &format!("the agents have measured {part}"),
        LONG * 4,
        || files.iter().map(read).collect::<Option<Vec<_>>>(),
        || project.report(),
    )
}

fn head(title: &str) {
    println!(
        "\n{title:<34} {:>9} {:>9} {:>9} {:>7} {:>9}",
        "median", "p95", "above", "ratio", "promise"
    );
}

/// Prints one line; `times` and `empty` are sorted milliseconds.
fn row(what: &str, times: &[f64], empty: &[f64]) {
    let (median, base) = (at(times, 50), at(empty, 50));
    println!(
        "{what:<34} {median:>6.2} ms {:>6.2} ms {:>6.2} ms {:>7.2} {BUDGET:>6.1} ms",
        at(times, 95),
        median - base,
        median / base
    );
}

fn at(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

fn numbers(text: &str) -> Vec<(String, Vec<f64>)> {
    text.lines()
        .map(|line| {
            let (name, rest) = line.split_once('\t').unwrap();
            let mut times: Vec<f64> = rest.split(' ').map(|n| n.parse().unwrap()).collect();
            times.sort_by(f64::total_cmp);
            (name.to_owned(), times)
        })
        .collect()
}

fn alone() {
    let project = project();
    let files = agents(&project, 1);
    for (part, title) in [
        ("warm", "one agent, warm"),
        ("cold", "one agent, cold program files"),
    ] {
        fs::write(project.beside().join(part), "").unwrap();
        let text = results(&project, &files, part).remove(0);
        let all = numbers(&text);
        head(title);
        for (name, times) in &all {
            row(name, times, &all[0].1);
        }
    }
}

fn together() {
    let project = project();
    let config = project.read(".overstory/config.yaml");
    let more = config
        .lines()
        .map(|line| match line.split_once("maxConcurrent:") {
            Some((before, _)) => format!("{before}maxConcurrent: {TOGETHER}\n"),
            None => format!("{line}\n"),
        });
    project.write(".overstory/config.yaml", &more.collect::<String>());
    let files = agents(&project, TOGETHER);
    head(&format!("{TOGETHER} agents at once"));
    let mut empty = Vec::new();
    for part in many() {
        fs::write(project.beside().join(&part), "").unwrap();
        let texts = results(&project, &files, &part);
        let mut times: Vec<f64> = texts
            .iter()
            .flat_map(|text| numbers(text).remove(0).1)
            .collect();
        times.sort_by(f64::total_cmp);
        if empty.is_empty() {
            empty.clone_from(&times);
        }
        row(&part, &times, &empty);
    }
}

/// The parts in which all agents ask at once.
fn many() -> impl Iterator<Item = String> {
    let events = EVENTS.iter().map(|(event, _)| *event);
    std::iter::once("empty")
        .chain(events)
        .map(|what| format!("{MANY}{what}"))
}

/// Runs inside of an agent: each part begins with the file that asks for it.
fn inside(signals: &Path, output: &Path) {
    let payloads: Vec<PathBuf> = EVENTS
        .iter()
        .map(|(event, payload)| {
            let path = PathBuf::from(format!("{event}.json"));
            fs::write(&path, payload).unwrap();
            path
        })
        .collect();
    let hook = |program: &Path, n: usize| {
        let mut command = quiet(program);
        command
            .args(["hook", EVENTS[n].0])
            .stdin(File::open(&payloads[n]).unwrap());
        command
    };
    let write = |part: &str, lines: &[(String, Vec<f64>)]| {
        let text: String = lines
            .iter()
            .map(|(name, times)| {
                let times: Vec<String> = times.iter().map(|t| format!("{t:.4}")).collect();
                format!("{name}\t{}\n", times.join(" "))
            })
            .collect();
        let partial = output.with_extension("partial");
        fs::write(&partial, text).unwrap();
        fs::rename(partial, output.with_extension(part)).unwrap();
    };
    let (grove, empty) = (Path::new(GROVE), Path::new(EMPTY));
    let asked = |part: &String| signals.join(part).exists();
    let mut parts = vec!["warm".to_owned(), "cold".to_owned()];
    parts.extend(many());
    while !parts.is_empty() {
        let Some(index) = parts.iter().position(&asked) else {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        };
        let part = parts.remove(index);
        let lines = match part.as_str() {
            "warm" => {
                let mut lines = vec![("empty".to_owned(), lives(201, || quiet(empty)))];
                for (n, (event, _)) in EVENTS.iter().enumerate() {
                    if *event != STOP {
                        lines.push(((*event).to_owned(), lives(201, || hook(grove, n))));
                    }
                }
                lines.extend(stops(&hook));
                lines
            }
            "cold" => {
                let copies = [PathBuf::from("empty-copy"), PathBuf::from("grove-copy")];
                fs::copy(empty, &copies[0]).unwrap();
                fs::copy(grove, &copies[1]).unwrap();
                let cold = |file: &Path| drop_pages(file);
                let mut lines = vec![(
                    "empty".to_owned(),
                    lives(41, || {
                        cold(&copies[0]);
                        quiet(&std::path::absolute(&copies[0]).unwrap())
                    }),
                )];
                for (n, (event, _)) in EVENTS.iter().enumerate() {
                    let times = lives(41, || {
                        if *event == STOP {
                            A_TURN.take(&hook);
                        }
                        cold(&copies[1]);
                        hook(&std::path::absolute(&copies[1]).unwrap(), n)
                    });
                    lines.push(((*event).to_owned(), times));
                }
                lines
            }
            many => {
                let event = many.strip_prefix(MANY).unwrap();
                let times = match EVENTS.iter().position(|(name, _)| *name == event) {
                    None => lives(41, || quiet(empty)),
                    Some(n) if event == STOP => lives(11, || {
                        A_TURN.take(&hook);
                        hook(grove, n)
                    }),
                    Some(n) => lives(41, || hook(grove, n)),
                };
                vec![(part.clone(), times)]
            }
        };
        write(&part, &lines);
    }
}

/// What comes before the end of a turn.
struct Turn {
    tools: usize,
    thinking: Duration,
}

impl Turn {
    fn take(&self, hook: &dyn Fn(&Path, usize) -> Command) {
        let call = |event: &str| {
            let n = EVENTS.iter().position(|(name, _)| *name == event);
            hook(Path::new(GROVE), n.unwrap()).status().unwrap();
        };
        call("prompt");
        for _ in 0..self.tools {
            call("pre-tool");
            call("post-tool");
        }
        std::thread::sleep(self.thinking);
    }
}

/// How long the end of a turn takes: before the work is reported, when the agent is sent on whatever git
/// says, and after, when git has the last word.
fn stops(hook: &dyn Fn(&Path, usize) -> Command) -> Vec<(String, Vec<f64>)> {
    let stop = EVENTS.iter().position(|(name, _)| *name == STOP).unwrap();
    let mut lines = Vec::new();
    for state in ["unreported", "reported"] {
        if state == "reported" {
            let mut report = quiet(Path::new(GROVE));
            report.args(["mail", "send", "--to", "orchestrator", "--type"]);
            report.args(["worker_done", "--subject", "Done", "--body", "Done."]);
            assert!(report.status().unwrap().success());
        }
        for (how, turn) in [("a turn", A_TURN), ("at once", AT_ONCE)] {
            let times = lives(21, || {
                turn.take(hook);
                hook(Path::new(GROVE), stop)
            });
            lines.push((format!("{STOP}, {state}, {how}"), times));
        }
    }
    lines
}

fn drop_pages(path: &Path) {
    let file = File::open(path).unwrap();
    file.sync_all().unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
}

fn quiet(program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Times whole lives of a process, in milliseconds.
fn lives(times: usize, mut make: impl FnMut() -> Command) -> Vec<f64> {
    make().status().unwrap();
    (0..times)
        .map(|_| {
            let mut command = make();
            let started = Instant::now();
            command.status().unwrap();
            started.elapsed().as_secs_f64() * 1000.0
        })
        .collect()
}

/// How fast a recording's bytes pass, in the pieces in which a terminal delivers them.
fn redaction() {
    let secrets = secret_values([
        ("DEPLOY_TOKEN", "q7#Zr!0x-Wv|9 kTp2"),
        ("ANTHROPIC_API_KEY", "sk-ant-api03-0123456789abcdefghij"),
    ]);
    let redactor = Arc::new(Redactor::new(&secrets));
    let text: Vec<u8> = (0..400_000)
        .flat_map(|n| {
            format!("\x1b[32mflood\x1b[0m line {n} of task-{n}: sk and gh are no secrets\r\n")
                .into_bytes()
        })
        .collect();
    println!("\n{:<34} {:>14}", "taking secrets out", "");
    for piece in [4096, 65536] {
        let started = Instant::now();
        let mut stream = RedactingStream::new(Arc::clone(&redactor));
        let mut out = Vec::new();
        for bytes in text.chunks(piece) {
            out.clear();
            stream.push(bytes, &mut out);
        }
        stream.finish(&mut out);
        let rate = text.len() as f64 / 1e6 / started.elapsed().as_secs_f64();
        println!(
            "{:<34} {rate:>9.0} MB/s",
            format!("in pieces of {piece} bytes")
        );
    }
}
