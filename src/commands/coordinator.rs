//! `coordinator`: the loop that lands work and watches health, without a screen.

use std::fs::OpenOptions;
use std::io::{Write, stdout};
use std::time::Duration;

use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

use crate::agents::current_run::{clear_current_run, current_run};
use crate::agents::sling::new_run;
use crate::cli::{CliError, CliResult, Context, Outcome, Project};
use crate::coordinator::headless::{self, Message};
use crate::coordinator::triggers::{self, Facts, Trigger};
use crate::coordinator::{CoordinatorError, post};
use crate::db::{MailStore, MergeQueueStore, SessionStore};
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, clock, env, fs, lease};
use crate::process::tree::{self, Signal};
use crate::process::{SpawnError, detach};
use crate::tracker::Tracker;
use crate::types::host::ProcessId;
use crate::types::mail::{MailType, NewMail};
use crate::types::merge::MergeStatus;
use crate::types::run::RunStatus;
use crate::types::{AgentSession, AgentState};

/// Run the coordinator without a screen
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: grove coordinator start\n\nThe full screen runs the same loop while it is open; this one is for when it is not."
)]
pub struct Args {
    #[command(subcommand)]
    command: CoordinatorCommand,
}

#[derive(Debug, Subcommand)]
enum CoordinatorCommand {
    /// Start the loop in the background
    #[command(after_help = "Example: grove coordinator start")]
    Start(StartArgs),
    /// Stop the loop; agents go on
    #[command(after_help = "Example: grove coordinator stop")]
    Stop,
    /// Tell whether the loop runs
    #[command(after_help = "Example: grove coordinator status --json")]
    Status,
    /// Send the coordinator a message
    #[command(after_help = "Example: grove coordinator send --body \"land login first\"")]
    Send {
        /// What to say
        #[arg(long, required = true)]
        body: String,
        /// Subject line
        #[arg(long, default_value = "operator dispatch")]
        subject: String,
    },
    /// Tell whether the configured exit triggers are met
    #[command(after_help = "Example: grove coordinator check-complete --json")]
    CheckComplete,
    /// Run the loop in this process
    #[command(hide = true)]
    Run,
}

/// Flags of ov that choose how its coordinator is shown; the loop has nothing to show.
#[derive(Debug, clap::Args)]
struct StartArgs {
    /// Accepted for compatibility
    #[arg(long)]
    attach: bool,
    /// Accepted for compatibility
    #[arg(long)]
    no_attach: bool,
    /// Accepted for compatibility: the loop always watches health
    #[arg(long)]
    watchdog: bool,
    /// Accepted for compatibility
    #[arg(long)]
    accept_existing_watchdog: bool,
    /// Accepted for compatibility
    #[arg(long)]
    monitor: bool,
    /// Accepted for compatibility
    #[arg(long)]
    profile: Option<String>,
}

const NAME: &str = "coordinator";

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    match args.command {
        CoordinatorCommand::Start(_) => start(ctx),
        CoordinatorCommand::Stop => stop(ctx),
        CoordinatorCommand::Status => status(ctx),
        CoordinatorCommand::Send { body, subject } => send(ctx, &subject, &body),
        CoordinatorCommand::CheckComplete => check_complete(ctx),
        CoordinatorCommand::Run => run_loop(ctx),
    }
}

fn agent_error(message: impl Into<String>) -> CliError {
    CliError::coded("AGENT_ERROR", message)
}

