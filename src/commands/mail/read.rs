//! `mail read`: mark one message as read.

use serde_json::json;

use crate::cli::{CliResult, Context, Outcome};
use crate::db::MailStore;
use crate::mail::MailError;

/// Mark a message as read
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove mail read msg-abc123def456")]
pub struct Args {
    /// Message id
    id: String,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let store = MailStore::open(&ctx.paths()?.mail_db())?;
    if store.get(&args.id)?.is_none() {
        return Err(MailError::NotFound { id: args.id }.into());
    }
    let changed = store.mark_read(&[&args.id])? > 0;
    if ctx.is_json() {
        ctx.out.json(
            "mail read",
            &json!({"id": args.id, "alreadyRead": !changed}),
        )?;
    } else if changed {
        ctx.out.success(format!("Marked as read {}", args.id))?;
    } else {
        ctx.out
            .hint(format!("Message {} was already read", args.id))?;
    }
    Ok(Outcome::Done)
}
