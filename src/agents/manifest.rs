//! The agent manifest: which roles exist, with which model, tools and limits.
//!
//! Reads, checks and writes `.overstory/agent-manifest.json` and holds the role definitions that
//! come with the program. It decides nothing about whether an agent may be started.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::platform::fs::{self, FsError};
use crate::text::to_tabbed_json;

/// A manifest that cannot be used.
#[derive(Debug, Error)]
pub enum ManifestError {
    /// The file cannot be read.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The file is not JSON.
    #[error("{}: not valid JSON: {source}; run 'grove update --manifest' to write a fresh one", path.display())]
    Syntax {
        /// The manifest file.
        path: PathBuf,
        /// Where the parser stopped.
        #[source]
        source: serde_json::Error,
    },
    /// A field has the wrong type.
    #[error("{}: {field} {rule}", path.display())]
    Field {
        /// The manifest file.
        path: PathBuf,
        /// Dotted name of the field.
        field: String,
        /// What it has to be.
        rule: &'static str,
    },
    /// A role names a definition that does not exist.
    #[error("agent \"{agent}\" refers to {} which does not exist; run 'grove update --agents'", path.display())]
    MissingDefinition {
        /// The role.
        agent: String,
        /// The file it names.
        path: PathBuf,
    },
}

/// One role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDefinition {
    /// Name of the role, which is also the capability it is started with.
    pub name: String,
    /// File with its base definition.
    pub file: String,
    /// Model alias or reference.
    pub model: String,
    /// Tools it is given.
    pub tools: Vec<String>,
    /// What it can do.
    pub capabilities: Vec<String>,
    /// Whether it may start other agents.
    pub can_spawn: bool,
    /// Limits such as `read-only`.
    pub constraints: Vec<String>,
}

/// All roles in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// Format version.
    pub version: String,
    /// The roles.
    pub agents: Vec<AgentDefinition>,
    /// Index as written in the file; `capability_index` builds the true one.
    pub recorded_index: Vec<(String, Vec<String>)>,
}

/// Role definitions that `init` deploys, by file name.
pub const DEFINITIONS: [(&str, &str); 9] = [
    ("scout.md", include_str!("../../agents/scout.md")),
    ("builder.md", include_str!("../../agents/builder.md")),
    ("reviewer.md", include_str!("../../agents/reviewer.md")),
    ("lead.md", include_str!("../../agents/lead.md")),
    ("merger.md", include_str!("../../agents/merger.md")),
    (
        "coordinator.md",
        include_str!("../../agents/coordinator.md"),
    ),
    (
        "orchestrator.md",
        include_str!("../../agents/orchestrator.md"),
    ),
    ("monitor.md", include_str!("../../agents/monitor.md")),
    (
        "ov-co-creation.md",
        include_str!("../../agents/ov-co-creation.md"),
    ),
];

/// Definition of the deprecated supervisor role; known, but not deployed.
pub const SUPERVISOR_DEFINITION: &str = include_str!("../../agents/supervisor.md");

/// Profile of `discover`; known, but not deployed, because projects rarely want their own.
pub const DISCOVERY_PROFILE: &str = include_str!("../../agents/ov-discovery.md");

impl Manifest {
    /// Loads and checks a manifest; every role's definition must exist in `definitions`.
    pub fn load(path: &Path, definitions: &Path) -> Result<Self, ManifestError> {
        let manifest = Self::parse(&fs::read(path)?, path)?;
        for agent in &manifest.agents {
            let file = definitions.join(&agent.file);
            if !file.exists() {
                return Err(ManifestError::MissingDefinition {
                    agent: agent.name.clone(),
                    path: file,
                });
            }
        }
        Ok(manifest)
    }

