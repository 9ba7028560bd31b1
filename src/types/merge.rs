//! The words of merging that other layers store, show and exchange: tiers, states, queue entries,
//! displaced hunks, gate results, receipts and predictions.
//! Plain data only: no git, no clock, no decisions.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};

/// How much help a merge needed, from none to a rewrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeTier {
    CleanMerge,
    AutoResolve,
    AiResolve,
    Reimagine,
}

impl MergeTier {
    /// Returns the name used in stores and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CleanMerge => "clean-merge",
            Self::AutoResolve => "auto-resolve",
            Self::AiResolve => "ai-resolve",
            Self::Reimagine => "reimagine",
        }
    }

    /// Reads the stored name; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "clean-merge" => Some(Self::CleanMerge),
            "auto-resolve" => Some(Self::AutoResolve),
            "ai-resolve" => Some(Self::AiResolve),
            "reimagine" => Some(Self::Reimagine),
            _ => None,
        }
    }

    /// Tells whether the tier calls an agent.
    pub const fn requires_agent(self) -> bool {
        match self {
            Self::CleanMerge | Self::AutoResolve => false,
            Self::AiResolve | Self::Reimagine => true,
        }
    }
}

impl fmt::Display for MergeTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where a queue entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MergeStatus {
    Pending,
    Merging,
    Merged,
    Conflict,
    Failed,
}

impl MergeStatus {
    /// Returns the name used in stores and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Merging => "merging",
            Self::Merged => "merged",
            Self::Conflict => "conflict",
            Self::Failed => "failed",
        }
    }

    /// Reads the stored name; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "pending" => Some(Self::Pending),
            "merging" => Some(Self::Merging),
            "merged" => Some(Self::Merged),
            "conflict" => Some(Self::Conflict),
            "failed" => Some(Self::Failed),
            _ => None,
        }
    }
}

impl fmt::Display for MergeStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One row of the merge queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MergeEntry {
    pub branch_name: String,
    pub task_id: String,
    pub agent_name: String,
    pub files_modified: Vec<String>,
    pub enqueued_at: String,
    pub status: MergeStatus,
    pub resolved_tier: Option<MergeTier>,
}

/// Why two sides could not both be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DisplacedKind {
    /// Both sides rewrote the same lines.
    Text,
    /// The target changed a file that the branch deleted.
    DeletedByBranch,
    /// The branch changed a file that the target deleted.
    DeletedByTarget,
    /// Both sides changed a file that is not text, or that the project says is not to be merged as text.
    Binary,
    /// Both sides changed what a symbolic link points to.
    Symlink,
    /// Both sides gave the file different permissions.
    Mode,
    /// Both sides gave the file a new name, and not the same one.
    Renamed,
    /// A merge driver of the project merged the file and left lines of the sides out.
    Driven,
}

/// What a person decided shall stand in a contested place, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "choice", rename_all = "camelCase")]
pub enum PlaceDecision {
    /// The target's side.
    Ours,
    /// The branch's side.
    Theirs,
    /// The target's lines, then the branch's; what the driver made, if one has merged the file.
    Both,
    /// The branch's lines, then the target's.
    BothReversed,
    /// Lines of one's own, or those a model has proposed and a person has taken.
    Text { text: String, proposed: bool },
}

/// Lines that a model has proposed for a contested place. Nobody has taken them yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaceProposal {
    pub text: String,
    /// Lines of either side that are not in it.
    pub lost: Vec<String>,
    /// Who was asked.
    pub by: String,
}

/// Who decided what stands where two sides contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SettledBy {
    /// `merge.onDisplaced: commit`: the branch's side, and nobody has looked at it.
    Policy,
    /// A person, place by place.
    Person,
    /// A model that was asked.
    Model,
}

