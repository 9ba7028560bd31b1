//! `mail list`: messages by sender, recipient or type; nothing is marked read.

use serde::Serialize;

use super::send::parse_type;
use super::show;
use crate::cli::{CliResult, Context, MailJson, Outcome};
use crate::db::MailStore;
use crate::db::mail::MailFilter;

/// List messages, newest first
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove mail list --unread\n  grove mail list --from builder-auth --type worker_done --json"
)]
pub struct Args {
    /// Only from this sender
    #[arg(long, value_name = "name")]
    from: Option<String>,
    /// Only to this recipient
    #[arg(long, value_name = "name")]
    to: Option<String>,
    /// Same as --to
    #[arg(long, value_name = "name")]
    agent: Option<String>,
    /// Only unread messages
    #[arg(long)]
    unread: bool,
    /// Only this type
    #[arg(long = "type", value_name = "type")]
    kind: Option<String>,
}

#[derive(Serialize)]
struct ListJson<'a> {
    messages: Vec<MailJson<'a>>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let filter = MailFilter {
        from: args.from,
        to: args.to.or(args.agent),
        unread: args.unread,
        kind: args.kind.as_deref().map(parse_type).transpose()?,
        limit: None,
    };
    let messages = MailStore::open(&ctx.paths()?.mail_db())?.list(&filter)?;
    if ctx.is_json() {
        ctx.out.json(
            "mail list",
            &ListJson {
                messages: messages.iter().map(MailJson::from).collect(),
            },
        )?;
        return Ok(Outcome::Done);
    }
    if messages.is_empty() {
        ctx.out.hint("No messages found")?;
        return Ok(Outcome::Done);
    }
    for message in &messages {
        show::message(ctx, message)?;
    }
    let plural = if messages.len() == 1 { "" } else { "s" };
    ctx.out
        .line(format!("Total: {} message{plural}", messages.len()))?;
    Ok(Outcome::Done)
}
