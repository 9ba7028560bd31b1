//! `worktree`: the checkouts of agents.

mod clean;
mod list;

use clap::Subcommand;

use crate::cli::{CliResult, Context};

/// List agents' worktrees, and remove those of finished agents
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Example: grove worktree clean --completed"
)]
pub struct Args {
    #[command(subcommand)]
    command: WorktreeCommand,
}

#[derive(Debug, Subcommand)]
enum WorktreeCommand {
    /// List the worktrees on agents' branches
    List,
    /// Remove the worktrees and branches of finished agents; their work is kept under refs/grove/
    Clean(clean::Args),
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    match args.command {
        WorktreeCommand::List => list::run(ctx),
        WorktreeCommand::Clean(args) => clean::run(ctx, &args),
    }
}
