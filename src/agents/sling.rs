//! Starting an agent: worktree, instructions, session row, host; all of it or nothing.

use super::launching::{self, Launch};
use super::limits::{self, Place, Wanted};
use super::manifest::Manifest;
use super::overlay::{self, OverlayInput};
use super::undo::Undo;
use super::{AgentError, assignment, dispatch, expertise, model, roles, stagger};
use crate::config::Config;
use crate::db::SessionStore;
use crate::git::Repo;
use crate::mulch::applied::{AppliedRecord, AppliedRecords};
use crate::platform::{ProjectPaths, clock, env, fs, lease};
use crate::types::agent::can_spawn;
use crate::types::host::{LaunchRecord, Mode};
use crate::types::ids::{AgentName, TaskId, agent_branch};
use crate::types::{AgentSession, AgentState};
use crate::worktree;
use std::path::{Path, PathBuf};

/// What to start.
#[derive(Debug, Clone, Default)]
pub struct SlingRequest {
    pub task: String,
    pub capability: String,
    pub name: Option<String>,
    pub spec: Option<PathBuf>,
    pub files: Vec<String>,
    pub siblings: Vec<String>,
    pub parent: Option<String>,
    pub depth: i64,
    pub skip_scout: bool,
    /// Do not look the task up in the tracker.
    pub skip_task_check: bool,
    /// Take a task whatever its state.
    pub recover: bool,
    pub skip_review: bool,
    /// Say nothing about a lead that has sent no scout.
    pub no_scout_check: bool,
    pub force_hierarchy: bool,
    pub max_agents: Option<u64>,
    pub dispatch_max_agents: Option<u64>,
    pub runtime: Option<String>,
    pub base_branch: Option<String>,
    pub profile: Option<String>,
    /// `None`: as the project is configured.
    pub mode: Option<Mode>,
    /// Who sends the dispatch mail.
    pub sender: Option<String>,
}

/// A started agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slung {
    pub agent: String,
    pub capability: String,
    pub task: String,
    pub branch: String,
    pub worktree: PathBuf,
    pub pid: i32,
    pub mode: Mode,
    pub runtime: &'static str,
    pub conversation: Option<String>,
    /// Its recorded state when its CLI runs.
    pub state: AgentState,
    /// Things the user should know, one line each.
    pub warnings: Vec<String>,
}

