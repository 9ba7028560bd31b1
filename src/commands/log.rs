//! `log`: hooks of a CLI report tool calls and the end of a session.

use std::io::Read;
use std::path::PathBuf;

use serde_json::Value;

use crate::agents::hook_log::{self, Call};
use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::logging::{LogEntry, console_line};
use crate::text::read_json;

pub(crate) const EVENTS: [&str; 3] = ["tool-start", "tool-end", "session-end"];

/// Record what a hook of an agent's CLI reports
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove log tool-start --agent builder-auth --stdin < payload.json")]
pub struct Args {
    /// tool-start, tool-end or session-end
    event: String,
    /// The agent
    #[arg(long, value_name = "name")]
    agent: Option<String>,
    /// The tool; overridden by --stdin
    #[arg(long, value_name = "name", default_value = "unknown")]
    tool_name: String,
    /// The conversation's transcript; overridden by --stdin
    #[arg(long, value_name = "path")]
    transcript: Option<PathBuf>,
    /// Read the hook's JSON (tool_name, tool_input, session_id, transcript_path) from standard input
    #[arg(long)]
    stdin: bool,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let agent = ctx
        .acting_agent()
        .or(args.agent)
        .filter(|agent| !agent.is_empty())
        .ok_or_else(|| CliError::validation("--agent is required for log command"))?;
    if !EVENTS.contains(&args.event.as_str()) {
        return Err(CliError::validation(format!(
            "Invalid event \"{}\". Valid: {}",
            args.event,
            EVENTS.join(", ")
        )));
    }
    // The name becomes a folder.
    if agent.contains(['/', '\\']) || matches!(agent.as_str(), "." | "..") {
        return Err(CliError::validation(format!(
            "\"{agent}\" is not an agent's name"
        )));
    }
    let payload = if args.stdin { read_payload() } else { None };
    let text = |key: &str| payload.as_ref()?.get(key)?.as_str().map(str::to_owned);
    let project = ctx.project()?;
    ctx.require_state(&project.paths)?;
    let call = Call {
        paths: &project.paths,
        config: &project.config,
        agent: &agent,
        tool: text("tool_name").unwrap_or(args.tool_name),
        input: payload
            .as_ref()
            .and_then(|payload| payload.get("tool_input"))
            .filter(|input| input.is_object())
            .cloned(),
        conversation: text("session_id"),
        transcript: text("transcript_path")
            .map(PathBuf::from)
            .or(args.transcript),
        hosted: ctx.acting_agent().is_some(),
    };
    let show = |entry: &LogEntry| ctx.out.line(console_line(&agent, entry));
    match args.event.as_str() {
        "tool-start" => show(&hook_log::tool_start(&call)?)?,
        "tool-end" => hook_log::tool_end(&call)?.iter().try_for_each(show)?,
        _ => {
            let ended = hook_log::session_end(&call)?;
            show(&ended.entry)?;
            if let Some(gates) = ended.gates
                && ctx.globals.verbose
            {
                ctx.out.note(format!("quality gates: {}", gates.as_str()));
            }
        }
    }
    Ok(Outcome::Done)
}

/// What the hook says; input that is not JSON says nothing.
fn read_payload() -> Option<Value> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).ok()?;
    read_json(&bytes).ok()
}
