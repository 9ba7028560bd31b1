//! `costs`: tokens and dollars by session, by role, or right now.

mod live;
mod own;
mod sessions;
mod table;

use crate::cli::{CliResult, Context, Outcome, positive};
use crate::db::MetricsStore;

/// Show tokens and costs
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove costs --by-capability\n  grove costs --live\n  grove costs --agent builder-auth --json"
)]
pub struct Args {
    /// Agents that are working now, from their latest snapshots
    #[arg(long)]
    live: bool,
    /// The session this command runs in
    #[arg(long = "self")]
    own: bool,
    /// Only this agent
    #[arg(long, value_name = "name")]
    agent: Option<String>,
    /// Only this run
    #[arg(long, value_name = "id")]
    run: Option<String>,
    /// Only this task
    #[arg(long, value_name = "task")]
    bead: Option<String>,
    /// Sum up by capability
    #[arg(long)]
    by_capability: bool,
    /// At most this many sessions
    #[arg(
        long,
        default_value = "20",
        value_name = "n",
        allow_hyphen_values = true
    )]
    last: String,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let last = positive("--last", &args.last)?;
    if args.own {
        return own::own(ctx);
    }
    let paths = ctx.paths()?;
    if args.live {
        return live::live(ctx, &paths, args.run.as_deref(), args.agent.as_deref());
    }
    if !paths.metrics_db().exists() {
        if ctx.is_json() {
            sessions::summary(ctx, &[])?;
        } else {
            ctx.out.line("No metrics data yet.")?;
        }
        return Ok(Outcome::Done);
    }
    let store = MetricsStore::look(&paths.metrics_db())?;
    let found = match (&args.agent, &args.run, &args.bead) {
        (Some(agent), _, _) => store.sessions(Some(("agent_name", agent)), -1)?,
        (None, Some(run), _) => store.sessions(Some(("run_id", run)), -1)?,
        (None, None, Some(task)) => store.sessions(Some(("task_id", task)), -1)?,
        (None, None, None) => store.sessions(None, last)?,
    };
    if args.by_capability {
        sessions::by_capability(ctx, &found)?;
    } else {
        sessions::summary(ctx, &found)?;
    }
    Ok(Outcome::Done)
}
