//! The merge queue: its entries, their forecasts and receipts, and taking one back.

use crate::engine::review::PlaceKind;

/// Where a branch is on its way into the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MergeState {
    Pending,
    Merging,
    /// Held: lines of earlier work would disappear and somebody has to decide.
    Review,
    Conflict,
    Failed,
    Merged,
}

impl MergeState {
    /// Names the state as lists show it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Merging => "merging",
            Self::Review => "review",
            Self::Conflict => "conflict",
            Self::Failed => "failed",
            Self::Merged => "merged",
        }
    }
}

/// Lines that a merge would drop, with the text of both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisplacedView {
    pub file: String,
    /// Why both sides cannot stand.
    pub kind: PlaceKind,
    /// First line in the target, 1-based, if known.
    pub line: Option<u32>,
    /// Whose lines would go.
    pub agent: Option<String>,
    /// When those lines were merged.
    pub merged_ms: Option<i64>,
    pub lines: u32,
    /// The target's text.
    pub ours: String,
    /// The incoming text.
    pub theirs: String,
}

/// What a merge under way is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MergeStep {
    /// Another merge goes into the same branch; this one is next.
    Waiting,
    /// Working out the merged tree.
    Planning,
    /// A contested file is with a model.
    Asking,
    /// The other branches of its train come first.
    Behind,
    Gates,
    Landing,
    /// The gates of a prepared revert.
    Reverting,
}

/// How far a merge is, wherever it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateProgress {
    pub step: MergeStep,
    pub done: u32,
    pub total: u32,
    /// The gate that is running, or the file that a model is asked about.
    pub current: Option<String>,
    pub began_ms: i64,
    /// Since when the present gate or step runs.
    pub since_ms: i64,
    /// The process that merges, if it is another one.
    pub elsewhere: Option<u32>,
}

/// One gate as a receipt remembers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateView {
    pub name: String,
    pub passed: bool,
    pub duration_ms: u64,
    pub attempts: u32,
}

/// The receipt of a landed merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptView {
    pub id: String,
    pub commit: String,
    /// The target's tip before it.
    pub before: String,
    pub undo_ref: String,
    /// Lines found again, removed on purpose, woven into others, displaced.
    pub kept: u64,
    pub removed: u64,
    pub woven: u64,
    pub displaced: u64,
    /// Files compared line by line, and files that only one side had touched.
    pub compared: u64,
    pub taken_whole: u64,
    /// Files in which both sides put equal lines at different places, and how many.
    pub kept_twice: Vec<(String, u64)>,
    pub gates: Vec<GateView>,
}

/// One attempt to land a branch, and what has become of it since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptView {
    pub at_ms: i64,
    pub tier: Option<String>,
    /// The commit on the target, if it landed.
    pub commit: Option<String>,
    /// Places that nobody had decided, or that gave way when it landed.
    pub displaced: usize,
    /// Why it did not land.
    pub why: Option<String>,
    /// When the landing was taken back.
    pub undone_ms: Option<i64>,
    /// The commit that took it back, when that took a commit.
    pub revert: Option<String>,
}

/// The gate that kept a branch from landing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedGateView {
    pub name: String,
    /// How it ended, in words.
    pub how: String,
    /// The end of what it printed.
    pub tail: Vec<String>,
}

/// One file that a merge would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeView {
    pub file: String,
    /// Lines added and removed; `None` for what is not text.
    pub lines: Option<(u32, u32)>,
}

/// What merging would come to right now: a dry run in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForecastView {
    /// The tier that would do; `None` when no tree can be made.
    pub tier: Option<String>,
    /// The target's tip it holds for, shortened.
    pub target: String,
    pub changes: Vec<ChangeView>,
    pub conflict_files: Vec<String>,
    pub displaced: Vec<DisplacedView>,
    /// Nothing is left to merge.
    pub already_merged: bool,
    /// Why it cannot be merged at all.
    pub problem: Option<String>,
    /// Why it does not land by itself, whatever its tier.
    pub held: Option<String>,
}

