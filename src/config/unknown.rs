//! Finds keys that mean nothing to this version, so that a misspelt one does not pass unseen.
//!
//! They are not an error: a newer version may know them, and nobody rewrites the user's file.

use std::fmt::Write as _;

use super::node::Node;
use crate::text::closest;

/// Every key by its dotted path; `*` stands for any name.
const KNOWN: &[&str] = &[
    "project.name",
    "project.root",
    "project.canonicalBranch",
    "project.qualityGates",
    "project.defaultProfile",
    "agents.manifestPath",
    "agents.baseDir",
    "agents.maxConcurrent",
    "agents.staggerDelayMs",
    "agents.maxDepth",
    "agents.maxSessionsPerRun",
    "agents.maxAgentsPerLead",
    "worktrees.baseDir",
    "taskTracker.backend",
    "taskTracker.enabled",
    "mulch.enabled",
    "mulch.domains",
    "mulch.primeFormat",
    "merge.aiResolveEnabled",
    "merge.reimagineEnabled",
    "merge.onDisplaced",
    "providers.*.type",
    "providers.*.baseUrl",
    "providers.*.authTokenEnv",
    "watchdog.tier0Enabled",
    "watchdog.tier0IntervalMs",
    "watchdog.tier1Enabled",
    "watchdog.tier1IntervalMs",
    "watchdog.tier2Enabled",
    "watchdog.staleThresholdMs",
    "watchdog.zombieThresholdMs",
    "watchdog.nudgeIntervalMs",
    "watchdog.rpcTimeoutMs",
    "watchdog.triageTimeoutMs",
    "watchdog.maxEscalationLevel",
    "watchdog.notifyParentOnDeath",
    "coordinator.exitTriggers.allAgentsDone",
    "coordinator.exitTriggers.taskTrackerEmpty",
    "coordinator.exitTriggers.onShutdownSignal",
    "models.*",
    "logging.verbose",
    "logging.redactSecrets",
    "runtime.default",
    "runtime.capabilities.*",
    "runtime.printCommand",
    "runtime.pi.provider",
    "runtime.pi.modelMap.*",
    "runtime.shellInitDelayMs",
    "runtime.claudeHeadlessByDefault",
];

/// One line about all unknown keys, if there are any.
pub(crate) fn notice(tree: &Node) -> Option<String> {
    let mut found = Vec::new();
    search(tree, &mut Vec::new(), &mut found);
    if found.is_empty() {
        return None;
    }
    let (word, verb) = if found.len() == 1 {
        ("key", "has")
    } else {
        ("keys", "have")
    };
    Some(format!(
        "[overstory] WARNING: unknown {word} in the configuration, kept, {verb} no effect: {}",
        found.join(", ")
    ))
}

fn search<'a>(node: &'a Node, path: &mut Vec<&'a str>, found: &mut Vec<String>) {
    for (name, below) in node.entries().unwrap_or_default() {
        path.push(name);
        if !KNOWN.iter().any(|known| begins(known, path)) {
            found.push(describe(below, path));
        } else if !KNOWN.iter().any(|known| ends(known, path)) {
            search(below, path, found);
        }
        path.pop();
    }
}

/// Whether a known key lies at or below `path`.
fn begins(known: &str, path: &[&str]) -> bool {
    let mut parts = known.split('.');
    path.iter().all(|name| {
        parts
            .next()
            .is_some_and(|part| part == "*" || part == *name)
    })
}

/// Whether `path` is a known key itself.
fn ends(known: &str, path: &[&str]) -> bool {
    begins(known, path) && known.split('.').count() == path.len()
}

fn describe(node: &Node, path: &[&str]) -> String {
    let place = &node.place;
    let file = place.file.file_name().unwrap_or_default().to_string_lossy();
    let mut text = format!("{} ({file}:{}", path.join("."), place.line);
    if let Some((name, above)) = path.split_last() {
        let beside = KNOWN
            .iter()
            .filter(|known| begins(known, above))
            .filter_map(|known| known.split('.').nth(above.len()));
        if let Some(near) = closest(name, beside.filter(|part| *part != "*")) {
            write!(text, ", did you mean '{near}'?").unwrap_or_default();
        }
    }
    text + ")"
}

#[cfg(test)]
mod tests {
    use crate::config::parse;
    use std::path::{Path, PathBuf};

    fn notices(text: &str) -> Vec<String> {
        let layer = (PathBuf::from("/p/.overstory/config.yaml"), text.to_owned());
        parse(Path::new("/p"), &[layer]).unwrap().notices
    }

    #[test]
    fn misspelt_keys_are_told_together_with_what_was_meant() {
        let text = "agents:\n  maxConcurent: 3\nmodels:\n  builder: opus\nfuture:\n  a: 1\n";
        assert_eq!(
            notices(text),
            [
                "[overstory] WARNING: unknown keys in the configuration, kept, have no effect: \
                 agents.maxConcurent (config.yaml:2, did you mean 'maxConcurrent'?), future (config.yaml:6)"
            ]
        );
    }

    #[test]
    fn every_key_that_init_writes_is_known() {
        let text = crate::config::render_initial(&crate::config::InitialConfig {
            name: "p",
            root: Path::new("/p"),
            canonical_branch: "main",
            runtime: "claude",
            quality_gates: &[],
        });
        assert_eq!(notices(&text), [""; 0]);
    }
}
