//! Merging agents' work without losing any: planned on git objects, accounted for line by line,
//! checked by the project's gates, then landed by compare-and-swap.
//! `execute` ties the steps together; each is usable alone. No database: callers store the reports.
//! Of its own layer it uses `worktree` (whose branch belongs to which agent).

mod account;
mod answers;
mod assist;
mod attribution;
mod bench;
mod carried;
mod checkout;
mod commit;
mod conflict;
mod conflicts;
mod context;
mod edits;
mod error;
mod escalate;
mod execute;
mod frame;
mod gates;
mod history;
mod hooks;
mod journal;
mod land;
mod line_ends;
mod lines;
mod lock;
mod moved_out;
mod moves;
mod note;
mod outcome;
mod overlap;
mod places;
mod plan;
mod predict;
mod prompt;
mod propose;
mod put_back;
mod recover;
mod renames;
mod report;
mod reverted;
mod runtime_resolver;
mod scratch;
mod settle;
mod structure;
mod syntax;
mod tokens;
mod train;
#[cfg(test)]
mod triples;
mod undo;

pub use account::{Account, Declared, MergeTrees, Source, account};
pub use answers::{Choices, Decision, Review};
pub use assist::{ConflictResolver, ContestedFile, is_prose};
pub use conflict::lines_without;
pub use context::{MergeContext, MergeItem, MergeProgress, OnDisplaced};
pub use error::{LockHolder, MergeError};
pub use execute::{execute, execute_reviewed, execute_with_resolver};
pub use gates::{Gate, GateProgress};
pub use history::{NoPastMerges, PastMerge, PastMerges, not_worth_trying};
pub use journal::{
    JournalEntry, Step, TakingBack, journal_dir, settle_journal, settle_undo, unsettled,
};
pub use land::{LandOutcome, RefusalReason, land};
pub use lock::{MergeLock, held_since, lock_path};
pub use note::{NOTES_REF, write_note};
pub use outcome::{
    FileVersions, LineProblem, MergeFailure, MergeOutcome, MergePlan, UnaccountedLine,
};
pub use overlap::{AgentChanges, FileChanges, Overlap, OverlapKind, Region, changes_of, overlaps};
pub use places::{Around, Contested, Place, contested};
pub use plan::{plan, plan_commits, plan_reviewed};
pub use predict::predict;
pub use propose::{Proposed, propose};
pub use recover::{Recovery, Verdict, recover};
pub use report::{Conclusion, MergeReport};
pub use runtime_resolver::{RuntimeResolver, run_tool};
pub use train::{Arrival, TrainObserver, execute_train};
pub use undo::{UndoOutcome, UndoProspect, land_revert, undo, undo_prospect};