impl ForecastView {
    /// Tells whether it lands without anybody's decision.
    pub fn is_clean(&self) -> bool {
        self.problem.is_none() && self.held.is_none() && self.displaced.is_empty()
    }
}

/// How the work of two agents meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MeetingKind {
    /// The very same lines.
    Lines,
    /// Other places of the same file.
    File,
    /// A file that was given to the other one.
    TheirScope,
    /// The other one changes a file that was given to this one.
    OwnScope,
}

impl MeetingKind {
    /// Names what is at risk, if anything is.
    pub fn risk(self) -> Option<&'static str> {
        match self {
            Self::Lines => Some("same lines"),
            Self::TheirScope | Self::OwnScope => Some("scope"),
            Self::File => None,
        }
    }
}

/// Another agent whose work meets this one's right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverlapView {
    pub agent: String,
    pub file: String,
    pub kind: MeetingKind,
}

/// Two agents whose work meets right now: the first one changes the file; so does the second, or it was given
/// the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeetingView {
    pub agents: [String; 2],
    pub file: String,
    pub kind: MeetingKind,
}

/// What taking a landed merge back would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoWay {
    /// The target goes back to exactly this commit.
    Exact { to: String },
    /// The target has moved on by this many commits; this commit reverts the merge.
    Revert {
        commit: String,
        on_top: usize,
        /// The change it makes, as lines of a patch.
        patch: Vec<String>,
    },
}

/// The answer to the question what an undo would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoView {
    pub id: i64,
    pub branch: String,
    pub target: String,
    /// Where the target is now.
    pub from: String,
    pub way: UndoWay,
    pub files: Vec<String>,
}

/// What a person has made of what a landed merge displaced without being asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LookedOver {
    /// It displaced nothing, or a person had decided before it landed.
    #[default]
    NotNeeded,
    /// Nobody has looked at it yet.
    Waits,
    /// It stays as it landed.
    Kept { at_ms: i64 },
    /// This branch decides otherwise.
    Decided { at_ms: i64, branch: String },
}

/// One entry of the merge queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeView {
    pub id: i64,
    pub branch: String,
    pub agent: String,
    pub task: Option<String>,
    pub state: MergeState,
    /// `clean-merge`, `auto-resolve`, `ai-resolve` or `reimagine`, once known.
    pub tier: Option<String>,
    pub files: Vec<String>,
    pub conflict_files: Vec<String>,
    pub displaced: Vec<DisplacedView>,
    /// How far it is, while somebody merges it.
    pub gates: Option<GateProgress>,
    pub error: Option<String>,
    /// It failed for a reason that lies around the branch, such as a checkout in the way.
    pub in_passing: bool,
    /// Somebody has cancelled it: nothing is wrong with the branch.
    pub is_cancelled: bool,
    pub red_gate: Option<RedGateView>,
    pub receipt: Option<ReceiptView>,
    /// When a landed merge was taken back.
    pub undone_ms: Option<i64>,
    /// The commit that took it back, when that took a commit.
    pub revert: Option<String>,
    pub forecast: Option<ForecastView>,
    /// Who else changes its files right now.
    pub overlaps: Vec<OverlapView>,
    /// What a person made of lines that a landed merge displaced as the project's policy has it.
    pub looked_over: LookedOver,
    /// How many contested places of the branch are decided.
    pub decided: u32,
    /// A person wants it landed as decided.
    pub is_accepted: bool,
    /// The branch that what is decided about it after landing would be on.
    pub follow_up: String,
    /// What was said besides when it was held, such as why an answer was rejected.
    pub warnings: Vec<String>,
    /// Only a dry run has put it into the queue: it lands when somebody asks for it.
    pub looked_at: bool,
    pub enqueued_ms: i64,
    pub merged_ms: Option<i64>,
}
