//! `nudge`: ask for an agent's attention.

use serde::Serialize;

use crate::agents::nudge::nudge;
use crate::cli::{CliError, CliResult, Context, Outcome, with_near_agent};
use crate::types::mail::MailType;

use super::mail::pace::check_pace;

/// Send an agent a short message at its next step
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove nudge builder-auth \"the API has changed, pull first\"")]
pub struct Args {
    /// Agent to nudge
    agent: String,
    /// What to say; asks to check the mail when left out
    message: Vec<String>,
    /// Sender
    #[arg(long, default_value = "orchestrator", value_name = "name")]
    from: String,
    /// Send it even if the agent was nudged a moment ago
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NudgedJson<'a> {
    agent_name: &'a str,
    delivered: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    queued: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let paths = ctx.paths()?;
    let text = args.message.join(" ");
    let text = Some(text.as_str()).filter(|t| !t.is_empty());
    let acting = ctx.acting_agent();
    if let Some(agent) = &acting {
        // It wakes its recipient as mail does.
        check_pace(ctx, &paths, agent, &args.agent, MailType::Status)?;
    }
    let from = acting.unwrap_or(args.from);
    let nudged = nudge(&paths, &args.agent, &from, text, args.force)?;
    if ctx.is_json() {
        ctx.out.json(
            "nudge",
            &NudgedJson {
                agent_name: &args.agent,
                delivered: nudged.delivered,
                queued: nudged.queued.then_some(true),
                reason: nudged.reason.as_deref(),
            },
        )?;
        return Ok(Outcome::Done);
    }
    if !nudged.delivered {
        let reason = nudged.reason.unwrap_or_else(|| "not delivered".to_owned());
        let error = CliError::coded("AGENT_ERROR", format!("Nudge failed: {reason}"));
        return Err(with_near_agent(error, &paths, &args.agent));
    }
    ctx.out.success(format!("Nudge delivered {}", args.agent))?;
    if nudged.queued {
        ctx.out
            .hint("The agent is in the middle of a step; it gets the message with the next one")?;
    }
    Ok(Outcome::Done)
}
