//! `mail send`: store a message for an agent or a group.

use serde::Serialize;

use super::identity;
use super::pace::check_pace;
use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::coordinator::post;
use crate::mail::{self, Outgoing, Sent};
use crate::platform::env;
use crate::text::is_json;
use crate::types::mail::{MailPriority, MailType};

/// Send a message to an agent or a group such as @builders
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove mail send --to builder-auth --subject \"API\" --body \"it has changed, pull first\"\n  grove mail send --to @builders --subject \"Stop\" --body \"main is red\" --priority urgent"
)]
pub struct Args {
    /// Recipient or group address
    #[arg(long, value_name = "agent")]
    to: String,
    /// Subject line
    #[arg(long, value_name = "text", allow_hyphen_values = true)]
    subject: String,
    /// Message text
    #[arg(long, value_name = "text", allow_hyphen_values = true)]
    body: String,
    /// Sender
    #[arg(long, value_name = "name")]
    from: Option<String>,
    /// Sender; wins over --from
    #[arg(long, value_name = "name")]
    agent: Option<String>,
    /// What the message is about
    #[arg(long = "type", default_value = "status", value_name = "type")]
    kind: String,
    /// How urgent it is
    #[arg(long, default_value = "normal", value_name = "priority")]
    priority: String,
    /// JSON for protocol types
    #[arg(long, value_name = "json", allow_hyphen_values = true)]
    payload: Option<String>,
}

#[derive(Serialize)]
struct SingleJson<'a> {
    id: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GroupJson<'a> {
    message_ids: Vec<&'a str>,
    recipient_count: usize,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    if args.to.trim().is_empty() {
        return Err(CliError::validation(
            "--to must name an agent or a group such as @builders",
        ));
    }
    let kind = parse_type(&args.kind)?;
    let priority = MailPriority::parse(&args.priority).ok_or_else(|| {
        let names: Vec<&str> = MailPriority::ALL
            .iter()
            .map(|priority| priority.as_str())
            .collect();
        one_of("--priority", &args.priority, &names)
    })?;
    if let Some(payload) = &args.payload
        && !is_json(payload)
    {
        return Err(CliError::validation("--payload must be valid JSON"));
    }
    let paths = ctx.paths()?;
    let from = identity(ctx, args.agent.or(args.from));
    if env::var(env::ACTING_FOR).is_some() {
        check_pace(ctx, &paths, &from, &args.to, kind)?;
    }
    let sent = mail::send(
        &paths,
        &Outgoing {
            from,
            to: args.to,
            subject: args.subject,
            body: args.body,
            kind,
            priority,
            payload: args.payload,
            waits: ctx.acting_agent().is_some(),
        },
    )?;
    for message in &sent.messages {
        post::announce(&paths, &message.to);
    }
    for warning in &sent.warnings {
        ctx.out.note(format!("! {warning}"));
    }
    if ctx.is_json() {
        show_json(ctx, &sent)
    } else {
        show_text(ctx, &sent)
    }?;
    Ok(Outcome::Done)
}

/// Parses a mail type, listing all of them when it is not one.
pub(super) fn parse_type(text: &str) -> CliResult<MailType> {
    MailType::parse(text).ok_or_else(|| {
        let names: Vec<&str> = MailType::ALL.iter().map(|kind| kind.as_str()).collect();
        one_of("--type", text, &names)
    })
}

fn one_of(option: &str, given: &str, names: &[&str]) -> CliError {
    CliError::validation(format!(
        "Invalid {option} \"{given}\". Must be one of: {}",
        names.join(", ")
    ))
}

fn show_json(ctx: &Context, sent: &Sent) -> CliResult<()> {
    let ids: Vec<&str> = sent
        .messages
        .iter()
        .map(|message| message.id.as_str())
        .collect();
    match ids.as_slice() {
        [id] if !sent.broadcast => ctx.out.json("mail send", &SingleJson { id }),
        _ => ctx.out.json(
            "mail send",
            &GroupJson {
                recipient_count: ids.len(),
                message_ids: ids,
            },
        ),
    }
}

fn show_text(ctx: &Context, sent: &Sent) -> CliResult<()> {
    if sent.broadcast {
        let count = sent.messages.len();
        ctx.out.success(format!(
            "Broadcast sent to {count} recipient{}",
            if count == 1 { "" } else { "s" }
        ))?;
        for message in &sent.messages {
            ctx.out.line(format!("  {} → {}", message.id, message.to))?;
        }
    } else {
        for message in &sent.messages {
            ctx.out.success(format!("Sent message {}", message.id))?;
        }
        if let Some(name) = &sent.unknown {
            ctx.out.note(format!(
                "! Nobody here is called \"{name}\" or was: the message waits for whoever reads mail under that name"
            ));
        }
    }
    for (agent, reason) in &sent.nudged {
        ctx.out.line(format!(
            "Queued nudge for \"{agent}\" ({reason}, delivered on next prompt)"
        ))?;
    }
    Ok(())
}
