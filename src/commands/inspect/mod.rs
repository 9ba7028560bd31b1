//! `inspect`: one agent in detail. Looks only; no state is changed.

mod changes;
mod gather;
mod show;
mod stream_log;

use std::time::Duration;

use self::changes::Changes;
use crate::cli::{CliResult, Context, Outcome, at_least};

/// The smallest interval.
const LEAST: Duration = Duration::from_millis(500);

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
    /// Repeat at least this often, in milliseconds; changes are shown sooner
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
    let least = LEAST.as_millis() as i64;
    let interval = at_least("--interval", least, Some("milliseconds"), &args.interval)?;
    let limit = at_least("--limit", 1, None, &args.limit)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if !args.follow {
        return once(ctx, &args, limit);
    }
    let interval = Duration::from_millis(interval.unsigned_abs());
    // Before the first picture: what happens meanwhile makes the next one.
    let mut changes = Changes::begin(&ctx.paths()?, interval)?;
    loop {
        once(ctx, &args, limit)?;
        if !changes.wait()? {
            return Ok(Outcome::Done);
        }
        if !ctx.is_json() {
            ctx.out.raw("\u{1b}[2J\u{1b}[H")?;
        }
    }
}

fn once(ctx: &Context, args: &Args, limit: usize) -> CliResult {
    let report = gather::gather(ctx, &args.agent, limit, !args.no_tmux)?;
    if ctx.is_json() {
        show::json(ctx, &report)?;
    } else {
        show::text(ctx, &report)?;
    }
    Ok(Outcome::Done)
}
