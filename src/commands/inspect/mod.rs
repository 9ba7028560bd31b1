//! `inspect`: one agent in detail. Looks only; no state is changed.

mod gather;
mod show;
mod stream_log;

use std::time::Duration;

use crate::cli::{CliResult, Context, Outcome, at_least};
use crate::platform::hangup;

/// Show one agent in detail
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove inspect builder-auth\n  grove inspect builder-auth --follow"
)]
pub struct Args {
    /// Agent name
    agent: String,
    /// Repeat
    #[arg(short, long)]
    follow: bool,
    /// Pause between repetitions in milliseconds
    #[arg(
        long,
        default_value = "3000",
        value_name = "ms",
        allow_hyphen_values = true
    )]
    interval: String,
    /// How many tool calls to show
    #[arg(
        long,
        default_value = "20",
        value_name = "n",
        allow_hyphen_values = true
    )]
    limit: String,
    /// Leave out the terminal of an agent that ov runs in tmux
    #[arg(long)]
    no_tmux: bool,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let interval = at_least("--interval", 500, Some("milliseconds"), &args.interval)?;
    let limit = at_least("--limit", 1, None, &args.limit)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    loop {
        let report = gather::gather(ctx, &args.agent, limit, !args.no_tmux)?;
        if ctx.is_json() {
            show::json(ctx, &report)?;
        } else {
            show::text(ctx, &report)?;
        }
        if !args.follow {
            return Ok(Outcome::Done);
        }
        if hangup::pause(Duration::from_millis(interval as u64)) {
            return Ok(Outcome::Done);
        }
        if !ctx.is_json() {
            ctx.out.raw("\u{1b}[2J\u{1b}[H")?;
        }
    }
}
