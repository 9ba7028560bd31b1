//! `mail list`: messages by sender, recipient or type; nothing is marked read.

use super::send::parse_type;
use super::show;
use crate::cli::{CliResult, Context, MailJson, Outcome, Pieces};
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

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let filter = MailFilter {
        from: args.from,
        to: args.to.or(args.agent),
        unread: args.unread,
        kind: args.kind.as_deref().map(parse_type).transpose()?,
        limit: None,
    };
    let store = MailStore::look(&ctx.paths()?.mail_db())?;
    let mut messages = Pieces::default();
    if ctx.is_json() {
        let mut made = Ok(());
        store.scan(&filter, |time, message| {
            if made.is_ok() {
                made = messages.push_json(time, &MailJson::from(message));
            }
        })?;
        made?;
        messages.sort_descending();
        ctx.out.json_list("mail list", "messages", &messages)?;
        return Ok(Outcome::Done);
    }
    let mut text = String::new();
    store.scan(&filter, |time, message| {
        text.clear();
        show::append(&mut text, &MailJson::from(message));
        messages.push(time, &text);
    })?;
    let count = messages.count();
    if count == 0 {
        ctx.out.hint("No messages found")?;
        return Ok(Outcome::Done);
    }
    messages.sort_descending();
    let plural = if count == 1 { "" } else { "s" };
    let total = format!("Total: {count} message{plural}\n");
    ctx.out.pieces(&messages, "", "", &total)?;
    Ok(Outcome::Done)
}
