//! What a held merge would displace, as text: places, whose lines they are, and the lines.

use crate::merge;
use crate::text::{counted, sanitize_line};
use crate::types::merge::{DisplacedHunk, DisplacedKind};

/// The lines to print about it; `most` of them, and where the others are.
pub(super) fn at_stake(hunks: &[DisplacedHunk], most: usize, id: i64) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for hunk in hunks {
        said.push(format!("Would be displaced: {}", place(hunk)));
        if !hunk.is_version() || hunk.kind == DisplacedKind::Symlink {
            let lines = hunk.text.lines().filter(|line| !line.trim().is_empty());
            said.extend(lines.map(|line| format!("  - {}", sanitize_line(line))));
        }
    }
    let left = said.len().saturating_sub(most);
    if left > 0 {
        said.truncate(most);
        said.push(format!("… and {left} more: grove merge show {id} --json"));
    }
    said
}

/// What of the target would go, where, and whose it is.
fn place(hunk: &DisplacedHunk) -> String {
    let file = &hunk.file;
    let by = whose(hunk);
    match hunk.kind {
        DisplacedKind::Text => {
            let lines = merge::size(hunk);
            format!("{file}:{} by {by}, {lines}", hunk.start_line)
        }
        // What is not text has no lines.
        DisplacedKind::DeletedByBranch if hunk.line_count == 0 => {
            format!("{file} by {by}: the branch deletes it, all of it would go")
        }
        DisplacedKind::DeletedByBranch => format!(
            "{file} by {by}: the branch deletes it, {} would go",
            counted(hunk.line_count, "line")
        ),
        DisplacedKind::DeletedByTarget => {
            format!("{file} by {by}: deleted there, changed by the branch")
        }
        DisplacedKind::Binary => format!("{file} by {by}: one version has to go as a whole"),
        DisplacedKind::Symlink => format!("{file} by {by}: a link that both sides changed"),
        DisplacedKind::Mode => format!("{file} by {by}: permissions that both sides changed"),
        DisplacedKind::Renamed => format!(
            "{} by {by}: the name of {}, which the branch calls {}",
            hunk.text, hunk.base, hunk.incoming
        ),
        DisplacedKind::Driven => {
            let lines = counted(hunk.line_count, "line");
            format!("{file} by {by}: {lines} left out{}", merge::by_driver(hunk))
        }
    }
}

/// The agents and the commits, as far as they are known.
fn whose(hunk: &DisplacedHunk) -> String {
    let mut all: Vec<String> = Vec::new();
    for part in &hunk.parts {
        let one = named(&part.agent, &part.commit);
        if !all.contains(&one) {
            all.push(one);
        }
    }
    if all.is_empty() {
        return named(&hunk.agent, &hunk.commit);
    }
    all.join(", ")
}

fn named(agent: &str, commit: &str) -> String {
    match (agent, commit.get(..8).unwrap_or(commit)) {
        ("", "") => "nobody known".to_owned(),
        (agent, "") => agent.to_owned(),
        ("", commit) => commit.to_owned(),
        (agent, commit) => format!("{agent} ({commit})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_ends_with_where_the_rest_is() {
        let hunk: DisplacedHunk = serde_json::from_value(serde_json::json!({
            "file": "a.txt", "kind": "text", "startLine": 5, "agent": "eve",
            "commit": "0123456789", "committedAt": "", "lineCount": 9, "base": "",
            "text": "one\n\ntwo\nthree\n", "incoming": ""
        }))
        .unwrap();
        let said = at_stake(&[hunk], 2, 7);
        assert_eq!(
            said,
            [
                "Would be displaced: a.txt:5 by eve (01234567), 9 lines",
                "  - one",
                "… and 2 more: grove merge show 7 --json"
            ]
        );
        assert_eq!(at_stake(&[], 2, 7), [""; 0]);
    }
}
