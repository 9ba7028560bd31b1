//! `status`: who is working, on what, and what waits.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::agents::current_run::current_run;
use crate::agents::roster::{self, Roster, Scope};
use crate::cli::{CliResult, Context, Outcome, Project, SessionJson, at_least};
use crate::coordinator::queue;
use crate::db::{EventStore, GroveStore, MailStore, MetricsStore, SessionStore};
use crate::git::{WorktreeInfo, worktrees};
use crate::platform::{clock, hangup};
use crate::text::format_duration;
use crate::types::{AgentSession, Timestamp};
use crate::watchdog::refusals::Repeated;
use crate::watchdog::refused_again;

/// Show agents, worktrees, mail and the merge queue
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  grove status\n  grove status --all --json")]
pub struct Args {
    /// Count the unread mail of this agent
    #[arg(long, default_value = "orchestrator", value_name = "name")]
    agent: String,
    /// Show the agents of all runs
    #[arg(long)]
    all: bool,
    /// Repeat (deprecated; start `grove` instead)
    #[arg(long)]
    watch: bool,
    /// Pause between repetitions in milliseconds
    #[arg(
        long,
        default_value = "3000",
        value_name = "ms",
        allow_hyphen_values = true
    )]
    interval: String,
}

/// What is said of an agent whose host was killed.
const LOST: &str = "Dead: its host was killed; its worktree is kept, and 'grove watch' saves its work and tells its parent";

struct Report {
    run: Option<String>,
    roster: Roster,
    worktrees: Vec<WorktreeInfo>,
    unread: i64,
    pending: i64,
    metrics: i64,
    details: Vec<Details>,
    /// Whom the guard refuses the same thing again and again.
    refused: HashMap<String, Repeated>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    current_run_id: Option<Option<&'a str>>,
    agents: Vec<SessionJson<'a>>,
    worktrees: Vec<WorktreeJson<'a>>,
    tmux_sessions: Vec<TmuxJson<'a>>,
    unread_mail_count: i64,
    unread_mail_scope: &'a str,
    merge_queue_count: i64,
    recent_metrics_count: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    verbose_details: Option<serde_json::Map<String, serde_json::Value>>,
}

#[derive(Serialize)]
struct WorktreeJson<'a> {
    path: String,
    head: &'a str,
    branch: &'a str,
}

#[derive(Serialize)]
struct TmuxJson<'a> {
    name: &'a str,
    pid: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    #[serde(skip)]
    agent: String,
    worktree_path: String,
    logs_dir: String,
    last_mail_sent: Option<String>,
    last_mail_received: Option<String>,
    capability: String,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let interval = at_least("--interval", 500, Some("milliseconds"), &args.interval)?;
    let project = ctx.project()?;
    if !args.watch {
        let report = gather(ctx, &project, &args)?;
        show(ctx, &args, &report)?;
        return Ok(Outcome::Done);
    }
    ctx.out
        .note("--watch is deprecated: start 'grove' for a live view");
    loop {
        let report = gather(ctx, &project, &args)?;
        if !ctx.is_json() {
            ctx.out.raw("\u{1b}[2J\u{1b}[H")?;
        }
        show(ctx, &args, &report)?;
        if hangup::pause(std::time::Duration::from_millis(interval as u64)) {
            return Ok(Outcome::Done);
        }
    }
}

fn gather(ctx: &Context, project: &Project, args: &Args) -> CliResult<Report> {
    let paths = &project.paths;
    let run = current_run(paths)?;
    let store = SessionStore::look(&paths.sessions_db())?;
    let scope = match run.as_deref().filter(|_| !args.all) {
        Some(run) => Scope::Run(run),
        None => Scope::All,
    };
    let roster = roster::observe(paths, &store, &scope)?;
    let mail = paths
        .mail_db()
        .exists()
        .then(|| MailStore::look(&paths.mail_db()))
        .transpose()?;
    let metrics = paths
        .metrics_db()
        .exists()
        .then(|| MetricsStore::look(&paths.metrics_db()))
        .transpose()?;
    let refused = if paths.events_db().exists() {
        let events = EventStore::look(&paths.events_db())?;
        let grove = GroveStore::look(&paths.grove_db())?;
        refused_again((&events, &grove), &roster.sessions, &project.config.guard)?
    } else {
        HashMap::new()
    };
    let details = if ctx.globals.verbose {
        roster
            .sessions
            .iter()
            .map(|session| details(project, mail.as_ref(), session))
            .collect::<CliResult<_>>()?
    } else {
        Vec::new()
    };
    Ok(Report {
        run,
        roster,
        worktrees: worktrees(&project.root).unwrap_or_default(),
        unread: mail
            .as_ref()
            .map_or(Ok(0), |mail| mail.unread_count(&args.agent))?,
        pending: queue::count_pending(paths)?,
        metrics: metrics.map_or(Ok(0), |metrics| metrics.session_count())?,
        details,
        refused,
    })
}

fn details(
    project: &Project,
    mail: Option<&MailStore>,
    session: &AgentSession,
) -> CliResult<Details> {
    let (sent, received) = mail.map_or(Ok((None, None)), |mail| {
        mail.last_times(&session.agent_name)
    })?;
    let logs = project.paths.file("logs").join(&session.agent_name);
    Ok(Details {
        agent: session.agent_name.clone(),
        worktree_path: session.worktree_path.clone(),
        logs_dir: logs.display().to_string(),
        last_mail_sent: sent,
        last_mail_received: received,
        capability: session.capability.clone(),
    })
}

