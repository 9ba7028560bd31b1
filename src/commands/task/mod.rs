//! `task`: the project's tasks, whatever tracker holds them. One file per verb.

mod close;
mod create;
mod dep;
mod list;
mod show;
mod update;
mod words;

use clap::Subcommand;

use crate::cli::{CliResult, Context};

/// Work with the project's tasks
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Example: grove task create \"Retry failed uploads\" --priority 1\n         grove task ready"
)]
pub struct Args {
    #[command(subcommand)]
    command: TaskCommand,
}

#[derive(Debug, Subcommand)]
enum TaskCommand {
    Create(create::Args),
    List(list::Args),
    Ready(list::ReadyArgs),
    Show(show::Args),
    Update(update::Args),
    Close(close::Args),
    Dep(dep::Args),
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    match args.command {
        TaskCommand::Create(args) => create::run(ctx, args),
        TaskCommand::List(args) => list::run(ctx, args),
        TaskCommand::Ready(args) => list::ready(ctx, args),
        TaskCommand::Show(args) => show::run(ctx, args),
        TaskCommand::Update(args) => update::run(ctx, args),
        TaskCommand::Close(args) => close::run(ctx, args),
        TaskCommand::Dep(args) => dep::run(ctx, args),
    }
}
