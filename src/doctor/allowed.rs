//! `guard.allow` lets roles that only read run what a builder may. What a builder may not run stays refused, and whoever has
//! written such a pattern should hear of it.

use super::Check;
use crate::config::Config;
use crate::guard::{Decision, Policy, explain};

/// A warning, if patterns of `guard.allow` have no effect.
pub(super) fn without_effect(config: &Config) -> Option<Check> {
    let root = &config.project.root;
    let policy = Policy {
        agent: "builder".to_owned(),
        capability: "builder".to_owned(),
        worktree: root.clone(),
        root: root.clone(),
        temp: None,
        quality_gates: Vec::new(),
        task_id: None,
        allow: Vec::new(),
        block: config.guard.block.clone(),
    };
    let patterns = config.guard.allow.iter();
    let idle: Vec<String> = patterns
        .filter_map(|pattern| match explain(&policy, &example(pattern)).decision {
            Decision::Allow => None,
            Decision::Block { rule, .. } => Some(format!(
                "{pattern}: refused to every role by the rule {rule}; `grove guard explain` shows it"
            )),
        })
        .collect();
    let count = idle.len();
    (count > 0).then(|| {
        Check::warn(
            "guard-allow",
            format!("{count} pattern(s) of guard.allow have no effect: it gives no role more than a builder's rights"),
        )
        .details(idle)
    })
}

/// A command that the pattern names.
fn example(pattern: &str) -> String {
    let named = pattern.strip_suffix(" *").unwrap_or(pattern);
    named.replace(['*', '?'], "x")
}
