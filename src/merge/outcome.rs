//! What planning a merge can come to. The four outcomes are exhaustive on purpose: displaced content
//! cannot be overlooked by a caller that matches them.
//! Data only.

use std::fmt;
use std::sync::Arc;

use crate::git::{Entry, MergedTree, Oid};
use crate::text::{counted, named};
use crate::types::merge::{DisplacedHunk, MergeTier, WentAlong, WovenLine};

/// The result of planning a merge. Nothing has been changed in any of the four.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeOutcome {
    /// git found a single answer for every path.
    Clean(MergePlan),
    /// Conflicts were settled and nothing is displaced.
    Resolved(MergePlan),
    /// Landing the plan's tree would displace content of the target; the plan lists it.
    ContentDisplaced(MergePlan),
    /// There is no tree to land.
    Failed(MergeFailure),
}

impl MergeOutcome {
    /// Returns the plan, if there is one.
    pub fn plan(&self) -> Option<&MergePlan> {
        match self {
            Self::Clean(plan) | Self::Resolved(plan) | Self::ContentDisplaced(plan) => Some(plan),
            Self::Failed(_) => None,
        }
    }

    /// Returns the tier that produced the tree.
    pub fn tier(&self) -> Option<MergeTier> {
        match self {
            Self::Clean(_) => Some(MergeTier::CleanMerge),
            Self::Resolved(_) | Self::ContentDisplaced(_) => Some(MergeTier::AutoResolve),
            Self::Failed(_) => None,
        }
    }
}

/// A merged tree that could be landed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergePlan {
    /// Tip of the target that the plan is for.
    pub target: Oid,
    /// Tip of the branch.
    pub branch: Oid,
    /// One best common ancestor.
    pub base: Oid,
    /// All best common ancestors, that one first.
    pub bases: Vec<Oid>,
    /// The tree both sides are measured against: the base's, or the merge of several bases.
    pub base_tree: Oid,
    /// The merged tree; contested places hold the branch's side.
    pub tree: Oid,
    /// The branch was already part of the target: there is nothing to land.
    pub already_merged: bool,
    /// Files for which git found no single answer.
    pub conflict_files: Vec<String>,
    /// The versions of these files that have text or anything else to be merged.
    pub versions: Vec<FileVersions>,
    pub displaced: Vec<DisplacedHunk>,
    pub woven: Vec<WovenLine>,
    pub went_along: Vec<WentAlong>,
    /// Files of which a merge driver of the project made the result.
    pub driven: Vec<String>,
    /// What git made of the two commits, for planning again with answers; `None` when there was nothing to do.
    pub merged: Option<Arc<MergedTree>>,
    pub warnings: Vec<String>,
}

/// The versions of one file in question. A side may have it under another name than the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersions {
    /// Its name in the result.
    pub path: String,
    /// `None` where there is no such file.
    pub base: Option<Entry>,
    pub ours: Option<Entry>,
    pub theirs: Option<Entry>,
    /// The result was put together line by line, not taken as a whole.
    pub by_lines: bool,
}

/// Why there is no tree to land.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeFailure {
    /// The branches have no common ancestor; `shallow`: none that this clone has.
    UnrelatedHistories { shallow: bool },
    /// Paths contradict each other: a file against a directory, two names for one file, and the like.
    Structure {
        said: Vec<String>,
        paths: Vec<String>,
    },
    /// Both sides moved a submodule to different commits, or one of them removed it.
    Submodule {
        said: Vec<String>,
        paths: Vec<String>,
    },
    /// The result did not account for these lines; it was thrown away.
    Unaccounted { lines: Vec<UnaccountedLine> },
}

impl MergeFailure {
    /// What there is to say besides the failure's own text: one sentence for each further conflict.
    pub fn further(&self) -> &[String] {
        match self {
            Self::Structure { said, .. } | Self::Submodule { said, .. } => {
                said.get(1..).unwrap_or_default()
            }
            Self::UnrelatedHistories { .. } | Self::Unaccounted { .. } => &[],
        }
    }

    /// The failure's text, and what to do about it.
    pub fn with_way_on(&self) -> String {
        match self {
            // These say it themselves.
            Self::UnrelatedHistories { .. } | Self::Structure { .. } | Self::Submodule { .. } => {
                self.to_string()
            }
            Self::Unaccounted { .. } => format!(
                "{self}; nothing has landed: merge the branch by hand with `git merge` in a checkout of the target, \
                 look at that line, and commit"
            ),
        }
    }

    /// The paths that contradict each other.
    pub fn paths(&self) -> &[String] {
        match self {
            Self::Structure { paths, .. } | Self::Submodule { paths, .. } => paths,
            Self::UnrelatedHistories { .. } | Self::Unaccounted { .. } => &[],
        }
    }
}

impl fmt::Display for MergeFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnrelatedHistories { shallow: true } => f.write_str(
                "the branches have no common history here, because this clone is shallow: fetch the rest with \
                 `git fetch --unshallow`, then merge again",
            ),
            Self::UnrelatedHistories { shallow: false } => f.write_str(
                "the branches have no common history: rebase the branch onto the target, or join the two once by \
                 hand with `git merge --allow-unrelated-histories`, then merge again",
            ),
            Self::Structure { said, paths } | Self::Submodule { said, paths } => match said.first() {
                Some(first) => write!(f, "{first}"),
                None => write!(f, "conflicting paths: {}", named(paths)),
            },
            Self::Unaccounted { lines } => {
                let repeated = |line: &UnaccountedLine| line.problem == LineProblem::Repeated;
                let said = if lines.iter().all(repeated) {
                    "the merged tree has more often than both sides put them in"
                } else {
                    "the merged tree does not account for"
                };
                write!(f, "{said}: {}", counted(lines.len() as u64, "line"))?;
                match lines.first() {
                    Some(line) => write!(f, ", first in {}: {}", line.file, line.text.trim()),
                    None => Ok(()),
                }
            }
        }
    }
}

/// A line that a result lost or made up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnaccountedLine {
    pub file: String,
    pub text: String,
    pub problem: LineProblem,
}

/// What is wrong with an unaccounted line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineProblem {
    /// A side has it, the other side did not remove it, and it is neither in the result nor reported.
    Lost,
    /// The result has it and no side does.
    Invented,
    /// The result has it more often than the base and what each side put in allow.
    Repeated,
    /// It stands where nobody contested anything, and the result has something else there.
    Disturbed,
}
