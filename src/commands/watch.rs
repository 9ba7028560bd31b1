//! `watch`: watching the agents' health without coordinating them.

use std::fs::OpenOptions;
use std::io::{Write, stdout};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::coordinator::end_on_signal;
use crate::agents::health::{HealthAction, Observation, Thresholds, evaluate};
use crate::agents::{roster, tmux};
use crate::cli::{CliError, CliResult, Context, Outcome, Project, positive};
use crate::config::Config;
use crate::coordinator::patrol;
use crate::coordinator::work::{Listener, Notice};
use crate::logging::RedactingWriter;
use crate::merge::CallOff;
use crate::platform::{ProjectPaths, clock, env, fs};
use crate::process::{SpawnError, detach};
use crate::types::AgentSession;
use crate::watchdog::{Claim, PidFile, pid_file};

/// Watch the agents' health
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: grove watch --background\n\nThe full screen and `grove coordinator start` watch as well; only one process of a project does."
)]
pub struct Args {
    /// Pause between two reports in milliseconds; watchdog.tier0IntervalMs when left out
    #[arg(long, value_name = "ms", allow_hyphen_values = true)]
    interval: Option<String>,
    /// Watch in the background
    #[arg(long)]
    background: bool,
    /// End another watchdog of this project first
    #[arg(long)]
    kill_others: bool,
    /// Report to the process that started this one
    #[arg(long, hide = true)]
    report: bool,
}

#[derive(Serialize)]
struct KilledJson {
    killed: Vec<i64>,
}

