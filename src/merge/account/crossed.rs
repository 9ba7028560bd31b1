//! Where histories cross: what one common ancestor alone, read by the names of files, would call lost. Lists, and refuses
//! nothing.
//!
//! Two branches with several best common ancestors are measured against all of them joined, as git does. What a side did
//! before one of these is then no change of that side any more, and may have been taken out since. Whoever measures by
//! another ancestor sees it as the side's work that is gone, and finds it named here. So does who looks up in the ancestor
//! a file that both sides have renamed alike, by the name that only they have for it.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::git::{Entry, GitError, Oid, Repo, is_binary, path_name};
use crate::merge::lines::between_newlines;
use crate::merge::outcome::MergePlan;
use crate::types::merge::CrossedLines;

/// Lines that a side has more often than one ancestor has them, that the result does not have at all, and that the plan
/// does not list already. None for what git merged by itself.
pub(super) fn crossed(repo: &Repo, plan: &MergePlan) -> Result<Vec<CrossedLines>, GitError> {
    if plan.conflict_files.is_empty() {
        return Ok(Vec::new());
    }
    let ours = repo.tree_of(plan.target)?;
    let theirs = repo.tree_of(plan.branch)?;
    let mut found = Vec::new();
    let mut listed = listed(plan);
    for ancestor in &plan.bases {
        let base = repo.tree_of(*ancestor)?;
        let changed = repo.changed_paths(base, plan.tree)?;
        // A change of type comes as a removal and an addition of one path.
        let paths: BTreeSet<Vec<u8>> = changed.into_iter().map(|change| change.path).collect();
        for path in paths {
            // A file that one side no longer has is a matter of files, and decided as one.
            if repo.entry_at(ours, &path)?.is_none() || repo.entry_at(theirs, &path)?.is_none() {
                continue;
            }
            for (side, tree) in [("target", ours), ("branch", theirs)] {
                let gone = Gone::of(repo, &path, [base, tree, plan.tree])?;
                let lines: Vec<String> = gone
                    .lines()
                    .filter(|line| listed.insert(line.to_vec()))
                    .map(|line| String::from_utf8_lossy(line).into_owned())
                    .collect();
                if !lines.is_empty() {
                    found.push(CrossedLines {
                        file: path_name(&path),
                        side: side.to_owned(),
                        ancestor: ancestor.to_string(),
                        lines,
                    });
                }
            }
        }
    }
    Ok(found)
}

/// One file as an ancestor, a side and the result have it. Empty where there is nothing to compare.
struct Gone {
    base: Vec<u8>,
    side: Vec<u8>,
    result: Vec<u8>,
}

impl Gone {
    fn of(repo: &Repo, path: &[u8], [base, side, result]: [Oid; 3]) -> Result<Self, GitError> {
        let side = repo.entry_at(side, path)?;
        let result = repo.entry_at(result, path)?;
        Ok(Self {
            base: text(repo, repo.entry_at(base, path)?)?,
            side: if side == result {
                Vec::new()
            } else {
                text(repo, side)?
            },
            result: text(repo, result)?,
        })
    }

    /// The lines of the side that are new beside the ancestor and not in the result, each once, in their order.
    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let [before, in_side, after] =
            [&self.base, &self.side, &self.result].map(|text| counted(text));
        let mut seen = HashSet::new();
        trimmed(&self.side).filter(move |line| {
            let is_new = before.get(line) < in_side.get(line);
            is_new && !after.contains_key(line) && seen.insert(*line)
        })
    }
}

/// What there is to compare by lines; what is no text has none.
fn text(repo: &Repo, entry: Option<Entry>) -> Result<Vec<u8>, GitError> {
    let Some(entry) = entry.filter(|entry| entry.kind.is_regular()) else {
        return Ok(Vec::new());
    };
    let mut bytes = repo.blob(entry.id)?;
    if is_binary(&bytes) {
        bytes.clear();
    }
    Ok(bytes)
}

fn counted(text: &[u8]) -> HashMap<&[u8], u64> {
    let mut counts = HashMap::new();
    for line in trimmed(text) {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

/// Lines without the space around them, but for blank ones: how deep a line stands, others have checked.
fn trimmed(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = between_newlines(text).into_iter();
    lines
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
}

/// The lines that the plan names anyway.
fn listed(plan: &MergePlan) -> HashSet<Vec<u8>> {
    let displaced = plan.displaced.iter().flat_map(|hunk| hunk.text.lines());
    let woven = plan.woven.iter().flat_map(|woven| &woven.lines);
    displaced
        .chain(woven.map(String::as_str))
        .map(|line| line.trim().as_bytes().to_vec())
        .collect()
}
