//! Everything together, and what is looked up in it.

use super::{
    AgentsConfig, CoordinatorConfig, LoggingConfig, MergeConfig, MulchConfig, ProjectConfig,
    Provider, Providers, RuntimeConfig, TaskTrackerConfig, WatchdogConfig, WorktreesConfig,
};
use crate::config::{GuardConfig, SandboxConfig};

/// Everything a project can configure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    /// `project:`
    pub project: ProjectConfig,
    /// `agents:`
    pub agents: AgentsConfig,
    /// `worktrees:`
    pub worktrees: WorktreesConfig,
    /// `taskTracker:`
    pub task_tracker: TaskTrackerConfig,
    /// `mulch:`
    pub mulch: MulchConfig,
    /// `merge:`
    pub merge: MergeConfig,
    /// `providers:` in the order written; `anthropic` is always known.
    pub providers: Providers,
    /// `watchdog:`
    pub watchdog: WatchdogConfig,
    /// `coordinator:`
    pub coordinator: CoordinatorConfig,
    /// `models:` as (capability, model) in the order written.
    pub models: Vec<(String, String)>,
    /// `logging:`
    pub logging: LoggingConfig,
    /// `runtime:`
    pub runtime: RuntimeConfig,
    /// `sandbox:`; grove's own.
    pub sandbox: SandboxConfig,
    /// `guard:`; grove's own.
    pub guard: GuardConfig,
}

impl Config {
    /// Returns the model configured for a capability.
    pub fn model_for(&self, capability: &str) -> Option<&str> {
        self.models
            .iter()
            .find(|(name, _)| name == capability)
            .map(|(_, model)| model.as_str())
    }

    /// Returns the runtime for a capability: its own entry, else the default.
    pub fn runtime_for(&self, capability: &str) -> &str {
        self.runtime
            .capabilities
            .iter()
            .find(|(name, _)| name == capability)
            .map_or(self.runtime.default.as_str(), |(_, runtime)| {
                runtime.as_str()
            })
    }

    /// Returns the configured provider of that name.
    pub fn provider(&self, name: &str) -> Option<&Provider> {
        self.providers
            .0
            .iter()
            .find(|provider| provider.name == name)
    }
}
