//! A file that each side has renamed, to different names: its content merges like any other, and the
//! name is one more place for a decision. Works on objects; the caller puts the result into a tree.

use crate::git::{ConflictedPath, Entry, GitError, MergedTree, Oid, Repo, path_bytes};
use crate::types::merge::{DisplacedHunk, DisplacedKind, WovenLine};

use super::answers::{Answers, Decision};
use super::attribution::Attribution;
use super::conflict::{SettledPath, settle_path};
use super::outcome::{FileVersions, MergePlan};
use super::settle::How;

/// What git calls it.
pub(super) const RENAMED_TWICE: &str = "CONFLICT (rename/rename)";

/// One file under three names.
#[derive(Debug)]
pub(super) struct RenamedTwice {
    pub(super) old: String,
    ours: String,
    theirs: String,
    base_entry: Entry,
    our_entry: Entry,
    their_entry: Entry,
}

impl RenamedTwice {
    pub(super) fn concerns(&self, path: &str) -> bool {
        self.names_of_all().any(|name| name == path)
    }

    pub(super) fn names_of_all(&self) -> impl Iterator<Item = &str> {
        [&self.old, &self.ours, &self.theirs]
            .into_iter()
            .map(String::as_str)
    }

    /// The names that the file gets by a decision.
    fn names(&self, decision: Option<&Decision>) -> Vec<String> {
        let both = || vec![self.ours.clone(), self.theirs.clone()];
        match decision {
            Some(Decision::Ours) => vec![self.ours.clone()],
            None | Some(Decision::Theirs) => vec![self.theirs.clone()],
            Some(Decision::Both | Decision::BothReversed) => both(),
            Some(Decision::Text(name)) => own_name(name).map_or_else(both, |name| vec![name]),
        }
    }

    /// The name that the file does not get, as the receipt will list it.
    fn given_up(
        &self,
        names: &[String],
        attribution: &mut Attribution<'_>,
    ) -> Option<DisplacedHunk> {
        let [name] = names else {
            return None;
        };
        let (text, incoming) = if *name == self.ours {
            (&self.theirs, &self.ours)
        } else {
            (&self.ours, &self.theirs)
        };
        let origin = attribution.of_file(&self.ours);
        Some(DisplacedHunk {
            file: name.clone(),
            file_bytes: String::new(),
            kind: DisplacedKind::Renamed,
            start_line: 0,
            agent: origin.agent,
            commit: origin.commit,
            committed_at: origin.committed_at,
            line_count: 0,
            base: self.old.clone(),
            text: text.clone(),
            incoming: incoming.clone(),
            text_bytes: String::new(),
            incoming_bytes: String::new(),
            driver: String::new(),
            parts: Vec::new(),
        })
    }
}

/// A settled file with what is to be said about it.
pub(super) struct SettledRename {
    pub(super) versions: FileVersions,
    pub(super) changes: Vec<(Vec<u8>, Option<Entry>)>,
    pub(super) woven: Vec<WovenLine>,
    pub(super) displaced: Vec<DisplacedHunk>,
    pub(super) warning: String,
}

/// Finds the files that git says were renamed by both sides. The conflict's own stages are of no
/// use: where the contents conflict too, they hold text with markers.
pub(super) fn renamed_twice(
    repo: &Repo,
    plan: &MergePlan,
    merged: &MergedTree,
) -> Result<Vec<RenamedTwice>, GitError> {
    let (ours_tree, theirs_tree) = (repo.tree_of(plan.target)?, repo.tree_of(plan.branch)?);
    let mut found = Vec::new();
    for said in merged.messages.iter().filter(|m| m.kind == RENAMED_TWICE) {
        let [old, ours, theirs] = said.paths.as_slice() else {
            continue;
        };
        let entries = (
            repo.entry_at(plan.base_tree, &path_bytes(old))?,
            repo.entry_at(ours_tree, &path_bytes(ours))?,
            repo.entry_at(theirs_tree, &path_bytes(theirs))?,
        );
        if let (Some(base_entry), Some(our_entry), Some(their_entry)) = entries {
            found.push(RenamedTwice {
                old: old.clone(),
                ours: ours.clone(),
                theirs: theirs.clone(),
                base_entry,
                our_entry,
                their_entry,
            });
        }
    }
    Ok(found)
}

/// Settles content and name. `None` when a new name is taken by something else on the other side.
pub(super) fn settle_rename(
    repo: &Repo,
    rename: &RenamedTwice,
    (ours_tree, theirs_tree): (Oid, Oid),
    how: How<'_>,
    attribution: &mut Attribution<'_>,
    answers: &mut Answers<'_>,
) -> Result<Option<SettledRename>, GitError> {
    if takes_a_name_in_use(repo, rename, (ours_tree, theirs_tree))? {
        return Ok(None);
    }
    let names = rename.names(answers.next());
    let mut displaced: Vec<DisplacedHunk> =
        rename.given_up(&names, attribution).into_iter().collect();
    let as_conflict = ConflictedPath {
        path: names
            .first()
            .map(|name| path_bytes(name).into_owned())
            .unwrap_or_default(),
        base: Some(rename.base_entry),
        ours: Some(rename.our_entry),
        theirs: Some(rename.their_entry),
    };
    let by_lines = how.driver.is_none();
    let settled = settle_path(
        repo,
        (&as_conflict, rename.ours.clone()),
        how,
        attribution,
        answers,
    )?;
    let SettledPath::Entry {
        entry,
        woven,
        displaced: lines,
        ..
    } = settled
    else {
        return Ok(None);
    };
    displaced.extend(lines);
    let mut changes: Vec<(Vec<u8>, Option<Entry>)> = [&rename.old, &rename.ours, &rename.theirs]
        .into_iter()
        .filter(|path| !names.contains(path))
        .map(|path| (path_bytes(path).into_owned(), None))
        .collect();
    changes.extend(
        names
            .iter()
            .map(|name| (path_bytes(name).into_owned(), entry)),
    );
    Ok(Some(SettledRename {
        versions: FileVersions {
            path: as_conflict.name(),
            base: as_conflict.base,
            ours: as_conflict.ours,
            theirs: as_conflict.theirs,
            by_lines,
        },
        changes,
        woven,
        displaced,
        warning: format!(
            "{} was renamed to {} on the target and to {} by the branch",
            rename.old, rename.ours, rename.theirs
        ),
    }))
}

fn takes_a_name_in_use(
    repo: &Repo,
    rename: &RenamedTwice,
    (ours_tree, theirs_tree): (Oid, Oid),
) -> Result<bool, GitError> {
    let ours_in_theirs = repo.entry_at(theirs_tree, &path_bytes(&rename.ours))?;
    let theirs_in_ours = repo.entry_at(ours_tree, &path_bytes(&rename.theirs))?;
    Ok(ours_in_theirs.is_some() || theirs_in_ours.is_some())
}

/// A name that a person wrote, if it stays inside the repository.
fn own_name(text: &str) -> Option<String> {
    let name = text.trim();
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != ".." && part != ".git";
    (!name.contains(['\n', '\0', '\\', '"']) && name.split('/').all(is_plain))
        .then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::own_name;

    #[test]
    fn a_written_name_stays_inside_the_repository() {
        assert_eq!(own_name(" src/a.rs\n").as_deref(), Some("src/a.rs"));
        for bad in [
            "",
            "/etc/x",
            "../x",
            "a//b",
            ".git/config",
            "a\nb",
            "\"../x\"",
        ] {
            assert_eq!(own_name(bad), None, "{bad}");
        }
    }
}
