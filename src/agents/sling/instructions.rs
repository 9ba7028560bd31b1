//! What the agent is told: the text for its worktree and for its CLI.

use std::path::{Path, PathBuf};

use super::choice::{Choice, Ground};
use crate::agents::expertise::Briefing;
use crate::agents::overlay::{self, OverlayInput};
use crate::agents::{AgentError, roles};
use crate::platform::{fs, landed};
use crate::types::agent::can_spawn;

/// The instructions of an agent that will work in `worktree`.
pub(super) fn render(
    ground: &Ground<'_>,
    choice: &Choice<'_>,
    worktree: &Path,
    briefing: &Briefing,
) -> Result<String, AgentError> {
    let Ground {
        config, request, ..
    } = ground;
    let root = &ground.paths.root;
    let definitions = root.join(&config.agents.base_dir);
    let role = ground.manifest.agent(&request.capability);
    let constraints = role.map(|r| r.constraints.clone()).unwrap_or_default();
    let profile = request
        .profile
        .as_ref()
        .or(config.project.default_profile.as_ref());
    let spec = ground.spec.as_ref().map(|p| p.to_string_lossy());
    let (tracker_name, tracker_cli) = choice.assignment.tracker().unwrap_or_default();
    Ok(overlay::render(&OverlayInput {
        agent_name: choice.name.as_str(),
        capability: &request.capability,
        task_id: ground.task.as_str(),
        spec_path: spec.as_deref(),
        branch_name: &choice.branch,
        worktree_path: &worktree.to_string_lossy(),
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
        base_definition: &roles::definition(root, &definitions, &request.capability)?,
        profile_instructions: profile
            .map(|p| roles::profile(root, &definitions, p))
            .transpose()?
            .as_deref(),
        tracker_cli,
        tracker_name,
        instruction_path: choice.runtime.instruction_file().unwrap_or("none"),
    }))
}

/// Writes the instructions where people and ov look for them; the file, if it was written.
pub(super) fn write(
    worktree: &Path,
    file: &str,
    overlay: &str,
) -> Result<Option<PathBuf>, AgentError> {
    let path = worktree.join(file);
    if path.exists() || landed::stays_inside(worktree, &path).is_err() {
        // The project has a file of its own there, or its folder elsewhere; the agent gets both by other ways.
        return Ok(None);
    }
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    fs::write_atomic(&path, overlay)?;
    Ok(Some(path))
}
