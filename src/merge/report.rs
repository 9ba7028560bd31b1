//! What an attempt to merge tells its caller, to be stored, printed and shown.
//! Data and wording only.

use serde::{Deserialize, Serialize};

use crate::text::{counted, sanitize_line};
use crate::types::merge::{
    DisplacedHunk, DisplacedKind, GateResult, MergeReceipt, MergeStatus, MergeTier, RevivedLine,
    WentAlong, WovenLine,
};

use super::attribution::overridden;
use super::kept_twice;

/// How an attempt to merge ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// The target has moved to the merged commit.
    Landed,
    /// The branch was already part of the target.
    AlreadyMerged,
    /// Content would be displaced: the target is untouched and a person decides.
    Held,
    /// Grove's own settings would change: the target is untouched and a person decides.
    NeedsPerson,
    /// A quality gate was red: the target is untouched.
    GatesRed,
    /// A checkout of the target was in the way: the target is untouched.
    Refused,
    /// No tree could be made, or it did not pass its account.
    Failed,
}

/// The result of one attempt to merge a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MergeReport {
    pub branch: String,
    pub target: String,
    pub conclusion: Conclusion,
    /// The tier that made the tree, or the last one tried.
    pub tier: MergeTier,
    /// That one was not asked at all, as its program is not there: no experience with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unasked: bool,
    pub conflict_files: Vec<String>,
    pub displaced: Vec<DisplacedHunk>,
    pub woven: Vec<WovenLine>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub went_along: Vec<WentAlong>,
    pub gates: Vec<GateResult>,
    pub merged_commit: Option<String>,
    pub error_message: Option<String>,
    pub warnings: Vec<String>,
    /// Present when landed: store it, then call `settle_journal` with its id.
    pub receipt: Option<MergeReceipt>,
}

impl MergeReport {
    /// What a receipt tells of a landing whose process could not tell it itself.
    pub fn landed(receipt: &MergeReceipt) -> Self {
        let twice = receipt.kept_twice.iter().map(kept_twice::said);
        Self {
            branch: receipt.branch.clone(),
            target: receipt.target.clone(),
            conclusion: Conclusion::Landed,
            tier: receipt.tier,
            unasked: false,
            conflict_files: receipt.conflict_files.clone(),
            displaced: receipt.displaced.clone(),
            woven: receipt.woven.clone(),
            went_along: receipt.went_along.clone(),
            gates: receipt.gates.clone(),
            merged_commit: Some(receipt.merged_commit.clone()),
            error_message: None,
            warnings: back_again(&receipt.brought_back)
                .into_iter()
                .chain(made_up(receipt))
                .chain(twice)
                .collect(),
            receipt: Some(receipt.clone()),
        }
    }

    /// Tells whether the branch's work is now in the target.
    pub fn is_success(&self) -> bool {
        match self.conclusion {
            Conclusion::Landed | Conclusion::AlreadyMerged => true,
            Conclusion::Held
            | Conclusion::NeedsPerson
            | Conclusion::GatesRed
            | Conclusion::Refused
            | Conclusion::Failed => false,
        }
    }

    /// Why the last tier that was tried has not settled it, where there is more to say than that it has not.
    pub fn last_try(&self) -> Option<&str> {
        let of_tier = |said: &&String| said.starts_with(self.tier.as_str());
        let last = self.warnings.iter().rfind(of_tier).map(String::as_str);
        last.filter(|_| self.tier.requires_agent())
    }

    /// Tells whether the target had everything before: nothing was to be done.
    pub fn was_merged_before(&self) -> bool {
        self.conclusion == Conclusion::AlreadyMerged
    }

    /// Returns the state the queue entry should get.
    pub fn queue_status(&self) -> MergeStatus {
        match self.conclusion {
            Conclusion::Landed | Conclusion::AlreadyMerged => MergeStatus::Merged,
            Conclusion::Held | Conclusion::NeedsPerson => MergeStatus::Conflict,
            Conclusion::Failed if !self.conflict_files.is_empty() => MergeStatus::Conflict,
            Conclusion::GatesRed | Conclusion::Refused | Conclusion::Failed => MergeStatus::Failed,
        }
    }
}

/// Says what a merge that landed has done besides: lines that are gone, lines that are back, hooks that did
/// not run, gates that were green only the second time. The same words wherever it is told.
pub fn losses(displaced: &[DisplacedHunk], warnings: &[String]) -> Vec<String> {
    let mut said = Vec::new();
    for hunk in displaced {
        said.push(format!(
            "Displaced: {} — {} by {}{}",
            hunk.place(),
            size(hunk),
            hunk.whose(),
            by_driver(hunk)
        ));
        if hunk.is_version() && hunk.kind != DisplacedKind::Symlink {
            continue;
        }
        let lines = hunk.text.lines().filter(|line| !line.trim().is_empty());
        said.extend(lines.map(|line| format!("  - {}", sanitize_line(line))));
    }
    said.extend(warnings.iter().map(|warning| format!("Note: {warning}")));
    said
}

