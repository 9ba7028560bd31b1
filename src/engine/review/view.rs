//! What a review is about, as plain values: places, the lines of both sides, and the decisions.

use std::ops::Range;

pub use crate::text::AlignedRow as Row;
use crate::text::Run;
pub use crate::types::merge::PlaceDecision as Decision;
pub use crate::types::merge::PlaceProposal as Proposal;

/// Why two sides cannot both stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlaceKind {
    /// Both rewrote the same lines.
    Text,
    /// The target changed a file that the branch deleted.
    DeletedByBranch,
    /// The branch changed a file that the target deleted.
    DeletedByTarget,
    /// A text that is not merged line by line.
    Whole,
    Binary,
    Symlink,
    Mode,
    /// Both gave the file a new name.
    Renamed,
    /// A merge driver merged the file and left lines out.
    Driven,
}

/// One line of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeLine {
    pub text: String,
    /// What its parts are; empty when the language is not known.
    pub runs: Vec<Run>,
    /// Bytes that the other side's line has not.
    pub changed: Vec<Range<usize>>,
}

/// One version of a place, with the lines around it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Side {
    /// Number of the first line of the place, from 1, if it is known.
    pub first: Option<usize>,
    pub before: Vec<CodeLine>,
    pub lines: Vec<CodeLine>,
    pub after: Vec<CodeLine>,
}

/// What a merge driver made of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Driven {
    /// The driver's name in the project's attributes.
    pub name: String,
    pub lines: Vec<CodeLine>,
    /// Lines of the target and of the branch that it left out.
    pub ours_go: usize,
    pub theirs_go: usize,
}

/// One contested place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Names the place by its content.
    pub key: String,
    pub file: String,
    /// Its name before one side gave it this one.
    pub was: Option<String>,
    pub kind: PlaceKind,
    /// Its colours, the words that differ, and whose lines are at stake are known. What nobody looks at yet
    /// comes without: finding all that out for every place would keep everybody waiting.
    pub is_looked_up: bool,
    /// Whose lines of the target would go.
    pub agent: Option<String>,
    pub at_ms: Option<i64>,
    /// Lines of the target that would go with the branch's side, and the other way round.
    pub ours_go: usize,
    pub theirs_go: usize,
    pub base: Vec<CodeLine>,
    pub ours: Side,
    pub theirs: Side,
    /// The settled lines around the place; its own lines follow from the decision.
    pub result: Side,
    /// The third version, where a driver made one.
    pub driven: Option<Driven>,
    /// The lines of both sides beside each other.
    pub rows: Vec<Row>,
    /// The lines can be written anew: they are text through and through.
    pub is_editable: bool,
    pub decision: Option<Decision>,
    /// What a model answered that was asked about it, or why it did not. Nobody has taken that yet.
    pub answer: Option<Result<Proposal, String>>,
}

impl Place {
    /// Whether both sides have put in the same words, as two ends of two things.
    pub fn is_alike(&self) -> bool {
        let texts = |side: &Side| -> Vec<String> {
            let lines = side.lines.iter();
            lines.map(|line| line.text.clone()).collect()
        };
        let is_text = self.kind == PlaceKind::Text && !self.ours.lines.is_empty();
        is_text && self.driven.is_none() && texts(&self.ours) == texts(&self.theirs)
    }
}

/// A review that can be worked on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewView {
    pub id: i64,
    pub branch: String,
    pub agent: String,
    pub target: String,
    /// The commits that the places are of.
    pub target_tip: String,
    pub branch_tip: String,
    pub places: Vec<Place>,
    pub warnings: Vec<String>,
    /// Set when this replaces a review of other commits: what has become of the decisions.
    pub moved: Option<String>,
    /// The merge commit, where what is decided about has landed already: the branch's side stands wherever nobody has
    /// decided otherwise.
    pub landed: Option<String>,
}
