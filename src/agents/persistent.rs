//! Starting an agent that lives at the project root: orchestrator, monitor, supervisor. It has a
//! host like every agent, reads everything and changes nothing.

use super::launching::{self, Launch};
use super::manifest::Manifest;
use super::overlay::{self, OverlayInput};
use super::undo::Undo;
use super::{AgentError, current_run, model, reserved, roles};
use crate::config::Config;
use crate::db::{GroveStore, SessionStore};
use crate::git::Repo;
use crate::host::client;
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, clock, env};
use crate::runtimes::Runtime;
use crate::tracker::Tracker;
use crate::types::agent::can_spawn;
use crate::types::host::{LaunchRecord, Mode, ProcessId};
use crate::types::ids::AgentName;
use crate::types::run::RunStatus;
use crate::types::{AgentSession, AgentState};
use std::path::PathBuf;

/// What to start.
#[derive(Debug, Clone, Default)]
pub struct PersistentRequest {
    pub name: String,
    pub capability: String,
    /// Empty for most.
    pub task: String,
    pub parent: Option<String>,
    pub depth: i64,
    pub profile: Option<String>,
    /// What its first message says after name, role and time.
    pub beacon: String,
    /// Whether it leads the current run; a new one begins if there is none.
    pub leads_run: bool,
    /// `None`: a terminal, where the runtime has one.
    pub mode: Option<Mode>,
}

/// A started agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Persistent {
    pub session_id: String,
    pub pid: i32,
    pub mode: Mode,
    /// Things the user should know, one line each.
    pub warnings: Vec<String>,
}

/// Whether anything of a recorded session still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// Its host, or its process, is there.
    Alive,
    Dead,
}

/// Looks at the process behind a session of either program. What cannot be told counts as alive.
pub fn life(paths: &ProjectPaths, session: &AgentSession) -> Result<Life, AgentError> {
    if paths.grove_db().exists() {
        let host = GroveStore::look(&paths.grove_db())?.host(&session.agent_name)?;
        if let Some(host) = host.filter(|h| h.session_id == session.id) {
            let lives = host.ended_at.is_none() && liveness::check(host.host) != Liveness::Dead;
            return Ok(if lives { Life::Alive } else { Life::Dead });
        }
    }
    if !session.tmux_session.is_empty() {
        let lives = super::tmux::sessions()
            .iter()
            .any(|t| t.name == session.tmux_session);
        return Ok(if lives { Life::Alive } else { Life::Dead });
    }
    let pid = session.pid.and_then(|p| i32::try_from(p).ok());
    let dead = pid.is_none_or(|pid| liveness::check(ProcessId { pid, start: 0 }) == Liveness::Dead);
    Ok(if dead { Life::Dead } else { Life::Alive })
}

/// The active session of an agent of this capability.
pub fn active(
    paths: &ProjectPaths,
    name: &str,
    capability: &str,
) -> Result<Option<AgentSession>, AgentError> {
    let found = SessionStore::look(&paths.sessions_db())?.get(name)?;
    Ok(found.filter(|s| s.capability == capability && s.state.is_active()))
}

/// Records that a session thought alive is not.
pub fn bury(paths: &ProjectPaths, session: &AgentSession) -> Result<(), AgentError> {
    let sessions = SessionStore::open(&paths.sessions_db())?;
    sessions.transition_session(&session.agent_name, &session.id, AgentState::Zombie)?;
    sessions.touch(&session.agent_name)?;
    Ok(())
}

/// Starts an agent at the project root and waits until its CLI runs.
pub fn start(
    paths: &ProjectPaths,
    config: &Config,
    request: &PersistentRequest,
) -> Result<Persistent, AgentError> {
    let name = AgentName::parse(&request.name)?;
    reserved::refuse_at_root(name.as_str(), &request.capability)?;
    let sessions = SessionStore::open(&paths.sessions_db())?;
    let _turn = launching::turn(paths)?;
    let known = sessions.get(name.as_str())?;
    if let Some(session) = known.as_ref().filter(|s| s.state.is_active()) {
        if life(paths, session)? == Life::Alive {
            return Err(AgentError::NameTaken {
                name: name.to_string(),
                state: session.state.as_str(),
            });
        }
        sessions.transition_session(name.as_str(), &session.id, AgentState::Completed)?;
    }
    if let Ok(host) = client::running(paths, name.as_str()) {
        // A finished life whose process lingers would share the socket with the new one.
        client::stop(&host, false)?;
        crate::process::tree::wait_gone(&[host.host], std::time::Duration::from_secs(5));
    }
    let repo = Repo::discover(&paths.root)?;
    repo.require_usable()?;
    let manifest = roles::manifest(paths, config)?;
    let runtime = launching::installed(
        config.runtime_for(&request.capability),
        &format!(
            "name another one under runtime.capabilities.{} in .overstory/config.yaml",
            request.capability
        ),
    )?;
    let mode = launching::mode(runtime, request.mode, Mode::Pty)?;
    let now = clock::now();
    let session_id = format!("session-{}-{name}", now.0);
    let mut undo = Undo::new(paths, &repo, name.as_str(), &session_id);
    let record = prepare(
        paths,
        config,
        request,
        &manifest,
        runtime,
        mode,
        &session_id,
    )?;
    let run_is_new = request.leads_run && current_run::current_run(paths)?.is_none();
    let run = if request.leads_run {
        Some(lead_run(paths, &sessions, &session_id, name.as_str())?)
    } else {
        None
    };
    undo.new_run = run.clone().filter(|_| run_is_new);
    let record = LaunchRecord {
        run_id: run,
        ..record
    };
    launching::enrol(paths, &sessions, &mut undo, &record, known, now)?;
    let pid = launching::start(paths, undo, &record)?;
    let warnings = launching::record_start(paths, &record, pid);
    Ok(Persistent {
        session_id: record.session_id,
        pid,
        mode,
        warnings,
    })
}

