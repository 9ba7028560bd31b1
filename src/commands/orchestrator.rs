//! `orchestrator`: an agent with a model at the project root, who reads everything, changes nothing
//! and directs the others.

use clap::Subcommand;

use super::coordinator::{AgentStart, ORCHESTRATOR, StartArgs, Verb, start_agent};
use crate::cli::{CliResult, Context};

/// Start and talk to an agent that directs the others
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove orchestrator ask --body \"What is left to do?\"")]
pub struct Args {
    #[command(subcommand)]
    command: OrchestratorCommand,
}

#[derive(Debug, Subcommand)]
enum OrchestratorCommand {
    /// Start it at the project root
    Start(StartArgs),
    #[command(flatten)]
    Shared(Verb),
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    match args.command {
        OrchestratorCommand::Start(args) => start(ctx, &args),
        OrchestratorCommand::Shared(verb) => verb.run(ctx, &ORCHESTRATOR),
    }
}

fn start(ctx: &Context, args: &StartArgs) -> CliResult {
    let profile = match &args.profile {
        Some(profile) => Some(profile.clone()),
        None => ctx.project()?.config.project.default_profile,
    };
    let wanted = AgentStart {
        name: ORCHESTRATOR.name,
        role: ORCHESTRATOR,
        beacon: "Depth: 0 | Parent: none | Role: you direct agents for the person at this project — Startup: look at \
                 `grove status`, check your mail with `grove mail check`, then wait for what the person wants"
            .to_owned(),
        profile,
    };
    start_agent(ctx, args, wanted)
}
