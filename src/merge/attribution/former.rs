//! The names that contested files had before one side renamed them, for those who are shown them. Reads objects; decides
//! nothing.

use std::collections::{BTreeSet, HashMap};

use crate::git::{GitError, Repo, path_bytes, path_name, renamed_paths};
use crate::merge::outcome::MergePlan;
use crate::types::merge::DisplacedKind;

/// Finds the names in the base of contested files that have another one in the result, by that. Git is only asked if
/// there are such files.
pub(in crate::merge) fn former_names(
    repo: &Repo,
    plan: &MergePlan,
) -> Result<HashMap<String, String>, GitError> {
    let mut new = BTreeSet::new();
    // Where both sides renamed a file, its names are what is decided about.
    let hunks = plan.displaced.iter();
    for hunk in hunks.filter(|hunk| hunk.kind != DisplacedKind::Renamed) {
        let is_known = |repo: &Repo| repo.entry_at(plan.base_tree, &path_bytes(&hunk.file));
        if !new.contains(&hunk.file) && is_known(repo)?.is_none() {
            new.insert(hunk.file.clone());
        }
    }
    let mut former = HashMap::new();
    for side in [plan.branch, plan.target] {
        if new.is_empty() {
            break;
        }
        for renamed in renamed_paths(repo, plan.base_tree, repo.tree_of(side)?)? {
            let name = path_name(&renamed.new);
            if new.remove(&name) {
                former.insert(name, path_name(&renamed.old));
            }
        }
    }
    Ok(former)
}
