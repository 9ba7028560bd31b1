//! What the engine tells a front end about the project: plain values, ready to be drawn.
//!
//! Responsible for the shapes only. It does no I/O, reads no clock and knows no store: every
//! time is in epoch milliseconds and every age is worked out where it is drawn, so a view that
//! has not changed does not have to be sent again because a second has passed.

/// The state of a session as it is recorded in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AgentState {
    Booting,
    Working,
    InTurn,
    BetweenTurns,
    Completed,
    Stalled,
    Zombie,
}

impl AgentState {
    /// Names the state as the store and the command line spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Booting => "booting",
            Self::Working => "working",
            Self::InTurn => "in_turn",
            Self::BetweenTurns => "between_turns",
            Self::Completed => "completed",
            Self::Stalled => "stalled",
            Self::Zombie => "zombie",
        }
    }

    /// Tells whether the session is over.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Zombie)
    }
}

/// What an agent that needs a person is waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NeedsReason {
    /// A tool call waits for permission.
    Permission,
    /// The agent asked a question.
    Question,
    /// Mail that escalates to a person.
    Escalation,
    /// A plan checkpoint.
    Checkpoint,
    /// A merge was held because lines would be displaced.
    Displaced,
    /// The CLI wants somebody to sign in.
    SignIn,
    /// The guard has refused it the same thing again and again.
    Refused,
}

impl NeedsReason {
    /// Names the reason in one short word, as lists show it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Question => "question",
            Self::Escalation => "escalation",
            Self::Checkpoint => "checkpoint",
            Self::Displaced => "displaced",
            Self::SignIn => "sign-in",
            Self::Refused => "refused",
        }
    }
}

/// What an agent deserves right now, derived by the engine from evidence, not from the record
/// alone. The variants are listed by urgency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attention {
    NeedsYou {
        reason: NeedsReason,
    },
    Error,
    OverBudget,
    Stalled,
    RateLimited,
    Working,
    Booting,
    BetweenTurns,
    /// The process is gone although the session was not completed.
    Dead,
    /// A person has stopped it before it was done.
    Stopped,
    Done,
}

impl Attention {
    /// Ranks by urgency: the smaller, the sooner somebody should look.
    pub fn urgency(self) -> u8 {
        match self {
            Self::NeedsYou { .. } => 0,
            Self::Error => 1,
            Self::OverBudget => 2,
            Self::Stalled => 3,
            Self::RateLimited => 4,
            Self::Working => 5,
            Self::Booting => 6,
            Self::BetweenTurns => 7,
            Self::Dead => 8,
            Self::Stopped => 9,
            Self::Done => 10,
        }
    }
}

/// One observed fact and when it was observed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    pub text: String,
    /// Since when this holds.
    pub since_ms: i64,
}

/// How the agent is hosted and therefore what its pane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaneMode {
    /// A live terminal: keys can be typed into it.
    Pty,
    /// A rendered transcript of a structured stream: only messages can be sent.
    Stream,
}

/// Tokens used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenCounts {
    pub input: u64,
    pub output: u64,
    pub cache: u64,
}

/// How an agent ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitView {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// The likely cause in words, if one is known.
    pub cause: Option<String>,
    pub at_ms: i64,
}

/// One agent of the fleet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentView {
    pub name: String,
    pub capability: String,
    pub state: AgentState,
    pub attention: Attention,
    /// Why `attention` is what it is, and since when.
    pub evidence: Evidence,
    /// Further facts for the health screen, newest last.
    pub observations: Vec<Evidence>,
    pub parent: Option<String>,
    pub depth: u32,
    pub task: Option<String>,
    pub branch: Option<String>,
    pub worktree: Option<String>,
    pub runtime: String,
    pub mode: PaneMode,
    pub model: Option<String>,
    /// `None` when the price is not known.
    pub cost_micro_usd: Option<i64>,
    pub tokens: TokenCounts,
    pub context_percent: Option<u8>,
    pub pid: Option<u32>,
    pub started_ms: i64,
    pub last_output_ms: Option<i64>,
    pub unread_mail: u32,
    /// How far the watchdog has gone: 0 is nothing.
    pub escalation_level: u32,
    /// What will happen by itself and when, if anything is planned.
    pub next_step: Option<Evidence>,
    pub exit: Option<ExitView>,
}

/// How urgent a mail is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MailPriority {
    Low,
    Normal,
    High,
    Urgent,
}

impl MailPriority {
    /// Lists every priority, least urgent first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Normal, Self::High, Self::Urgent];

    /// Names the priority as the store spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
            Self::Urgent => "urgent",
        }
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailView {
    pub id: String,
    pub from: String,
    pub to: String,
    pub subject: String,
    pub body: String,
    /// The message type as the store spells it (`status`, `question`, `merge_ready`, …).
    pub kind: String,
    pub priority: MailPriority,
    /// Id of the first message of the thread; `None` on that first message.
    pub thread: Option<String>,
    /// The protocol payload as JSON text.
    pub payload: Option<String>,
    pub read: bool,
    pub created_ms: i64,
}

impl MailView {
    /// Names the thread this message belongs to.
    pub fn thread_key(&self) -> &str {
        self.thread.as_deref().unwrap_or(&self.id)
    }
}

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
    /// Working out the merged tree; contested text may be with a model.
    Planning,
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
    /// The gate that is running.
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
    pub gates: Vec<GateView>,
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
}

impl ForecastView {
    /// Tells whether it lands without anybody's decision.
    pub fn is_clean(&self) -> bool {
        self.problem.is_none() && self.displaced.is_empty()
    }
}

/// Another agent that changes the same file right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverlapView {
    pub agent: String,
    pub file: String,
    /// The very same lines, not just the same file.
    pub same_lines: bool,
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
    pub red_gate: Option<RedGateView>,
    pub receipt: Option<ReceiptView>,
    /// When a landed merge was taken back.
    pub undone_ms: Option<i64>,
    pub forecast: Option<ForecastView>,
    /// Who else changes its files right now.
    pub overlaps: Vec<OverlapView>,
    pub enqueued_ms: i64,
    pub merged_ms: Option<i64>,
}

/// Who runs the coordinator loop of this project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Lease {
    /// This process.
    Mine,
    /// Another process; this one only looks on.
    Held { pid: u32 },
    #[default]
    None,
}

/// What kind of place grove was started in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProjectStage {
    /// Not inside a git repository.
    NotGit,
    /// A git repository without `.overstory/`.
    NotInitialised,
    #[default]
    Ready,
}

/// One line of "found on this machine" on the first page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundView {
    pub ok: bool,
    pub text: String,
}

/// The run that is active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunView {
    pub id: String,
    pub started_ms: i64,
}

/// The project as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectView {
    pub name: String,
    pub stage: ProjectStage,
    /// The branch merges go to.
    pub branch: String,
    pub run: Option<RunView>,
    pub cost_micro_usd: Option<i64>,
    pub budget_micro_usd: Option<i64>,
    pub coordinator: Lease,
    /// Set while a store is busy or cannot be read; shown as a chip.
    pub store_problem: Option<String>,
    /// Names of the quality gates a merge has to pass.
    pub gates: Vec<String>,
    /// Since when the merge queue is paused.
    pub merge_paused_ms: Option<i64>,
    pub found: Vec<FoundView>,
    /// Capabilities, runtimes that can be slung here; offered by the sling form.
    pub capabilities: Vec<String>,
    pub runtimes: Vec<String>,
}