/// The woven lines that there is something to tell about: some line became part of another. What only went
/// along to another place, unchanged, is known to the account alone.
pub(super) fn woven_to_tell(woven: &[WovenLine]) -> Vec<WovenLine> {
    let became_part = |woven: &&WovenLine| {
        let mut lines = woven.lines.iter();
        lines.any(|line| !woven.result.lines().any(|new| new == line))
    };
    woven.iter().filter(became_part).cloned().collect()
}

/// How much of a side is displaced.
pub fn size(hunk: &DisplacedHunk) -> String {
    if hunk.is_version() {
        return match hunk.kind {
            DisplacedKind::Symlink => "where the link points",
            DisplacedKind::Mode => "the permissions",
            DisplacedKind::Renamed => "the name",
            DisplacedKind::Binary
            | DisplacedKind::Driven
            | DisplacedKind::Text
            | DisplacedKind::DeletedByBranch
            | DisplacedKind::DeletedByTarget => return version(hunk),
        }
        .to_owned();
    }
    if hunk.kind == DisplacedKind::DeletedByTarget && hunk.text.is_empty() {
        return "the deletion".to_owned();
    }
    if hunk.kind == DisplacedKind::Text && hunk.line_count == 0 {
        return not_lines(hunk);
    }
    let removed = hunk.parts.iter().filter(|part| part.removed);
    let removed: u64 = removed.map(|part| part.line_count).sum();
    match (hunk.line_count, removed) {
        (_, 0) => {}
        (0, removed) => return removal(removed),
        (lines, removed) => return format!("{} and {}", counted(lines, "line"), removal(removed)),
    }
    if hunk.kind == DisplacedKind::Binary && hunk.line_count == 0 {
        return version(hunk);
    }
    counted(hunk.line_count, "line")
}

/// A version of a file that goes as a whole, and how large it is.
fn version(hunk: &DisplacedHunk) -> String {
    let size = hunk.text.split_once(", ").map(|(_, size)| size.trim_end());
    match size.filter(|size| size.ends_with(" bytes")) {
        Some(size) => format!("the version of {size}"),
        None => "the version".to_owned(),
    }
}

/// What of a side is displaced where all its lines are there.
fn not_lines(hunk: &DisplacedHunk) -> String {
    if hunk.text == hunk.incoming && hunk.base.is_empty() {
        return "one of two in the same words".to_owned();
    }
    let [base, ours, theirs] =
        [&hunk.base, &hunk.text, &hunk.incoming].map(|text| text.lines().collect::<Vec<&str>>());
    match overridden(&base, &ours, &theirs).len() {
        0 => "the order of lines, or blank ones".to_owned(),
        n => removal(n as u64),
    }
}

fn removal(lines: u64) -> String {
    format!("the removal of {}", counted(lines, "line"))
}

/// Says of how many lines one side moved that they are there twice.
pub fn moved_said(count: u64) -> String {
    let lines = counted(count, "line");
    format!("{lines} there twice, moved by one side and kept by the other")
}

/// How much is displaced in all: lines, and files of which something goes as a whole.
pub fn amount(displaced: &[DisplacedHunk]) -> String {
    let goes_whole = |hunk: &&DisplacedHunk| hunk.lines() == 0;
    let files = displaced.iter().filter(goes_whole).count();
    let of_lines = displaced.iter().filter(|hunk| !goes_whole(hunk));
    let lines: u64 = of_lines.map(|hunk| hunk.line_count).sum();
    let files = match files {
        1 => "one side of a file".to_owned(),
        n => format!("one side of {n} files"),
    };
    match (lines, files) {
        (0, files) => files,
        (lines, _) if displaced.iter().all(|hunk| !goes_whole(&hunk)) => counted(lines, "line"),
        (lines, files) => format!("{} and {files}", counted(lines, "line")),
    }
}

/// The same behind a verb that says what of: the bare number where only lines go.
pub fn gone(displaced: &[DisplacedHunk]) -> String {
    if displaced.iter().all(|hunk| hunk.lines() > 0) {
        let lines: u64 = displaced.iter().map(DisplacedHunk::lines).sum();
        return lines.to_string();
    }
    amount(displaced)
}

/// Names the merge driver that left lines out.
pub fn by_driver(hunk: &DisplacedHunk) -> String {
    if hunk.driver.is_empty() {
        return String::new();
    }
    format!(", by the merge driver {}", hunk.driver)
}

/// Returns the sentence for a merge that no enabled tier could finish.
pub(crate) fn tiers_failed(last: MergeTier) -> String {
    format!("All enabled resolution tiers failed (last attempted: {last})")
}

/// Returns the warning for a file that only somebody who is asked can settle, given its first hunk that says why.
pub(crate) fn auto_resolve_skipped(hunk: &DisplacedHunk) -> String {
    let file = &hunk.file;
    let why = match hunk.kind {
        DisplacedKind::DeletedByTarget => {
            "canonical side has deleted it, and the branch changes it"
        }
        DisplacedKind::Text if has_nothing(hunk) => {
            "canonical side no longer has lines here that the branch changes"
        }
        DisplacedKind::Mode => "canonical side gives it other permissions than the branch",
        DisplacedKind::DeletedByBranch
        | DisplacedKind::Text
        | DisplacedKind::Binary
        | DisplacedKind::Symlink
        | DisplacedKind::Renamed
        | DisplacedKind::Driven => "canonical side has content that would be discarded",
    };
    format!("auto-resolve skipped for {file}: {why}")
}

