//! What the target calls a file that is settled under another name: whose lines they are is asked for by that one.
//! Reads objects.

use crate::git::{
    ConflictedPath, Entry, GitError, Oid, RenamedPath, Repo, path_name, renamed_paths,
};
use crate::merge::outcome::MergePlan;

/// Answers for one merge; asks git for renames once at most.
#[derive(Debug, Default)]
pub(in crate::merge) struct Names {
    renamed_by_branch: Option<Vec<RenamedPath>>,
}

impl Names {
    /// The name that a contested file has, or had, on the target.
    pub(in crate::merge) fn on_target(
        &mut self,
        repo: &Repo,
        plan: &MergePlan,
        conflict: &ConflictedPath,
    ) -> Result<String, GitError> {
        // A file that the target has deleted is known by the name it had.
        let (tree, wanted) = match conflict.ours {
            Some(_) => (repo.tree_of(plan.target)?, conflict.ours),
            None => (plan.base_tree, conflict.base),
        };
        let content = |entry: Option<Entry>| entry.map(|entry| entry.id);
        let is_it = |entry: Option<Entry>| content(entry) == content(wanted);
        if is_it(repo.entry_at(tree, &conflict.path)?) {
            return Ok(conflict.name());
        }
        let pairs = self.renamed_by_branch(repo, plan)?.iter();
        for pair in pairs.filter(|pair| pair.new == conflict.path) {
            if is_it(repo.entry_at(tree, &pair.old)?) {
                return Ok(path_name(&pair.old));
            }
        }
        // It went along with a folder that the branch renamed.
        let found = match conflict.ours {
            Some(ours) => changed_to(repo, plan.base_tree, tree, ours.id)?,
            None => None,
        };
        Ok(found.map_or_else(|| conflict.name(), |path| path_name(&path)))
    }

    fn renamed_by_branch(
        &mut self,
        repo: &Repo,
        plan: &MergePlan,
    ) -> Result<&[RenamedPath], GitError> {
        let known = match self.renamed_by_branch.take() {
            Some(known) => known,
            None => renamed_paths(repo, plan.base_tree, repo.tree_of(plan.branch)?)?,
        };
        Ok(self.renamed_by_branch.insert(known))
    }
}

/// The file that has become this content, if there is one only.
fn changed_to(
    repo: &Repo,
    base: Oid,
    tree: Oid,
    content: Oid,
) -> Result<Option<Vec<u8>>, GitError> {
    let changed = repo.changed_paths(base, tree)?.into_iter();
    let mut same = changed.filter(|change| change.new.is_some_and(|entry| entry.id == content));
    Ok(match (same.next(), same.next()) {
        (Some(only), None) => Some(only.path),
        (Some(_), Some(_)) | (None, _) => None,
    })
}
