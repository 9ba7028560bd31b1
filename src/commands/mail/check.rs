//! `mail check`: hand over what waits for an agent, then mark it read.

use serde::Serialize;

use super::{identity, show};
use crate::cli::{CliResult, Context, MailJson, Outcome, whole};
use crate::db::MailStore;
use crate::mail::{self, Claimed, MailError};
use crate::platform::{ProjectPaths, clock};
use crate::types::mail::MailMessage;

/// Show unread mail and mark it read
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove mail check --agent builder-auth\n  grove mail check --agent orchestrator --inject --debounce 500"
)]
pub struct Args {
    /// Whose mail
    #[arg(long, value_name = "name")]
    agent: Option<String>,
    /// Print in the form that goes into an agent's conversation
    #[arg(long)]
    inject: bool,
    /// Do nothing when the last check was less than this many milliseconds ago
    #[arg(long, value_name = "ms", allow_hyphen_values = true)]
    debounce: Option<String>,
}

#[derive(Serialize)]
struct CheckJson<'a> {
    messages: Vec<MailJson<'a>>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let window = args.debounce.as_deref().map(debounce_window).transpose()?;
    let agent = identity(ctx, args.agent);
    let paths = ctx.paths()?;
    if let Some(window) = window.filter(|_| paths.dir().is_dir()) {
        match mail::debounced(&paths, &agent, window, clock::now()) {
            Ok(true) => return Ok(Outcome::Done),
            Ok(false) => {}
            // One check too many costs less than mail that does not come.
            Err(error) => ctx.out.note(format!("! {error}")),
        }
    }
    let store = MailStore::look(&paths.mail_db())?;
    let unread = store.unread(&agent)?;
    let waited = !unread.is_empty();
    let Claimed { messages, claim } = claim(ctx, &paths, &store, &agent, unread)?;
    drop(store);
    // What somebody else is handing over just now is announced there.
    let taken_by_others = waited && messages.is_empty();
    let printed = if args.inject {
        inject(ctx, &paths, &agent, &messages, !taken_by_others)
    } else if ctx.is_json() {
        let messages = messages.iter().map(MailJson::from).collect();
        ctx.out.json("mail check", &CheckJson { messages })
    } else {
        show_text(ctx, &messages)
    };
    if printed.is_ok() && ctx.out.is_read() {
        // Only now: every print above is flushed, and what was not written must stay unread.
        let ids: Vec<&str> = messages.iter().map(|message| message.id.as_str()).collect();
        mark(ctx, &paths, &ids);
    }
    // Until here nobody else hands it over.
    drop(claim);
    printed.map(|()| Outcome::Done)
}

/// The mail that nobody else hands over. Where that cannot be told, mail that comes twice costs less
/// than mail that does not come.
fn claim(
    ctx: &Context,
    paths: &ProjectPaths,
    store: &MailStore,
    agent: &str,
    unread: Vec<MailMessage>,
) -> CliResult<Claimed> {
    match mail::claim(paths, unread, || store.unread_ids(agent)) {
        Ok(claimed) => Ok(claimed),
        Err(error) => {
            ctx.out
                .note(format!("! others may be given this mail, too: {error}"));
            Ok(Claimed {
                messages: store.unread(agent)?,
                claim: None,
            })
        }
    }
}

/// The mail is handed over already: that it will come once more is no reason to fail.
fn mark(ctx: &Context, paths: &ProjectPaths, ids: &[&str]) {
    if ids.is_empty() {
        return;
    }
    let marked = MailStore::open(&paths.mail_db())
        .map_err(MailError::from)
        .and_then(|store| mail::mark_delivered(&store, ids));
    if let Err(error) = marked {
        ctx.out.note(format!("! not marked as read: {error}"));
    }
}

fn inject(
    ctx: &Context,
    paths: &ProjectPaths,
    agent: &str,
    messages: &[MailMessage],
    announces: bool,
) -> CliResult<()> {
    let nudge = announces.then(|| mail::take_pending_nudge(paths, agent));
    let nudge = nudge.transpose().unwrap_or_else(|error| {
        // It only announces what follows.
        ctx.out.note(format!("! {error}"));
        None
    });
    let nudge = nudge.flatten();
    let banner = nudge.as_ref().map(mail::priority_banner);
    let banner = banner.map_or_else(String::new, |banner| format!("{banner}\n\n"));
    let text = mail::injection_text_contract(messages);
    let printed = ctx.out.text(&format!("{banner}{text}"));
    let arrived = printed.is_ok() && ctx.out.is_read();
    if let Some(nudge) = nudge.filter(|_| !arrived)
        && let Err(error) = mail::put_back_nudge(paths, agent, &nudge)
    {
        ctx.out.note(format!("! {error}"));
    }
    printed
}

fn show_text(ctx: &Context, messages: &[MailMessage]) -> CliResult<()> {
    if messages.is_empty() {
        return ctx.out.hint("No new messages");
    }
    let plural = if messages.len() == 1 { "" } else { "s" };
    ctx.out
        .line(format!("{} new message{plural}:\n", messages.len()))?;
    let mut text = String::new();
    for message in messages {
        show::append(&mut text, &MailJson::from(message));
    }
    // The last line break is the printer's.
    ctx.out.line(text.strip_suffix('\n').unwrap_or(&text))
}

fn debounce_window(text: &str) -> CliResult<i64> {
    whole("--debounce", 0, text, || {
        format!("--debounce must be a non-negative integer (milliseconds), got: {text}")
    })
}
