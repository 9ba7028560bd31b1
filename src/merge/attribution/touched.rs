//! Which commits of the target touched which files since the base. Git is asked once for all files: of what only one
//! commit has touched, nobody has to ask line by line. Reads history; decides nothing.

use std::collections::HashMap;

use crate::git::{GitError, Oid, Repo, git, path_bytes};

/// Longer histories than this are asked for file by file.
const MOST_COMMITS: usize = 2000;

/// The files that commits since the base have touched.
#[derive(Debug, Default)]
pub(super) struct Touched(HashMap<Vec<u8>, Touch>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Touch {
    Once {
        commit: Oid,
        /// The file was there before: its lines did not come with another name.
        is_edit: bool,
    },
    Often,
}

impl Touched {
    /// Reads the history of all files between two commits.
    pub(super) fn since(repo: &Repo, base: Oid, target: Oid) -> Result<Self, GitError> {
        let commits = repo.commits_between(base, target, MOST_COMMITS + 1)?;
        if commits.len() > MOST_COMMITS {
            return Ok(Self::default());
        }
        let ids: String = commits
            .iter()
            .map(|commit| format!("{}\n", commit.id))
            .collect();
        // A merge touches what it has from none of its parents.
        let output = git(repo.path())
            .args(["diff-tree", "--stdin", "-r", "-z", "-c", "--no-renames"])
            .args(["--root", "--name-status"])
            .stdin(ids)
            .run()?;
        Ok(Self::read(&output.stdout))
    }

    /// Reads `commit NUL (status NUL path NUL)*`.
    fn read(output: &[u8]) -> Self {
        let mut touched = Self::default();
        let mut fields = output.split(|byte| *byte == 0);
        let mut present = None;
        while let Some(field) = fields.next() {
            let text = String::from_utf8_lossy(field);
            if text.len() >= 40 {
                present = Oid::from_str(text.trim()).ok();
                continue;
            }
            let (Some(commit), Some(path)) = (present, fields.next()) else {
                continue;
            };
            let is_edit = text.bytes().all(|letter| letter == b'M');
            touched
                .0
                .entry(path.to_vec())
                .and_modify(|touch| *touch = Touch::Often)
                .or_insert(Touch::Once { commit, is_edit });
        }
        touched
    }

    /// The one commit that has touched a file.
    pub(super) fn only(&self, path: &str) -> Option<Oid> {
        match self.0.get(&*path_bytes(path))? {
            Touch::Once { commit, .. } => Some(*commit),
            Touch::Often => None,
        }
    }

    /// The one commit that has touched a file, if all lines that are not the base's are its own.
    pub(super) fn only_editor(&self, path: &str) -> Option<Oid> {
        match self.0.get(&*path_bytes(path))? {
            Touch::Once {
                commit,
                is_edit: true,
            } => Some(*commit),
            Touch::Once { is_edit: false, .. } | Touch::Often => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_editor_only_if_one_commit_changed_it_and_none_made_it() {
        let (one, two) = ("a".repeat(40), "b".repeat(40));
        let output = format!("{one}\0M\0f\0A\0new\0M\0both\0{two}\0M\0both\0MM\0merged\0");
        let touched = Touched::read(output.as_bytes());
        let id = |text: &str| Some(Oid::from_str(text).unwrap());
        assert_eq!(touched.only_editor("f"), id(&one));
        assert_eq!(touched.only_editor("merged"), id(&two));
        assert_eq!(
            (touched.only_editor("new"), touched.only("new")),
            (None, id(&one))
        );
        assert_eq!(
            (touched.only_editor("both"), touched.only("both")),
            (None, None)
        );
        assert_eq!(touched.only("elsewhere"), None);
    }
}
