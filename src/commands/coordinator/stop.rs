//! `stop`: end the loop or the agent, and the run with it.

use std::time::Duration;

use serde::Serialize;

use super::role::{COORDINATOR, ORCHESTRATOR, Role, coordinating};
use crate::agents::persistent::{self, Life};
use crate::agents::stop::{StopOptions, stop};
use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::commands::monitor;
use crate::commands::persistent::StoppedJson;
use crate::coordinator::completion;
use crate::db::SessionStore;
use crate::platform::ProjectPaths;
use crate::process::tree::{self, Signal};
use crate::types::AgentState;
use crate::types::host::ProcessId;
use crate::watchdog::pid_file;

/// A merge that lands already is finished first; gates that run are ended.
const END: Duration = Duration::from_secs(30);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AllStoppedJson<'a> {
    #[serde(flatten)]
    stopped: StoppedJson<'a>,
    watchdog_stopped: bool,
    monitor_stopped: bool,
    run_completed: bool,
}

/// Runs the command.
pub(super) fn run(ctx: &Context, role: &Role) -> CliResult {
    let paths = ctx.paths()?;
    let holder = role.loop_holder(&paths)?;
    let session = match (role.meant(&paths)?, holder) {
        (Some(session), _) => session,
        (None, None) => return Err(role.none_active()),
        (None, Some(_)) => {
            return Err(CliError::agent(
                "the coordinator runs inside a full screen; close that instead",
            )
            .hint("press q there, then d: agents go on"));
        }
    };
    let watchdog = pid_file::holder(&paths)?;
    let mut watchdog_stopped = false;
    if let Some(holder) = holder {
        end_loop(holder)?;
        watchdog_stopped = watchdog == Some(i64::from(holder.pid));
    } else {
        stop(&paths, &session.agent_name, StopOptions::default())?;
    }
    let sessions = SessionStore::open(&paths.sessions_db())?;
    sessions.transition_session(&session.agent_name, &session.id, AgentState::Completed)?;
    sessions.touch(&session.agent_name)?;
    let last = !another_coordinates(&paths)?;
    if last && !watchdog_stopped {
        watchdog_stopped = pid_file::end(&paths)?.is_some();
    }
    let monitor_stopped = last && monitor::stop_beside(&paths)?;
    let run_completed = last && completion::complete_run(&paths)?;
    if ctx.is_json() {
        let stopped = AllStoppedJson {
            stopped: StoppedJson::of(&session),
            watchdog_stopped,
            monitor_stopped,
            run_completed,
        };
        ctx.out.json(&format!("{} stop", role.name), &stopped)?;
        return Ok(Outcome::Done);
    }
    ctx.out
        .success(format!("{} stopped {}", role.title, session.id))?;
    let told = [
        (watchdog_stopped, "Watchdog stopped", "No watchdog running"),
        (monitor_stopped, "Monitor stopped", "No monitor running"),
        (run_completed, "Run completed", "No active run"),
    ];
    for (was, yes, no) in told {
        ctx.out.hint(if was { yes } else { no })?;
    }
    Ok(Outcome::Done)
}

fn end_loop(holder: ProcessId) -> CliResult<()> {
    tree::signal(holder, Signal::Terminate);
    if tree::wait_gone(&[holder], END).is_empty() {
        return Ok(());
    }
    Err(CliError::agent(format!(
        "the coordinator (pid {}) is still finishing a merge; try again",
        holder.pid
    )))
}

/// Whether somebody goes on with the same run.
fn another_coordinates(paths: &ProjectPaths) -> CliResult<bool> {
    // A full screen runs the loop without a session.
    if COORDINATOR.loop_holder(paths)?.is_some() {
        return Ok(true);
    }
    for session in coordinating(paths)? {
        let role = [COORDINATOR, ORCHESTRATOR]
            .into_iter()
            .find(|role| role.name == session.agent_name);
        let lives = match role {
            // What stands behind it may be the loop.
            Some(role) => role.lives(paths, &session)?,
            None => persistent::life(paths, &session)? == Life::Alive,
        };
        if lives {
            return Ok(true);
        }
    }
    Ok(false)
}