/// Content of the target that would not be in the result if the branch's side were taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DisplacedHunk {
    pub file: String,
    /// The bytes of the name in base64, where it is not UTF-8; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file_bytes: String,
    pub kind: DisplacedKind,
    /// First line of the hunk in the target's file, counted from 1; 0 when the file has no lines.
    pub start_line: u64,
    /// Who brought these lines to the target: an agent's name, or the commit's author.
    pub agent: String,
    /// The commit that last touched them on the target.
    pub commit: String,
    /// When that commit was made, as an ISO 8601 time; empty when unknown.
    pub committed_at: String,
    /// Number of non-blank lines that would go.
    pub line_count: u64,
    /// The lines of the base that both sides started from.
    pub base: String,
    /// The target's lines: all of the hunk, in order. Of a file that goes as a whole, once it is no longer asked about:
    /// those that are not in the result. Of what a driver merged: the lines of both sides that it left out.
    pub text: String,
    /// The branch's lines for the same place. Of what a driver merged: what it made.
    pub incoming: String,
    /// The bytes of `text` in base64, where it is not UTF-8; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text_bytes: String,
    /// The same for `incoming`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub incoming_bytes: String,
    /// The project's merge driver that made the result and left these lines out, or gave up; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub driver: String,
    /// Whose the target's lines are where more than one commit since the base has written them, and which of the branch's
    /// lines that somebody decided against are its own; blank lines are not counted, and lines from before belong to
    /// nobody here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<DisplacedPart>,
}

/// Neighbouring lines of a displaced hunk that came with one commit, or went with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DisplacedPart {
    /// In the target's file, from 1; of a line that only the branch has and a driver left out, in the branch's; of one that
    /// somebody decided against, where the target would have it.
    pub start_line: u64,
    pub line_count: u64,
    /// Lines of the base that the commit took away there, and that the branch has still: what is displaced is that
    /// they are gone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    pub agent: String,
    pub commit: String,
    pub committed_at: String,
}

impl DisplacedHunk {
    /// Names the place: the file, and the line where it has lines.
    pub fn place(&self) -> String {
        match self.start_line {
            0 => self.file_name(),
            line => format!("{}:{line}", self.file_name()),
        }
    }

    /// Names all who brought the lines, in the order of the lines.
    pub fn whose(&self) -> String {
        let mut agents: Vec<&str> = Vec::new();
        for part in &self.parts {
            if !agents.contains(&part.agent.as_str()) {
                agents.push(&part.agent);
            }
        }
        match agents.as_slice() {
            [] => self.agent.clone(),
            agents => agents.join(", "),
        }
    }

    /// How many lines go. Of a version that goes as a whole, none: it counts as one side of a file.
    pub fn lines(&self) -> u64 {
        if self.is_version() {
            0
        } else {
            self.line_count
        }
    }

    /// The file's name: two files have two names.
    pub fn file_name(&self) -> String {
        let bytes = BASE64.decode(&self.file_bytes).unwrap_or_default();
        if bytes.is_empty() || self.file.starts_with('"') {
            return self.file.clone();
        }
        // Receipts from before names were quoted ran them together.
        shown_name(&bytes)
    }

    /// Tells whether a version of a file goes as a whole, and not lines of it.
    pub fn is_version(&self) -> bool {
        match self.kind {
            DisplacedKind::Symlink | DisplacedKind::Mode | DisplacedKind::Renamed => true,
            DisplacedKind::Binary | DisplacedKind::Driven => self.start_line == 0,
            DisplacedKind::DeletedByBranch | DisplacedKind::DeletedByTarget => {
                self.start_line == 0 && self.line_count == 0 && !self.text.is_empty()
            }
            DisplacedKind::Text => false,
        }
    }
}

/// Lines of the two sides that live on inside one line of the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WovenLine {
    pub file: String,
    pub base: String,
    /// The target's line, then the branch's line.
    pub lines: Vec<String>,
    pub result: String,
}

/// Lines that a side put into a block which the other side moved to another file: they are there with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WentAlong {
    /// The file that the side put them into.
    pub file: String,
    /// The file that has them now.
    pub to: String,
    /// `target` or `branch`.
    pub side: String,
    pub lines: Vec<String>,
}

/// What one quality gate said about the merged tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GateResult {
    pub name: String,
    pub passed: bool,
    /// `None` when the gate was ended by a signal, timed out, or could not be started.
    pub exit_code: Option<i32>,
    pub timed_out: bool,
    pub duration_ms: u64,
    /// How often it was run before this answer: more than once when it was red first.
    #[serde(default = "once")]
    pub attempts: u32,
    /// The end of what the gate printed, both streams in arrival order.
    pub output_tail: String,
    /// Bytes that came before `output_tail` and were not kept.
    pub output_dropped: u64,
    /// Files of the merged tree that it changed; they were put back, and land without that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Files and folders that it left and git does not ignore, where another gate or attempt followed: they were
    /// removed before that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
}

