//! The start itself: what was decided is made, step by step, and taken back if a step fails.

use std::path::PathBuf;

use super::choice::{Choice, Ground};
use super::request::{SlingRequest, Slung};
use super::{instructions, new_run};
use crate::agents::launching::{self, Launch};
use crate::agents::undo::Undo;
use crate::agents::{AgentError, dispatch, expertise, model};
use crate::config::Config;
use crate::db::SessionStore;
use crate::mulch::applied::{AppliedRecord, AppliedRecords};
use crate::platform::{ProjectPaths, clock, env};
use crate::types::AgentState;
use crate::types::host::LaunchRecord;
use crate::worktree;

/// Starts an agent and waits until its CLI runs.
pub fn sling(
    paths: &ProjectPaths,
    config: &Config,
    request: &SlingRequest,
) -> Result<Slung, AgentError> {
    let ground = Ground::look(paths, config, request)?;
    let sessions = SessionStore::open(&paths.sessions_db())?;
    let _turn = launching::turn(paths)?;
    let choice = ground.choose(&sessions)?;
    let now = clock::now();
    let session_id = format!("session-{}-{}", now.0, choice.name);
    let briefing = expertise::brief(&paths.root, &config.mulch, &request.files);
    let mut undo = Undo::new(paths, &ground.repo, choice.name.as_str(), &session_id);
    let record = make(&ground, &choice, &sessions, &briefing, &mut undo)?;
    let previous = choice
        .known
        .iter()
        .find(|s| s.agent_name == choice.name.as_str())
        .cloned();
    launching::enrol(paths, &sessions, &mut undo, &record, previous, now)?;
    let mut warnings: Vec<String> = choice.unscouted(request).into_iter().collect();
    warnings.extend(unset_variables(&record));
    let spec = spec_text(&ground);
    warnings.extend(dispatch::mail(paths, request, &record, spec.as_deref()));
    let pid = launching::start(paths, undo, &record)?;
    warnings.extend(choice.assignment.claim());
    warnings.extend(remember_expertise(paths, &record, briefing));
    warnings.extend(launching::record_start(paths, &record, pid));
    let recorded = sessions
        .get(choice.name.as_str())?
        .filter(|s| s.id == session_id);
    Ok(Slung {
        state: recorded.map_or(AgentState::Booting, |s| s.state),
        agent: record.agent,
        capability: record.capability,
        task: record.task_id,
        branch: choice.branch,
        worktree: record.cwd,
        pid,
        mode: choice.mode,
        runtime: choice.runtime.id(),
        conversation: record.conversation,
        warnings,
    })
}

/// Makes the worktree, the instructions and the run, and says how the CLI is started.
fn make(
    ground: &Ground<'_>,
    choice: &Choice<'_>,
    sessions: &SessionStore,
    briefing: &expertise::Briefing,
    undo: &mut Undo<'_>,
) -> Result<LaunchRecord, AgentError> {
    let Ground {
        paths,
        config,
        request,
        ..
    } = *ground;
    let folder = worktree_folder(paths, config, choice);
    // Before there is a worktree: a profile that does not exist leaves nothing to take back.
    let overlay = instructions::render(ground, choice, &folder, briefing)?;
    let created = worktree::create(&ground.repo, &folder, &choice.branch, &choice.base)?;
    undo.worktree = Some(created.path.clone());
    undo.base = Some(created.base);
    let instruction_file = choice.runtime.instruction_file();
    if let Some(file) = instruction_file {
        undo.overlay = instructions::write(&created.path, file, &overlay)?;
    }
    let run = match &choice.run {
        Some(run) => run.clone(),
        None => {
            let run = new_run(paths, sessions)?;
            undo.new_run = Some(run.clone());
            run
        }
    };
    let time = clock::now().iso();
    let spec = spec_text(ground);
    let prompt = dispatch::first_prompt(&choice.name, request, &time, spec.as_deref());
    let gates = &config.project.quality_gates;
    Launch {
        paths,
        session_id: undo.session(),
        agent: choice.name.as_str(),
        capability: &request.capability,
        task: ground.task.as_str(),
        run: Some(run),
        parent: request.parent.as_deref(),
        depth: request.depth,
        runtime: choice.runtime,
        mode: choice.mode,
        model: model::choose(config, &ground.manifest, &request.capability, &env::var),
        cwd: &created.path,
        branch: &choice.branch,
        prompt: &prompt,
        overlay: &overlay,
        instruction_file,
        spec: ground.spec.as_deref(),
        quality_gates: gates.iter().map(|g| g.command.clone()).collect(),
        guard: &config.guard,
    }
    .prepare()
}

fn worktree_folder(paths: &ProjectPaths, config: &Config, choice: &Choice<'_>) -> PathBuf {
    paths
        .root
        .join(&config.worktrees.base_dir)
        .join(choice.name.as_str())
}

fn spec_text(ground: &Ground<'_>) -> Option<String> {
    ground
        .spec
        .as_ref()
        .map(|p| p.to_string_lossy().into_owned())
}

/// The gateway of the agent's model may need these.
fn unset_variables(record: &LaunchRecord) -> Vec<String> {
    record
        .env_from
        .values()
        .filter(|variable| env::var(variable).is_none())
        .map(|variable| {
            format!(
                "{variable} is not set: the gateway of this agent's model may refuse it; set it and start the agent again"
            )
        })
        .collect()
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
