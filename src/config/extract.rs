//! Turns the raw tree into typed values; a value of the wrong type is an error naming its line.
//!
//! Ranges that concern one value are checked here, where the value's place is known; rules that
//! relate several values are in `validate`.

use super::model::{
    Config, OnDisplaced, PrimeFormat, Provider, ProviderKind, QualityGate, TrackerBackend,
};
use super::node::Node;
use super::section::{Outcome, Section};
use super::unknown::Asked;
use super::{guard, sandbox};

/// Overwrites the defaults in `config` with what the tree says. Returns a sentence for each key that nobody reads.
pub(crate) fn fill(
    config: &mut Config,
    tree: &Node,
    notices: &mut Vec<String>,
) -> Outcome<Vec<String>> {
    let asked = Asked::default();
    let at = Section::whole(tree, &asked);
    sections(config, &at, notices)?;
    notices.extend(asked.odd_values());
    Ok(asked.unknown(tree))
}

fn sections(config: &mut Config, at: &Section<'_>, notices: &mut Vec<String>) -> Outcome {
    project(config, &at.section("project")?)?;
    agents(config, &at.section("agents")?)?;
    at.section("worktrees")?
        .text("baseDir", &mut config.worktrees.base_dir)?;
    tracker(config, &at.section("taskTracker")?)?;
    mulch(config, &at.section("mulch")?)?;
    merge(config, &at.section("merge")?)?;
    providers(config, &at.section("providers")?)?;
    watchdog(config, &at.section("watchdog")?)?;
    let triggers = at.section("coordinator")?.section("exitTriggers")?;
    triggers.flag(
        "allAgentsDone",
        &mut config.coordinator.exit_triggers.all_agents_done,
    )?;
    triggers.flag(
        "taskTrackerEmpty",
        &mut config.coordinator.exit_triggers.task_tracker_empty,
    )?;
    triggers.flag(
        "onShutdownSignal",
        &mut config.coordinator.exit_triggers.on_shutdown_signal,
    )?;
    config.models = at.section("models")?.text_map()?;
    let logging = at.section("logging")?;
    logging.switch("verbose", &mut config.logging.verbose)?;
    logging.switch("redactSecrets", &mut config.logging.redact_secrets)?;
    sandbox::fill(&mut config.sandbox, at)?;
    guard::fill(&mut config.guard, at)?;
    runtime(config, &at.section("runtime")?, notices)
}

fn project(config: &mut Config, at: &Section<'_>) -> Outcome {
    let project = &mut config.project;
    // Written by init for people to see; where the project is decides.
    at.knows("root");
    at.text("name", &mut project.name)?;
    at.text("canonicalBranch", &mut project.canonical_branch)?;
    if project.canonical_branch.is_empty() {
        return Err(at.invalid("canonicalBranch", "must be a non-empty string"));
    }
    let mut profile = String::new();
    at.text("defaultProfile", &mut profile)?;
    project.default_profile = (!profile.is_empty()).then_some(profile);
    let Some(items) = at.list("qualityGates")? else {
        return Ok(());
    };
    project.quality_gates = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let gate = at.item("qualityGates", index, item);
        project.quality_gates.push(QualityGate {
            name: gate.required_text("name")?,
            command: gate.required_text("command")?,
            description: gate.required_text("description")?,
        });
    }
    Ok(())
}

fn agents(config: &mut Config, at: &Section<'_>) -> Outcome {
    let agents = &mut config.agents;
    at.text("manifestPath", &mut agents.manifest_path)?;
    at.text("baseDir", &mut agents.base_dir)?;
    at.count(
        "maxConcurrent",
        1,
        "must be a positive integer",
        &mut agents.max_concurrent,
    )?;
    at.millis(
        "staggerDelayMs",
        |ms| ms >= 0.0,
        "must be non-negative",
        &mut agents.stagger_delay_ms,
    )?;
    at.count(
        "maxDepth",
        0,
        "must be a non-negative integer",
        &mut agents.max_depth,
    )?;
    let limit = "must be a non-negative integer (0 = unlimited)";
    at.count(
        "maxSessionsPerRun",
        0,
        limit,
        &mut agents.max_sessions_per_run,
    )?;
    at.count(
        "maxAgentsPerLead",
        0,
        limit,
        &mut agents.max_agents_per_lead,
    )
}

