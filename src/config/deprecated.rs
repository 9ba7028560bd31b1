//! Rewrites configuration keys of older versions to today's names and says so.

use super::node::{Node, NodeValue};

/// Moves deprecated keys of one file to their present place; returns one notice per change.
///
/// `tier0_known` tells that an earlier layer already uses today's watchdog numbering.
pub(crate) fn migrate(root: &mut Node, tier0_known: bool) -> Vec<String> {
    let mut notices = Vec::new();
    if !tier0_known {
        migrate_watchdog(root, &mut notices);
    }
    migrate_tracker(root, &mut notices);
    notices
}

/// True when the file uses today's watchdog numbering.
pub(crate) fn names_tier0(root: &Node) -> bool {
    root.child("watchdog")
        .is_some_and(|watchdog| watchdog.child("tier0Enabled").is_some())
}

fn migrate_watchdog(root: &mut Node, notices: &mut Vec<String>) {
    let Some(watchdog) = root.child_mut("watchdog") else {
        return;
    };
    if watchdog.child("tier1Enabled").is_none() || watchdog.child("tier0Enabled").is_some() {
        return;
    }
    // Ascending order, so that the old tier 2 lands in the place that the old tier 1 has left.
    let renames = [
        ("tier1Enabled", "tier0Enabled"),
        ("tier1IntervalMs", "tier0IntervalMs"),
        ("tier2Enabled", "tier1Enabled"),
    ];
    for (old, new) in renames {
        if let Some(node) = watchdog.remove(old) {
            watchdog.insert(new, node);
            notices.push(format!(
                "[overstory] DEPRECATED: watchdog.{old} → use watchdog.{new}"
            ));
        }
    }
}

fn migrate_tracker(root: &mut Node, notices: &mut Vec<String>) {
    if root.child("taskTracker").is_some() {
        return;
    }
    for backend in ["beads", "seeds"] {
        let Some(old) = root.remove(backend) else {
            continue;
        };
        if root.child("taskTracker").is_some() {
            continue;
        }
        let place = old.place.clone();
        let scalar = |text: &str| Node {
            value: NodeValue::Scalar {
                text: text.to_owned(),
                quoted: false,
            },
            place: place.clone(),
        };
        let enabled = old
            .child("enabled")
            .cloned()
            .unwrap_or_else(|| scalar("true"));
        let entries = vec![
            ("backend".to_owned(), scalar(backend)),
            ("enabled".to_owned(), enabled),
        ];
        root.insert(
            "taskTracker",
            Node {
                value: NodeValue::Map(entries),
                place: place.clone(),
            },
        );
        notices.push(format!(
            "[overstory] DEPRECATED: {backend}: -> use taskTracker: {{ backend: {backend}, enabled: true }}"
        ));
    }
}
