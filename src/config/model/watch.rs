//! Who watches, and what is written down.

/// `watchdog:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchdogConfig {
    /// Mechanical checks.
    pub tier0_enabled: bool,
    /// Pause between mechanical checks.
    pub tier0_interval_ms: u64,
    /// One-shot model triage.
    pub tier1_enabled: bool,
    /// Monitor agent.
    pub tier2_enabled: bool,
    /// Quiet time after which an agent counts as stalled.
    pub stale_threshold_ms: u64,
    /// Quiet time after which an agent counts as dead.
    pub zombie_threshold_ms: u64,
    /// Time per escalation level.
    pub nudge_interval_ms: u64,
    /// Kept for compatibility.
    pub rpc_timeout_ms: u64,
    /// Time a triage call may take.
    pub triage_timeout_ms: u64,
    /// Kept for compatibility.
    pub max_escalation_level: u32,
    /// Whether a death is mailed to the parent.
    pub notify_parent_on_death: bool,
}

impl Default for WatchdogConfig {
    fn default() -> Self {
        Self {
            tier0_enabled: true,
            tier0_interval_ms: 30_000,
            tier1_enabled: false,
            tier2_enabled: false,
            stale_threshold_ms: 300_000,
            zombie_threshold_ms: 600_000,
            nudge_interval_ms: 60_000,
            rpc_timeout_ms: 5000,
            triage_timeout_ms: 30_000,
            max_escalation_level: 3,
            notify_parent_on_death: true,
        }
    }
}

/// `coordinator:`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CoordinatorConfig {
    /// When the coordinator may leave by itself.
    pub exit_triggers: ExitTriggers,
}

/// `coordinator.exitTriggers:`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExitTriggers {
    /// Every agent of the run is done.
    pub all_agents_done: bool,
    /// The tracker has nothing left to do.
    pub task_tracker_empty: bool,
    /// Somebody mailed a shutdown.
    pub on_shutdown_signal: bool,
}

/// `logging:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggingConfig {
    /// More detail on the console.
    pub verbose: bool,
    /// Replace secrets in logs.
    pub redact_secrets: bool,
}

impl Default for LoggingConfig {
    fn default() -> Self {
        Self {
            verbose: false,
            redact_secrets: true,
        }
    }
}