fn once() -> u32 {
    1
}

/// What was counted when a result was checked line by line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountTotals {
    /// Paths that one side left alone, so that the other side's version is the result.
    pub taken_whole: u64,
    /// Paths compared line by line.
    pub compared: u64,
    /// Lines found again in the result.
    pub kept: u64,
    /// Lines that one side removed on purpose.
    pub removed: u64,
    /// Lines found again inside a woven line.
    pub woven: u64,
    /// Lines that are only in the list of displaced hunks.
    pub displaced: u64,
    /// Lines that a side had removed and that are in the result all the same.
    #[serde(default)]
    pub brought_back: u64,
}

impl AccountTotals {
    /// Counts as displaced what the list of displaced hunks has. Some of that was already there, so that by the sums
    /// alone the other side removed it on purpose.
    pub fn count_listed(&mut self, displaced: &[DisplacedHunk]) {
        let listed: u64 = displaced.iter().map(DisplacedHunk::lines).sum();
        self.removed = self
            .removed
            .saturating_sub(listed.saturating_sub(self.displaced));
        self.displaced = listed;
    }
}

/// A line that a side had removed and that is in the result all the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RevivedLine {
    pub file: String,
    /// Where it is in the result's file, from 1; 0 in receipts of versions that did not say.
    #[serde(default)]
    pub line: u64,
    pub text: String,
    /// `target`, `branch` or `both`.
    pub removed_by: String,
}

/// A line that somebody who was asked has written: no version has it where it stands now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InventedLine {
    pub file: String,
    pub text: String,
}

/// Equal lines that both sides put into a file at different places, or that one of them moved, and that are in the
/// result twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptTwice {
    pub file: String,
    /// Lines that are there once more than each side has them.
    pub count: u64,
    pub first: String,
    /// Where the first of them is in the result, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u64>,
    /// Neither side put them in: one moved them, and they are also where the other one has them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moved: bool,
}

impl KeptTwice {
    /// Returns where the first of them is, in words; empty where nobody has noted it.
    pub fn place(&self) -> String {
        match self.lines.as_slice() {
            [] => String::new(),
            [only] => format!(" (line {only})"),
            [before @ .., last] => {
                let before: Vec<String> = before.iter().map(u64::to_string).collect();
                format!(" (lines {} and {last})", before.join(", "))
            }
        }
    }
}

/// Lines that a side has beside what a best common ancestor has under this name, and that are not in the result: measured
/// against all ancestors together, and through renames, the other side took them out or reworded them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CrossedLines {
    pub file: String,
    /// `target` or `branch`.
    pub side: String,
    /// The commit that does not have them in a file of this name.
    pub ancestor: String,
    pub lines: Vec<String>,
}

/// The permanent record of one landed merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MergeReceipt {
    pub id: String,
    pub branch: String,
    pub agent: String,
    pub task: String,
    pub target: String,
    /// Tip of the target before the merge; the undo ref points here.
    pub target_before: String,
    pub branch_tip: String,
    /// Empty when the branch was already part of the target.
    pub merge_base: String,
    pub merged_commit: String,
    pub merged_tree: String,
    pub tier: MergeTier,
    /// `None` where nothing was contested, and in receipts of groves that did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_by: Option<SettledBy>,
    pub landed_at: String,
    pub undo_ref: String,
    pub conflict_files: Vec<String>,
    pub displaced: Vec<DisplacedHunk>,
    pub woven: Vec<WovenLine>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub went_along: Vec<WentAlong>,
    pub account: AccountTotals,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub brought_back: Vec<RevivedLine>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invented: Vec<InventedLine>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_twice: Vec<KeptTwice>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crossed: Vec<CrossedLines>,
    pub gates: Vec<GateResult>,
}

/// The name of a file with bytes that are not UTF-8 as `\\xe9`.
fn shown_name(bytes: &[u8]) -> String {
    let mut name = String::new();
    for chunk in bytes.utf8_chunks() {
        name += chunk.valid();
        name.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    name
}

/// What a merge would probably need, found without side effects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prediction {
    pub predicted_tier: MergeTier,
    pub conflict_files: Vec<String>,
    pub would_require_agent: bool,
    pub reason: String,
    /// Why it does not land by itself, whatever the tier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
}
