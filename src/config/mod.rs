//! The project's configuration: find the root, read `.overstory/config.yaml`, validate, write it.
//!
//! Reading yields typed structs and a list of notices (deprecated keys, odd values); the caller
//! decides where notices go. Nothing here prints, and no layer above sees YAML.

mod deprecated;
mod error;
mod extract;
mod foreign;
mod guard;
mod load;
mod model;
mod node;
mod opened;
mod render;
mod root;
mod sandbox;
mod section;
mod unknown;
mod validate;
mod yaml;

#[cfg(test)]
mod tests;

pub use error::ConfigError;
pub use foreign::read_foreign_yaml;
pub use guard::GuardConfig;
pub use load::{CONFIG_FILE, CONFIG_LOCAL_FILE, LoadedConfig, STATE_DIR, config_path, load, parse};
pub use model::{
    AgentsConfig, Config, CoordinatorConfig, ExitTriggers, LoggingConfig, MergeConfig, MulchConfig,
    OnDisplaced, PiConfig, PrimeFormat, ProjectConfig, Provider, ProviderKind, Providers,
    QualityGate, RuntimeConfig, TaskTrackerConfig, TrackerBackend, WatchdogConfig, WorktreesConfig,
};
pub(crate) use opened::{Ground, OF_GIT, real};
pub use render::{InitialConfig, render_initial};
pub use root::{RootProbes, refuse_odd_path, resolve_root};
pub use sandbox::{GATES, Network, SandboxConfig, SandboxMode};
