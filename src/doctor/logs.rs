//! Log files: how much room they take and whether they can be read.

use std::path::{Path, PathBuf};

use super::{Check, Patient, Repair};
use crate::text::format_fixed;

const MUCH: u64 = 500 * 1024 * 1024;
/// Files looked into per agent; a project may hold thousands.
const SAMPLES: usize = 20;

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let folder = patient.paths.file("logs");
    if !folder.is_dir() {
        return vec![
            Check::warn("logs/ directory", "Directory does not exist")
                .repaired_by(Repair::Structure),
        ];
    }
    let mut agents: Vec<(String, u64)> = subfolders(&folder)
        .into_iter()
        .map(|path| {
            (
                path.file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                size(&path),
            )
        })
        .collect();
    agents.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    let total = size(&folder);
    let mut checks = vec![
        Check::pass("logs/ directory", "Directory exists").not_fixable(),
        if total > MUCH {
            Check::warn(
                "Total disk usage",
                format!("Using {}, consider 'grove clean --logs'", bytes(total)),
            )
            .not_fixable()
        } else {
            Check::pass("Total disk usage", format!("Using {}", bytes(total))).not_fixable()
        },
    ];
    if !agents.is_empty() {
        let details = agents
            .iter()
            .map(|(name, size)| format!("{name}: {}", bytes(*size)))
            .collect();
        let message = format!("{} agent(s) with logs", agents.len());
        checks.push(
            Check::pass("Per-agent log sizes", message)
                .details(details)
                .not_fixable(),
        );
    }
    checks.push(integrity(&folder));
    checks.extend(unfinished_tools(&folder));
    checks
}

fn integrity(folder: &Path) -> Check {
    let mut damaged = Vec::new();
    for agent in subfolders(folder) {
        for session in subfolders(&agent).into_iter().rev().take(SAMPLES) {
            let path = session.join("events.ndjson");
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            let errors = text
                .lines()
                .filter(|line| !line.trim().is_empty())
                .filter(|line| !crate::text::is_json(line))
                .count();
            if errors > 0 {
                let shown = path.strip_prefix(folder).unwrap_or(&path).display();
                damaged.push(format!("{shown}: {errors} error(s)"));
            }
        }
    }
    if damaged.is_empty() {
        return Check::pass("NDJSON integrity", "All sampled NDJSON files are valid").not_fixable();
    }
    Check::warn(
        "NDJSON integrity",
        format!("Found {} file(s) with malformed JSON", damaged.len()),
    )
    .details(damaged)
    .not_fixable()
}

/// Tool calls of old logs that began and never ended. Today's logs use other event names, and an
/// agent that is working has an open call at any time: those are left out, as the contract does.
fn unfinished_tools(folder: &Path) -> Option<Check> {
    let mut open = Vec::new();
    for agent in subfolders(folder) {
        for session in subfolders(&agent).into_iter().rev().take(SAMPLES) {
            let path = session.join("tools.ndjson");
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let mut started: Vec<String> = Vec::new();
            for line in text.lines() {
                let Ok(event) = crate::text::read_json::<serde_json::Value>(line) else {
                    continue;
                };
                let word = |key: &str| event.get(key).and_then(serde_json::Value::as_str);
                let tool = word("tool").unwrap_or("unknown");
                match word("event") {
                    Some("toolStart") => started.push(tool.to_owned()),
                    Some("toolEnd") => {
                        if let Some(at) = started.iter().position(|name| name == tool) {
                            started.remove(at);
                        }
                    }
                    Some(_) | None => {}
                }
            }
            let shown = path
                .strip_prefix(folder)
                .unwrap_or(&path)
                .display()
                .to_string();
            open.extend(started.iter().map(|tool| format!("{shown}: {tool}")));
        }
    }
    (!open.is_empty()).then(|| {
        let message = format!("Found {} incomplete tool event(s)", open.len());
        Check::warn("Orphaned tool events", message)
            .details(open)
            .not_fixable()
    })
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

fn size(path: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(path) else {
        return 0;
    };
    entries
        .filter_map(Result::ok)
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => size(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}

fn bytes(count: u64) -> String {
    let value = count as f64;
    match count {
        0..1024 => format!("{count}B"),
        1024..1_048_576 => format!("{}KB", format_fixed(value / 1024.0, 1)),
        1_048_576..1_073_741_824 => format!("{}MB", format_fixed(value / 1_048_576.0, 1)),
        _ => format!("{}GB", format_fixed(value / 1_073_741_824.0, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_have_one_decimal_above_a_kilobyte() {
        assert_eq!(bytes(0), "0B");
        assert_eq!(bytes(1023), "1023B");
        assert_eq!(bytes(1685), "1.6KB");
        assert_eq!(bytes(5_242_880), "5.0MB");
    }
}
