//! The user's files that moving a checkout would overwrite, and what to do about those that grove keeps there itself.
//! Looks; changes nothing.

use crate::git::{
    ChangedPath, DirtyFile, Entry, EntryKind, Oid, Pinned, Repo, dirty_files_in, path_name,
};
use crate::merge::error::MergeError;
use crate::text::named;

use super::unlisted::{is_above, unlisted};

/// Folders of a project that grove writes what was learnt and the tasks to, and whoever likes commits.
const KEPT_BY_GROVE: [&str; 2] = [".mulch", ".seeds"];

/// Files of the user that moving a checkout would overwrite.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InTheWay {
    /// Uncommitted changes in files that differ.
    pub changed: Vec<String>,
    /// Unknown (also ignored) files where new ones appear.
    pub untracked: Vec<String>,
    /// Changes that no status shows, because git was told to overlook them.
    pub overlooked: Vec<String>,
    /// Checkouts of submodules, in whose place something else comes.
    pub modules: Vec<String>,
    /// Files with conflicts, as a stash that was taken out leaves them: until that is settled git moves no checkout,
    /// whatever else changes in it.
    pub unmerged: Vec<String>,
}

impl InTheWay {
    pub(crate) fn is_empty(&self) -> bool {
        let all = [
            &self.changed,
            &self.untracked,
            &self.overlooked,
            &self.modules,
            &self.unmerged,
        ];
        all.into_iter().all(Vec::is_empty)
    }

    /// What there is besides those that `files_in_the_way` lists, once git itself has stopped because of them.
    pub(crate) fn named_by_git(said: &str) -> Self {
        Self {
            overlooked: files_of(said),
            ..Self::default()
        }
    }

    /// Names the files with conflicts.
    pub(super) fn advice_on_unmerged(&self) -> Option<String> {
        (!self.unmerged.is_empty()).then(|| {
            format!(
                "conflicts there are not settled yet: {}; settle them and `git add` the files, then try again",
                named(&self.unmerged)
            )
        })
    }

    /// Names what no status shows, and how to have it shown.
    pub(super) fn advice_on_overlooked(&self) -> Option<String> {
        (!self.overlooked.is_empty()).then(|| {
            format!(
                "changes that git was told to overlook would be overwritten: {}; `git update-index --no-skip-worktree \
                 --no-assume-unchanged -- {}` has git show them",
                named(&self.overlooked),
                self.overlooked.join(" ")
            )
        })
    }

    /// Names the submodules that git would delete with all that is in them.
    pub(super) fn advice_on_modules(&self) -> Option<String> {
        (!self.modules.is_empty()).then(|| {
            let modules = named(&self.modules);
            format!(
                "what is checked out of a submodule would be deleted: {modules}; `git submodule deinit {}` empties it, \
                 or move it elsewhere",
                self.modules.join(" ")
            )
        })
    }

    /// What to do about files that only their owner knows what to do with: grove keeps nobody's for later.
    pub(super) fn advice_on_own(&self) -> Option<&'static str> {
        let own = |files: &[String]| files.iter().any(|file| !is_note(file));
        match (own(&self.changed), own(&self.untracked)) {
            (false, false) => None,
            (true, false) => Some("commit or stash them, then try again"),
            (false, true) => Some("move them away, then try again"),
            (true, true) => {
                Some("commit or stash the changes, move the untracked files away, then try again")
            }
        }
    }

    /// What to do about files of folders that grove writes to as it goes: nobody has these open in an editor, so
    /// that something is in the way is the user's first news of them.
    pub(super) fn advice_on_notes(&self) -> Option<String> {
        let all = || self.changed.iter().chain(&self.untracked);
        let folders = KEPT_BY_GROVE.into_iter();
        let folders = folders.filter(|folder| all().any(|file| is_of(file, folder)));
        let folders = folders.collect::<Vec<_>>().join(" ");
        let notes: Vec<&str> = all()
            .map(String::as_str)
            .filter(|file| is_note(file))
            .collect();
        (!notes.is_empty()).then(|| {
            format!(
                "{} {} grove's own notes: keep them there with `git add {folders} && git commit -m notes {folders}`, \
                 then merge again",
                named(&notes),
                if notes.len() == 1 { "has" } else { "have" }
            )
        })
    }
}

