//! `coordinator`: the loop that lands work and watches health, without a screen; and the verbs it
//! shares with `orchestrator`, which is an agent with a model.

mod check_complete;
mod output;
mod role;
mod run_loop;
mod start;
mod start_agent;
mod status;
mod stop;
mod talk;
mod verbs;

pub(super) use role::{COORDINATOR, ORCHESTRATOR};
pub(super) use start_agent::{AgentStart, start_agent};
pub(super) use verbs::{StartArgs, Verb};

pub(super) use run_loop::end_on_signal;
pub(super) use start::already_running;

pub(crate) use run_loop::start_in_background;

use clap::Subcommand;

use crate::cli::{CliResult, Context};

/// Run the coordinator without a screen
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: grove coordinator start\n\nThe full screen runs the same loop while it is open; this one is for when it is not. It calls no model: for a coordinator that thinks, see `grove orchestrator`."
)]
pub struct Args {
    #[command(subcommand)]
    command: CoordinatorCommand,
}

#[derive(Debug, Subcommand)]
enum CoordinatorCommand {
    /// Start the loop in the background
    #[command(after_help = "Example: grove coordinator start --no-attach")]
    Start(StartArgs),
    #[command(flatten)]
    Shared(Verb),
    /// Tell whether the configured exit triggers are met
    #[command(after_help = "Example: grove coordinator check-complete --json")]
    CheckComplete,
    /// Run the loop in this process
    #[command(hide = true)]
    Run {
        /// Prepare merges and leave landing to a person
        #[arg(long)]
        only_prepare: bool,
    },
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    match args.command {
        CoordinatorCommand::Start(args) => start::run(ctx, &args),
        CoordinatorCommand::Shared(verb) => verb.run(ctx, &COORDINATOR),
        CoordinatorCommand::CheckComplete => check_complete::run(ctx),
        CoordinatorCommand::Run { only_prepare } => run_loop::run(ctx, only_prepare),
    }
}
