//! The configuration as typed values with their defaults.
//!
//! Field meanings and defaults follow the contract; what only grove knows is marked.

use std::path::PathBuf;

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
    pub sandbox: super::SandboxConfig,
    /// `guard:`; grove's own.
    pub guard: super::GuardConfig,
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

/// Which task tracker is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrackerBackend {
    /// Beads when `.beads/` exists, else seeds.
    #[default]
    Auto,
    /// The seeds format.
    Seeds,
    /// The beads program.
    Beads,
}

impl TrackerBackend {
    /// Returns the name used in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Seeds => "seeds",
            Self::Beads => "beads",
        }
    }
}

/// `taskTracker:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskTrackerConfig {
    /// Which tracker.
    pub backend: TrackerBackend,
    /// Whether tasks are looked up at all.
    pub enabled: bool,
}

impl Default for TaskTrackerConfig {
    fn default() -> Self {
        Self {
            backend: TrackerBackend::Auto,
            enabled: true,
        }
    }
}

/// How expertise is rendered for agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PrimeFormat {
    /// Markdown.
    #[default]
    Markdown,
    /// XML.
    Xml,
    /// JSON.
    Json,
}

impl PrimeFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Xml, Self::Json];

    /// Returns the name used in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Xml => "xml",
            Self::Json => "json",
        }
    }
}

/// `mulch:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MulchConfig {
    /// Whether expertise is used.
    pub enabled: bool,
    /// Domains primed when none can be inferred.
    pub domains: Vec<String>,
    /// Rendering of the expertise.
    pub prime_format: PrimeFormat,
}

impl Default for MulchConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            domains: Vec::new(),
            prime_format: PrimeFormat::Markdown,
        }
    }
}

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

/// How a provider is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderKind {
    /// Through the CLI's own login.
    Native,
    /// Through a compatible gateway.
    Gateway {
        /// Address of the gateway.
        base_url: String,
        /// Environment variable that holds its token.
        auth_token_env: String,
    },
}

/// One entry of `providers:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Name used before the slash in model references.
    pub name: String,
    /// How it is reached.
    pub kind: ProviderKind,
}

/// All providers in the order written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Providers(pub Vec<Provider>);

impl Default for Providers {
    fn default() -> Self {
        Self(vec![Provider {
            name: "anthropic".into(),
            kind: ProviderKind::Native,
        }])
    }
}

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

/// `runtime:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeConfig {
    /// Runtime used when nothing else is said.
    pub default: String,
    /// Runtime by capability.
    pub capabilities: Vec<(String, String)>,
    /// Runtime of one-shot calls; the default when unset.
    pub print_command: Option<String>,
    /// Settings of the pi runtime.
    pub pi: PiConfig,
    /// Extra pause after a shell started.
    pub shell_init_delay_ms: u64,
    /// Whether claude agents run as structured streams unless told otherwise.
    pub claude_headless_by_default: Option<bool>,
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        Self {
            default: "claude".into(),
            capabilities: Vec::new(),
            print_command: None,
            pi: PiConfig::default(),
            shell_init_delay_ms: 0,
            claude_headless_by_default: None,
        }
    }
}

/// `runtime.pi:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PiConfig {
    /// Provider put before bare model names.
    pub provider: String,
    /// Alias to model, in the order written.
    pub model_map: Vec<(String, String)>,
}

impl Default for PiConfig {
    fn default() -> Self {
        let entry = |alias: &str, model: &str| (alias.to_owned(), model.to_owned());
        Self {
            provider: "anthropic".into(),
            model_map: vec![
                entry("opus", "anthropic/claude-opus-4-6"),
                entry("sonnet", "anthropic/claude-sonnet-4-6"),
                entry("haiku", "anthropic/claude-haiku-4-5"),
            ],
        }
    }
}
