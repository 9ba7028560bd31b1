//! How earlier conflicts in the same files ended: which tiers are worth trying, and what to tell who
//! is asked. Where the outcomes are kept is the implementor's matter.

use crate::types::merge::MergeTier;

/// One earlier conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastMerge {
    pub tier: MergeTier,
    pub resolved: bool,
    pub branch: String,
    pub agent: String,
    pub files: Vec<String>,
}

/// A memory of earlier conflicts.
pub trait PastMerges {
    /// Outcomes that share a file with these.
    fn sharing(&self, files: &[String]) -> Vec<PastMerge>;
}

/// No memory at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPastMerges;

impl PastMerges for NoPastMerges {
    fn sharing(&self, _files: &[String]) -> Vec<PastMerge> {
        Vec::new()
    }
}

impl PastMerge {
    /// The sentence under which an outcome is kept as expertise.
    pub fn to_text(&self) -> String {
        let word = if self.resolved { "resolved" } else { "failed" };
        format!(
            "Merge conflict {word} at tier {}. Branch: {}. Agent: {}. Conflicting files: {}.",
            self.tier,
            self.branch,
            self.agent,
            self.files.join(", ")
        )
    }
}

/// A tier that failed twice or more for these files and never succeeded is not tried again.
pub fn not_worth_trying(past: &[PastMerge], tier: MergeTier) -> Option<String> {
    let of_tier = |resolved: bool| {
        past.iter()
            .filter(|merge| merge.tier == tier && merge.resolved == resolved)
            .count()
    };
    let (failures, successes) = (of_tier(false), of_tier(true));
    (failures >= 2 && successes == 0)
        .then(|| format!("it failed {failures} times for these files and never succeeded"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(tier: MergeTier, resolved: bool) -> PastMerge {
        PastMerge {
            tier,
            resolved,
            branch: "overstory/ann/t-1".to_owned(),
            agent: "ann".to_owned(),
            files: vec!["src/a.rs".to_owned(), "b.md".to_owned()],
        }
    }

    #[test]
    fn two_failures_without_a_success_end_a_tier() {
        let tier = MergeTier::AiResolve;
        let failed = past(tier, false);
        assert_eq!(not_worth_trying(std::slice::from_ref(&failed), tier), None);
        let twice = [failed.clone(), failed.clone()];
        assert!(not_worth_trying(&twice, tier).is_some());
        assert_eq!(not_worth_trying(&twice, MergeTier::Reimagine), None);
        let and_once = [failed.clone(), failed, past(tier, true)];
        assert_eq!(not_worth_trying(&and_once, tier), None);
    }
}
