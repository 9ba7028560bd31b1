//! `mail check`: hand over what waits for an agent, then mark it read.

use serde::Serialize;

use super::{identity, show};
use crate::cli::{CliResult, Context, MailJson, Outcome, whole};
use crate::db::MailStore;
use crate::mail::{self, MailError};
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
    let messages = mail::unread_for(&store, &agent)?;
    if args.inject {
        inject(ctx, &paths, &agent, &messages)?;
    } else if ctx.is_json() {
        ctx.out.json(
            "mail check",
            &CheckJson {
                messages: messages.iter().map(MailJson::from).collect(),
            },
        )?;
    } else {
        show_text(ctx, &messages)?;
    }
    // Only now: every print above is flushed, and what was not written must stay unread.
    let ids: Vec<&str> = messages.iter().map(|message| message.id.as_str()).collect();
    if !ids.is_empty() {
        drop(store);
        // The mail is handed over already: that it will come once more is no reason to fail.
        let marked = MailStore::open(&paths.mail_db())
            .map_err(MailError::from)
            .and_then(|store| mail::mark_delivered(&store, &ids));
        if let Err(error) = marked {
            ctx.out.note(format!("! not marked as read: {error}"));
        }
    }
    Ok(Outcome::Done)
}

fn inject(
    ctx: &Context,
    paths: &ProjectPaths,
    agent: &str,
    messages: &[MailMessage],
) -> CliResult<()> {
    match mail::take_pending_nudge(paths, agent) {
        Ok(Some(nudge)) => ctx
            .out
            .raw(&format!("{}\n\n", mail::priority_banner(&nudge)))?,
        Ok(None) => {}
        // It only announces what follows.
        Err(error) => ctx.out.note(format!("! {error}")),
    }
    ctx.out.raw(&mail::injection_text_contract(messages))
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
