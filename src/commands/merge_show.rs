//! The text of `merge show`: an attempt that did not land, and the receipt of one that did.

use serde_json::Value;

use crate::cli::{CliResult, Context, Project};
use crate::coordinator::attempts;
use crate::coordinator::landing::{failed_in_passing, was_cancelled};
use crate::coordinator::receipts::StoredMerge;
use crate::merge;
use crate::text::{counted, sanitize_block, sanitize_line};
use crate::types::merge::{
    CrossedLines, DisplacedHunk, GateResult, InventedLine, MergeReceipt, MergeStatus, SettledBy,
    WentAlong, WovenLine,
};

use super::merge_attempt::nothing_to_do;
use super::merge_stakes::at_stake;

/// How many lines about what a held merge would displace are shown.
const STAKES_SHOWN: usize = 200;

/// Why an attempt did not land.
pub(super) fn show_attempt(ctx: &Context, stored: &StoredMerge) -> CliResult<()> {
    let text = |name: &str| stored.report.get(name).and_then(Value::as_str);
    if let Some(message) = text("errorMessage") {
        ctx.out.line(format!("Why:     {message}"))?;
    }
    if stored.was_merged_before() {
        let branch = &stored.row.entry.branch_name;
        let target = text("target").unwrap_or("the target");
        let said = nothing_to_do(branch, target);
        ctx.out.line(format!("Why:     {said}"))?;
    }
    for warning in stored.warnings() {
        ctx.out.line(format!("         {warning}"))?;
    }
    show_red_gates(ctx, stored)?;
    let hunks = stored.report.get("displaced").cloned().unwrap_or_default();
    let hunks: Vec<DisplacedHunk> = serde_json::from_value(hunks).unwrap_or_default();
    for line in at_stake(&hunks, STAKES_SHOWN, stored.row.id) {
        ctx.out.line(line)?;
    }
    let branch = &stored.row.entry.branch_name;
    let is_as_good = failed_in_passing(&stored.report) || was_cancelled(&stored.report);
    if stored.row.entry.status == MergeStatus::Failed && is_as_good {
        ctx.out.line(format!(
            "Next:    'grove merge --branch {branch}' merges it again"
        ))?;
    }
    if stored.row.entry.status == MergeStatus::Conflict && !hunks.is_empty() {
        ctx.out.line(format!(
            "Next:    decide place by place in 'grove' (3, then Enter on it), or change the branch and run \
             'grove merge --branch {branch}'"
        ))?;
    }
    Ok(())
}

/// All attempts, where there were several.
pub(super) fn show_attempts(
    ctx: &Context,
    project: &Project,
    stored: &StoredMerge,
) -> CliResult<()> {
    let branch = &stored.row.entry.branch_name;
    let all = attempts::attempts(&project.paths, stored.row.id, branch)?;
    if all.len() < 2 {
        return Ok(());
    }
    ctx.out.line("\nAttempts, the newest first:")?;
    for attempt in all {
        let undone = |name: &str| attempt.report.get("undone")?.get(name)?.as_str();
        let came_to = match (attempt.receipt(), undone("at"), undone("revert")) {
            (None, _, _) => attempt.why(),
            (Some(receipt), None, _) => format!("landed as {}", short(&receipt.merged_commit)),
            (Some(receipt), Some(at), Some(revert)) => format!(
                "landed as {}, reverted by {} at {at}",
                short(&receipt.merged_commit),
                short(revert)
            ),
            (Some(receipt), Some(at), None) => format!(
                "landed as {}, taken back at {at}",
                short(&receipt.merged_commit)
            ),
        };
        ctx.out.line(format!("  {}  {came_to}", attempt.at))?;
    }
    Ok(())
}

fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}

/// How many lines of a red gate's output are shown; mail has as many as were kept.
const GATE_LINES: usize = 20;

/// How many bytes of one line are shown: some gates print no line ends.
const GATE_LINE_BYTES: usize = 400;

/// A line of a gate's output, as far as people read one.
fn gate_line(line: &str) -> String {
    let (shown, rest) = line.split_at(line.floor_char_boundary(GATE_LINE_BYTES));
    match rest.len() {
        0 => shown.to_owned(),
        1 => format!("{shown}… 1 more byte"),
        more => format!("{shown}… {more} more bytes"),
    }
}