impl From<CoordinatorError> for CliError {
    fn from(error: CoordinatorError) -> Self {
        match error {
            CoordinatorError::Agent(inner) => inner.into(),
            CoordinatorError::Mail(inner) => inner.into(),
            CoordinatorError::Git(inner) => inner.into(),
            CoordinatorError::Db(inner) => inner.into(),
            CoordinatorError::File(inner) => inner.into(),
            CoordinatorError::Merge(inner) => Self::coded("MERGE_ERROR", inner.to_string()),
            CoordinatorError::AlreadyRunning { .. } | CoordinatorError::Watch(_) => {
                agent_error(error.to_string())
            }
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StartedJson<'a> {
    agent_name: &'a str,
    capability: &'a str,
    tmux_session: &'a str,
    project_root: String,
    pid: i32,
    headless: bool,
    watchdog: bool,
    watchdog_preexisting: bool,
    monitor: bool,
}

/// Starts the loop and waits until it holds the lease. Also what the full screen does when it
/// hands over.
pub(crate) fn start_in_background(paths: &ProjectPaths) -> CliResult<i32> {
    if !crate::config::config_path(&paths.root).is_file() {
        return Err(
            agent_error(format!("{} is not a grove project", paths.root.display()))
                .hint("go to your project, or run 'grove init' in it first"),
        );
    }
    if let Some(holder) = lease::holder(&paths.coordinator_lease())? {
        return Err(CoordinatorError::AlreadyRunning { pid: holder.pid }.into());
    }
    let dir = paths.file("logs").join(NAME);
    fs::create_dir_all(&dir)?;
    let log_path = dir.join("coordinator.log");
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&log_path)
        .map_err(|e| agent_error(format!("cannot open {}: {e}", log_path.display())))?;
    let root = paths.root.to_string_lossy().into_owned();
    let args = ["--project", &root, "coordinator", "run"];
    let started = detach::spawn_self(&args, &paths.root, log, &[env::ACTING_FOR])
        .map_err(|e: SpawnError| agent_error(e.to_string()))?;
    let pid = started.pid;
    let line = started
        .wait_ready()
        .map_err(|e| agent_error(format!("the coordinator did not report: {e}")))?;
    if line == "ready" {
        return Ok(pid);
    }
    let why = if line.is_empty() {
        format!("see {}", log_path.display())
    } else {
        line
    };
    Err(agent_error(format!("the coordinator did not start: {why}")))
}

fn start(ctx: &Context) -> CliResult {
    let project = ctx.project()?;
    let pid = start_in_background(&project.paths)?;
    if ctx.is_json() {
        ctx.out.json(
            "coordinator start",
            &StartedJson {
                agent_name: NAME,
                capability: NAME,
                tmux_session: "",
                project_root: project.root.to_string_lossy().into_owned(),
                pid,
                headless: true,
                watchdog: true,
                watchdog_preexisting: false,
                monitor: false,
            },
        )?;
        return Ok(Outcome::Done);
    }
    ctx.out.success("Coordinator started")?;
    ctx.out.hint(format!("PID: {pid}"))?;
    ctx.out
        .hint("It lands finished work and watches health; it calls no model")?;
    Ok(Outcome::Done)
}

/// The loop itself, in a process of its own.
fn run_loop(ctx: &Context) -> CliResult {
    detach::leave_session();
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_max_level(tracing::Level::INFO)
        .init();
    let Project { paths, config, .. } = ctx.project()?;
    let report = |line: &str| {
        let mut out = stdout().lock();
        // The starter may have gone; the loop runs all the same.
        writeln!(out, "{line}")
            .and_then(|()| out.flush())
            .unwrap_or_default();
    };
    let session_id = format!("session-{}-{NAME}", clock::now().0);
    let result = headless::run(&paths, &config, headless::log_listener(), |sender| {
        register(&paths, &config.project.canonical_branch, &session_id)?;
        end_on_signal(sender);
        report("ready");
        Ok(())
    });
    let ended = SessionStore::open(&paths.sessions_db())
        .and_then(|s| s.transition_session(NAME, &session_id, AgentState::Completed));
    if let Err(e) = ended {
        tracing::warn!("the end was not recorded: {e}");
    }
    result.map_err(|e| {
        report(&e.to_string());
        CliError::from(e)
    })?;
    Ok(Outcome::Done)
}

/// Makes the loop visible to `status` and to ov as a session.
fn register(paths: &ProjectPaths, branch: &str, session_id: &str) -> Result<(), CoordinatorError> {
    let sessions = SessionStore::open(&paths.sessions_db())?;
    let run = match current_run(paths)? {
        Some(run) => run,
        None => new_run(paths, &sessions)?,
    };
    let now = clock::now().iso();
    sessions.upsert(&AgentSession {
        id: session_id.to_owned(),
        agent_name: NAME.to_owned(),
        capability: NAME.to_owned(),
        worktree_path: paths.root.to_string_lossy().into_owned(),
        branch_name: branch.to_owned(),
        task_id: String::new(),
        tmux_session: String::new(),
        state: AgentState::Working,
        pid: Some(i64::from(std::process::id())),
        parent_agent: None,
        depth: 0,
        run_id: Some(run),
        started_at: now.clone(),
        last_activity: now,
        escalation_level: 0,
        stalled_since: None,
        transcript_path: None,
        prompt_version: None,
        claude_session_id: None,
    })?;
    Ok(())
}

/// Ends the loop on SIGTERM and SIGINT, so that a merge in progress is finished first.
fn end_on_signal(sender: std::sync::mpsc::Sender<Message>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else {
        tracing::warn!("signals cannot be received; SIGKILL ends the loop safely, too");
        return;
    };
    let waiting = std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            runtime.block_on(crate::platform::signals::end());
            // The loop has ended already when nobody receives this.
            sender.send(Message::End).unwrap_or_default();
        });
    if let Err(e) = waiting {
        tracing::warn!("signals cannot be received: {e}");
    }
}

