//! The guard's view of one shell command, for people: what would run, where, and what was decided.
//!
//! Shows the same walk that decides; nothing is worked out twice.

use super::paths::{DiskLinks, Place};
use super::policy::Policy;
use super::shell::walk::Walker;

/// Shows the commands a shell command would run and the rule that decided.
pub fn explain(policy: &Policy, command: &str) -> String {
    let mut walker = Walker::new(policy, &DiskLinks);
    walker.trace = Some(Vec::new());
    let place = Place::Known(policy.worktree.clone());
    let mut state = walker.start(place);
    let result = walker.program(command, &mut state);
    let mut lines = walker.trace.take().unwrap_or_default();
    lines.push(match result {
        Ok(_) => "allow".to_owned(),
        Err(refusal) => format!("block ({}): {}", refusal.rule, refusal.reason),
    });
    lines.join("\n")
}