    /// Parses manifest text; `path` is only for messages.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ManifestError> {
        let value: Value = serde_json::from_str(text).map_err(|source| ManifestError::Syntax {
            path: path.to_owned(),
            source,
        })?;
        let at = Fields { path };
        let version = at.text(&value, "version", "version")?;
        let roles = value
            .get("agents")
            .and_then(Value::as_object)
            .ok_or_else(|| at.error("agents", "must be an object"))?;
        let agents = roles
            .iter()
            .map(|(name, role)| at.role(name, role))
            .collect::<Result<_, _>>()?;
        let recorded_index = match value.get("capabilityIndex") {
            Some(Value::Object(index)) => index
                .iter()
                .map(|(name, value)| {
                    at.list(value, &format!("capabilityIndex.{name}"))
                        .map(|list| (name.clone(), list))
                })
                .collect::<Result<_, _>>()?,
            Some(_) => return Err(at.error("capabilityIndex", "must be an object")),
            None => Vec::new(),
        };
        Ok(Self {
            version,
            agents,
            recorded_index,
        })
    }

    /// Returns the manifest that `init` writes.
    pub fn standard() -> Self {
        const READ: &[&str] = &["Read", "Glob", "Grep", "Bash"];
        const WRITE: &[&str] = &["Read", "Write", "Edit", "Glob", "Grep", "Bash"];
        const LEAD: &[&str] = &["Read", "Write", "Edit", "Glob", "Grep", "Bash", "Task"];
        let aloof: &[&str] = &["read-only", "no-worktree"];
        let coordinate: &[&str] = &["coordinate", "dispatch", "escalate"];
        let orchestrate: &[&str] = &["orchestrate", "coordinate", "dispatch", "escalate"];
        let agents = vec![
            role(
                "scout",
                "haiku",
                READ,
                &["explore", "research"],
                false,
                &["read-only"],
            ),
            role(
                "builder",
                "sonnet",
                WRITE,
                &["implement", "refactor", "fix"],
                false,
                &[],
            ),
            role(
                "reviewer",
                "sonnet",
                READ,
                &["review", "validate"],
                false,
                &["read-only"],
            ),
            role(
                "lead",
                "opus",
                LEAD,
                &["coordinate", "implement", "review"],
                true,
                &[],
            ),
            role(
                "merger",
                "sonnet",
                WRITE,
                &["merge", "resolve-conflicts"],
                false,
                &[],
            ),
            role("coordinator", "opus", READ, coordinate, true, aloof),
            role("orchestrator", "opus", READ, orchestrate, true, aloof),
            role(
                "monitor",
                "sonnet",
                READ,
                &["monitor", "patrol"],
                false,
                aloof,
            ),
        ];
        let mut manifest = Self {
            version: "1.0".into(),
            agents,
            recorded_index: Vec::new(),
        };
        manifest.recorded_index = manifest.capability_index();
        manifest
    }

    /// Returns the role of that name.
    pub fn agent(&self, name: &str) -> Option<&AgentDefinition> {
        self.agents.iter().find(|agent| agent.name == name)
    }

    /// Lists which roles offer each capability, in order of first mention.
    pub fn capability_index(&self) -> Vec<(String, Vec<String>)> {
        let mut index: Vec<(String, Vec<String>)> = Vec::new();
        for agent in &self.agents {
            for capability in &agent.capabilities {
                match index.iter_mut().find(|(name, _)| name == capability) {
                    Some((_, names)) => names.push(agent.name.clone()),
                    None => index.push((capability.clone(), vec![agent.name.clone()])),
                }
            }
        }
        index
    }

    /// Renders the manifest as it is stored.
    pub fn render(&self) -> Result<String, serde_json::Error> {
        let agents: Map<String, Value> = self
            .agents
            .iter()
            .map(|agent| {
                let role = json!({
                    "file": agent.file,
                    "model": agent.model,
                    "tools": agent.tools,
                    "capabilities": agent.capabilities,
                    "canSpawn": agent.can_spawn,
                    "constraints": agent.constraints,
                });
                (agent.name.clone(), role)
            })
            .collect();
        let index: Map<String, Value> = self
            .capability_index()
            .into_iter()
            .map(|(name, names)| (name, json!(names)))
            .collect();
        to_tabbed_json(
            &json!({"version": self.version, "agents": agents, "capabilityIndex": index}),
        )
    }
}