fn show(ctx: &Context, args: &Args, report: &Report) -> CliResult<()> {
    if ctx.is_json() {
        show_json(ctx, args, report)
    } else {
        show_text(ctx, args, report)
    }
}

fn show_json(ctx: &Context, args: &Args, report: &Report) -> CliResult<()> {
    let verbose_details = if report.details.is_empty() {
        None
    } else {
        let by_name = report
            .details
            .iter()
            .map(|details| Ok((details.agent.clone(), serde_json::to_value(details)?)));
        Some(by_name.collect::<Result<_, serde_json::Error>>()?)
    };
    let worktrees = report.worktrees.iter().map(|worktree| WorktreeJson {
        path: worktree.path.display().to_string(),
        head: &worktree.head,
        branch: &worktree.branch,
    });
    ctx.out.json(
        "status",
        &StatusJson {
            current_run_id: (!args.all).then_some(report.run.as_deref()),
            agents: report
                .roster
                .sessions
                .iter()
                .map(SessionJson::from)
                .collect(),
            worktrees: worktrees.collect(),
            tmux_sessions: report
                .roster
                .tmux
                .iter()
                .map(|tmux| TmuxJson {
                    name: &tmux.name,
                    pid: tmux.pid,
                })
                .collect(),
            unread_mail_count: report.unread,
            unread_mail_scope: &args.agent,
            merge_queue_count: report.pending,
            recent_metrics_count: report.metrics,
            verbose_details,
        },
    )
}

fn show_text(ctx: &Context, args: &Args, report: &Report) -> CliResult<()> {
    let out = &ctx.out;
    out.header("Overstory Status")?;
    out.line("")?;
    if let Some(run) = report.run.as_deref().filter(|_| !args.all) {
        out.line(format!("Run: {run}"))?;
    }
    let roster = &report.roster;
    let active: Vec<&AgentSession> = roster
        .sessions
        .iter()
        .filter(|session| session.state.is_active())
        .filter(|session| !roster.declared_dead.contains(&session.id))
        .collect();
    let is_lost = |session: &&AgentSession| roster.lost.contains(&session.id);
    let lost: Vec<&AgentSession> = roster.sessions.iter().filter(is_lost).collect();
    let dead = match lost.len() {
        0 => String::new(),
        count => format!(", {count} dead"),
    };
    out.line(format!("Agents: {} active{dead}", active.len()))?;
    let details: BTreeMap<&str, &Details> = report
        .details
        .iter()
        .map(|details| (details.agent.as_str(), details))
        .collect();
    if active.is_empty() {
        out.line("   No active agents")?;
    }
    let now = clock::now();
    for session in active.into_iter().chain(lost) {
        out.line(agent_line(session, roster, now))?;
        if is_lost(&session) {
            out.line(format!("     {LOST}"))?;
        }
        if let Some(refused) = report.refused.get(&session.agent_name) {
            let why = refused.told_of(&session.agent_name);
            out.line(format!("     Needs you: {why}"))?;
        }
        if let Some(details) = details.get(session.agent_name.as_str()) {
            show_details(ctx, details)?;
        }
    }
    out.line("")?;
    let agents: Vec<&WorktreeInfo> = report
        .worktrees
        .iter()
        .filter(|worktree| worktree.branch.starts_with("overstory/"))
        .collect();
    out.line(format!("Worktrees: {}", agents.len()))?;
    for worktree in &agents {
        out.line(format!("   {}", worktree.branch))?;
    }
    if agents.is_empty() {
        out.line("   No agent worktrees")?;
    }
    out.line("")?;
    out.line(format!(
        "Mail: {} unread (to {})",
        report.unread, args.agent
    ))?;
    out.line(format!("Merge queue: {} pending", report.pending))?;
    out.line(format!("Sessions recorded: {}", report.metrics))
}

fn agent_line(session: &AgentSession, roster: &Roster, now: Timestamp) -> String {
    let alive = if roster.lost.contains(&session.id) {
        false
    } else if session.tmux_session.is_empty() {
        session
            .pid
            .is_none_or(|pid| roster::is_alive(pid) != Some(false))
    } else {
        roster
            .tmux
            .iter()
            .any(|tmux| tmux.name == session.tmux_session)
    };
    let started = Timestamp::parse(&session.started_at).unwrap_or(now);
    format!(
        "   {} {} [{}] {} | {} | {}",
        if alive { ">" } else { "x" },
        session.agent_name,
        session.capability,
        session.state.as_str(),
        session.task_id,
        // The clock may have been ahead when it was started.
        format_duration((now.0 - started.0).max(0))
    )
}

fn show_details(ctx: &Context, details: &Details) -> CliResult<()> {
    let or_none = |time: &Option<String>| time.clone().unwrap_or_else(|| "none".to_owned());
    ctx.out
        .line(format!("     Worktree: {}", details.worktree_path))?;
    ctx.out
        .line(format!("     Logs:     {}", details.logs_dir))?;
    ctx.out.line(format!(
        "     Mail sent: {} | received: {}",
        or_none(&details.last_mail_sent),
        or_none(&details.last_mail_received)
    ))
}
