//! `run`: the current run, earlier ones, and completing one.

use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

use crate::agents::current_run::{clear_current_run, current_run};
use crate::cli::{
    CliError, CliResult, Context, Outcome, RunJson, SessionJson, TextTable, positive,
};
use crate::db::SessionStore;
use crate::platform::clock;
use crate::text::{format_duration, pad_end_utf16, truncate_utf16, utf16_len};
use crate::types::run::{Run, RunStatus};
use crate::types::{AgentSession, Timestamp};

/// Show or complete runs
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  grove run\n  grove run list --last 3")]
pub struct Args {
    #[command(subcommand)]
    command: Option<RunCommand>,
}

#[derive(Debug, Subcommand)]
enum RunCommand {
    /// List the latest runs
    #[command(after_help = "Example: grove run list --last 3")]
    List {
        /// How many
        #[arg(
            long,
            default_value = "10",
            value_name = "n",
            allow_hyphen_values = true
        )]
        last: String,
    },
    /// Show one run and its agents
    #[command(after_help = "Example: grove run show run-2026-03-01T09-30-00-000Z")]
    Show {
        /// Run id
        id: String,
    },
    /// Mark the current run as completed
    #[command(after_help = "Example: grove run complete")]
    Complete,
}

#[derive(Serialize)]
struct CurrentJson<'a> {
    run: RunJson<'a>,
    duration: String,
}

#[derive(Serialize)]
struct ListedJson<'a> {
    #[serde(flatten)]
    run: RunJson<'a>,
    duration: String,
}

#[derive(Serialize)]
struct ListJson<'a> {
    runs: Vec<ListedJson<'a>>,
}

#[derive(Serialize)]
struct ShowJson<'a> {
    run: RunJson<'a>,
    duration: String,
    agents: Vec<SessionJson<'a>>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    match args.command {
        None => current(ctx),
        Some(RunCommand::List { last }) => list(ctx, positive("--last", &last)?),
        Some(RunCommand::Show { id }) => show(ctx, &id),
        Some(RunCommand::Complete) => complete(ctx),
    }
}

fn current(ctx: &Context) -> CliResult {
    let paths = ctx.paths()?;
    let Some(id) = current_run(&paths)? else {
        return none_current(ctx, "No active run", true);
    };
    let Some(run) = SessionStore::look(&paths.sessions_db())?.run(&id)? else {
        return none_current(ctx, &format!("Run {id} not found in store"), false);
    };
    if ctx.is_json() {
        ctx.out.json(
            "run",
            &CurrentJson {
                duration: duration(&run),
                run: RunJson::from(&run),
            },
        )?;
        return Ok(Outcome::Done);
    }
    ctx.out.header("Current Run")?;
    facts(ctx, &run, false)?;
    Ok(Outcome::Done)
}

fn none_current(ctx: &Context, message: &str, as_hint: bool) -> CliResult {
    if ctx.is_json() {
        ctx.out
            .json("run", &json!({"run": null, "message": message}))?;
    } else if as_hint {
        ctx.out.hint(message)?;
    } else {
        ctx.out.line(message)?;
    }
    Ok(Outcome::Done)
}

fn facts(ctx: &Context, run: &Run, with_end: bool) -> CliResult<()> {
    ctx.out.line(format!("  ID:       {}", run.id))?;
    ctx.out
        .line(format!("  Status:   {}", run.status.as_str()))?;
    ctx.out.line(format!("  Started:  {}", run.started_at))?;
    if let Some(completed) = run.completed_at.as_ref().filter(|_| with_end) {
        ctx.out.line(format!("  Ended:    {completed}"))?;
    }
    ctx.out.line(format!("  Agents:   {}", run.agent_count))?;
    ctx.out.line(format!("  Duration: {}", duration(run)))
}