/// Whether the target has no lines in a place: nothing of it would be discarded.
pub(crate) fn has_nothing(hunk: &DisplacedHunk) -> bool {
    hunk.kind == DisplacedKind::Text && hunk.text.trim().is_empty()
}

/// Says which gate is red and how.
pub(crate) fn red_gate_message(gate: &GateResult) -> String {
    let mut how = match (gate.timed_out, gate.exit_code) {
        (true, _) => format!("did not finish within {} s", seconds(gate.duration_ms)),
        (false, Some(code)) => format!("failed with exit code {code}"),
        (false, None) => "was ended by a signal or could not be started".to_owned(),
    };
    if gate.attempts > 1 {
        how = format!("{how} in {} attempts", gate.attempts);
    }
    format!("quality gate {} {how}; nothing has landed", gate.name)
}

/// Seconds with a tenth where there is one.
fn seconds(ms: u64) -> String {
    match (ms / 1000, ms % 1000 / 100) {
        (whole, 0) => whole.to_string(),
        (whole, tenth) => format!("{whole}.{tenth}"),
    }
}

/// Says, file by file, which lines a model has written that no version has; of other writers it is known.
pub(crate) fn made_up(receipt: &MergeReceipt) -> Vec<String> {
    if !receipt.tier.requires_agent() {
        return Vec::new();
    }
    let mut files: Vec<(&str, &str, u64)> = Vec::new();
    for line in &receipt.invented {
        match files.iter_mut().find(|(file, _, _)| *file == line.file) {
            Some((_, _, count)) => *count += 1,
            None => files.push((&line.file, line.text.trim(), 1)),
        }
    }
    let said = |(file, first, count): (&str, &str, u64)| match count {
        1 => format!("{file}: a line that no version has was written: {first}"),
        n => format!("{file}: {n} lines that no version has were written, first: {first}"),
    };
    files.into_iter().map(said).collect()
}

/// Says, file by file, which removed lines are in the result all the same.
pub(crate) fn back_again(lines: &[RevivedLine]) -> Vec<String> {
    let mut files: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for line in lines {
        let known = files
            .iter_mut()
            .find(|(file, by, _)| *file == line.file && *by == line.removed_by);
        match known {
            Some((_, _, texts)) => texts.push(line.text.trim()),
            None => files.push((&line.file, &line.removed_by, vec![line.text.trim()])),
        }
    }
    let said = |(file, by, texts): &(&str, &str, Vec<&str>)| {
        let who = if *by == "both" {
            "both sides".to_owned()
        } else {
            format!("the {by}")
        };
        let first = texts.first().copied().unwrap_or_default();
        match texts.len() {
            1 => format!("{file}: a line that {who} had removed is back: {first}"),
            n => format!("{file}: {n} lines that {who} had removed are back, first: {first}"),
        }
    };
    files.iter().map(said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::merge::AccountTotals;

    #[test]
    fn a_held_merge_says_why_the_last_try_was_of_no_use() {
        let mut report: MergeReport = serde_json::from_value(serde_json::json!({
            "branch": "b", "target": "main", "conclusion": "held", "tier": "reimagine",
            "conflictFiles": [], "displaced": [], "woven": [], "gates": [], "mergedCommit": null,
            "errorMessage": null, "receipt": null,
            "warnings": ["ai-resolve failed for f: one", "reimagine rejected: two", "a note"]
        }))
        .unwrap();
        assert_eq!(report.last_try(), Some("reimagine rejected: two"));
        report.tier = MergeTier::AutoResolve;
        report
            .warnings
            .push("auto-resolve skipped for f: three".to_owned());
        assert_eq!(report.last_try(), None, "it is no try");
    }

    #[test]
    fn the_account_and_the_words_count_the_same_lines() {
        let hunk = |kind: DisplacedKind, start_line: u64, line_count: u64| -> DisplacedHunk {
            serde_json::from_value(serde_json::json!({
                "file": "f", "kind": kind, "startLine": start_line, "agent": "", "commit": "",
                "committedAt": "", "lineCount": line_count, "base": "", "text": "", "incoming": ""
            }))
            .unwrap()
        };
        let mut displaced = vec![hunk(DisplacedKind::Text, 3, 6)];
        assert_eq!(
            (amount(&displaced), gone(&displaced)),
            ("6 lines".into(), "6".into())
        );
        displaced.push(hunk(DisplacedKind::Symlink, 0, 1));
        displaced.push(hunk(DisplacedKind::Binary, 0, 0));
        let mut totals = AccountTotals::default();
        totals.count_listed(&displaced);
        assert_eq!(totals.displaced, 6);
        let said = "6 lines and one side of 2 files";
        assert_eq!(
            (amount(&displaced), gone(&displaced)),
            (said.into(), said.into())
        );
    }
}
