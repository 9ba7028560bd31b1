//! Measures what grove promises about its own cost and prints it beside the promise.
//!
//! `cargo bench` runs everything on this machine with scripted agents; nothing is a test and nothing
//! fails when the machine is slow. What is measured in comparison says to what.

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

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{LONG, SHORT, ScreenProcess, TestProject, wait_until};

const GROVE: &str = env!("CARGO_BIN_EXE_grove");
/// Given by the scripted agent that runs this program again, inside.
const INSIDE: &str = "--inside";

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let [_, mode, output] = words.as_slice()
        && mode == INSIDE
    {
        return inside(Path::new(output));
    }
    let mut table = Table::default();
    version(&mut table);
    hooks(&mut table);
    guard(&mut table);
    redaction(&mut table);
    sling(&mut table);
    idle_screen(&mut table);
    table.print();
}

/// Rows of the result.
#[derive(Default)]
struct Table(Vec<[String; 4]>);

impl Table {
    fn add(&mut self, what: &str, measured: f64, unit: &str, promised: f64) {
        self.0.push([
            what.to_owned(),
            format!("{measured:.2} {unit}"),
            format!("{promised} {unit}"),
            format!("{:.2}", measured / promised),
        ]);
    }

    fn note(&mut self, what: &str, measured: String) {
        self.0
            .push([what.to_owned(), measured, String::new(), String::new()]);
    }