fn list(ctx: &Context, last: i64) -> CliResult {
    let paths = ctx.paths()?;
    let runs = if paths.sessions_db().exists() {
        SessionStore::look(&paths.sessions_db())?.runs(last)?
    } else {
        Vec::new()
    };
    if ctx.is_json() {
        let runs = runs
            .iter()
            .map(|run| ListedJson {
                run: RunJson::from(run),
                duration: duration(run),
            })
            .collect();
        ctx.out.json("run list", &ListJson { runs })?;
        return Ok(Outcome::Done);
    }
    if runs.is_empty() {
        ctx.out.hint("No runs recorded yet")?;
        return Ok(Outcome::Done);
    }
    ctx.out.header("Recent Runs")?;
    let columns = |id: &str, status: &str, agents: &str, duration: &str| {
        TextTable::new()
            .left(&id_cell(id), 0)
            .left(status, 10)
            .left(" ", 1)
            .left(agents, 7)
            .left(" ", 1)
            .left(duration, 0)
            .line()
    };
    ctx.out
        .line(columns("ID", "Status", "Agents", "Duration"))?;
    ctx.out.line("─".repeat(70))?;
    for run in &runs {
        ctx.out.line(columns(
            &run.id,
            run.status.as_str(),
            &run.agent_count.to_string(),
            &duration(run),
        ))?;
    }
    Ok(Outcome::Done)
}

fn show(ctx: &Context, id: &str) -> CliResult {
    let paths = ctx.paths()?;
    let store = paths
        .sessions_db()
        .exists()
        .then(|| SessionStore::look(&paths.sessions_db()))
        .transpose()?;
    let run = store
        .as_ref()
        .map(|store| store.run(id))
        .transpose()?
        .flatten();
    let (Some(store), Some(run)) = (store, run) else {
        return Err(CliError::of_command(
            "run show",
            format!("Run {id} not found"),
            format!("Run not found — {id}"),
        )
        .tip("'grove run list' shows the ids"));
    };
    let agents = store.by_run(id)?;
    if ctx.is_json() {
        let agents = agents.iter().map(SessionJson::from).collect();
        ctx.out.json(
            "run show",
            &ShowJson {
                duration: duration(&run),
                run: RunJson::from(&run),
                agents,
            },
        )?;
        return Ok(Outcome::Done);
    }
    ctx.out.header("Run Details")?;
    facts(ctx, &run, true)?;
    show_agents(ctx, &agents)?;
    Ok(Outcome::Done)
}

fn show_agents(ctx: &Context, agents: &[AgentSession]) -> CliResult<()> {
    if agents.is_empty() {
        return Ok(());
    }
    ctx.out.line("")?;
    ctx.out.line(format!("Agents ({}):", agents.len()))?;
    ctx.out.line("─".repeat(70))?;
    for agent in agents {
        // A finished agent's time stops with its last sign of life.
        let end = agent
            .state
            .is_terminal()
            .then_some(agent.last_activity.as_str());
        ctx.out.line(format!(
            "  {} [{}] {} | {}",
            agent.agent_name,
            agent.capability,
            agent.state.as_str(),
            span(&agent.started_at, end)
        ))?;
    }
    Ok(())
}

fn complete(ctx: &Context) -> CliResult {
    let paths = ctx.paths()?;
    let Some(id) = current_run(&paths)? else {
        let message = "No active run to complete";
        return Err(CliError::of_command("run complete", message, message)
            .tip("'grove run list' shows the runs there were"));
    };
    SessionStore::open(&paths.sessions_db())?.complete_run(&id, RunStatus::Completed)?;
    clear_current_run(&paths)?;
    if ctx.is_json() {
        ctx.out
            .json("run complete", &json!({"runId": id, "status": "completed"}))?;
    } else {
        ctx.out.success(format!("Run completed {id}"))?;
    }
    Ok(Outcome::Done)
}

fn duration(run: &Run) -> String {
    span(&run.started_at, run.completed_at.as_deref())
}

fn span(start: &str, end: Option<&str>) -> String {
    let end = end.map_or_else(|| Some(clock::now()), Timestamp::parse);
    match (Timestamp::parse(start), end) {
        (Some(start), Some(end)) => format_duration(end.0 - start.0),
        // What the other program prints for a time that is none.
        _ => "NaNs".to_owned(),
    }
}

/// A run id in a column of 36 units and a space; a longer one is cut and loses a unit to the mark.
fn id_cell(id: &str) -> String {
    if utf16_len(id) > 36 {
        return format!("{}... ", truncate_utf16(id, 32));
    }
    format!("{} ", pad_end_utf16(id, 36))
}
