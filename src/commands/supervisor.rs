//! `supervisor`: an agent at the project root for one task; leads have taken its place.

use clap::Subcommand;
use serde::Serialize;

use super::persistent::{IdleJson, StoppedJson, observe, show};
use crate::agents::persistent::{self, Life, PersistentRequest};
use crate::agents::stop::{StopOptions, stop};
use crate::cli::{CliError, CliResult, Context, Outcome, Project, at_least};
use crate::db::SessionStore;
use crate::tracker::Tracker;

const CAPABILITY: &str = "supervisor";

/// Start and stop supervisors (deprecated; use leads)
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: grove supervisor status\n\nDeprecated: use 'grove sling <task> --capability lead' instead."
)]
pub struct Args {
    #[command(subcommand)]
    command: SupervisorCommand,
}

#[derive(Debug, Subcommand)]
enum SupervisorCommand {
    /// Start one at the project root
    #[command(after_help = "Example: grove supervisor start --task app-1a2b --name sup-1")]
    Start {
        /// Task to supervise
        #[arg(long, required = true, value_name = "task-id")]
        task: String,
        /// Its name
        #[arg(long, required = true, value_name = "name")]
        name: String,
        /// Agent that it reports to
        #[arg(long, default_value = "coordinator", value_name = "agent")]
        parent: String,
        /// Depth in the hierarchy
        #[arg(
            long,
            default_value = "1",
            value_name = "n",
            allow_hyphen_values = true
        )]
        depth: String,
    },
    /// Stop one
    #[command(after_help = "Example: grove supervisor stop --name sup-1")]
    Stop {
        /// Its name
        #[arg(long, required = true, value_name = "name")]
        name: String,
    },
    /// Tell which ones run
    #[command(after_help = "Example: grove supervisor status --json")]
    Status {
        /// Only this one
        #[arg(long, value_name = "name")]
        name: Option<String>,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StartedJson<'a> {
    agent_name: &'a str,
    capability: &'a str,
    tmux_session: &'a str,
    project_root: String,
    task_id: &'a str,
    parent: &'a str,
    depth: i64,
    pid: i32,
}

#[derive(Serialize)]
struct ListJson<'a> {
    supervisors: Vec<ListedJson<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedJson<'a> {
    agent_name: &'a str,
    running: bool,
    state: &'a str,
    tmux_session: &'a str,
    task_id: &'a str,
    parent_agent: Option<&'a str>,
    depth: i64,
    started_at: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OneJson<'a> {
    running: bool,
    session_id: &'a str,
    agent_name: &'a str,
    state: &'a str,
    tmux_session: &'a str,
    task_id: &'a str,
    parent_agent: Option<&'a str>,
    depth: i64,
    pid: Option<i64>,
    started_at: &'a str,
    last_activity: &'a str,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    match args.command {
        SupervisorCommand::Start {
            task,
            name,
            parent,
            depth,
        } => {
            let depth = at_least("--depth", 0, None, &depth)?;
            start(ctx, &task, &name, &parent, depth)
        }
        SupervisorCommand::Stop { name } => stop_one(ctx, &name),
        SupervisorCommand::Status { name: Some(name) } => show_one(ctx, &name),
        SupervisorCommand::Status { name: None } => list(ctx),
    }
}

fn start(ctx: &Context, task: &str, name: &str, parent: &str, depth: i64) -> CliResult {
    ctx.out.note(
        "[DEPRECATED] grove supervisor is deprecated. Use 'grove sling --capability lead' instead.",
    );
    let project = ctx.project()?;
    let Project { paths, config, .. } = &project;
    if let Some(status) = Tracker::of(&paths.root, &config.task_tracker).status(task)
        && !matches!(status.as_str(), "open" | "in_progress")
    {
        return Err(CliError::validation(format!(
            "Task {task} is not workable (status: {status})"
        )));
    }
    if let Some(session) = persistent::active(paths, name, CAPABILITY)?
        && persistent::life(paths, &session)? == Life::Alive
    {
        return Err(CliError::agent(format!(
            "Supervisor '{name}' is already running (tmux: {}, since: {})",
            session.tmux_session, session.started_at
        )));
    }
    let request = PersistentRequest {
        name: name.to_owned(),
        capability: CAPABILITY.to_owned(),
        task: task.to_owned(),
        parent: Some(parent.to_owned()),
        depth,
        beacon: format!(
            "task:{task} — Depth: {depth} | Parent: {parent} | Role: per-project supervisor — Startup: check your mail with \
             `grove mail check`, read task {task}, then supervise"
        ),
        ..PersistentRequest::default()
    };
    let started = persistent::start(paths, config, &request)?;
    if ctx.is_json() {
        ctx.out.json(
            "supervisor start",
            &StartedJson {
                agent_name: name,
                capability: CAPABILITY,
                tmux_session: "",
                project_root: project.root.to_string_lossy().into_owned(),
                task_id: task,
                parent,
                depth,
                pid: started.pid,
            },
        )?;
        return Ok(Outcome::Done);
    }
    ctx.out.success(format!("Supervisor started {name}"))?;
    ctx.out
        .hint(format!("Root:    {}", project.root.display()))?;
    ctx.out.hint(format!("Task:    {task}"))?;
    ctx.out.hint(format!("Parent:  {parent}"))?;
    ctx.out.hint(format!("Depth:   {depth}"))?;
    ctx.out.hint(format!("PID:     {}", started.pid))?;
    Ok(Outcome::Done)
}

