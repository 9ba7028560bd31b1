//! How branches are merged.

/// What happens to a merge that would drop somebody's lines (grove only).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnDisplaced {
    /// Try the next tier, then hold.
    #[default]
    Escalate,
    /// Leave the target alone and ask a person.
    Hold,
    /// Land the incoming side and flag it loudly.
    Commit,
}

impl OnDisplaced {
    /// Returns the name used in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Escalate => "escalate",
            Self::Hold => "hold",
            Self::Commit => "commit",
        }
    }
}

/// `merge:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeConfig {
    /// Whether a runtime may be asked to resolve a conflict.
    pub ai_resolve_enabled: bool,
    /// Whether a runtime may rewrite files from both versions.
    pub reimagine_enabled: bool,
    /// Policy for displaced lines (grove only).
    pub on_displaced: OnDisplaced,
    /// How often a red quality gate is run again before it counts (grove only).
    pub gate_retries: u32,
    /// After how long a quality gate is ended, in milliseconds (grove only).
    pub gate_timeout_ms: u64,
    /// After how long the merge drivers of the user's git settings are ended, for all files of a merge together, in
    /// milliseconds (grove only).
    pub driver_timeout_ms: u64,
    /// How many branches are tested at the same time (grove only).
    pub parallel: u32,
    /// After how long a model's answer is not waited for any more, in milliseconds (grove only).
    pub ai_timeout_ms: u64,
}

impl Default for MergeConfig {
    fn default() -> Self {
        Self {
            ai_resolve_enabled: true,
            reimagine_enabled: false,
            on_displaced: OnDisplaced::Escalate,
            gate_retries: 0,
            gate_timeout_ms: 1_800_000,
            driver_timeout_ms: 600_000,
            parallel: 4,
            ai_timeout_ms: 300_000,
        }
    }
}
