//! `errors`: what went wrong, grouped by agent.

use super::lines::{self, counted, details};
use super::scope::Window;
use crate::cli::{CliResult, Context, Outcome, positive};
use crate::db::events::EventFilter;
use crate::types::event::{Level, StoredEvent};

/// Show errors by agent
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  grove errors\n  grove errors --agent builder-auth --limit 5")]
pub struct Args {
    /// Only this agent
    #[arg(long, value_name = "name")]
    agent: Option<String>,
    /// Only this run
    #[arg(long, value_name = "id")]
    run: Option<String>,
    #[command(flatten)]
    window: Window,
    /// At most this many events
    #[arg(
        long,
        default_value = "100",
        value_name = "n",
        allow_hyphen_values = true
    )]
    limit: String,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let limit = positive("--limit", &args.limit)?;
    let filter = args.window.filter(limit)?;
    let paths = ctx.paths()?;
    let Some(store) = lines::open(ctx, &paths, "errors")? else {
        return Ok(Outcome::Done);
    };
    let narrowed = args.agent.is_some() || args.run.is_some();
    let events = store.query(&EventFilter {
        run: args.run.filter(|_| args.agent.is_none()),
        agent: args.agent,
        level: Some(Level::Error),
        newest_first: !narrowed,
        ..filter
    })?;
    if ctx.is_json() {
        lines::json(ctx, "errors", &events)?;
    } else {
        show(ctx, &events)?;
    }
    Ok(Outcome::Done)
}

fn show(ctx: &Context, events: &[StoredEvent]) -> CliResult<()> {
    ctx.out.header("Errors")?;
    if events.is_empty() {
        return ctx.out.line("No errors found.");
    }
    ctx.out.line(counted(events.len(), "error"))?;
    let mut groups: Vec<(&str, Vec<&StoredEvent>)> = Vec::new();
    for event in events {
        match groups
            .iter_mut()
            .find(|(agent, _)| *agent == event.agent_name)
        {
            Some((_, group)) => group.push(event),
            None => groups.push((&event.agent_name, vec![event])),
        }
    }
    for (agent, group) in groups {
        ctx.out
            .line(format!("\n{agent} ({})", counted(group.len(), "error")))?;
        for event in group {
            let day = event.created_at.get(..10).unwrap_or("");
            let time = event.created_at.get(11..19).unwrap_or("");
            ctx.out
                .line(format!("  {day} {time} ERROR{}", details(event, 80)))?;
        }
    }
    Ok(())
}