fn stop_one(ctx: &Context, name: &str) -> CliResult {
    let paths = ctx.paths()?;
    let session = persistent::active(&paths, name, CAPABILITY)?.ok_or_else(|| {
        CliError::agent(format!("No active supervisor session found for '{name}'"))
    })?;
    stop(&paths, name, StopOptions::default())?;
    if ctx.is_json() {
        ctx.out
            .json("supervisor stop", &StoppedJson::of(&session))?;
    } else {
        ctx.out.success(format!("Supervisor stopped {name}"))?;
    }
    Ok(Outcome::Done)
}

fn show_one(ctx: &Context, name: &str) -> CliResult {
    let paths = ctx.paths()?;
    let Some(session) = persistent::active(&paths, name, CAPABILITY)? else {
        if ctx.is_json() {
            ctx.out
                .json("supervisor status", &IdleJson { running: false })?;
        } else {
            ctx.out.hint("Supervisor not running")?;
        }
        return Ok(Outcome::Done);
    };
    let seen = observe(&paths, &session)?;
    if ctx.is_json() {
        let status = OneJson {
            running: seen.running,
            session_id: &session.id,
            agent_name: &session.agent_name,
            state: seen.state,
            tmux_session: &session.tmux_session,
            task_id: &session.task_id,
            parent_agent: session.parent_agent.as_deref(),
            depth: session.depth,
            pid: session.pid,
            started_at: &session.started_at,
            last_activity: &session.last_activity,
        };
        ctx.out.json("supervisor status", &status)?;
        return Ok(Outcome::Done);
    }
    let parent = session.parent_agent.as_deref().unwrap_or("null");
    let more = [
        ("Task", session.task_id.clone()),
        ("Parent", parent.to_owned()),
        ("Depth", session.depth.to_string()),
    ];
    ctx.out
        .line(format!("Supervisor '{name}': {}", seen.label()))?;
    show(ctx, &session, &more)?;
    Ok(Outcome::Done)
}

fn list(ctx: &Context) -> CliResult {
    let paths = ctx.paths()?;
    let all = SessionStore::look(&paths.sessions_db())?.all()?;
    let mut found = Vec::new();
    for session in all.iter().filter(|s| s.capability == CAPABILITY) {
        found.push((session, observe(&paths, session)?));
    }
    if ctx.is_json() {
        let supervisors = found.iter().map(|(session, seen)| ListedJson {
            agent_name: &session.agent_name,
            running: seen.running,
            state: seen.state,
            tmux_session: &session.tmux_session,
            task_id: &session.task_id,
            parent_agent: session.parent_agent.as_deref(),
            depth: session.depth,
            started_at: &session.started_at,
        });
        let list = ListJson {
            supervisors: supervisors.collect(),
        };
        ctx.out.json("supervisor status", &list)?;
        return Ok(Outcome::Done);
    }
    if found.is_empty() {
        ctx.out.hint("No supervisor sessions found")?;
        return Ok(Outcome::Done);
    }
    ctx.out.line("Supervisor sessions:")?;
    for (session, seen) in found {
        let parent = session.parent_agent.as_deref().unwrap_or("null");
        ctx.out.line(format!(
            "  {}: {} (task: {}, parent: {parent})",
            session.agent_name,
            seen.label(),
            session.task_id
        ))?;
    }
    Ok(Outcome::Done)
}