fn is_of(file: &str, folder: &str) -> bool {
    file.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

fn is_note(file: &str) -> bool {
    KEPT_BY_GROVE.iter().any(|folder| is_of(file, folder))
}

/// The files that git names when it stops because of them: listed one to a line behind a tab by a merge, and each in a
/// line of its own by what is below it.
fn files_of(said: &str) -> Vec<String> {
    let of_line = |line: &str| -> Option<String> {
        let file = match line.strip_prefix('\t') {
            Some(file) => file,
            None => {
                let (_, rest) = line.split_once("Entry '")?;
                rest.strip_suffix("' not uptodate. Cannot merge.")?
            }
        };
        Some(file.trim().to_owned())
    };
    let mut files: Vec<String> = said.lines().filter_map(of_line).collect();
    files.sort();
    files.dedup();
    files
}

/// Lists the user's files that moving a checkout from one commit to another would overwrite.
pub(crate) fn files_in_the_way(
    repo: &Repo,
    checkout: &Pinned,
    from: Oid,
    to: Oid,
) -> Result<InTheWay, MergeError> {
    let changed = repo.changed_paths(repo.tree_of(from)?, repo.tree_of(to)?)?;
    those_in_the_way(checkout, &changed)
}

pub(super) fn those_in_the_way(
    checkout: &Pinned,
    changed: &[ChangedPath],
) -> Result<InTheWay, MergeError> {
    let dirty = dirty_files_in(checkout)?;
    let in_the_way = dirty
        .iter()
        .filter(|file| !file.is_unmerged())
        .filter(|file| {
            changed.iter().any(|change| {
                (change.path == file.path && !is_left_behind(file, change))
                    || is_above(&file.path, &change.path)
                    || (is_above(&change.path, &file.path) && !is_its_repository(file, change))
            })
        });
    let (untracked, known): (Vec<&DirtyFile>, Vec<&DirtyFile>) =
        in_the_way.partition(|file| file.is_untracked());
    let names = |files: Vec<&DirtyFile>| files.into_iter().map(DirtyFile::name).collect();
    let mut files = InTheWay {
        changed: names(known),
        untracked: names(untracked),
        ..InTheWay::default()
    };
    let hidden = unlisted(checkout, changed);
    let is_listed = |path: &[u8]| {
        dirty
            .iter()
            .any(|file| file.path == path || is_above(path, &file.path))
    };
    let unseen = hidden.files.iter().filter(|path| !is_listed(path));
    files.untracked.extend(unseen.map(|path| path_name(path)));
    let unmerged = dirty.iter().filter(|file| file.is_unmerged());
    files.unmerged = unmerged.map(DirtyFile::name).collect();
    files.modules = hidden.modules.iter().map(|path| path_name(path)).collect();
    for files in [&mut files.changed, &mut files.untracked, &mut files.modules] {
        files.sort();
        files.dedup();
    }
    Ok(files)
}

/// Tells of an unknown repository, which git lists with a slash and nothing in it, where it is the checkout of the
/// submodule that comes: git leaves it alone.
fn is_its_repository(file: &DirtyFile, change: &ChangedPath) -> bool {
    let comes = change
        .new
        .is_some_and(|entry| entry.kind == EntryKind::Submodule);
    comes && file.is_untracked() && file.path.strip_suffix(b"/") == Some(&change.path)
}

/// Tells of a submodule whose checkout stands at another commit than the index says, as after every merge that
/// moved it: git leaves that checkout alone whatever the merge does.
fn is_left_behind(file: &DirtyFile, change: &ChangedPath) -> bool {
    let is_module =
        |entry: Option<Entry>| entry.is_some_and(|entry| entry.kind == EntryKind::Submodule);
    (file.index, file.worktree) == (' ', 'M') && is_module(change.old) && is_module(change.new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_in_what_either_git_says() {
        let merge = "error: Your local changes to the following files would be overwritten by merge:\n\tb c\n\ta\n\
                     Please commit\n";
        assert_eq!(files_of(merge), ["a", "b c"]);
        let below = "error: Entry 'sub/b c' not uptodate. Cannot merge.\nerror: other\n";
        assert_eq!(files_of(below), ["sub/b c"]);
    }

    #[test]
    fn only_groves_own_folders_are_taken_for_notes() {
        let files = |changed: &[&str], untracked: &[&str]| {
            let owned = |files: &[&str]| files.iter().map(|file| (*file).to_owned()).collect();
            InTheWay {
                changed: owned(changed),
                untracked: owned(untracked),
                ..InTheWay::default()
            }
        };
        assert_eq!(
            files(&["a", ".mulchy/x"], &["sub/.mulch/x"]).advice_on_notes(),
            None
        );
        let advice = files(&["a", ".seeds/issues.jsonl"], &[]).advice_on_notes();
        let expected = ".seeds/issues.jsonl has grove's own notes: keep them there with `git add .seeds && git \
                        commit -m notes .seeds`, then merge again";
        assert_eq!(advice.as_deref(), Some(expected));
        let advice = files(
            &[".mulch/mulch.config.yaml"],
            &[".mulch/expertise/a.jsonl", ".seeds/x"],
        );
        let expected = ".mulch/mulch.config.yaml, .mulch/expertise/a.jsonl, .seeds/x have grove's own notes: keep them \
                        there with `git add .mulch .seeds && git commit -m notes .mulch .seeds`, then merge again";
        assert_eq!(advice.advice_on_notes().as_deref(), Some(expected));
    }
}
