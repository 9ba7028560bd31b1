//! `status`: whether it runs, and who watches beside it.

use serde::Serialize;

use super::role::Role;
use crate::cli::{CliResult, Context, Outcome};
use crate::commands::monitor;
use crate::commands::persistent::{self, StatusJson};
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
struct WatchedJson<'a> {
    #[serde(flatten)]
    status: StatusJson<'a>,
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
    let lives = role.lives(&paths, &session)?;
    let seen = persistent::judge(&paths, &session, lives)?;
    if ctx.is_json() {
        let status = WatchedJson {
            status: StatusJson::of(&session, seen),
            watchdog_running: watchdog,
            monitor_running: monitor,
        };
        ctx.out.json(&format!("{} status", role.name), &status)?;
        return Ok(Outcome::Done);
    }
    ctx.out.line(format!("{}: {}", role.title, seen.label()))?;
    persistent::show(ctx, &session, &[])?;
    let word = |on: bool| if on { "running" } else { "not running" };
    ctx.out.line(format!("  Watchdog:  {}", word(watchdog)))?;
    ctx.out.line(format!("  Monitor:   {}", word(monitor)))?;
    Ok(Outcome::Done)
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
