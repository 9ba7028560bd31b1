//! `prime`: print what a session should know at its start.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::agents::checkpoint::Checkpoint;
use crate::agents::identity::Identity;
use crate::agents::manifest::Manifest;
use crate::agents::prime::{AgentContext, ProjectContext, agent_context, project_context};
use crate::agents::scaffold::GITIGNORE;
use crate::cli::{CliResult, Context, Outcome, Project};
use crate::db::{MetricsStore, SessionStore};
use crate::git::Repo;
use crate::platform::fs;

/// How many sessions the overview names.
const RECENT: i64 = 5;

/// Print the context for a new session
#[derive(Debug, clap::Args)]
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
    heal_gitignore(&project)?;
    let agent = ctx
        .acting_agent()
        .or(args.agent)
        .filter(|name| name != "orchestrator");
    let context = match &agent {
        Some(name) => for_agent(&project, name, args.compact)?,
        None => for_project(&project, args.compact)?,
    };
    if ctx.is_json() {
        ctx.out.json(
            "prime",
            &json!({"agent": agent, "compact": args.compact, "context": context}),
        )?;
    } else {
        ctx.out.raw(&context)?;
    }
    Ok(Outcome::Done)
}

fn heal_gitignore(project: &Project) -> CliResult<()> {
    let path = project.paths.file(".gitignore");
    if project.paths.dir().is_dir() && fs::read_optional(&path)?.as_deref() != Some(GITIGNORE) {
        fs::write_atomic(&path, GITIGNORE)?;
    }
    Ok(())
}

fn for_project(project: &Project, compact: bool) -> CliResult<String> {
    let branch = Repo::discover(&project.root)
        .ok()
        .and_then(|repo| repo.current_branch().ok().flatten());
    if let Some(branch) = branch.as_ref().filter(|_| project.paths.dir().is_dir()) {
        fs::write_atomic(
            &project.paths.file("session-branch.txt"),
            format!("{branch}\n"),
        )?;
    }
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

fn for_agent(project: &Project, name: &str, compact: bool) -> CliResult<String> {
    let session = if project.paths.sessions_db().exists() {
        SessionStore::look(&project.paths.sessions_db())?.get(name)?
    } else {
        None
    };
    // Damaged memory must not keep an agent from starting.
    let identity = if name.contains(['/', '\\']) {
        None
    } else {
        Identity::load(
            &project
                .paths
                .file("agents")
                .join(name)
                .join("identity.yaml"),
        )
        .ok()
        .flatten()
    };
    let checkpoint = if compact && !name.contains(['/', '\\']) {
        Checkpoint::load(&project.paths, name)?
    } else {
        None
    };
    let mut text = String::new();
    if session.is_none() && identity.is_none() {
        writeln!(
            text,
            "! agent \"{name}\" not found in sessions or identity store."
        )
        .unwrap_or_default();
    }
    text.push_str(&agent_context(&AgentContext {
        name,
        identity: identity.as_ref(),
        session: session.as_ref(),
        checkpoint: checkpoint.as_ref(),
        runtime: project
            .config
            .runtime_for(session.as_ref().map_or("", |session| &session.capability)),
        expertise: expertise(project, compact).as_deref(),
    }));
    Ok(text)
}

/// What the expertise tool has to say; without the tool there is nothing to say.
fn expertise(project: &Project, compact: bool) -> Option<String> {
    let mulch = &project.config.mulch;
    if compact || !mulch.enabled {
        return None;
    }
    let output = Command::new("ml")
        .arg("prime")
        .args(&mulch.domains)
        .args(["--format", mulch.prime_format.name()])
        .current_dir(&project.root)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
