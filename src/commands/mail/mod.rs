//! `mail`: send, check, list, read, reply, purge.

pub mod check;
pub mod list;
pub(super) mod pace;
pub mod purge;
pub mod read;
pub mod reply;
pub mod send;
mod show;

use clap::{CommandFactory, Parser, Subcommand};

use crate::cli::{CliError, CliResult, Context, Outcome};

/// Send and read mail between agents
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove mail list --unread\n  grove mail send --to builder-auth --subject \"API\" --body \"it has changed, pull first\""
)]
pub struct Args {
    #[command(subcommand)]
    command: Option<MailCommand>,
}

#[derive(Debug, Subcommand)]
enum MailCommand {
    Send(send::Args),
    Check(check::Args),
    List(list::Args),
    Read(read::Args),
    Reply(reply::Args),
    Purge(purge::Args),
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    match args.command {
        Some(MailCommand::Send(args)) => send::run(ctx, args),
        Some(MailCommand::Check(args)) => check::run(ctx, args),
        Some(MailCommand::List(args)) => list::run(ctx, args),
        Some(MailCommand::Read(args)) => read::run(ctx, args),
        Some(MailCommand::Reply(args)) => reply::run(ctx, args),
        Some(MailCommand::Purge(args)) => purge::run(ctx, args),
        None => usage(ctx),
    }
}

/// Without a subcommand there is nothing that `--json` could apply to.
fn usage(ctx: &Context) -> CliResult {
    if ctx.is_json() {
        ctx.out.note("error: unknown option '--json'");
        return Err(CliError::usage("error: unknown option '--json'"));
    }
    #[derive(Parser)]
    #[command(name = "grove mail", disable_help_subcommand = true)]
    struct Help {
        #[command(flatten)]
        args: Args,
    }
    ctx.out
        .note(Help::command().render_help().to_string().trim_end());
    Ok(Outcome::Failed)
}

/// Who acts: the host's word beats any option, an option beats the default.
fn identity(ctx: &Context, given: Option<String>) -> String {
    ctx.acting_agent()
        .or(given)
        .unwrap_or_else(|| "orchestrator".to_owned())
}
