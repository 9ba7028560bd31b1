//! `spec write`: store the specification of a task.

use std::fmt::Write as _;
use std::io::{IsTerminal, Read};
use std::path::Path;

use clap::Subcommand;
use serde_json::json;

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::db::SessionStore;
use crate::logging::storable;
use crate::platform::{ProjectPaths, fs};
use crate::types::AgentSession;
use crate::types::ids::TaskId;

/// Write task specifications
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Example:\n  grove spec write auth-1 --body \"Refresh tokens before they expire\""
)]
pub struct Args {
    #[command(subcommand)]
    command: SpecCommand,
}

#[derive(Debug, Subcommand)]
enum SpecCommand {
    /// Write the specification of a task
    #[command(
        after_help = "Examples:\n  grove spec write sd-12 --body \"Add a login page\"\n  grove spec write sd-12 < notes.md"
    )]
    Write {
        /// Task id
        task_id: String,
        /// The specification; read from stdin when left out
        #[arg(long, value_name = "text", allow_hyphen_values = true)]
        body: Option<String>,
        /// Who wrote it
        #[arg(long, value_name = "name")]
        agent: Option<String>,
    },
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    match args.command {
        SpecCommand::Write {
            task_id,
            body,
            agent,
        } => write(ctx, &task_id, body, agent),
    }
}

fn write(ctx: &Context, task_id: &str, body: Option<String>, agent: Option<String>) -> CliResult {
    // The id becomes a file name: one that could lead elsewhere is refused.
    let task = TaskId::parse(task_id).map_err(|error| CliError::validation(error.to_string()))?;
    let body = body.map_or_else(from_stdin, Ok)?;
    if body.trim().is_empty() {
        return Err(CliError::validation(
            "Spec body is required: use --body <content> or pipe via stdin",
        ));
    }
    let paths = ctx.paths()?;
    if !paths.dir().is_dir() {
        return Err(CliError::validation(
            "Not in an overstory project. Run 'grove init' first.",
        ));
    }
    let mut text = String::new();
    if let Some(agent) = ctx.acting_agent().or(agent) {
        // The name goes into a comment of one line and must not end it.
        if agent.chars().any(char::is_control) || agent.contains("--") {
            return Err(CliError::validation(format!(
                "--agent must be a name, not {agent:?}"
            )));
        }
        writeln!(text, "{BY}{agent} -->").unwrap_or_default();
    }
    // People commit what lies beside the settings.
    text.push_str(&storable(&body));
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let folder = paths.file("specs");
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{task}.md"));
    if let Some(agent) = ctx.acting_agent() {
        may_replace(&paths, &agent, task.as_str(), &path)?;
    }
    fs::write_atomic(&path, text)?;
    if ctx.is_json() {
        ctx.out.json(
            "spec-write",
            &json!({"taskId": task.as_str(), "path": path.to_string_lossy()}),
        )?;
    } else {
        ctx.out
            .success(format!("Spec written {}", path.display()))?;
    }
    Ok(Outcome::Done)
}

const BY: &str = "<!-- written-by: ";

/// An agent replaces what it has written itself, the spec of its own task and those of the agents it has started.
fn may_replace(paths: &ProjectPaths, agent: &str, task: &str, path: &Path) -> CliResult<()> {
    let Some(old) = fs::read_optional(path)? else {
        return Ok(());
    };
    let author = old
        .strip_prefix(BY)
        .and_then(|rest| rest.split(" -->").next());
    if author == Some(agent) {
        return Ok(());
    }
    let sessions = SessionStore::look(&paths.sessions_db())?.all()?;
    let own = |session: &AgentSession| {
        session.task_id == task
            && (session.agent_name == agent || session.parent_agent.as_deref() == Some(agent))
    };
    if sessions.iter().any(own) {
        return Ok(());
    }
    let whose = author.unwrap_or("a person");
    Err(CliError::validation(format!(
        "the spec of {task} was written by {whose} and is not yours to replace; write under another id, or ask by mail"
    )))
}

/// A person who forgot `--body` must not be left waiting for input.
fn from_stdin() -> CliResult<String> {
    let mut stdin = std::io::stdin();
    let mut text = String::new();
    if !stdin.is_terminal() {
        stdin.read_to_string(&mut text).map_err(|error| {
            let why = if error.kind() == std::io::ErrorKind::InvalidData {
                "it is no UTF-8 text".to_owned()
            } else {
                error.to_string()
            };
            CliError::validation(format!("the spec on standard input cannot be read: {why}"))
        })?;
    }
    Ok(text)
}
