//! Answers to the contested places of a merge: by a person, place by place, or by an agent, file by
//! file. Data and the order in which it is used; checking the outcome is the account's part.

use std::collections::BTreeMap;

use crate::git::Oid;
use crate::types::merge::MergeTier;

use crate::merge::account::Source;

/// What shall stand in a contested place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The target's side.
    Ours,
    /// The branch's side.
    Theirs,
    /// The target's lines, then the branch's; what the driver made, if one has merged the file.
    Both,
    /// The branch's lines, then the target's.
    BothReversed,
    /// Lines of one's own.
    Text(String),
}

/// A complete review of one plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The tips that the plan was for: a decision must not be applied to anything else.
    pub target: Oid,
    pub branch: Oid,
    pub choices: Choices,
    /// The tier that the result counts as.
    pub tier: MergeTier,
    /// Files that a merge driver had merged when this was decided, and what it had made: if it makes something
    /// else at landing, nobody has looked at that.
    pub made: Vec<(String, Oid)>,
}

/// How the contested places are filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choices {
    /// One decision for each displaced hunk of the plan, in the plan's order.
    Hunks(Vec<Decision>),
    /// The whole merged content of each contested file.
    Files(BTreeMap<String, String>),
}

impl Choices {
    /// Returns what the account of the result is to go by.
    pub(crate) fn source(&self) -> Source {
        match self {
            Self::Hunks(decisions) => {
                let is_written = |decision: &Decision| matches!(decision, Decision::Text(_));
                if decisions.iter().any(is_written) {
                    Source::Filled
                } else {
                    Source::Chosen
                }
            }
            Self::Files(_) => Source::Written,
        }
    }
}

/// The answers while a plan is being made.
#[derive(Debug)]
pub(crate) struct Answers<'a> {
    choices: Option<&'a Choices>,
    /// What the marks of contested places begin with, where they are to be found again.
    marks: Option<&'a str>,
    used: usize,
}

/// The line that stands in the place with this number, in the order of the decisions.
pub(in crate::merge) fn mark(secret: &str, number: usize) -> String {
    format!("\u{1}{secret} {number}")
}

impl<'a> Answers<'a> {
    pub(crate) fn new(choices: Option<&'a Choices>, marks: Option<&'a str>) -> Self {
        Self {
            choices,
            marks,
            used: 0,
        }
    }

    /// Returns the answer for the next contested place.
    pub(crate) fn next(&mut self) -> Option<&'a Decision> {
        let number = self.used;
        self.used += 1;
        match self.choices {
            Some(Choices::Hunks(decisions)) => decisions.get(number),
            Some(Choices::Files(_)) | None => None,
        }
    }

    /// Returns the mark for the contested lines that were asked for last.
    pub(crate) fn mark(&self) -> Option<String> {
        let number = self.used.checked_sub(1)?;
        self.marks.map(|secret| mark(secret, number))
    }

    /// Returns whether the places are looked up to be shown, and nothing is said of a result yet.
    pub(crate) fn are_awaited(&self) -> bool {
        self.marks.is_some()
    }

    /// Returns whether somebody has answered: what is displaced then is what goes.
    pub(crate) fn are_given(&self) -> bool {
        self.choices.is_some()
    }

    /// Returns the answer for a whole file.
    pub(crate) fn file(&self, name: &str) -> Option<&'a str> {
        match self.choices {
            Some(Choices::Files(files)) => files.get(name).map(String::as_str),
            Some(Choices::Hunks(_)) | None => None,
        }
    }

    /// Returns whether every contested place was asked for and answered.
    pub(crate) fn are_complete(&self) -> bool {
        match self.choices {
            Some(Choices::Hunks(decisions)) => decisions.len() == self.used,
            // A file that was not answered shows as displaced content.
            Some(Choices::Files(_)) | None => true,
        }
    }
}