fn role(
    name: &str,
    model: &str,
    tools: &[&str],
    capabilities: &[&str],
    can_spawn: bool,
    constraints: &[&str],
) -> AgentDefinition {
    let owned = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect();
    AgentDefinition {
        name: name.into(),
        file: format!("{name}.md"),
        model: model.into(),
        tools: owned(tools),
        capabilities: owned(capabilities),
        can_spawn,
        constraints: owned(constraints),
    }
}

struct Fields<'a> {
    path: &'a Path,
}

impl Fields<'_> {
    fn error(&self, field: &str, rule: &'static str) -> ManifestError {
        ManifestError::Field {
            path: self.path.to_owned(),
            field: field.to_owned(),
            rule,
        }
    }

    fn text(&self, value: &Value, key: &str, field: &str) -> Result<String, ManifestError> {
        let text = value
            .get(key)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty());
        text.map(str::to_owned)
            .ok_or_else(|| self.error(field, "must be a non-empty string"))
    }

    fn list(&self, value: &Value, field: &str) -> Result<Vec<String>, ManifestError> {
        value
            .as_array()
            .and_then(|items| {
                items
                    .iter()
                    .map(|item| item.as_str().map(str::to_owned))
                    .collect()
            })
            .ok_or_else(|| self.error(field, "must be a list of strings"))
    }

    fn role(&self, name: &str, role: &Value) -> Result<AgentDefinition, ManifestError> {
        let field = |key: &str| format!("agents.{name}.{key}");
        let list = |key: &str| self.list(role.get(key).unwrap_or(&Value::Null), &field(key));
        let can_spawn = role.get("canSpawn").and_then(Value::as_bool);
        Ok(AgentDefinition {
            name: name.to_owned(),
            file: self.text(role, "file", &field("file"))?,
            model: self.text(role, "model", &field("model"))?,
            tools: list("tools")?,
            capabilities: list("capabilities")?,
            can_spawn: can_spawn
                .ok_or_else(|| self.error(&field("canSpawn"), "must be true or false"))?,
            constraints: list("constraints")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let manifest = Manifest::standard();
        let text = manifest.render().unwrap();
        assert!(
            text.starts_with("{\n\t\"version\": \"1.0\",\n\t\"agents\": {\n\t\t\"scout\": {\n")
        );
        assert_eq!(Manifest::parse(&text, Path::new("m")).unwrap(), manifest);
    }

    #[test]
    fn wrong_types_name_the_field() {
        let text = Manifest::standard().render().unwrap().replacen(
            "\"canSpawn\": false",
            "\"canSpawn\": 0",
            1,
        );
        let message = Manifest::parse(&text, Path::new("m"))
            .unwrap_err()
            .to_string();
        assert_eq!(message, "m: agents.scout.canSpawn must be true or false");
        assert!(Manifest::parse("[]", Path::new("m")).is_err());
    }

    #[test]
    fn a_missing_definition_is_found_on_load() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("manifest.json");
        std::fs::write(&path, Manifest::standard().render().unwrap()).unwrap();
        for (name, text) in DEFINITIONS {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        assert!(Manifest::load(&path, dir.path()).is_ok());
        std::fs::remove_file(dir.path().join("lead.md")).unwrap();
        let message = Manifest::load(&path, dir.path()).unwrap_err().to_string();
        assert!(
            message.starts_with("agent \"lead\" refers to "),
            "{message}"
        );
    }

    #[test]
    fn every_role_has_a_definition_that_says_how_to_finish() {
        for agent in Manifest::standard().agents {
            let (_, text) = DEFINITIONS
                .iter()
                .find(|(name, _)| *name == agent.file)
                .unwrap();
            assert!(text.contains("## How agents fail"), "{}", agent.name);
            assert!(text.contains("## Never"), "{}", agent.name);
        }
    }
}