/// The run this coordinator leads: the current one while it is active, else a new one.
pub fn lead_run(
    paths: &ProjectPaths,
    sessions: &SessionStore,
    session_id: &str,
    name: &str,
) -> Result<String, AgentError> {
    let current = current_run::current_run(paths)?;
    let going_on = match &current {
        Some(run) => sessions
            .run(run)?
            .is_none_or(|r| r.status == RunStatus::Active),
        None => false,
    };
    let run = match current {
        Some(run) if going_on => {
            sessions.insert_run(&run, &clock::now().iso())?;
            run
        }
        Some(_) | None => super::sling::new_run(paths, sessions)?,
    };
    sessions.set_run_coordinator(&run, session_id, name)?;
    Ok(run)
}

/// Writes what the CLI needs, outside the agent's reach, and says how to start it.
fn prepare(
    paths: &ProjectPaths,
    config: &Config,
    request: &PersistentRequest,
    manifest: &Manifest,
    runtime: &'static dyn Runtime,
    mode: Mode,
    session_id: &str,
) -> Result<LaunchRecord, AgentError> {
    let name = request.name.as_str();
    let role = manifest.agent(&request.capability);
    let definitions = paths.root.join(&config.agents.base_dir);
    let constraints = role.map(|r| r.constraints.clone()).unwrap_or_default();
    let profile = match &request.profile {
        Some(profile) => Some(roles::profile(&paths.root, &definitions, profile)?),
        None => None,
    };
    let root = paths.root.to_string_lossy();
    let tracker = Tracker::of(&paths.root, &config.task_tracker);
    let overlay = overlay::render_persistent(&OverlayInput {
        agent_name: name,
        capability: &request.capability,
        task_id: &request.task,
        branch_name: &config.project.canonical_branch,
        worktree_path: &root,
        parent_agent: request.parent.as_deref(),
        depth: request.depth.max(0) as u32,
        can_spawn: can_spawn(&request.capability),
        quality_gates: &config.project.quality_gates,
        constraints: &constraints,
        base_definition: &roles::definition(&paths.root, &definitions, &request.capability)?,
        profile_instructions: profile.as_deref(),
        tracker_cli: tracker.cli().unwrap_or_default(),
        tracker_name: tracker.name().unwrap_or_default(),
        instruction_path: "none",
        ..OverlayInput::default()
    });
    let spec = standing_orders(paths, name);
    let prompt = format!(
        "[OVERSTORY] {name} ({}) {} — {}",
        request.capability,
        clock::now().iso(),
        request.beacon
    );
    let mut record = Launch {
        paths,
        session_id,
        agent: name,
        capability: &request.capability,
        task: &request.task,
        run: None,
        parent: request.parent.as_deref(),
        depth: request.depth,
        runtime,
        mode,
        model: model::choose(config, manifest, &request.capability, &env::var),
        cwd: &paths.root,
        branch: &config.project.canonical_branch,
        prompt: &prompt,
        overlay: &overlay,
        instruction_file: None,
        spec: spec.as_deref(),
        quality_gates: Vec::new(),
        guard: &config.guard,
    }
    .prepare()?;
    if let Some(profile) = &request.profile {
        record.env.insert(env::PROFILE.to_owned(), profile.clone());
    }
    Ok(record)
}

/// A spec with the agent's own name is what it always has to do.
fn standing_orders(paths: &ProjectPaths, name: &str) -> Option<PathBuf> {
    let specs = paths.file("specs");
    let names = [format!("{name}.md"), format!("{name}.yaml")];
    names.iter().map(|n| specs.join(n)).find(|p| p.is_file())
}