/// The end of what red gates printed: it says why, where an exit code does not.
fn show_red_gates(ctx: &Context, stored: &StoredMerge) -> CliResult<()> {
    let gates = stored.report.get("gates").cloned().unwrap_or_default();
    let Ok(gates) = serde_json::from_value::<Vec<GateResult>>(gates) else {
        return Ok(());
    };
    for gate in gates.iter().filter(|gate| !gate.passed) {
        let lines: Vec<&str> = gate.output_tail.trim_end().lines().collect();
        let left_out = lines.len().saturating_sub(GATE_LINES);
        let what = match (lines.is_empty(), left_out > 0 || gate.output_dropped > 0) {
            (true, _) => "printed nothing",
            (false, true) => "printed at the end",
            (false, false) => "printed",
        };
        let colon = if lines.is_empty() { "" } else { ":" };
        ctx.out
            .line(format!("Gate:    {} {what}{colon}", gate.name))?;
        for line in lines.iter().skip(left_out) {
            ctx.out.line(format!("    {}", gate_line(line)))?;
        }
    }
    Ok(())
}

/// What a landing has come to: commit, account, gates, and every line that is not as somebody left it.
pub(super) fn show_receipt(
    ctx: &Context,
    receipt: &MergeReceipt,
    notes: &[String],
) -> CliResult<()> {
    let account = &receipt.account;
    let lines = [
        format!("Landed:  {} on {}", receipt.landed_at, receipt.target),
        format!(
            "Commit:  {} (tier: {})",
            receipt.merged_commit, receipt.tier
        ),
        format!("Receipt: {}", receipt.id),
        format!(
            "Account: {} kept, {} removed on purpose, {} inside woven lines, {} displaced; {} compared, {} taken whole",
            counted(account.kept, "line"),
            account.removed,
            account.woven,
            merge::gone(&receipt.displaced),
            counted(account.compared, "file"),
            account.taken_whole
        ),
    ];
    for line in lines {
        ctx.out.line(line)?;
    }
    let decided = match receipt.settled_by {
        None => None,
        Some(SettledBy::Person) => Some("by a person, place by place"),
        Some(SettledBy::Model) => Some("by a model"),
        Some(SettledBy::Policy) => Some(
            "by merge.onDisplaced: commit, for the branch; 'grove' (3, then Enter on it) decides place by place",
        ),
    };
    if let Some(decided) = decided {
        ctx.out.line(format!("Decided: {decided}"))?;
    }
    for gate in &receipt.gates {
        let again = if gate.attempts > 1 {
            format!(", attempt {}", gate.attempts)
        } else {
            String::new()
        };
        ctx.out.line(format!(
            "Gate:    {} green in {} ms{again}",
            gate.name, gate.duration_ms
        ))?;
        for file in &gate.changed {
            let file = sanitize_line(file);
            ctx.out
                .line(format!("    changed {file}: landed without that"))?;
        }
        for file in &gate.left {
            let file = sanitize_line(file);
            ctx.out
                .line(format!("    left {file}: removed before the next gate"))?;
        }
    }
    for note in notes {
        ctx.out.line(format!("Note:    {note}"))?;
    }
    let written = written(&receipt.woven, &receipt.invented);
    let along = along(&receipt.went_along);
    let crossed = crossed(&receipt.crossed);
    for line in [written, along, crossed].into_iter().flatten() {
        ctx.out.line(line)?;
    }
    for line in &receipt.brought_back {
        let place = match line.line {
            0 => line.file.clone(),
            at => format!("{}:{at}", line.file),
        };
        ctx.out.line(format!(
            "Back:    {place}: {} (had been removed by {})",
            sanitize_line(line.text.trim()),
            line.removed_by
        ))?;
    }
    for twice in &receipt.kept_twice {
        let what = if twice.moved {
            merge::moved_said(twice.count)
        } else {
            format!("both sides put in {}", counted(twice.count, "equal line"))
        };
        ctx.out.line(format!(
            "Twice:   {}: {what}: {}{}",
            twice.file,
            sanitize_line(&twice.first),
            twice.place()
        ))?;
    }
    show_displaced(ctx, &receipt.displaced)
}

/// What a person has decided otherwise since it landed.
pub(super) fn show_decided(ctx: &Context, stored: &StoredMerge) -> CliResult<()> {
    let Some((at, branch, displaced)) = stored.decided_otherwise() else {
        return Ok(());
    };
    ctx.out
        .line(format!("\nDecided otherwise {at}: {branch}"))?;
    show_displaced(ctx, &displaced)
}

