//! Writes the configuration file that `init` creates: every default spelled out.

use std::fmt::Write as _;
use std::path::Path;

use super::model::{Config, QualityGate};

/// The values that `init` decides; everything else is written with its default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitialConfig<'a> {
    /// Project name.
    pub name: &'a str,
    /// Absolute project root.
    pub root: &'a Path,
    /// Branch that finished work lands on.
    pub canonical_branch: &'a str,
    /// Default runtime.
    pub runtime: &'a str,
    /// Detected gates; may be empty.
    pub quality_gates: &'a [QualityGate],
}

/// Renders the initial configuration as text.
pub fn render_initial(initial: &InitialConfig<'_>) -> String {
    let mut out = Yaml::default();
    let config = Config::default();
    out.open(0, "project");
    out.text(1, "name", initial.name);
    out.text(1, "root", &initial.root.to_string_lossy());
    out.text(1, "canonicalBranch", initial.canonical_branch);
    gates(&mut out, initial.quality_gates);
    let agents = &config.agents;
    out.open(0, "agents");
    out.text(1, "manifestPath", &agents.manifest_path);
    out.text(1, "baseDir", &agents.base_dir);
    out.plain(1, "maxConcurrent", agents.max_concurrent);
    out.plain(1, "staggerDelayMs", agents.stagger_delay_ms);
    out.plain(1, "maxDepth", agents.max_depth);
    out.plain(1, "maxSessionsPerRun", agents.max_sessions_per_run);
    out.plain(1, "maxAgentsPerLead", agents.max_agents_per_lead);
    out.open(0, "worktrees");
    out.text(1, "baseDir", &config.worktrees.base_dir);
    out.open(0, "taskTracker");
    out.text(1, "backend", config.task_tracker.backend.name());
    out.plain(1, "enabled", config.task_tracker.enabled);
    out.open(0, "mulch");
    out.plain(1, "enabled", config.mulch.enabled);
    out.plain(1, "domains", "[]");
    out.text(1, "primeFormat", config.mulch.prime_format.name());
    out.open(0, "merge");
    out.plain(1, "aiResolveEnabled", config.merge.ai_resolve_enabled);
    out.plain(1, "reimagineEnabled", config.merge.reimagine_enabled);
    out.open(0, "providers");
    out.open(1, "anthropic");
    out.text(2, "type", "native");
    watchdog(&mut out, &config);
    out.open(0, "coordinator");
    out.open(1, "exitTriggers");
    out.plain(
        2,
        "allAgentsDone",
        config.coordinator.exit_triggers.all_agents_done,
    );
    out.plain(
        2,
        "taskTrackerEmpty",
        config.coordinator.exit_triggers.task_tracker_empty,
    );
    out.plain(
        2,
        "onShutdownSignal",
        config.coordinator.exit_triggers.on_shutdown_signal,
    );
    out.open(0, "models");
    out.open(0, "logging");
    out.plain(1, "verbose", config.logging.verbose);
    out.plain(1, "redactSecrets", config.logging.redact_secrets);
    out.open(0, "runtime");
    out.text(1, "default", initial.runtime);
    out.plain(1, "shellInitDelayMs", config.runtime.shell_init_delay_ms);
    out.open(1, "pi");
    out.text(2, "provider", &config.runtime.pi.provider);
    out.open(2, "modelMap");
    for (alias, model) in &config.runtime.pi.model_map {
        out.text(3, alias, model);
    }
    out.plain(1, "claudeHeadlessByDefault", true);
    out.0
}

fn gates(out: &mut Yaml, gates: &[QualityGate]) {
    if gates.is_empty() {
        out.plain(1, "qualityGates", "[]");
        return;
    }
    out.open(1, "qualityGates");
    for gate in gates {
        out.text(2, "- name", &gate.name);
        out.text(3, "command", &gate.command);
        out.text(3, "description", &gate.description);
    }
}

fn watchdog(out: &mut Yaml, config: &Config) {
    let watchdog = &config.watchdog;
    out.open(0, "watchdog");
    out.plain(1, "tier0Enabled", watchdog.tier0_enabled);
    out.plain(1, "tier0IntervalMs", watchdog.tier0_interval_ms);
    out.plain(1, "tier1Enabled", watchdog.tier1_enabled);
    out.plain(1, "tier2Enabled", watchdog.tier2_enabled);
    out.plain(1, "staleThresholdMs", watchdog.stale_threshold_ms);
    out.plain(1, "zombieThresholdMs", watchdog.zombie_threshold_ms);
    out.plain(1, "nudgeIntervalMs", watchdog.nudge_interval_ms);
    out.plain(1, "rpcTimeoutMs", watchdog.rpc_timeout_ms);
    out.plain(1, "triageTimeoutMs", watchdog.triage_timeout_ms);
    out.plain(1, "maxEscalationLevel", watchdog.max_escalation_level);
    out.plain(1, "notifyParentOnDeath", watchdog.notify_parent_on_death);
}

#[derive(Default)]
struct Yaml(String);

impl Yaml {
    fn plain(&mut self, depth: usize, key: &str, value: impl std::fmt::Display) {
        // Writing into a String cannot fail.
        writeln!(self.0, "{}{key}: {value}", "  ".repeat(depth)).unwrap_or_default();
    }

    fn open(&mut self, depth: usize, key: &str) {
        writeln!(self.0, "{}{key}:", "  ".repeat(depth)).unwrap_or_default();
    }

    fn text(&mut self, depth: usize, key: &str, value: &str) {
        self.plain(depth, key, quoted(value));
    }
}

/// The reader strips quotes without unescaping, so the kind of quote depends on the text.
fn quoted(value: &str) -> String {
    let plain = !value.is_empty()
        && !matches!(value, "true" | "false" | "null" | "~")
        && !value.contains([':', '#', '\'', '"', '\n', '\r'])
        && !value.starts_with(|c: char| {
            c.is_ascii_digit() || c.is_whitespace() || "-[{&*!|>%@`".contains(c)
        })
        && !value.ends_with(char::is_whitespace);
    if plain {
        return value.to_owned();
    }
    let one_line = value.replace(['\n', '\r'], " ");
    let quote = if one_line.contains('"') { '\'' } else { '"' };
    format!("{quote}{one_line}{quote}")
}