    fn print(&self) {
        println!(
            "{:<58} {:>14} {:>12} {:>8}",
            "", "measured", "promise", "ratio"
        );
        for [what, measured, promised, ratio] in &self.0 {
            println!("{what:<58} {measured:>14} {promised:>12} {ratio:>8}");
        }
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

fn quiet(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Times whole lives of a process, in milliseconds.
fn lives(times: usize, mut make: impl FnMut() -> Command) -> f64 {
    let one = |command: &mut Command| {
        let started = Instant::now();
        command.status().unwrap();
        started.elapsed()
    };
    one(&mut make());
    median((0..times).map(|_| one(&mut make())).collect())
}

/// The slowest of 15 judgements of 100 kB each, usual and hostile.
fn guard(table: &mut Table) {
    let policy = grove::guard::Policy {
        agent: "ada".to_owned(),
        capability: "builder".to_owned(),
        worktree: "/w/ada".into(),
        root: "/w".into(),
        temp: None,
        quality_gates: Vec::new(),
        task_id: None,
        allow: Vec::new(),
        block: Vec::new(),
    };
    let size = 100_000;
    let filled = |unit: &str| unit.repeat(size / unit.len());
    for (name, command) in [
        (
            "a heredoc",
            format!("cat > a <<'E'\n{}\nE", filled("git push\n")),
        ),
        ("commands", filled("echo aaaaaaaaaa; ")),
        ("words", format!("echo {}", filled("a "))),
        ("a pipeline", filled("a|")),
        ("$(", filled("$(")),
        ("backquotes", filled("`")),
        ("braces", filled("{1..99999} ")),
        ("here-documents", filled("<<E ")),
        ("variables", filled("x=$x$x; ")),
        ("a path", format!("touch {}", filled("a/../"))),
        ("short commands", filled("ls;")),
        ("redirections", filled(">a ")),
        ("assignments", filled("a=1;")),
        ("pipes", format!("{}a", filled("a|"))),
        ("traps", filled("trap 'ls' EXIT;")),
        ("background jobs", filled("ls & ")),
        (
            "a script in a here-document",
            format!("bash <<'E'\n{}E", filled("echo a b c >> f\n")),
        ),
        ("file names", format!("touch {}", numbered("src/f", size))),
        (
            "file names to add",
            format!("git add {}", numbered("src/f", size)),
        ),
        (
            "2,000 file names",
            format!("touch {}", numbered("src/f", 17_000)),
        ),
        (
            "python calls",
            format!("python3 <<'E'\n{}E", filled("f(a, 1)\n")),
        ),
        (
            "python lists",
            format!("python3 <<'E'\n{}E", filled("x.append(1)\n")),
        ),
        (
            "30 kB of python",
            format!(
                "python3 <<'E'\n{}E",
                "rows.append(Row(name=\"entry\", size=12))\n".repeat(700)
            ),
        ),
        (
            "50 kB of script",
            format!(
                "bash <<'E'\n{}E",
                "echo \"a line of the file\" >> out/part.txt\n".repeat(1_250)
            ),
        ),
        (
            "javascript calls",
            format!("node -e '{}'", filled("f();\n")),
        ),
        ("perl calls", format!("perl -e '{}'", filled("f(1); "))),
        ("awk pipes", format!("awk '{}'", filled("{print|\"a\"} "))),
    ] {
        let times = (0..15).map(|_| {
            let started = Instant::now();
            let input = serde_json::json!({ "command": command });
            std::hint::black_box(grove::guard::judge(&policy, "Bash", &input));
            started.elapsed()
        });
        let worst = times.max().unwrap_or_default();
        let what = format!("the guard on 100 kB of {name}, worst");
        table.add(&what, worst.as_secs_f64() * 1000.0, "ms", 5.0);
    }
}

/// Names with numbers, up to a size.
/// Megabytes a second of what an agent's terminal shows, on its way into a recording.
fn redaction(table: &mut Table) {
    use grove::text::{RedactingStream, Redactor, SecretValue};
    let values: Vec<SecretValue> = (0..12)
        .map(|n| SecretValue {
            name: format!("T{n}_TOKEN"),
            value: format!("{n}q7#Zr!0x-Wv|9 kTp{n}"),
        })
        .collect();
    let redactor = std::sync::Arc::new(Redactor::new(&values));
    let size = 4_000_000;
    for (name, unit) in [
        (
            "a build in colours",
            "\x1b[1;32m   Compiling\x1b[0m grove v0.1.0 (/w)\r\n",
        ),
        (
            "a screen",
            "\x1b[13;4H\x1b[38;5;244m\u{2502}\x1b[39m text here \x1b[K| ",
        ),
        (
            "tokens that are none",
            "sk-a ghx_ xoxb- AKI eyJ- Bearer 1q7#Zr!0 ",
        ),
        ("characters taken back", "s\x08"),
        ("no line breaks", "QWxhZGRpbjpvcGVuIHNlc2FtZQ/+"),
    ] {
        let text = unit.repeat(size / unit.len());
        let started = Instant::now();
        let mut stream = RedactingStream::new(std::sync::Arc::clone(&redactor));
        let mut out = Vec::new();
        for piece in text.as_bytes().chunks(4096) {
            stream.push(piece, &mut out);
        }
        stream.finish(&mut out);
        let speed = text.len() as f64 / 1e6 / started.elapsed().as_secs_f64();
        table.note(&format!("redaction, {name}"), format!("{speed:.0} MB/s"));
    }
}

fn numbered(start: &str, size: usize) -> String {
    let mut names = String::new();
    let mut at = 0;
    while names.len() < size {
        names.push_str(start);
        names.push_str(&at.to_string());
        names.push(' ');
        at += 1;
    }
    names
}

fn version(table: &mut Table) {
    let time = lives(101, || quiet(GROVE, &["--version"]));
    table.add("grove --version", time, "ms", 10.0);
    let peak = (0..20)
        .map(|_| peak_memory(quiet(GROVE, &["--version"])))
        .max()
        .unwrap();
    table.add("grove --version, memory", peak as f64 / 1024.0, "MiB", 10.0);
    let size = fs::metadata(GROVE).unwrap().len();
    table.add(
        "the program file",
        size as f64 / 1024.0 / 1024.0,
        "MiB",
        20.0,
    );
}

/// The largest memory seen while a process lived, in KiB.
fn peak_memory(mut command: Command) -> u64 {
    let mut child = command.spawn().unwrap();
    let path = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(&path).unwrap_or_default();
        peak = peak.max(field(&status, "VmHWM:").unwrap_or(0));
    }
    peak
}

fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Hooks only answer to the agent, so they are measured by a program that the agent runs.
fn hooks(table: &mut Table) {
    let project = TestProject::initialised();
    // The guard lets agents run what belongs to their project, so this program becomes part of it.
    fs::copy(
        std::env::current_exe().unwrap(),
        project.root().join("measure"),
    )
    .unwrap();
    project.git(&["add", "measure"]);
    project.git(&["commit", "-q", "-m", "Add a program"]);
    let output = project.overstory("worktrees/ann/times");
    let run = format!("./measure {INSIDE} times");
    let script = project.script("inside", &format!("steps:\n- run: \"{run}\"\n- hang\n"));
    project.grove_ok(&[
        "sling",
        "t-1",
        "--name",
        "ann",
        "--runtime",
        "script",
        "--spec",
        &script,
    ]);
    let text = wait_until(
        "the agent has measured its hooks",
        LONG,
        || {
            fs::read_to_string(&output)
                .ok()
                .filter(|text| text.ends_with("end\n"))
        },
        || project.report(),
    );
    let times: Vec<f64> = text.lines().filter_map(|line| line.parse().ok()).collect();
    let [empty, pre, post] = times.as_slice() else {
        panic!("not three times: {text}");
    };
    table.note("an empty process (/bin/true)", format!("{empty:.2} ms"));
    table.add(
        "grove hook pre-tool, above an empty process",
        pre - empty,
        "ms",
        2.0,
    );
    table.add(
        "grove hook post-tool, above an empty process",
        post - empty,
        "ms",
        2.0,
    );
    let (host, _) = project.pids("ann").unwrap();
    table.add(
        "a host, private memory",
        private_memory(host) / 1024.0,
        "MiB",
        8.0,
    );
}

/// Measures from within the agent and writes three times and `end`.
fn inside(output: &Path) {
    let payload = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"cargo test"}}"#;
    let hook = |event: &'static str| {
        move || {
            let mut input = tempfile::tempfile().unwrap();
            input.write_all(payload.as_bytes()).unwrap();
            std::io::Seek::rewind(&mut input).unwrap();
            let mut command = quiet(GROVE, &["hook", event]);
            command.stdin(input);
            command
        }
    };
    let empty = lives(201, || quiet("/bin/true", &[]));
    let pre = lives(201, hook("pre-tool"));
    let post = lives(201, hook("post-tool"));
    let partial = output.with_extension("partial");
    fs::write(&partial, format!("{empty}\n{pre}\n{post}\nend\n")).unwrap();
    fs::rename(partial, output).unwrap();
}

