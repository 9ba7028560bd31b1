//! `task dep`: which task waits for which.

use clap::Subcommand;
use serde::Serialize;

use super::words::tracker;
use crate::cli::{CliResult, Context, Outcome};

/// Let a task wait for another
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Example: grove task dep add app-1a2b app-3c4d"
)]
pub(super) struct Args {
    #[command(subcommand)]
    command: DepCommand,
}

#[derive(Debug, Subcommand)]
enum DepCommand {
    /// Let the first task wait for the second
    Add(Pair),
    /// Let the first task wait for the second no longer
    Remove(Pair),
}

#[derive(Debug, clap::Args)]
struct Pair {
    /// The task
    #[arg(value_name = "id")]
    id: String,
    /// What it waits for
    #[arg(value_name = "depends-on")]
    depends_on: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DepJson<'a> {
    issue_id: &'a str,
    depends_on_id: &'a str,
}

pub(super) fn run(ctx: &Context, args: Args) -> CliResult {
    let tracker = tracker(ctx)?;
    let (command, pair, said) = match args.command {
        DepCommand::Add(pair) => {
            tracker.depend(&pair.id, &pair.depends_on)?;
            ("task dep add", pair, "now waits for")
        }
        DepCommand::Remove(pair) => {
            tracker.release(&pair.id, &pair.depends_on)?;
            ("task dep remove", pair, "no longer waits for")
        }
    };
    if ctx.is_json() {
        let json = DepJson {
            issue_id: &pair.id,
            depends_on_id: &pair.depends_on,
        };
        ctx.out.json(command, &json)?;
    } else {
        ctx.out
            .success(format!("{} {said} {}", pair.id, pair.depends_on))?;
    }
    Ok(Outcome::Done)
}
