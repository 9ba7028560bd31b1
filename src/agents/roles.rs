//! The roles of a project: its own manifest and texts where it has them, else those built in.

use super::AgentError;
use super::manifest::{DEFINITIONS, DISCOVERY_PROFILE, Manifest, SUPERVISOR_DEFINITION};
use crate::config::{Config, STATE_DIR};
use crate::platform::{FsError, ProjectPaths, fs, landed};
use std::path::Path;

/// The definition of a role or profile; empty when nobody has written one. What it says goes to an agent, so a link out
/// of the project, which another agent can have made, is not followed.
pub fn definition(root: &Path, definitions: &Path, name: &str) -> Result<String, FsError> {
    let file = format!("{name}.md");
    if definitions.starts_with(root) && !definitions.starts_with(root.join(STATE_DIR)) {
        landed::stays_inside(root, &definitions.join(&file))?;
    }
    if let Some(text) = fs::read_optional(&definitions.join(&file))? {
        return Ok(text);
    }
    let undeployed = [
        ("supervisor", SUPERVISOR_DEFINITION),
        ("ov-discovery", DISCOVERY_PROFILE),
    ];
    if let Some((_, text)) = undeployed.iter().find(|(known, _)| *known == name) {
        return Ok((*text).to_owned());
    }
    let found = DEFINITIONS.iter().find(|(known, _)| *known == file);
    Ok(found
        .map(|(_, text)| (*text).to_owned())
        .unwrap_or_default())
}

/// The text of a profile; one that nobody has written is a mistake.
pub fn profile(root: &Path, definitions: &Path, name: &str) -> Result<String, AgentError> {
    // A name, not a way to some other file.
    let is_name = !name.contains(['/', '\\']) && !name.starts_with('.');
    let text = if is_name {
        definition(root, definitions, name)?
    } else {
        String::new()
    };
    if text.is_empty() {
        return Err(AgentError::NoProfile {
            name: name.to_owned(),
            folder: definitions.to_owned(),
        });
    }
    Ok(text)
}

/// The project's manifest, or the standard one where it has none.
pub fn manifest(paths: &ProjectPaths, config: &Config) -> Result<Manifest, AgentError> {
    let file = paths.root.join(&config.agents.manifest_path);
    if !file.exists() {
        return Ok(Manifest::standard());
    }
    Ok(Manifest::load(
        &file,
        &paths.root.join(&config.agents.base_dir),
    )?)
}