#[derive(Serialize)]
struct TakenJson {
    running: bool,
    pid: i64,
    error: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ForegroundJson {
    pid: u32,
    interval_ms: i64,
    mode: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BackgroundJson {
    pid: i32,
    interval_ms: i64,
    pid_file: String,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let given = args
        .interval
        .as_deref()
        .map(|text| positive("--interval", text))
        .transpose()?;
    let Project { paths, config, .. } = ctx.project()?;
    ctx.require_state(&paths)?;
    let interval = given.unwrap_or(config.watchdog.tier0_interval_ms as i64);
    if args.kill_others {
        kill_others(ctx, &paths)?;
    }
    if args.background {
        return background(ctx, &paths, interval);
    }
    let claimed = pid_file::claim(&paths)?;
    match claimed {
        Claim::HeldBy(pid) if args.report => {
            say(&format!("held {}", pid.unwrap_or(-1)));
            Ok(Outcome::Failed)
        }
        Claim::HeldBy(pid) => taken(ctx, &paths, pid.unwrap_or(-1)),
        Claim::Mine(file) => {
            if let Some(what) = file.taken_over() {
                ctx.out.note(format!("! {what}"));
            }
            foreground(ctx, &paths, &config, interval, args.report, file)
        }
    }
}

/// One line for whoever waits at the other end of a pipe; it may have gone.
fn say(line: &str) {
    let mut out = stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .unwrap_or_default();
}

fn taken(ctx: &Context, paths: &ProjectPaths, pid: i64) -> CliResult {
    if ctx.is_json() {
        let taken = TakenJson {
            running: true,
            pid,
            error: "Watchdog already running",
        };
        ctx.out.json("watch", &taken)?;
        return Ok(Outcome::Failed);
    }
    let file = pid_file::path(paths);
    let file = file.display();
    ctx.out.note(if pid > 0 {
        format!("✗ Watchdog already running (PID: {pid}). Kill it first, run 'grove watch --kill-others', or remove {file}")
    } else {
        format!("✗ Watchdog PID file at {file} is owned by another process (its PID is not known). Run 'grove watch --kill-others' or remove the file.")
    });
    Ok(Outcome::Failed)
}

fn kill_others(ctx: &Context, paths: &ProjectPaths) -> CliResult<()> {
    let killed: Vec<i64> = pid_file::end(paths)?.into_iter().collect();
    match (killed.first(), ctx.is_json()) {
        (_, true) => ctx.out.json("watch", &KilledJson { killed }),
        (Some(pid), false) => ctx
            .out
            .success(format!("Killed 1 foreign watchdog process(es): {pid}")),
        (None, false) => ctx.out.hint("No foreign watchdog processes found."),
    }
}

/// Who watches after a watchdog was to be started.
pub(super) enum Watching {
    /// The new one.
    Started(i32),
    /// Another one, which was faster; -1 when it is not known which.
    Another(i64),
}

/// Starts the watchdog in the background and waits until it watches.
pub(super) fn start_in_background(
    paths: &ProjectPaths,
    interval: Option<i64>,
) -> CliResult<Watching> {
    let agent_error = |message: String| CliError::coded("AGENT_ERROR", message);
    let dir = paths.file("logs").join("watchdog");
    fs::create_dir_all(&dir)?;
    let log_path = dir.join("watchdog.log");
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&log_path)
        .map_err(|e| agent_error(format!("cannot open {}: {e}", log_path.display())))?;
    let root = paths.root.to_string_lossy().into_owned();
    let interval = interval.map(|ms| ms.to_string());
    let mut args = vec!["--project", root.as_str(), "watch", "--report"];
    if let Some(interval) = &interval {
        args.extend(["--interval", interval]);
    }
    let started = detach::spawn_self(&args, &paths.root, log, &[env::ACTING_FOR])
        .map_err(|e: SpawnError| agent_error(e.to_string()))?;
    let pid = started.pid;
    let line = started
        .wait_ready()
        .map_err(|e| agent_error(format!("the watchdog did not report: {e}")))?;
    match line.strip_prefix("held ").map(str::parse) {
        Some(Ok(holder)) => Ok(Watching::Another(holder)),
        None if line == "ready" => Ok(Watching::Started(pid)),
        Some(Err(_)) | None => Err(agent_error(format!(
            "the watchdog did not start; see {}",
            log_path.display()
        ))),
    }
}

/// Says that a pid file which names nobody is about to be replaced; a process in the background has
/// nobody to say it to.
pub(super) fn tell_unreadable(ctx: &Context, paths: &ProjectPaths) -> CliResult<()> {
    if let Some(what) = pid_file::unreadable(paths)? {
        ctx.out.note(format!("! {what}"));
    }
    Ok(())
}

fn background(ctx: &Context, paths: &ProjectPaths, interval_ms: i64) -> CliResult {
    tell_unreadable(ctx, paths)?;
    let pid = match start_in_background(paths, Some(interval_ms))? {
        Watching::Started(pid) => pid,
        Watching::Another(holder) => return taken(ctx, paths, holder),
    };
    let pid_file = pid_file::path(paths).display().to_string();
    if ctx.is_json() {
        let started = BackgroundJson {
            pid,
            interval_ms,
            pid_file,
        };
        ctx.out.json("watch", &started)?;
        return Ok(Outcome::Done);
    }
    ctx.out.success(format!(
        "Watchdog started in background PID: {pid}, interval: {interval_ms}ms"
    ))?;
    ctx.out.hint(format!("PID file: {pid_file}"))?;
    Ok(Outcome::Done)
}

/// Watches until a signal ends it. The file is given back when this returns.
fn foreground(
    ctx: &Context,
    paths: &ProjectPaths,
    config: &Config,
    interval_ms: i64,
    reports: bool,
    file: PidFile,
) -> CliResult {
    if reports {
        detach::leave_session();
        tracing_subscriber::fmt()
            .with_writer(|| RedactingWriter(std::io::stderr()))
            .with_ansi(false)
            .with_max_level(tracing::Level::INFO)
            .init();
        say("ready");
    } else if ctx.is_json() {
        let running = ForegroundJson {
            pid: std::process::id(),
            interval_ms,
            mode: "foreground",
        };
        ctx.out.json("watch", &running)?;
    } else {
        ctx.out
            .success(format!("Watchdog running interval: {interval_ms}ms"))?;
        ctx.out.hint("Press Ctrl+C to stop.")?;
    }
    let limits = Thresholds {
        stale_ms: config.watchdog.stale_threshold_ms as i64,
        zombie_ms: config.watchdog.zombie_threshold_ms as i64,
    };
    let told = ctx.out.clone();
    let listener: Listener = Arc::new(move |notice| match notice {
        Notice::Did(line) | Notice::Merge { text: line, .. } if reports => tracing::info!("{line}"),
        Notice::Trouble(line) if reports => tracing::warn!("{line}"),
        // Whoever reads this may have gone; watching goes on.
        Notice::Did(line) | Notice::Merge { text: line, .. } => {
            told.line(stamped(&line)).unwrap_or_default();
        }
        Notice::Trouble(line) => told.note(stamped(&line)),
        Notice::Gate { .. } | Notice::MergeEnded { .. } => {}
    });
    let out = ctx.out.clone();
    let result = patrol::run(
        paths,
        config,
        Duration::from_millis(interval_ms as u64),
        &listener,
        |sessions| {
            if !reports {
                for line in checks(sessions, limits) {
                    out.line(stamped(&line)).unwrap_or_default();
                }
            }
        },
        |sender| {
            // It merges nothing.
            end_on_signal(sender, CallOff::default());
            Ok(())
        },
    );
    drop(file);
    result?;
    if !reports {
        ctx.out.success("Watchdog stopped.")?;
    }
    Ok(Outcome::Done)
}

fn stamped(line: &str) -> String {
    let now = clock::now().iso();
    format!("[{}] {line}", now.get(11..19).unwrap_or_default())
}

/// One line per session, as ov words it.
fn checks(sessions: &[AgentSession], limits: Thresholds) -> Vec<String> {
    let any_tmux = sessions.iter().any(|s| !s.tmux_session.is_empty());
    let terminals = if any_tmux {
        tmux::sessions()
    } else {
        Vec::new()
    };
    let now = clock::now();
    let line = |session: &AgentSession| {
        let seen = Observation {
            tmux_alive: terminals.iter().any(|t| t.name == session.tmux_session),
            pid_alive: session.pid.and_then(roster::is_alive),
        };
        let (state, action) = evaluate(session, seen, now, limits);
        let icon = match action {
            HealthAction::Escalate => "!",
            HealthAction::Investigate => ">",
            HealthAction::Terminate | HealthAction::Complete => "x",
            HealthAction::None => "-",
        };
        let pid = match (session.pid, seen.pid_alive) {
            (None, _) | (_, None) => "n/a",
            (Some(_), Some(true)) => "up",
            (Some(_), Some(false)) => "down",
        };
        let tmux = if seen.tmux_alive { "up" } else { "down" };
        format!(
            "{icon} {}: {} (tmux={tmux}, pid={pid})",
            session.agent_name,
            state.as_str()
        )
    };
    sessions.iter().map(line).collect()
}
