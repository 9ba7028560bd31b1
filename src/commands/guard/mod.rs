//! `guard`: what the guard decides, for people and for tests.

mod explain;
mod known;
mod log;
mod project;

use std::io::{BufReader, stdin, stdout};

use clap::Subcommand;

use crate::cli::{CliResult, Context, Outcome};
use crate::guard;

use project::{project, rules};

/// Ask the guard about commands, and see what it has refused
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The project's own rules are in .overstory/config.yaml, matched against each command that would run:\n\n\
  guard:\n    \
  allow:                        commands a role that only reads may run all the same\n      \
    - make docs\n    \
  block:                        commands nobody runs; block always wins\n      \
    - npm publish\n      \
    - make deploy*\n    \
  attentionAfter: 3             ask for a person after this many refusals by one rule; 0: never\n    \
  attentionWindowMs: 600000     refusals count for this long\n\n\
What the guard protects cannot be allowed away: files outside of the worktree, pushing, other agents, its own settings.\n\n\
Examples:\n  grove guard explain 'cd .. && git push' --capability builder\n  grove guard log --since 1h"
)]
pub struct Args {
    #[command(subcommand)]
    command: GuardCommand,
}

#[derive(Debug, Subcommand)]
enum GuardCommand {
    /// Read one JSON object a line {id, capability, tool, input, worktree, root} and answer each
    #[command(
        after_help = "A line may add cwd, agent, temp, task_id, quality_gates, allow and block. For a line whose root is the\n\
project around, gates and rules it leaves out are the project's; for any other they are cargo test, cargo clippy,\n\
cargo fmt --check, and no rules.\n\n\
Example: grove guard check < calls.jsonl"
    )]
    Check,
    Explain(explain::Args),
    Log(log::Args),
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    match args.command {
        GuardCommand::Check => {
            let project = project(ctx)?.map(|(root, config)| rules(root, config));
            guard::check::run(BufReader::new(stdin()), stdout().lock(), project.as_ref())?;
            Ok(Outcome::Done)
        }
        GuardCommand::Explain(args) => explain::run(ctx, args),
        GuardCommand::Log(args) => log::run(ctx, &args),
    }
}
