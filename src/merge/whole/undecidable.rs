//! Files in which nothing is contested though the account refuses what is there: they are contested as a whole, since
//! otherwise nobody could decide the merge. Writes objects; moves nothing.

use std::collections::BTreeMap;

use crate::git::{GitError, MergedTree, Repo};
use crate::process::shell::Cancel;
use crate::types::merge::{DisplacedHunk, DisplacedKind};

use crate::merge::account::{Source, account_in_time};
use crate::merge::attribution::Origins;
use crate::merge::conflicts::settle_conflicts;
use crate::merge::error::MergeError;
use crate::merge::outcome::{MergeOutcome, MergePlan};
use crate::merge::plan::Asked;
use crate::merge::whole::Driven;

/// So many times files are added; what is refused then is refused in the end.
const ROUNDS: usize = 4;

/// Names of files that are contested as a whole, each with a line that the account refuses otherwise.
pub(in crate::merge) type Refused = BTreeMap<String, String>;

/// Settles what git left open; what the account would refuse of that is contested.
pub(in crate::merge) fn settle_decidable(
    repo: &Repo,
    plan: &MergePlan,
    (merged, driven): (&MergedTree, &[Driven]),
    asked: Asked<'_>,
) -> Result<MergeOutcome, MergeError> {
    let settled = |asked, whole: &Refused| {
        settle_conflicts(repo, plan.clone(), (merged, driven), asked, whole)
    };
    // Answers and marks are for the places that there are without them.
    let is_open = asked.choices.is_none() && asked.marks.is_none();
    let open = if is_open {
        asked
    } else {
        Asked {
            origins: Origins::Unasked,
            cancel: asked.cancel,
            ..Asked::default()
        }
    };
    let mut whole = Refused::new();
    for _ in 0..ROUNDS {
        let outcome = settled(open, &whole)?;
        let more = match outcome.plan() {
            Some(plan) => refused(repo, plan, asked.cancel)?,
            None => Refused::new(),
        };
        if more.is_empty() {
            return if is_open {
                Ok(outcome)
            } else {
                settled(asked, &whole)
            };
        }
        whole.extend(more);
    }
    settled(asked, &whole)
}

/// The files of a plan that the account refuses and nobody is asked about.
fn refused(repo: &Repo, plan: &MergePlan, cancel: Option<&Cancel>) -> Result<Refused, GitError> {
    let places = plan.displaced.iter().filter(|hunk| has_place(hunk));
    let is_open = |file: &str| places.clone().any(|hunk| hunk.file == file);
    let settled = plan.versions.iter().filter(|file| file.by_lines);
    let settled = settled.map(|file| file.path.as_str());
    let settled: Vec<&str> = settled.filter(|file| !is_open(file)).collect();
    let mut refused = Refused::new();
    let sources: &[Source] = if settled.is_empty() {
        &[]
    } else if plan.displaced.is_empty() {
        &[Source::Engine]
    } else {
        // What is decided is accounted for file by file.
        &[Source::Engine, Source::Chosen]
    };
    for source in sources {
        for line in account_in_time(repo, plan, *source, cancel)?.unaccounted {
            refused.entry(line.file).or_insert(line.text);
        }
    }
    let found = settled.iter().filter_map(|file| {
        let line = refused.get(*file)?;
        Some(((*file).to_owned(), line.clone()))
    });
    let found: Refused = found.collect();
    // Of lines that were looked for in several files, the first one is named.
    if found.is_empty()
        && places.clone().next().is_none()
        && let Some(line) = refused.values().next()
    {
        let all = settled.into_iter();
        return Ok(all.map(|file| (file.to_owned(), line.clone())).collect());
    }
    Ok(found)
}

/// Whether a hunk asks what is to be in a file.
fn has_place(hunk: &DisplacedHunk) -> bool {
    match hunk.kind {
        DisplacedKind::Renamed | DisplacedKind::Mode => false,
        DisplacedKind::Text
        | DisplacedKind::Binary
        | DisplacedKind::Driven
        | DisplacedKind::Symlink
        | DisplacedKind::DeletedByBranch
        | DisplacedKind::DeletedByTarget => true,
    }
}

/// Says why a file is contested that is settled line by line otherwise.
pub(in crate::merge) fn said(file: &str, line: &str) -> String {
    let line = line.trim();
    format!(
        "{file}: what both sides did does not add up, line by line ({line}); decide the whole file in Review"
    )
}
