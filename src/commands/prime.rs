//! `prime`: print what a session should know at its start.

use std::fmt::Write as _;

use serde_json::json;

use crate::agents::checkpoint::Checkpoint;
use crate::agents::expertise::for_session;
use crate::agents::identity::{Identity, IdentityError};
use crate::agents::manifest::Manifest;
use crate::agents::prime::{AgentContext, Memory, ProjectContext, agent_context, project_context};
use crate::agents::tmux;
use crate::cli::{CliResult, Context, Outcome, Project};
use crate::db::{MetricsStore, SessionStore};
use crate::git::Repo;
use crate::platform::{FsError, clock, env, fs, leftovers};
use crate::setup::files::GITIGNORE;
use crate::text::to_tabbed_json;

/// How many sessions the overview names.
const RECENT: i64 = 5;

/// Print the context for a new session
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  grove prime --agent builder-1 --compact")]
pub struct Args {
    /// For this agent instead of the whole project
    #[arg(long, value_name = "name")]
    agent: Option<String>,
    /// Leave out what costs room: history and expertise
    #[arg(long)]
    compact: bool,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let project = ctx.project()?;
    heal_gitignore(ctx, &project)?;
    let agent = ctx.acting_agent().or(args.agent);
    let context = match &agent {
        // A person's own session.
        Some(name) if name == "orchestrator" => for_project(ctx, &project, args.compact)?,
        Some(name) => for_agent(ctx, &project, name, args.compact)?,
        None => for_project(ctx, &project, args.compact)?,
    };
    if ctx.is_json() {
        ctx.out.json(
            "prime",
            &json!({"agent": agent, "compact": args.compact, "context": context}),
        )?;
    } else {
        ctx.out.text(&context)?;
    }
    Ok(Outcome::Done)
}

/// What cannot be noted (a full disk, a read-only folder) must not keep a session from its context.
fn keep(ctx: &Context, written: Result<(), FsError>) {
    if let Err(error) = written {
        ctx.out.note(format!("! {error}"));
    }
}

fn heal_gitignore(ctx: &Context, project: &Project) -> CliResult<()> {
    leftovers::sweep(&project.paths.dir());
    let path = project.paths.file(".gitignore");
    if project.paths.dir().is_dir() && fs::read_optional(&path)?.as_deref() != Some(GITIGNORE) {
        keep(ctx, fs::write_atomic(&path, GITIGNORE));
    }
    Ok(())
}

fn for_project(ctx: &Context, project: &Project, compact: bool) -> CliResult<String> {
    let branch = Repo::discover(&project.root)
        .ok()
        .and_then(|repo| repo.current_branch().ok().flatten());
    if let Some(branch) = branch.as_ref().filter(|_| project.paths.dir().is_dir()) {
        let path = project.paths.file("session-branch.txt");
        keep(ctx, fs::write_atomic(&path, format!("{branch}\n")));
    }
    note_terminal(ctx, project)?;
    let agents = &project.config.agents;
    let manifest = Manifest::load(
        &project.root.join(&agents.manifest_path),
        &project.root.join(&agents.base_dir),
    )?;
    let recent = if compact {
        None
    } else if project.paths.metrics_db().exists() {
        Some(MetricsStore::look(&project.paths.metrics_db())?.sessions(None, RECENT)?)
    } else {
        Some(Vec::new())
    };
    Ok(project_context(&ProjectContext {
        config: &project.config,
        manifest: Some(&manifest),
        session_branch: branch.as_deref(),
        recent: recent.as_deref(),
        expertise: expertise(project, compact).as_deref(),
    }))
}

/// Inside tmux the other program nudges a person's session through its terminal; it looks here.
fn note_terminal(ctx: &Context, project: &Project) -> CliResult<()> {
    if env::var("TMUX").is_none() || !project.paths.dir().is_dir() {
        return Ok(());
    }
    if let Some(session) = tmux::own_session() {
        let text = to_tabbed_json(&json!({
            "tmuxSession": session,
            "registeredAt": clock::now().to_string(),
        }))?;
        let path = project.paths.file("orchestrator-tmux.json");
        keep(ctx, fs::write_atomic(&path, text));
    }
    Ok(())
}

fn for_agent(ctx: &Context, project: &Project, name: &str, compact: bool) -> CliResult<String> {
    let session = if project.paths.sessions_db().exists() {
        SessionStore::look(&project.paths.sessions_db())?.get(name)?
    } else {
        None
    };
    // Damaged memory must not keep an agent from starting.
    let identity = if name.contains(['/', '\\']) {
        Ok(None)
    } else {
        Identity::load(&project.paths.identity(name))
    };
    let memory = match &identity {
        Ok(Some(identity)) => Memory::Known(identity),
        Ok(None) => Memory::None,
        Err(error) => {
            ctx.out
                .note(format!("! {}", unreadable(project, name, error)));
            Memory::Unreadable
        }
    };
    let checkpoint = if compact && !name.contains(['/', '\\']) {
        Checkpoint::load(&project.paths, name)?
    } else {
        None
    };
    let mut text = String::new();
    if session.is_none() && matches!(memory, Memory::None) {
        writeln!(
            text,
            "! agent \"{name}\" not found in sessions or identity store."
        )
        .unwrap_or_default();
    }
    text.push_str(&agent_context(&AgentContext {
        name,
        memory,
        session: session.as_ref(),
        checkpoint: checkpoint.as_ref(),
        runtime: project
            .config
            .runtime_for(session.as_ref().map_or("", |session| &session.capability)),
        expertise: expertise(project, compact).as_deref(),
    }));
    Ok(text)
}

/// Names the file, which an error of the file system does itself.
fn unreadable(project: &Project, name: &str, error: &IdentityError) -> String {
    match error {
        IdentityError::Fs(error) => error.to_string(),
        IdentityError::NotUnderstood { .. } | IdentityError::Missing { .. } => {
            format!("{}: {error}", project.paths.identity(name).display())
        }
    }
}

/// What the project has learnt, unless it is left out.
fn expertise(project: &Project, compact: bool) -> Option<String> {
    if compact {
        return None;
    }
    for_session(&project.root, &project.config.mulch)
}
