//! The project as a whole.

use super::merge::MeetingView;

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
    /// Agents whose work meets, the closest first; known while the queue is looked at.
    pub meetings: Vec<MeetingView>,
    pub found: Vec<FoundView>,
    /// Capabilities, runtimes that can be slung here; offered by the sling form.
    pub capabilities: Vec<String>,
    pub runtimes: Vec<String>,
}
