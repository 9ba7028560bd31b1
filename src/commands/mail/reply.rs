//! `mail reply`: answer a message along its thread.

use serde_json::json;

use super::identity;
use super::pace::check_pace;
use crate::cli::{CliResult, Context, Outcome};
use crate::coordinator::post;
use crate::db::MailStore;
use crate::mail;
use crate::platform::env;
use crate::types::mail::MailType;

/// Answer a message
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove mail reply msg-abc123def456 --body \"yes, go on\"")]
pub struct Args {
    /// Id of the message to answer
    id: String,
    /// Answer text
    #[arg(long, value_name = "text", allow_hyphen_values = true)]
    body: String,
    /// Sender
    #[arg(long, value_name = "name")]
    from: Option<String>,
    /// Sender; wins over --from
    #[arg(long, value_name = "name")]
    agent: Option<String>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let paths = ctx.paths()?;
    let store = MailStore::open(&paths.mail_db())?;
    let from = identity(ctx, args.agent.or(args.from));
    if env::var(env::ACTING_FOR).is_some()
        && let Some(to) = mail::recipient_of_reply(&store, &args.id, &from)?
    {
        // An answer has the type of what it answers; that makes it no report.
        check_pace(ctx, &paths, &from, &to, MailType::Status)?;
    }
    let answer = mail::reply(&store, &args.id, &from, &args.body)?;
    post::announce(&paths, &answer.to);
    if ctx.is_json() {
        ctx.out.json("mail reply", &json!({"id": answer.id}))?;
    } else {
        ctx.out.success(format!("Reply sent {}", answer.id))?;
    }
    Ok(Outcome::Done)
}
