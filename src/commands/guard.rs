//! `guard`: what the guard decides, for people and for tests.

use std::io::{BufReader, stdin, stdout};

use clap::Subcommand;

use crate::cli::{CliResult, Context, Outcome};
use crate::guard;

/// Ask the guard about tool calls
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: echo '{\"id\":1,\"capability\":\"builder\",\"tool\":\"Bash\",\"input\":{\"command\":\"git push\"},\"worktree\":\"/w\",\"root\":\"/r\"}' | grove guard check"
)]
pub struct Args {
    #[command(subcommand)]
    command: GuardCommand,
}

#[derive(Debug, Subcommand)]
enum GuardCommand {
    /// Read one JSON object a line {id, capability, tool, input, worktree, root} and answer each
    #[command(after_help = "Example: grove guard check < calls.jsonl")]
    Check,
}

/// Runs the command.
pub fn run(_ctx: &Context, args: Args) -> CliResult {
    match args.command {
        GuardCommand::Check => {
            guard::check::run(BufReader::new(stdin()), stdout().lock())?;
            Ok(Outcome::Done)
        }
    }
}
