//! `task close`: say that tasks are done.

use serde::Serialize;

use super::words::{may_close, tracker};
use crate::cli::{CliResult, Context, Outcome};

/// Close tasks
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove task close app-1a2b --reason \"landed\"")]
pub(super) struct Args {
    /// Tasks
    #[arg(required = true, value_name = "id")]
    ids: Vec<String>,
    /// Why
    #[arg(long, short, value_name = "text")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct ClosedJson<'a> {
    closed: &'a [String],
}

pub(super) fn run(ctx: &Context, args: Args) -> CliResult {
    may_close(ctx, &args.ids)?;
    tracker(ctx)?.close(&args.ids, args.reason.as_deref())?;
    if ctx.is_json() {
        ctx.out
            .json("task close", &ClosedJson { closed: &args.ids })?;
    } else {
        ctx.out.success(format!("Closed {}", args.ids.join(", ")))?;
    }
    Ok(Outcome::Done)
}