fn tracker(config: &mut Config, at: &Section<'_>) -> Outcome {
    let choices = [
        TrackerBackend::Auto,
        TrackerBackend::Seeds,
        TrackerBackend::Beads,
    ];
    at.choice(
        "backend",
        &choices,
        TrackerBackend::name,
        &mut config.task_tracker.backend,
    )?;
    at.switch("enabled", &mut config.task_tracker.enabled)
}

fn mulch(config: &mut Config, at: &Section<'_>) -> Outcome {
    at.switch("enabled", &mut config.mulch.enabled)?;
    if let Some(items) = at.list("domains")? {
        let texts = items.iter().map(|item| item.text().map(str::to_owned));
        config.mulch.domains = texts
            .collect::<Option<_>>()
            .ok_or_else(|| at.invalid("domains", "must be a list of names"))?;
    }
    let choices = [PrimeFormat::Markdown, PrimeFormat::Xml, PrimeFormat::Json];
    at.choice(
        "primeFormat",
        &choices,
        PrimeFormat::name,
        &mut config.mulch.prime_format,
    )
}

fn merge(config: &mut Config, at: &Section<'_>) -> Outcome {
    at.switch("aiResolveEnabled", &mut config.merge.ai_resolve_enabled)?;
    at.switch("reimagineEnabled", &mut config.merge.reimagine_enabled)?;
    at.count(
        "gateRetries",
        0,
        "must be a whole number, 0 or more",
        &mut config.merge.gate_retries,
    )?;
    at.count(
        "parallel",
        1,
        "must be a whole number, 1 or more",
        &mut config.merge.parallel,
    )?;
    let positive = |number: f64| number >= 1.0;
    let rule = "must be a number of milliseconds above 0";
    let timeout = &mut config.merge.gate_timeout_ms;
    at.millis("gateTimeoutMs", positive, rule, timeout)?;
    let timeout = &mut config.merge.driver_timeout_ms;
    at.millis("driverTimeoutMs", positive, rule, timeout)?;
    let timeout = &mut config.merge.ai_timeout_ms;
    at.millis("aiTimeoutMs", positive, rule, timeout)?;
    let choices = [
        OnDisplaced::Escalate,
        OnDisplaced::Hold,
        OnDisplaced::Commit,
    ];
    at.choice(
        "onDisplaced",
        &choices,
        OnDisplaced::name,
        &mut config.merge.on_displaced,
    )
}

fn providers(config: &mut Config, at: &Section<'_>) -> Outcome {
    for (name, _) in at.entries() {
        let entry = at.section(name)?;
        let mut kind = String::new();
        entry.text("type", &mut kind)?;
        entry.knows("baseUrl");
        entry.knows("authTokenEnv");
        let kind = match kind.as_str() {
            "native" => ProviderKind::Native,
            "gateway" => ProviderKind::Gateway {
                base_url: entry.required_text("baseUrl")?,
                auth_token_env: entry.required_text("authTokenEnv")?,
            },
            _ => return Err(entry.invalid("type", "must be one of: native, gateway")),
        };
        config.providers.0.retain(|provider| provider.name != *name);
        config.providers.0.push(Provider {
            name: name.clone(),
            kind,
        });
    }
    Ok(())
}

