//! Rules that relate several configuration values to each other.

use super::error::ConfigError;
use super::model::Config;
use super::node::Node;

const ALIASES: [&str; 3] = ["sonnet", "opus", "haiku"];

/// Checks a filled configuration; warnings that do not stop anything go to `notices`.
pub(crate) fn check(
    config: &Config,
    tree: Option<&Node>,
    notices: &mut Vec<String>,
) -> Result<(), ConfigError> {
    if config.project.root.as_os_str().is_empty() {
        return Err(invalid(
            tree,
            &["project", "root"],
            "project.root must be a non-empty string".into(),
        ));
    }
    let watchdog = &config.watchdog;
    if watchdog.zombie_threshold_ms <= watchdog.stale_threshold_ms {
        let reason = format!(
            "watchdog.zombieThresholdMs must be greater than staleThresholdMs ({} is not greater than {})",
            watchdog.zombie_threshold_ms, watchdog.stale_threshold_ms
        );
        return Err(invalid(tree, &["watchdog", "zombieThresholdMs"], reason));
    }
    if watchdog.tier1_enabled && watchdog.triage_timeout_ms >= watchdog.tier0_interval_ms {
        let reason = format!(
            "watchdog.triageTimeoutMs must be less than tier0IntervalMs when tier1 is enabled ({} is not less than {})",
            watchdog.triage_timeout_ms, watchdog.tier0_interval_ms
        );
        return Err(invalid(tree, &["watchdog", "triageTimeoutMs"], reason));
    }
    for (capability, model) in &config.models {
        check_model(config, capability, model, notices)
            .map_err(|reason| invalid(tree, &["models", capability], reason))?;
    }
    Ok(())
}

fn check_model(
    config: &Config,
    capability: &str,
    model: &str,
    notices: &mut Vec<String>,
) -> Result<(), String> {
    if let Some((provider, _)) = model.split_once('/') {
        if config.provider(provider).is_none() {
            let known: Vec<&str> = config
                .providers
                .0
                .iter()
                .map(|entry| entry.name.as_str())
                .collect();
            return Err(format!(
                "models.{capability} refers to unknown provider \"{provider}\" (known: {})",
                known.join(", ")
            ));
        }
        if matches!(capability, "builder" | "scout") {
            notices.push(format!(
                "[overstory] WARNING: models.{capability} uses {model}: tool use through other providers is not always reliable"
            ));
        }
        return Ok(());
    }
    if ALIASES.contains(&model) || config.runtime.default == "codex" && !model.is_empty() {
        return Ok(());
    }
    Err(format!(
        "models.{capability} must be one of: {}, or provider/model, not \"{model}\"",
        ALIASES.join(", ")
    ))
}

fn invalid(tree: Option<&Node>, path: &[&str], reason: String) -> ConfigError {
    let place = tree
        .and_then(|tree| path.iter().try_fold(tree, |node, key| node.child(key)))
        .map(|node| (node.place.file.to_path_buf(), node.place.line));
    ConfigError::Invalid {
        key: path.join("."),
        reason,
        at: place,
    }
}
