//! Decisions of a person that were kept, and how many of a plan's places they answer. They belong to the branch and not
//! to a screen: every way of merging looks for them, and none puts anything in their place.

use std::collections::{BTreeMap, HashMap};

use sha2::{Digest, Sha256};

use crate::types::merge::{DisplacedHunk, DisplacedKind, MergeTier, PlaceDecision};

use super::review::{Choices, Decision, Review};
use crate::merge::outcome::MergePlan;

/// What a person has decided about contested places of a branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decided {
    /// By the names of the places.
    pub places: BTreeMap<String, PlaceDecision>,
    /// The person wants it landed so: what is only noted so far lands by nobody.
    pub is_accepted: bool,
}

/// What was kept, and what it comes to for one plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::merge) enum Kept {
    /// Nobody has decided anything about these places.
    Nothing,
    /// So many places are decided, and the review is not accepted: somebody has to.
    Some { decided: usize, of: usize },
    /// All are decided, and the person wants it landed so.
    All(Review),
}

/// Says why what a person has begun to decide is decided by nobody else.
pub(in crate::merge) fn half_decided(decided: usize, of: usize) -> String {
    if decided == of {
        return "every contested place is decided, and nobody has accepted that: the review does"
            .to_owned();
    }
    format!(
        "{decided} of {of} contested places are decided; the review has them, and waits for the others"
    )
}

/// Finds the decisions about the places of a plan.
pub(in crate::merge) fn kept(plan: &MergePlan, kept: &Decided) -> Kept {
    let mut naming = Naming::default();
    let places = plan.displaced.iter();
    let found: Vec<Option<&PlaceDecision>> = places
        .map(|hunk| {
            let decision = kept.places.get(&naming.next(hunk));
            // What a merge driver makes is looked at anew each time.
            decision.filter(|_| hunk.kind != DisplacedKind::Driven)
        })
        .collect();
    let decided: Vec<&PlaceDecision> = found.iter().copied().flatten().collect();
    match decided.len() {
        0 => Kept::Nothing,
        some if some < found.len() || !kept.is_accepted => Kept::Some {
            decided: some,
            of: found.len(),
        },
        _ => Kept::All(Review {
            target: plan.target,
            branch: plan.branch,
            choices: Choices::Hunks(decided.iter().map(|it| Decision::from(*it)).collect()),
            tier: tier_of(&decided),
            made: Vec::new(),
        }),
    }
}

/// The tier that a result counts as which was decided so: with a text that a model has proposed it is the model's.
pub fn tier_of(decisions: &[&PlaceDecision]) -> MergeTier {
    let is_asked = |it: &&PlaceDecision| matches!(it, PlaceDecision::Text { proposed: true, .. });
    if decisions.iter().any(is_asked) {
        MergeTier::AiResolve
    } else {
        MergeTier::AutoResolve
    }
}

impl From<&PlaceDecision> for Decision {
    fn from(decision: &PlaceDecision) -> Self {
        match decision {
            PlaceDecision::Ours => Self::Ours,
            PlaceDecision::Theirs => Self::Theirs,
            PlaceDecision::Both => Self::Both,
            PlaceDecision::BothReversed => Self::BothReversed,
            PlaceDecision::Text { text, .. } => Self::Text(text.clone()),
        }
    }
}

/// Names the places of one plan, in its order.
#[derive(Debug, Default)]
pub struct Naming {
    seen: HashMap<String, usize>,
}

impl Naming {
    /// Names the next place by all that a decision depends on, and by how often that has occurred before.
    pub fn next(&mut self, hunk: &DisplacedHunk) -> String {
        let mut hash = Sha256::new();
        let kind = format!("{:?}", hunk.kind);
        for part in [&hunk.file, &kind, &hunk.base, &hunk.text, &hunk.incoming] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        let digest = hash.finalize();
        let bytes = digest.iter().take(12);
        let name: String = bytes.map(|byte| format!("{byte:02x}")).collect();
        let count = self.seen.entry(name.clone()).or_default();
        *count += 1;
        match *count {
            1 => name,
            n => format!("{name}-{n}"),
        }
    }
}
