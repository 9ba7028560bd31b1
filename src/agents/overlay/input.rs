//! What is known about an agent when its instructions are written.

use crate::config::QualityGate;

/// What an agent's instructions are made of.
#[derive(Debug, Clone, Default)]
pub struct OverlayInput<'a> {
    /// Agent name.
    pub agent_name: &'a str,
    /// Role it is started with.
    pub capability: &'a str,
    /// Task it works on.
    pub task_id: &'a str,
    /// Path of its spec, if there is one.
    pub spec_path: Option<&'a str>,
    /// Branch of its worktree.
    pub branch_name: &'a str,
    /// Absolute path of its worktree.
    pub worktree_path: &'a str,
    /// Who started it; the coordinator when unset.
    pub parent_agent: Option<&'a str>,
    /// Level in the hierarchy.
    pub depth: u32,
    /// Files it owns; empty means no restriction.
    pub file_scope: &'a [String],
    /// Expertise domains.
    pub mulch_domains: &'a [String],
    /// Expertise text, loaded beforehand.
    pub mulch_expertise: Option<&'a str>,
    /// Whether it may start others.
    pub can_spawn: bool,
    /// Gates of the project.
    pub quality_gates: &'a [QualityGate],
    /// Limits of its role, from the manifest.
    pub constraints: &'a [String],
    /// Whether scouting is to be left out.
    pub skip_scout: bool,
    /// Whether reviews are to be left out.
    pub skip_review: bool,
    /// Most agents it may start, when the dispatcher said so.
    pub max_agents: Option<u64>,
    /// Agents that work on the same thing at the same time.
    pub siblings: &'a [String],
    /// Text of its role.
    pub base_definition: &'a str,
    /// Text of its profile.
    pub profile_instructions: Option<&'a str>,
    /// Command of the task tracker; empty without one.
    pub tracker_cli: &'a str,
    /// Name of the task tracker.
    pub tracker_name: &'a str,
    /// Where these instructions are stored, relative to the worktree.
    pub instruction_path: &'a str,
}
