//! The text of a role: the project's own file if it has one, else the one built in.

use super::manifest::{DEFINITIONS, SUPERVISOR_DEFINITION};
use crate::platform::{FsError, fs};
use std::path::Path;

/// The profile of a coordinator that explores a project nobody has written down.
const DISCOVERY_PROFILE: &str = include_str!("../../agents/ov-discovery.md");

/// The definition of a role or profile; empty when nobody has written one.
pub fn definition(definitions: &Path, name: &str) -> Result<String, FsError> {
    let file = format!("{name}.md");
    if let Some(text) = fs::read_optional(&definitions.join(&file))? {
        return Ok(text);
    }
    if name == "supervisor" {
        return Ok(SUPERVISOR_DEFINITION.to_owned());
    }
    if name == "ov-discovery" {
        return Ok(DISCOVERY_PROFILE.to_owned());
    }
    let found = DEFINITIONS.iter().find(|(known, _)| *known == file);
    Ok(found
        .map(|(_, text)| (*text).to_owned())
        .unwrap_or_default())
}
