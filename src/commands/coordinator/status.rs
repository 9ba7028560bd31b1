//! `status`: whether it runs, and who watches beside it.

use serde::Serialize;

use super::role::Role;
use crate::agents::persistent;
use crate::cli::{CliResult, Context, Outcome};
use crate::commands::monitor;
use crate::types::AgentSession;
use crate::watchdog::pid_file;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct IdleJson {
    running: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<i32>,
    watchdog_running: bool,
    monitor_running: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusJson<'a> {
    running: bool,
    session_id: &'a str,
    state: &'a str,
    tmux_session: &'a str,
    pid: Option<i64>,
    started_at: &'a str,
    last_activity: &'a str,
    watchdog_running: bool,
    monitor_running: bool,
}

/// Runs the command.
pub(super) fn run(ctx: &Context, role: &Role) -> CliResult {
    let paths = ctx.paths()?;
    let session = role.meant(&paths)?;
    let watchdog = pid_file::holder(&paths)?.is_some();
    let monitor = monitor::is_running(&paths)?;
    let Some(session) = session else {
        let pid = role.loop_holder(&paths)?.map(|h| h.pid);
        return idle(ctx, role, pid, watchdog, monitor);
    };
    let running = role.lives(&paths, &session)?;
    if !running {
        persistent::bury(&paths, &session)?;
    }
    let state = if running {
        session.state.as_str()
    } else {
        "zombie"
    };
    if ctx.is_json() {
        let status = StatusJson {
            running,
            session_id: &session.id,
            state,
            tmux_session: &session.tmux_session,
            pid: session.pid,
            started_at: &session.started_at,
            last_activity: &session.last_activity,
            watchdog_running: watchdog,
            monitor_running: monitor,
        };
        ctx.out.json(&format!("{} status", role.name), &status)?;
        return Ok(Outcome::Done);
    }
    let label = if running { "running" } else { state };
    ctx.out.line(format!("{}: {label}", role.title))?;
    show_session(ctx, &session)?;
    let word = |on: bool| if on { "running" } else { "not running" };
    ctx.out.line(format!("  Watchdog:  {}", word(watchdog)))?;
    ctx.out.line(format!("  Monitor:   {}", word(monitor)))?;
    Ok(Outcome::Done)
}

/// The lines about a session that all persistent agents have.
pub(crate) fn show_session(ctx: &Context, session: &AgentSession) -> CliResult<()> {
    let pid = session
        .pid
        .map_or_else(|| "null".to_owned(), |p| p.to_string());
    ctx.out.line(format!("  Session:   {}", session.id))?;
    ctx.out
        .line(format!("  Tmux:      {}", session.tmux_session))?;
    ctx.out.line(format!("  PID:       {pid}"))?;
    ctx.out
        .line(format!("  Started:   {}", session.started_at))?;
    ctx.out
        .line(format!("  Activity:  {}", session.last_activity))
}

fn idle(
    ctx: &Context,
    role: &Role,
    pid: Option<i32>,
    watchdog_running: bool,
    monitor_running: bool,
) -> CliResult {
    if ctx.is_json() {
        let status = IdleJson {
            running: pid.is_some(),
            pid,
            watchdog_running,
            monitor_running,
        };
        ctx.out.json(&format!("{} status", role.name), &status)?;
        return Ok(Outcome::Done);
    }
    match pid {
        Some(pid) => ctx.out.hint(format!(
            "{}: running in a full screen (pid {pid})",
            role.title
        ))?,
        None => ctx.out.hint(format!("{} is not running", role.title))?,
    }
    if watchdog_running {
        ctx.out.hint("Watchdog: running")?;
    }
    if monitor_running {
        ctx.out.hint("Monitor: running")?;
    }
    Ok(Outcome::Done)
}
