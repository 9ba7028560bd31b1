//! `mail read`: mark one message as read.

use serde_json::json;

use crate::cli::{CliError, CliResult, Context, Outcome};
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
    let Some(message) = store.get(&args.id)? else {
        return Err(MailError::NotFound { id: args.id }.into());
    };
    // It would not be delivered any more, and nobody would be told.
    if ctx.acting_agent().is_some_and(|agent| agent != message.to) {
        let (id, to) = (message.id, message.to);
        return Err(CliError::validation(format!(
            "agents may not mark mail of others as read: {id} is for \"{to}\""
        )));
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
