//! The configuration as typed values with their defaults.
//!
//! Field meanings and defaults follow the contract; what only grove knows is marked.

mod agents;
mod knowledge;
mod merge;
mod project;
mod runtime;
mod watch;
mod whole;

pub use agents::{AgentsConfig, WorktreesConfig};
pub use knowledge::{MulchConfig, PrimeFormat, TaskTrackerConfig, TrackerBackend};
pub use merge::{MergeConfig, OnDisplaced};
pub use project::{ProjectConfig, QualityGate};
pub use runtime::{PiConfig, Provider, ProviderKind, Providers, RuntimeConfig};
pub use watch::{CoordinatorConfig, ExitTriggers, LoggingConfig, WatchdogConfig};
pub use whole::Config;
