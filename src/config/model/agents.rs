//! How many agents there are, and where they work.

/// `agents:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentsConfig {
    /// Manifest file, relative to the root.
    pub manifest_path: String,
    /// Folder of the role definitions, relative to the root.
    pub base_dir: String,
    /// Most agents alive at once.
    pub max_concurrent: u32,
    /// Pause between two starts.
    pub stagger_delay_ms: u64,
    /// Deepest allowed level of the hierarchy.
    pub max_depth: u32,
    /// Most sessions of one run; 0 means no limit.
    pub max_sessions_per_run: u32,
    /// Most live children of one lead; 0 means no limit.
    pub max_agents_per_lead: u32,
}

impl Default for AgentsConfig {
    fn default() -> Self {
        Self {
            manifest_path: ".overstory/agent-manifest.json".into(),
            base_dir: ".overstory/agent-defs".into(),
            max_concurrent: 25,
            stagger_delay_ms: 2000,
            max_depth: 2,
            max_sessions_per_run: 0,
            max_agents_per_lead: 5,
        }
    }
}

/// `worktrees:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreesConfig {
    /// Folder of the worktrees, relative to the root.
    pub base_dir: String,
}

impl Default for WorktreesConfig {
    fn default() -> Self {
        Self {
            base_dir: ".overstory/worktrees".into(),
        }
    }
}