/// The session of a coordinator that counts as running.
fn session(paths: &ProjectPaths) -> CliResult<Option<AgentSession>> {
    let found = SessionStore::open(&paths.sessions_db())?.get(NAME)?;
    Ok(found.filter(|s| s.capability == NAME && s.state.is_active()))
}

fn stop(ctx: &Context) -> CliResult {
    let paths = ctx.paths()?;
    let holder = lease::holder(&paths.coordinator_lease())?.filter(|h| h.pid > 0);
    let session = session(&paths)?;
    if session.is_none() && holder.is_none() {
        return Err(agent_error("No active coordinator session found"));
    }
    if session.is_none() {
        return Err(
            agent_error("the coordinator runs inside a full screen; close that instead")
                .hint("press q there, then d: agents go on"),
        );
    }
    if let Some(holder) = holder {
        tree::signal(holder, Signal::Terminate);
        let left = tree::wait_gone(&[holder], Duration::from_secs(30));
        if !left.is_empty() {
            return Err(agent_error(format!(
                "the coordinator (pid {}) is still finishing a merge; try again",
                holder.pid
            )));
        }
    }
    let sessions = SessionStore::open(&paths.sessions_db())?;
    sessions.transition(NAME, AgentState::Completed)?;
    let run = current_run(&paths)?;
    if let Some(run) = &run {
        sessions.complete_run(run, RunStatus::Completed)?;
        clear_current_run(&paths)?;
    }
    let id = session.map(|s| s.id).unwrap_or_default();
    if ctx.is_json() {
        ctx.out.json(
            "coordinator stop",
            &json!({"stopped": true, "sessionId": id, "watchdogStopped": false,
                "monitorStopped": false, "runCompleted": run.is_some()}),
        )?;
    } else {
        ctx.out.success("Coordinator stopped")?;
        ctx.out
            .hint("Agents go on; open grove or start it again to land their work")?;
    }
    Ok(Outcome::Done)
}

fn status(ctx: &Context) -> CliResult {
    let paths = ctx.paths()?;
    let holder = lease::holder(&paths.coordinator_lease())?.filter(|h| h.pid > 0);
    let Some(session) = session(&paths)? else {
        return not_running(ctx, holder);
    };
    let alive = holder.is_some() || alive(&session);
    if ctx.is_json() {
        let data = json!({"running": alive, "sessionId": session.id, "state": session.state.as_str(),
            "tmuxSession": session.tmux_session, "pid": session.pid,
            "startedAt": session.started_at, "lastActivity": session.last_activity,
            "watchdogRunning": false, "monitorRunning": false});
        ctx.out.json("coordinator status", &data)?;
        return Ok(Outcome::Done);
    }
    let pid = session
        .pid
        .map_or_else(|| "null".to_owned(), |p| p.to_string());
    ctx.out.line(format!(
        "Coordinator: {}",
        if alive { "running" } else { "not running" }
    ))?;
    ctx.out.line(format!("  Session:   {}", session.id))?;
    ctx.out
        .line(format!("  Tmux:      {}", session.tmux_session))?;
    ctx.out.line(format!("  PID:       {pid}"))?;
    ctx.out
        .line(format!("  Started:   {}", session.started_at))?;
    ctx.out
        .line(format!("  Activity:  {}", session.last_activity))?;
    ctx.out.line("  Watchdog:  not running")?;
    ctx.out.line("  Monitor:   not running")?;
    Ok(Outcome::Done)
}

