//! How merges went before: which tiers resolved or failed on which files. Kept as records of the domain
//! `architecture`, so that other programs know them too.

use super::error::MulchError;
use super::outcome::{NewOutcome, OutcomeStatus};
use super::record::{NewRecord, Record};
use super::search::Filter;
use super::store::Mulch;
use crate::types::merge::MergeTier;

const DOMAIN: &str = "architecture";
const TAG: &str = "merge-conflict";
/// A tier that has failed so often, and never worked, is not tried again.
const GIVE_UP: usize = 2;

/// One merge that met a conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastMerge {
    /// Whether the tier resolved it.
    pub resolved: bool,
    /// The tier.
    pub tier: MergeTier,
    /// The branch.
    pub branch: String,
    /// Whose work it was.
    pub agent: String,
    /// The files in conflict.
    pub files: Vec<String>,
}

/// Remembers a merge. Does nothing in a project without expertise.
pub fn remember(mulch: &Mulch, merge: &PastMerge, task: &str) -> Result<(), MulchError> {
    let description = text(merge);
    // Every attempt counts, so none takes the place of another.
    let now = crate::platform::clock::now().iso();
    let mut new = NewRecord::new("pattern")
        .text("name", format!("merge-conflict {} {now}", merge.branch))
        .text("description", description);
    new.tags = vec![TAG.into()];
    new.evidence = vec![("bead".into(), task.to_owned())];
    new.files.clone_from(&merge.files);
    new.outcomes = vec![NewOutcome {
        agent: Some(merge.agent.clone()),
        ..NewOutcome::new(if merge.resolved {
            OutcomeStatus::Success
        } else {
            OutcomeStatus::Failure
        })
    }];
    mulch.record(DOMAIN, &new, false).map(|_| ())
}

/// All merges that are remembered.
pub fn recall(mulch: &Mulch) -> Result<Vec<PastMerge>, MulchError> {
    if !mulch.domains()?.iter().any(|d| d == DOMAIN) {
        return Ok(Vec::new());
    }
    let filter = Filter {
        kind: Some("pattern".into()),
        tag: Some(TAG.into()),
        ..Filter::default()
    };
    let found = mulch.query(&[DOMAIN.to_owned()], &filter)?;
    let records = found.iter().flat_map(|(_, records)| records);
    Ok(records.filter_map(parse).collect())
}

/// Whether a tier is not worth trying: it has failed on these files before, more than once, and never
/// worked.
pub fn gives_up(past: &[PastMerge], tier: MergeTier, files: &[String]) -> bool {
    if tier == MergeTier::CleanMerge {
        return false;
    }
    let about: Vec<&PastMerge> = past
        .iter()
        .filter(|m| m.tier == tier && m.files.iter().any(|f| files.contains(f)))
        .collect();
    about.len() >= GIVE_UP && !about.iter().any(|m| m.resolved)
}

fn text(merge: &PastMerge) -> String {
    format!(
        "Merge conflict {} at tier {}. Branch: {}. Agent: {}. Conflicting files: {}.",
        if merge.resolved { "resolved" } else { "failed" },
        merge.tier,
        merge.branch,
        merge.agent,
        merge.files.join(", ")
    )
}

fn parse(record: &Record) -> Option<PastMerge> {
    let rest = record.text("description").strip_prefix("Merge conflict ")?;
    let (how, rest) = rest.split_once(" at tier ")?;
    let (tier, rest) = rest.split_once(". Branch: ")?;
    let (branch, rest) = rest.split_once(". Agent: ")?;
    let (agent, files) = rest.split_once(". Conflicting files: ")?;
    let files = files.strip_suffix('.').unwrap_or(files);
    Some(PastMerge {
        resolved: match how {
            "resolved" => true,
            "failed" => false,
            _ => return None,
        },
        tier: MergeTier::parse(tier)?,
        branch: branch.to_owned(),
        agent: agent.to_owned(),
        files: files.split(", ").map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::store::create;
    use super::*;

    fn merge(branch: &str, resolved: bool, files: &[&str]) -> PastMerge {
        PastMerge {
            resolved,
            tier: MergeTier::AiResolve,
            branch: branch.into(),
            agent: "b1".into(),
            files: files.iter().map(|f| (*f).to_owned()).collect(),
        }
    }

    #[test]
    fn merges_are_remembered_word_for_word() {
        let dir = tempfile::tempdir().unwrap();
        create(dir.path()).unwrap();
        let mulch = Mulch::open(dir.path()).unwrap();
        assert!(recall(&mulch).unwrap().is_empty());
        let past = [
            merge("overstory/b1/t-1", false, &["a.rs", "b.rs"]),
            merge("overstory/b2/t-2", true, &["c.rs"]),
        ];
        for merge in &past {
            remember(&mulch, merge, "t-1").unwrap();
        }
        assert_eq!(recall(&mulch).unwrap(), past);
    }

    #[test]
    fn a_token_in_the_name_of_a_file_or_branch_is_not_remembered() {
        let token = "ghp_0123456789abcdefghijABCDEFGHIJ0123456";
        let dir = tempfile::tempdir().unwrap();
        create(dir.path()).unwrap();
        let mulch = Mulch::open(dir.path()).unwrap();
        let branch = format!("overstory/b1/{token}");
        let file = format!("keys/{token}.txt");
        remember(&mulch, &merge(&branch, false, &[&file]), token).unwrap();
        let stored = dir.path().join(".mulch/expertise/architecture.jsonl");
        let stored = std::fs::read_to_string(stored).unwrap();
        assert!(!stored.contains("0123456789abc"), "{stored}");
        assert!(stored.contains("keys/[REDACTED].txt"), "{stored}");
    }

    #[test]
    fn a_tier_is_given_up_after_two_failures_on_the_same_files() {
        let file = ["a.rs".to_owned()];
        let mut past = vec![
            merge("1", false, &["a.rs", "x"]),
            merge("2", false, &["b.rs"]),
        ];
        let gives_up = |past: &[PastMerge]| gives_up(past, MergeTier::AiResolve, &file);
        assert!(!gives_up(&past));
        past.push(merge("3", false, &["a.rs"]));
        assert!(gives_up(&past));
        assert!(!super::gives_up(&past, MergeTier::AutoResolve, &file));
        past.push(merge("4", true, &["a.rs"]));
        assert!(!gives_up(&past));
    }
}
