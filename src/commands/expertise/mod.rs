//! `expertise`: what the team has learnt. One file per verb.

mod outcome;
mod prime;
mod query;
mod record;
mod search;
mod words;

use clap::Subcommand;

use crate::cli::{CliResult, Context};

/// Record and find what the team has learnt
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Example: grove expertise record cli --type convention \"Errors name the next step\"\n         grove expertise search errors"
)]
pub struct Args {
    #[command(subcommand)]
    command: ExpertiseCommand,
}

#[derive(Debug, Subcommand)]
enum ExpertiseCommand {
    Record(Box<record::Args>),
    Query(query::Args),
    Search(search::Args),
    Prime(prime::Args),
    Outcome(outcome::Args),
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    match args.command {
        ExpertiseCommand::Record(args) => record::run(ctx, *args),
        ExpertiseCommand::Query(args) => query::run(ctx, args),
        ExpertiseCommand::Search(args) => search::run(ctx, args),
        ExpertiseCommand::Prime(args) => prime::run(ctx, args),
        ExpertiseCommand::Outcome(args) => outcome::run(ctx, args),
    }
}