fn not_running(ctx: &Context, holder: Option<ProcessId>) -> CliResult {
    if ctx.is_json() {
        let mut data =
            json!({"running": holder.is_some(), "watchdogRunning": false, "monitorRunning": false});
        if let (Some(holder), Some(map)) = (holder, data.as_object_mut()) {
            map.insert("pid".to_owned(), holder.pid.into());
        }
        ctx.out.json("coordinator status", &data)?;
    } else if let Some(holder) = holder {
        ctx.out.line(format!(
            "  Coordinator: running in a full screen (pid {})",
            holder.pid
        ))?;
    } else {
        ctx.out.line("  Coordinator is not running")?;
    }
    Ok(Outcome::Done)
}

// The pid of an ov coordinator is only a number in a row: what cannot be told counts as alive.
fn alive(session: &AgentSession) -> bool {
    let pid = session.pid.and_then(|p| i32::try_from(p).ok());
    pid.is_none_or(|pid| liveness::check(ProcessId { pid, start: 0 }) != Liveness::Dead)
}

fn send(ctx: &Context, subject: &str, body: &str) -> CliResult {
    let paths = ctx.paths()?;
    if session(&paths)?.is_none() {
        return Err(agent_error("No active coordinator session found"));
    }
    let mail = NewMail::new("operator", NAME, MailType::Dispatch, subject, body);
    let sent = post::post(&paths, &mail)?;
    if ctx.is_json() {
        ctx.out
            .json("coordinator send", &json!({"id": sent.id, "nudged": false}))?;
    } else {
        ctx.out.success(format!("Sent message {}", sent.id))?;
    }
    Ok(Outcome::Done)
}

fn check_complete(ctx: &Context) -> CliResult {
    let Project { paths, config, .. } = ctx.project()?;
    let sessions = SessionStore::open(&paths.sessions_db())?;
    let run = match current_run(&paths)? {
        Some(run) => Some(sessions.by_run(&run)?),
        None => None,
    };
    let pending: Vec<String> = MergeQueueStore::open(&paths.merge_queue_db())?
        .with_status(MergeStatus::Pending)?
        .into_iter()
        .map(|r| r.entry.branch_name)
        .collect();
    let inbox = MailStore::open(&paths.mail_db())?.unread(NAME)?;
    let triggers = triggers::evaluate(
        &config.coordinator.exit_triggers,
        &Facts {
            run: run.as_deref(),
            pending_branches: &pending,
            inbox: &inbox,
            // A tracker's program may be slow: only when somebody wants to know.
            ready_tasks: (config.coordinator.exit_triggers.task_tracker_empty)
                .then(|| Tracker::of(&paths.root, &config.task_tracker).count_ready())
                .flatten(),
        },
    );
    let named = [
        ("allAgentsDone", &triggers.all_agents_done),
        ("taskTrackerEmpty", &triggers.task_tracker_empty),
        ("onShutdownSignal", &triggers.on_shutdown_signal),
    ];
    if ctx.is_json() {
        let map: serde_json::Map<String, serde_json::Value> = named
            .iter()
            .map(|(name, t)| {
                let value = json!({"enabled": t.enabled, "met": t.met, "detail": t.detail});
                ((*name).to_owned(), value)
            })
            .collect();
        let data = json!({"complete": triggers.complete(), "triggers": map});
        ctx.out.json("coordinator check-complete", &data)?;
        return Ok(Outcome::Done);
    }
    for (name, trigger) in named {
        ctx.out
            .line(format!("  {name}: {} — {}", word(trigger), trigger.detail))?;
    }
    ctx.out.line(format!(
        "\nComplete: {}",
        if triggers.complete() { "YES" } else { "NO" }
    ))?;
    Ok(Outcome::Done)
}

fn word(trigger: &Trigger) -> &'static str {
    match (trigger.enabled, trigger.met) {
        (false, _) => "disabled",
        (true, true) => "MET",
        (true, false) => "NOT MET",
    }
}
