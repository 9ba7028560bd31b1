//! `dashboard`: the full screen, under ov's name for it.

use super::open;
use crate::cli::{CliResult, Context, at_least};

/// Open the full screen
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove dashboard\n\nThe same as `grove` without a command.")]
pub struct Args {
    /// Accepted for compatibility: the screen changes when something does
    #[arg(
        long,
        default_value = "2000",
        value_name = "ms",
        allow_hyphen_values = true
    )]
    interval: String,
    /// Accepted for compatibility: the screen shows the agents of all runs
    #[arg(long)]
    all: bool,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    at_least("--interval", 500, Some("milliseconds"), &args.interval)?;
    open::run(ctx)
}