fn private_memory(pid: i64) -> f64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
    (field(&text, "Private_Clean:").unwrap() + field(&text, "Private_Dirty:").unwrap()) as f64
}

fn sling(table: &mut Table) {
    let project = TestProject::initialised();
    let script = project.script("hangs", "steps:\n- hang\n");
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for n in 0..9 {
        let (folder, branch) = (format!("../tmp/bare-{n}"), format!("bare-{n}"));
        let started = Instant::now();
        project.git(&["worktree", "add", "-q", "-b", &branch, &folder]);
        without.push(started.elapsed());

        let (task, name) = (format!("t-{n}"), format!("ann-{n}"));
        let words = ["--name", &name, "--runtime", "script", "--spec", &script];
        let started = Instant::now();
        project.grove_ok(&[&["sling", &task], &words[..]].concat());
        with.push(started.elapsed());
    }
    let (with, without) = (median(with), median(without));
    table.note("git worktree add", format!("{without:.2} ms"));
    table.add(
        "grove sling to a running agent, above that",
        with - without,
        "ms",
        300.0,
    );
}

fn idle_screen(table: &mut Table) {
    const LOOK: Duration = Duration::from_secs(10);
    let project = TestProject::initialised();
    let script = project.script("idles", "steps:\n- print: \"I am here\"\n- hang\n");
    for n in 1..=5 {
        let (task, name) = (format!("t-{n}"), format!("ann-{n}"));
        let words = ["--name", &name, "--runtime", "script", "--spec", &script];
        project.grove_ok(&[&["sling", &task], &words[..]].concat());
    }
    let screen = ScreenProcess::start(&project, &[]);
    screen.wait_for("I am here", SHORT, || project.report());
    settle(&screen);
    let (bytes, ticks) = (screen.received(), cpu_ticks(screen.pid()));
    std::thread::sleep(LOOK);
    let drawn = screen.received() - bytes;
    let used = (cpu_ticks(screen.pid()) - ticks) as f64 / 100.0;
    table.note(
        "idle screen with 5 agents: bytes drawn in 10 s",
        drawn.to_string(),
    );
    table.add(
        "idle screen with 5 agents, of one core",
        used / LOOK.as_secs_f64() * 100.0,
        "%",
        0.5,
    );
}

/// Waits until nothing has been drawn for two seconds.
fn settle(screen: &ScreenProcess) {
    let (mut last, mut since) = (screen.received(), Instant::now());
    wait_until(
        "the screen comes to rest",
        LONG,
        || {
            if screen.received() != last {
                (last, since) = (screen.received(), Instant::now());
            }
            (since.elapsed() > Duration::from_secs(2)).then_some(())
        },
        || screen.text(),
    );
}

/// User and system time of a process in ticks of 10 ms.
fn cpu_ticks(pid: i64) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after_name = stat.rsplit(')').next().unwrap();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}