/// Starts an agent and waits until its CLI runs.
pub fn sling(
    paths: &ProjectPaths,
    config: &Config,
    request: &SlingRequest,
) -> Result<Slung, AgentError> {
    let task = TaskId::parse(&request.task)?;
    let spec = find_spec(paths, request)?;
    limits::check_place(
        &Place {
            capability: &request.capability,
            parent: request.parent.as_deref(),
            depth: request.depth,
            force_hierarchy: request.force_hierarchy,
        },
        &config.agents,
    )?;
    let repo = Repo::discover(&paths.root)?;
    repo.require_usable()?;
    let definitions = paths.root.join(&config.agents.base_dir);
    let manifest = load_manifest(paths, config)?;
    let role = manifest.agent(&request.capability);
    if role.is_none() && request.capability != "supervisor" {
        return Err(AgentError::Capability {
            capability: request.capability.clone(),
            available: manifest
                .agents
                .iter()
                .map(|a| a.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        });
    }
    let sessions = SessionStore::open(&paths.sessions_db())?;
    // What is free is decided by one start at a time.
    let _turn = lease::wait_for(&paths.start_lock())?;
    let known = sessions.all()?;
    let run = current_run(paths, &sessions, request, &known)?;
    let name = match &request.name {
        Some(name) => name.clone(),
        None => limits::free_name(&request.capability, task.as_str(), &known),
    };
    let name = AgentName::parse(&name)?;
    let wanted = Wanted {
        name: name.as_str(),
        task: task.as_str(),
        parent: request.parent.as_deref(),
        run: run.as_deref(),
        max_agents: request.max_agents,
    };
    limits::check(&wanted, &config.agents, &known)?;
    let assignment = assignment::check(&paths.root, &config.task_tracker, request)?;
    let runtime_name = request
        .runtime
        .as_deref()
        .unwrap_or_else(|| config.runtime_for(&request.capability));
    let runtime = launching::installed(runtime_name, "use --runtime")?;
    let headless =
        runtime.id() == "claude" && config.runtime.claude_headless_by_default == Some(true);
    let usual = if headless { Mode::Stream } else { Mode::Pty };
    let mode = launching::mode(runtime, request.mode, usual)?;
    let known = match stagger::due(&known, config.agents.stagger_delay_ms, clock::now()) {
        Some(pause) => {
            std::thread::sleep(pause);
            // Others may have started meanwhile.
            let known = sessions.all()?;
            limits::check(&wanted, &config.agents, &known)?;
            known
        }
        None => known,
    };
    let unscouted = unscouted(request, &known);
    let branch = agent_branch(&name, &task);
    if repo.branch_exists(&branch) {
        return Err(AgentError::BranchExists { branch });
    }
    let base = match &request.base_branch {
        Some(base) => base.clone(),
        None => repo
            .current_branch()?
            .unwrap_or_else(|| config.project.canonical_branch.clone()),
    };
    let now = clock::now();
    let session_id = format!("session-{}-{name}", now.0);
    let worktree_path = paths
        .root
        .join(&config.worktrees.base_dir)
        .join(name.as_str());
    let constraints = role.map(|r| r.constraints.clone()).unwrap_or_default();
    let profile = request
        .profile
        .as_ref()
        .or(config.project.default_profile.as_ref());
    let spec_text = spec.as_ref().map(|p| p.to_string_lossy().into_owned());
    let briefing = expertise::brief(&paths.root, &config.mulch, &request.files);
    let (tracker_name, tracker_cli) = assignment.tracker().unwrap_or_default();
    let overlay = overlay::render(&OverlayInput {
        agent_name: name.as_str(),
        capability: &request.capability,
        task_id: task.as_str(),
        spec_path: spec_text.as_deref(),
        branch_name: &branch,
        worktree_path: &worktree_path.to_string_lossy(),
        parent_agent: request.parent.as_deref(),
        depth: request.depth.max(0) as u32,
        file_scope: &request.files,
        mulch_domains: &briefing.domains,
        mulch_expertise: briefing.primed.as_ref().map(|p| p.text.as_str()),
        can_spawn: can_spawn(&request.capability),
        quality_gates: &config.project.quality_gates,
        constraints: &constraints,
        skip_scout: request.skip_scout,
        skip_review: request.skip_review,
        max_agents: request.dispatch_max_agents,
        siblings: &request.siblings,
        base_definition: &roles::definition(&definitions, &request.capability)?,
        profile_instructions: profile
            .map(|p| roles::profile(&definitions, p))
            .transpose()?
            .as_deref(),
        tracker_cli,
        tracker_name,
        instruction_path: runtime.instruction_file().unwrap_or("none"),
    });
    let mut undo = Undo::new(paths, &repo, name.as_str(), &session_id);
    let created = worktree::create(&repo, &worktree_path, &branch, &base)?;
    undo.worktree = Some(created.path.clone());
    undo.base = Some(created.base);
    if let Some(file) = runtime.instruction_file() {
        undo.overlay = write_overlay(&created.path, file, &overlay)?;
    }
    let prompt = dispatch::first_prompt(&name, request, now.iso().as_str(), spec_text.as_deref());
    let run = match run {
        Some(run) => run,
        None => {
            let run = new_run(paths, &sessions)?;
            undo.new_run = Some(run.clone());
            run
        }
    };
    let record = Launch {
        paths,
        session_id: &session_id,
        agent: name.as_str(),
        capability: &request.capability,
        task: task.as_str(),
        run: Some(run),
        parent: request.parent.as_deref(),
        depth: request.depth,
        runtime,
        mode,
        model: model::choose(config, &manifest, &request.capability, &env::var),
        cwd: &created.path,
        branch: &branch,
        prompt: &prompt,
        overlay: &overlay,
        instruction_file: runtime.instruction_file(),
        spec: spec.as_deref(),
        quality_gates: config
            .project
            .quality_gates
            .iter()
            .map(|g| g.command.clone())
            .collect(),
        guard: &config.guard,
    }
    .prepare()?;
    let previous = known
        .iter()
        .find(|s| s.agent_name == name.as_str())
        .cloned();
    launching::enrol(paths, &sessions, &mut undo, &record, previous, now)?;
    let mut warnings: Vec<String> = unscouted.into_iter().collect();
    for variable in record.env_from.values().filter(|v| env::var(v).is_none()) {
        warnings.push(format!(
            "{variable} is not set: the gateway of this agent's model may refuse it; set it and start the agent again"
        ));
    }
    warnings.extend(dispatch::mail(
        paths,
        request,
        &record,
        spec_text.as_deref(),
    ));
    let pid = launching::start(paths, undo, &record)?;
    warnings.extend(assignment.claim());
    warnings.extend(remember_expertise(paths, &record, briefing));
    warnings.extend(launching::record_start(paths, &record, pid));
    let now_recorded = sessions.get(name.as_str())?.filter(|s| s.id == session_id);
    Ok(Slung {
        state: now_recorded.map_or(AgentState::Booting, |s| s.state),
        agent: record.agent,
        capability: record.capability,
        task: record.task_id,
        branch,
        worktree: created.path,
        pid,
        mode,
        runtime: runtime.id(),
        conversation: record.conversation,
        warnings,
    })
}

/// A lead that sends a builder into unknown ground is told so.
fn unscouted(request: &SlingRequest, known: &[AgentSession]) -> Option<String> {
    let lead = request.parent.as_deref()?;
    let is_lead = known
        .iter()
        .any(|s| s.agent_name == lead && s.capability == "lead");
    let has_scout = known
        .iter()
        .any(|s| s.parent_agent.as_deref() == Some(lead) && s.capability == "scout");
    let quiet = request.no_scout_check || request.skip_scout;
    (is_lead && request.capability == "builder" && !has_scout && !quiet)
        .then(|| format!("'{lead}' has sent no scout yet; --no-scout-check leaves this remark out"))
}

fn find_spec(paths: &ProjectPaths, request: &SlingRequest) -> Result<Option<PathBuf>, AgentError> {
    if let Some(path) = &request.spec {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        return if absolute.is_file() {
            Ok(Some(absolute))
        } else {
            Err(AgentError::NoSpec { path: path.clone() })
        };
    }
    let specs = paths.file("specs");
    let names = [
        format!("{}.md", request.task),
        format!("{}.yaml", request.task),
    ];
    Ok(names.iter().map(|n| specs.join(n)).find(|p| p.is_file()))
}

/// The project's manifest, or the standard one where it has none.
pub fn load_manifest(paths: &ProjectPaths, config: &Config) -> Result<Manifest, AgentError> {
    let file = paths.root.join(&config.agents.manifest_path);
    if !file.exists() {
        return Ok(Manifest::standard());
    }
    Ok(Manifest::load(
        &file,
        &paths.root.join(&config.agents.base_dir),
    )?)
}

fn current_run(
    paths: &ProjectPaths,
    sessions: &SessionStore,
    request: &SlingRequest,
    known: &[AgentSession],
) -> Result<Option<String>, AgentError> {
    let of_parent = request
        .parent
        .as_ref()
        .and_then(|p| known.iter().find(|s| s.agent_name == *p))
        .and_then(|s| s.run_id.clone());
    if of_parent.is_some() {
        return Ok(of_parent);
    }
    let text = fs::read_optional(&paths.current_run())?.unwrap_or_default();
    let id = text.trim();
    if id.is_empty() {
        return Ok(None);
    }
    sessions.insert_run(id, &clock::now().iso())?;
    Ok(Some(id.to_owned()))
}

/// Starts a run and makes it the current one.
pub fn new_run(paths: &ProjectPaths, sessions: &SessionStore) -> Result<String, AgentError> {
    let id = sessions.start_run()?;
    fs::write_atomic(&paths.current_run(), &id)?;
    Ok(id)
}

/// Writes the instructions where people and ov look for them; the file, if it was written.
fn write_overlay(
    worktree: &Path,
    file: &str,
    overlay: &str,
) -> Result<Option<PathBuf>, AgentError> {
    let path = worktree.join(file);
    if path.exists() {
        // The project has a file of its own there; the agent gets both by other ways.
        return Ok(None);
    }
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    fs::write_atomic(&path, overlay)?;
    Ok(Some(path))
}

/// Keeps which records the agent was given, so that its end can tell whether they helped.
fn remember_expertise(
    paths: &ProjectPaths,
    record: &LaunchRecord,
    briefing: expertise::Briefing,
) -> Option<String> {
    let records = briefing.primed.map(|p| p.records).unwrap_or_default();
    let applied = AppliedRecords {
        task_id: record.task_id.clone(),
        agent_name: record.agent.clone(),
        capability: record.capability.clone(),
        records: records
            .into_iter()
            .map(|(id, domain)| AppliedRecord { id, domain })
            .collect(),
    };
    let failed = applied.save(paths).err();
    briefing.warning.or_else(|| failed.map(|e| e.to_string()))
}
