//! `coordinator start`: the loop, in the background.

use serde::Serialize;

use super::role::COORDINATOR;
use super::run_loop;
use super::verbs::StartArgs;
use crate::agents::persistent::{self, Life};
use crate::cli::{CliError, CliResult, Context, Outcome, Project};
use crate::commands::{monitor, open, watch};
use crate::coordinator::CoordinatorError;
use crate::db::SessionStore;
use crate::platform::{ProjectPaths, lease};
use crate::types::{AgentSession, AgentState};
use crate::watchdog::pid_file;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StartedJson<'a> {
    pub(super) agent_name: &'a str,
    pub(super) capability: &'a str,
    pub(super) tmux_session: &'a str,
    pub(super) project_root: String,
    pub(super) pid: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) headless: Option<bool>,
    pub(super) watchdog: bool,
    pub(super) watchdog_preexisting: bool,
    pub(super) monitor: bool,
}

/// Profiles under which a person lands the work.
const CO_CREATION: [&str; 2] = ["co-creation", "ov-co-creation"];

/// Runs the command.
pub(super) fn run(ctx: &Context, args: &StartArgs) -> CliResult {
    let project = ctx.project()?;
    let Project { paths, config, .. } = &project;
    let profile = args
        .profile
        .as_deref()
        .or(config.project.default_profile.as_deref());
    if profile == Some("ov-discovery") {
        return Err(CliError::validation(
            "the loop explores nothing: that profile is for an agent with a model",
        )
        .hint("run 'grove discover'"));
    }
    refuse_second(paths)?;
    let preexisting = existing_watchdog(paths, args)?;
    let only_prepare = profile.is_some_and(|p| CO_CREATION.contains(&p));
    if project.config.watchdog.tier0_enabled {
        watch::tell_unreadable(ctx, paths)?;
    }
    let pid = run_loop::start_in_background(paths, only_prepare)?;
    let watchdog = preexisting || pid_file::holder(paths)?.is_some();
    let monitor = args.monitor && monitor::start_beside(ctx, &project)?;
    if ctx.is_json() {
        ctx.out.json(
            "coordinator start",
            &StartedJson {
                agent_name: COORDINATOR.name,
                capability: COORDINATOR.name,
                tmux_session: "",
                project_root: project.root.to_string_lossy().into_owned(),
                pid,
                headless: Some(true),
                watchdog,
                watchdog_preexisting: preexisting,
                monitor,
            },
        )?;
        return Ok(Outcome::Done);
    }
    ctx.out.success("Coordinator started")?;
    ctx.out
        .hint(format!("Root:    {}", project.root.display()))?;
    ctx.out.hint(format!("PID:     {pid}"))?;
    ctx.out.hint(if only_prepare {
        "It prepares merges and watches health; you land the work with 'grove merge'"
    } else {
        "It lands finished work and watches health; it calls no model"
    })?;
    if args.attach {
        return open::run(ctx);
    }
    Ok(Outcome::Done)
}

/// Refuses beside a coordinator of either program that lives.
fn refuse_second(paths: &ProjectPaths) -> CliResult<()> {
    if let Some(holder) = lease::holder(&paths.coordinator_lease())? {
        return Err(CoordinatorError::AlreadyRunning { pid: holder.pid }.into());
    }
    let Some(session) = COORDINATOR.session(paths)? else {
        return Ok(());
    };
    if persistent::life(paths, &session)? == Life::Alive {
        return Err(already_running(COORDINATOR.title, &session));
    }
    SessionStore::open(&paths.sessions_db())?.transition_session(
        COORDINATOR.name,
        &session.id,
        AgentState::Completed,
    )?;
    Ok(())
}

/// Says that one lives, in ov's words where it is ov's.
pub(crate) fn already_running(title: &str, session: &AgentSession) -> CliError {
    let place = match session.pid {
        Some(pid) if session.tmux_session.is_empty() => format!("pid: {pid}"),
        Some(_) | None => format!("tmux: {}", session.tmux_session),
    };
    CliError::agent(format!(
        "{title} is already running ({place}, since: {})",
        session.started_at
    ))
}

/// Whether somebody watches already; refuses unless that is wanted.
pub(super) fn existing_watchdog(paths: &ProjectPaths, args: &StartArgs) -> CliResult<bool> {
    let Some(pid) = pid_file::holder(paths)? else {
        return Ok(false);
    };
    if args.watchdog || args.accept_existing_watchdog {
        return Ok(true);
    }
    Err(CliError::agent(format!(
        "A watchdog is already running (PID: {pid}). Pass --accept-existing-watchdog to start beside it"
    ))
    .hint("only one process watches: it goes on, and what is started leaves the watching to it")
    .hint("'grove watch --kill-others' replaces it"))
}