/// What is not in the result, with all its lines.
fn show_displaced(ctx: &Context, displaced: &[DisplacedHunk]) -> CliResult<()> {
    for hunk in displaced {
        ctx.out.line(format!(
            "Displaced: {} by {} ({}, {}){}",
            hunk.place(),
            hunk.whose(),
            hunk.commit.get(..8).unwrap_or(&hunk.commit),
            merge::size(hunk),
            merge::by_driver(hunk)
        ))?;
        for part in &hunk.parts {
            let (lines, commit) = (
                counted(part.line_count, "line"),
                part.commit.get(..8).unwrap_or(&part.commit),
            );
            let (line, agent) = (part.start_line, &part.agent);
            ctx.out.line(if part.removed {
                format!("  the removal of {lines} at line {line} by {agent} ({commit})")
            } else {
                format!("  {lines} from line {line} on by {agent} ({commit})")
            })?;
        }
        for line in hunk.text.lines() {
            ctx.out.line(format!("    {line}"))?;
        }
    }
    Ok(())
}

/// Lines that no side has in this form: made of lines of both, or new.
pub(super) fn written(woven: &[WovenLine], invented: &[InventedLine]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for woven in woven {
        // How deep a line is may be all that became of it.
        for (at, result) in woven.result.trim_matches('\n').lines().enumerate() {
            let result = sanitize_block(result);
            lines.push(match at {
                0 => format!("Woven:   {}: {result}", woven.file),
                _rest => format!("         {result}"),
            });
        }
        let of = woven.lines.iter().map(|line| sanitize_block(line));
        lines.extend(of.map(|line| format!("         made of: {line}")));
    }
    lines.extend(invented.iter().map(|line| {
        let text = sanitize_line(line.text.trim());
        format!("New:     {}: {text} (in none of the versions)", line.file)
    }));
    lines
}

/// Lines of a side that are in another file than its own.
pub(super) fn along(all: &[WentAlong]) -> Vec<String> {
    let mut lines = Vec::new();
    for along in all {
        let WentAlong { file, to, side, .. } = along;
        let count = counted(along.lines.len() as u64, "line");
        lines.push(format!(
            "Along:   {to}: {count} that the {side} put into {file}"
        ));
        let texts = along.lines.iter();
        lines.extend(texts.map(|line| format!("    {}", sanitize_line(line))));
    }
    lines
}

/// Lines that only one common ancestor, read by the names of files, would call lost.
pub(super) fn crossed(all: &[CrossedLines]) -> Vec<String> {
    let mut lines = Vec::new();
    for crossed in all {
        let CrossedLines { file, side, .. } = crossed;
        let count = counted(crossed.lines.len() as u64, "line");
        let ancestor = crossed.ancestor.get(..8).unwrap_or(&crossed.ancestor);
        let other = if side == "target" { "branch" } else { "target" };
        lines.push(format!(
            "Crossed: {file}: {count} of the {side} that the common ancestor {ancestor} does not have there, taken out \
             or reworded by the {other}"
        ));
        let texts = crossed.lines.iter();
        lines.extend(texts.map(|line| format!("    {}", sanitize_line(line))));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{GATE_LINE_BYTES, gate_line, written};
    use crate::types::merge::WovenLine;

    #[test]
    fn a_line_of_a_gate_is_cut_between_characters_and_says_how_much_more_there_is() {
        let fits = "x".repeat(GATE_LINE_BYTES);
        assert_eq!(gate_line(&fits), fits);
        assert_eq!(
            gate_line(&format!("{fits}y")),
            format!("{fits}… 1 more byte")
        );
        let wide = "é".repeat(GATE_LINE_BYTES);
        let shown = "é".repeat(GATE_LINE_BYTES / 2);
        assert_eq!(gate_line(&wide), format!("{shown}… 400 more bytes"));
    }

    #[test]
    fn a_woven_line_is_shown_as_deep_as_it_is() {
        let woven = WovenLine {
            file: "a.py".to_owned(),
            base: "  go(x)".to_owned(),
            lines: vec!["    go(x)".to_owned(), "  go(y)\t".to_owned()],
            result: "    go(y)\n\tend()".to_owned(),
        };
        let said = written(&[woven], &[]);
        assert_eq!(
            said,
            [
                "Woven:   a.py:     go(y)",
                "             end()",
                "         made of:     go(x)",
                "         made of:   go(y)    ",
            ]
        );
    }
}
