//! What the project itself is: its branch, its gates.

use std::path::PathBuf;

/// `project:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectConfig {
    /// Display name; the directory name when unset.
    pub name: String,
    /// Absolute root, always the resolved one.
    pub root: PathBuf,
    /// Branch that finished work lands on.
    pub canonical_branch: String,
    /// Commands that must succeed before work counts as done.
    pub quality_gates: Vec<QualityGate>,
    /// Profile used when none is given.
    pub default_profile: Option<String>,
}

impl Default for ProjectConfig {
    fn default() -> Self {
        let gate = |name: &str, command: &str, description: &str| QualityGate {
            name: name.into(),
            command: command.into(),
            description: description.into(),
        };
        Self {
            name: String::new(),
            root: PathBuf::new(),
            canonical_branch: "main".into(),
            quality_gates: vec![
                gate("Tests", "bun test", "all tests must pass"),
                gate("Lint", "bun run lint", "zero errors"),
                gate("Typecheck", "bun run typecheck", "no TypeScript errors"),
            ],
            default_profile: None,
        }
    }
}

/// One command that finished work must pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QualityGate {
    /// Short name, e.g. `Tests`.
    pub name: String,
    /// Shell command, run in the worktree.
    pub command: String,
    /// What a pass means, in words.
    pub description: String,
}
