//! `monitor`: an agent with a model that patrols the others; only where the project wants one.

use clap::Subcommand;
use serde::Serialize;

use super::attach;
use super::coordinator::already_running;
use super::persistent::{IdleJson, StatusJson, StoppedJson, observe, show};
use crate::agents::persistent::{self, Life, PersistentRequest};
use crate::agents::stop::{StopOptions, stop};
use crate::cli::{CliError, CliResult, Context, Outcome, Project};
use crate::config::Config;
use crate::platform::ProjectPaths;
use crate::types::AgentSession;
use std::io::{IsTerminal, stdin, stdout};

const NAME: &str = "monitor";

/// Start and stop the agent that patrols the others
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: grove monitor start --no-attach\n\nIt needs watchdog.tier2Enabled: true in .overstory/config.yaml."
)]
pub struct Args {
    #[command(subcommand)]
    command: MonitorCommand,
}

#[derive(Debug, Subcommand)]
enum MonitorCommand {
    /// Start it at the project root
    #[command(after_help = "Example: grove monitor start --no-attach")]
    Start {
        /// Show its terminal here after the start
        #[arg(long, overrides_with = "no_attach")]
        attach: bool,
        /// Only start it
        #[arg(long, overrides_with = "attach")]
        no_attach: bool,
    },
    /// Stop it
    #[command(after_help = "Example: grove monitor stop")]
    Stop,
    /// Report whether it is running
    #[command(after_help = "Example: grove monitor status --json")]
    Status,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StartedJson<'a> {
    agent_name: &'a str,
    capability: &'a str,
    tmux_session: &'a str,
    project_root: String,
    pid: i32,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    match args.command {
        MonitorCommand::Start { attach, no_attach } => start(ctx, attach, no_attach),
        MonitorCommand::Stop => stop_it(ctx),
        MonitorCommand::Status => status(ctx),
    }
}

fn session(paths: &ProjectPaths) -> CliResult<Option<AgentSession>> {
    Ok(persistent::active(paths, NAME, NAME)?)
}

/// Whether the monitor of either program runs.
pub(super) fn is_running(paths: &ProjectPaths) -> CliResult<bool> {
    match session(paths)? {
        Some(session) => Ok(persistent::life(paths, &session)? == Life::Alive),
        None => Ok(false),
    }
}

fn launch(paths: &ProjectPaths, config: &Config) -> CliResult<i32> {
    if !config.watchdog.tier2_enabled {
        return Err(CliError::agent(
            "Monitor agent (Tier 2) is disabled. Set watchdog.tier2Enabled: true in .overstory/config.yaml to enable.",
        ));
    }
    if let Some(session) = session(paths)?
        && persistent::life(paths, &session)? == Life::Alive
    {
        return Err(already_running("Monitor", &session));
    }
    let started = persistent::start(
        paths,
        config,
        &PersistentRequest {
            name: NAME.to_owned(),
            capability: NAME.to_owned(),
            beacon: "Depth: 0 | Parent: none | Role: continuous fleet patrol — Startup: look at `grove status`, check your \
                     mail with `grove mail check`, then patrol"
                .to_owned(),
            ..PersistentRequest::default()
        },
    )?;
    Ok(started.pid)
}

/// Starts the monitor beside a coordinator; one that cannot be started is said and does no harm.
pub(super) fn start_beside(ctx: &Context, project: &Project) -> CliResult<bool> {
    if !project.config.watchdog.tier2_enabled {
        ctx.out
            .note("! Monitor skipped — watchdog.tier2Enabled is false");
        return Ok(false);
    }
    match launch(&project.paths, &project.config) {
        Ok(_) => Ok(true),
        Err(e) => {
            ctx.out
                .note(format!("! Monitor not started — {}", e.message));
            is_running(&project.paths)
        }
    }
}

/// Stops the monitor, if one runs.
pub(super) fn stop_beside(paths: &ProjectPaths) -> CliResult<bool> {
    if !is_running(paths)? {
        return Ok(false);
    }
    stop(paths, NAME, StopOptions::default())?;
    Ok(true)
}

fn start(ctx: &Context, attach: bool, no_attach: bool) -> CliResult {
    let project = ctx.project()?;
    let pid = launch(&project.paths, &project.config)?;
    if ctx.is_json() {
        ctx.out.json(
            "monitor start",
            &StartedJson {
                agent_name: NAME,
                capability: NAME,
                tmux_session: "",
                project_root: project.root.to_string_lossy().into_owned(),
                pid,
            },
        )?;
        return Ok(Outcome::Done);
    }
    ctx.out.success("Monitor started")?;
    ctx.out
        .hint(format!("Root:    {}", project.root.display()))?;
    ctx.out.hint(format!("PID:     {pid}"))?;
    let here = stdin().is_terminal() && stdout().is_terminal();
    if attach || (here && !no_attach) {
        return attach::after_start(ctx, NAME);
    }
    Ok(Outcome::Done)
}

fn stop_it(ctx: &Context) -> CliResult {
    let paths = ctx.paths()?;
    let session = session(&paths)?.ok_or_else(|| {
        CliError::agent("No active monitor session found")
            .tip("start it with 'grove monitor start'")
    })?;
    stop(&paths, NAME, StopOptions::default())?;
    if ctx.is_json() {
        ctx.out.json("monitor stop", &StoppedJson::of(&session))?;
    } else {
        ctx.out.success(format!("Monitor stopped {}", session.id))?;
    }
    Ok(Outcome::Done)
}

fn status(ctx: &Context) -> CliResult {
    let paths = ctx.paths()?;
    let Some(session) = session(&paths)? else {
        if ctx.is_json() {
            ctx.out
                .json("monitor status", &IdleJson { running: false })?;
        } else {
            ctx.out.hint("Monitor is not running")?;
        }
        return Ok(Outcome::Done);
    };
    let seen = observe(&paths, &session)?;
    if ctx.is_json() {
        ctx.out
            .json("monitor status", &StatusJson::of(&session, seen))?;
        return Ok(Outcome::Done);
    }
    ctx.out.line(format!("Monitor: {}", seen.label()))?;
    show(ctx, &session, &[])?;
    Ok(Outcome::Done)
}
