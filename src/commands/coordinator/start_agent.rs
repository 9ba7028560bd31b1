//! Starting an agent with a model that coordinates: `orchestrator start` and `discover`.

use std::io::{IsTerminal, stdin, stdout};

use super::role::Role;
use super::start::{StartedJson, already_running, existing_watchdog};
use super::verbs::StartArgs;
use crate::agents::persistent::{self, Life, PersistentRequest};
use crate::cli::{CliResult, Context, Outcome};
use crate::commands::{attach, monitor, watch};
use crate::types::host::Mode;
use crate::watchdog::pid_file;

/// Who is started.
pub(crate) struct AgentStart<'a> {
    pub(crate) name: &'a str,
    pub(crate) role: Role,
    pub(crate) beacon: String,
    pub(crate) profile: Option<String>,
}

/// Starts it, with what the options want beside it.
pub(crate) fn start_agent(ctx: &Context, args: &StartArgs, wanted: AgentStart<'_>) -> CliResult {
    let project = ctx.project()?;
    let (paths, config) = (&project.paths, &project.config);
    let Role { name, title } = wanted.role;
    if let Some(session) = persistent::active(paths, wanted.name, name)?
        && persistent::life(paths, &session)? == Life::Alive
    {
        return Err(already_running(title, &session));
    }
    let preexisting = existing_watchdog(paths, args)?;
    let started = persistent::start(
        paths,
        config,
        &PersistentRequest {
            name: wanted.name.to_owned(),
            capability: name.to_owned(),
            profile: wanted.profile,
            beacon: wanted.beacon,
            leads_run: true,
            ..PersistentRequest::default()
        },
    )?;
    for warning in &started.warnings {
        ctx.out.note(warning);
    }
    if args.watchdog && !preexisting {
        match watch::start_in_background(paths, None)? {
            // Somebody watches now, whoever was faster.
            watch::Watching::Started(_) | watch::Watching::Another(_) => {}
        }
    }
    let watchdog = pid_file::holder(paths)?.is_some();
    let monitor = args.monitor && monitor::start_beside(ctx, &project)?;
    if ctx.is_json() {
        ctx.out.json(
            &format!("{name} start"),
            &StartedJson {
                agent_name: wanted.name,
                capability: name,
                tmux_session: "",
                project_root: project.root.to_string_lossy().into_owned(),
                pid: started.pid,
                headless: (started.mode == Mode::Stream).then_some(true),
                watchdog,
                watchdog_preexisting: preexisting,
                monitor,
            },
        )?;
        return Ok(Outcome::Done);
    }
    ctx.out.success(format!("{title} started"))?;
    ctx.out
        .hint(format!("Root:    {}", project.root.display()))?;
    ctx.out.hint(format!("PID:     {}", started.pid))?;
    let here = stdin().is_terminal() && stdout().is_terminal();
    if args.attach || (here && !args.no_attach) {
        return attach::after_start(ctx, wanted.name);
    }
    ctx.out
        .hint(format!("Watch it: grove attach {}", wanted.name))?;
    Ok(Outcome::Done)
}