fn watchdog(config: &mut Config, at: &Section<'_>) -> Outcome {
    let watchdog = &mut config.watchdog;
    at.switch("tier0Enabled", &mut watchdog.tier0_enabled)?;
    at.switch("tier1Enabled", &mut watchdog.tier1_enabled)?;
    at.switch("tier2Enabled", &mut watchdog.tier2_enabled)?;
    let tier0 = watchdog.tier0_enabled;
    at.millis(
        "tier0IntervalMs",
        |ms| ms > 0.0 || !tier0,
        "must be positive when tier0 is enabled",
        &mut watchdog.tier0_interval_ms,
    )?;
    at.millis(
        "staleThresholdMs",
        |ms| ms > 0.0,
        "must be positive",
        &mut watchdog.stale_threshold_ms,
    )?;
    at.millis(
        "zombieThresholdMs",
        |ms| ms > 0.0,
        "must be positive",
        &mut watchdog.zombie_threshold_ms,
    )?;
    at.millis(
        "nudgeIntervalMs",
        |ms| ms > 0.0,
        "must be positive",
        &mut watchdog.nudge_interval_ms,
    )?;
    at.millis(
        "rpcTimeoutMs",
        |ms| (1000.0..=30_000.0).contains(&ms),
        "must be between 1000 and 30000",
        &mut watchdog.rpc_timeout_ms,
    )?;
    at.millis(
        "triageTimeoutMs",
        |ms| (5000.0..=120_000.0).contains(&ms),
        "must be between 5000 and 120000",
        &mut watchdog.triage_timeout_ms,
    )?;
    let level = "must be an integer between 1 and 5";
    at.count(
        "maxEscalationLevel",
        1,
        level,
        &mut watchdog.max_escalation_level,
    )?;
    if watchdog.max_escalation_level > 5 {
        return Err(at.invalid("maxEscalationLevel", level));
    }
    at.flag("notifyParentOnDeath", &mut watchdog.notify_parent_on_death)
}

fn runtime(config: &mut Config, at: &Section<'_>, notices: &mut Vec<String>) -> Outcome {
    let runtime = &mut config.runtime;
    if let Some(node) = at.value("default") {
        match node.text() {
            Some(name)
                if !name.is_empty() && node.as_bool().is_none() && node.as_number().is_none() =>
            {
                name.clone_into(&mut runtime.default);
            }
            Some(_) | None => notices.push(format!(
                "[overstory] WARNING: runtime.default must be a string, using \"{}\"",
                runtime.default
            )),
        }
    }
    let capabilities = at.section("capabilities")?;
    runtime.capabilities = capabilities.text_map()?;
    if let Some((name, _)) = runtime
        .capabilities
        .iter()
        .find(|(_, value)| value.is_empty())
    {
        return Err(capabilities.invalid(name, "must be a non-empty string"));
    }
    let mut print_command = String::new();
    at.text("printCommand", &mut print_command)?;
    runtime.print_command = (!print_command.is_empty()).then_some(print_command);
    let pi = at.section("pi")?;
    pi.text("provider", &mut runtime.pi.provider)?;
    if runtime.pi.provider.is_empty() {
        return Err(pi.invalid("provider", "must be a non-empty string"));
    }
    let model_map = pi.section("modelMap")?;
    for (alias, model) in model_map.text_map()? {
        if model.is_empty() {
            return Err(model_map.invalid(&alias, "must be a non-empty string"));
        }
        runtime.pi.model_map.retain(|(name, _)| *name != alias);
        runtime.pi.model_map.push((alias, model));
    }
    if let Some(node) = at.value("shellInitDelayMs") {
        match node.as_number() {
            Some(delay) if delay >= 0.0 => runtime.shell_init_delay_ms = delay as u64,
            Some(_) | None => notices.push(
                "[overstory] WARNING: runtime.shellInitDelayMs must be a non-negative number, using 0".into(),
            ),
        }
        if runtime.shell_init_delay_ms > 30_000 {
            notices.push(
                "[overstory] WARNING: runtime.shellInitDelayMs is longer than 30 seconds".into(),
            );
        }
    }
    if let Some(node) = at.value("claudeHeadlessByDefault") {
        runtime.claude_headless_by_default = node.as_bool();
        if node.as_bool().is_none() {
            notices.push("[overstory] WARNING: runtime.claudeHeadlessByDefault must be true or false, ignored".into());
        }
    }
    Ok(())
}
