//! Which files of a checkout differ from what is committed, as git itself reports it.
//! Reads only; takes no locks.

use std::path::Path;

use super::cli::{GitCall, git};
use super::error::GitError;
use super::path_name::path_name;
use super::pinned::Pinned;

/// How often git is asked when folders go while it looks.
const MOST_LOOKS: u32 = 20;

/// A file with uncommitted changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirtyFile {
    /// Path from the top of the checkout.
    pub path: Vec<u8>,
    /// State in the index: the first letter of git's short status.
    pub index: char,
    /// State in the working tree: the second letter.
    pub worktree: char,
}

impl DirtyFile {
    /// What the file is called in messages.
    pub fn name(&self) -> String {
        path_name(&self.path)
    }

    /// Tells whether git does not know the file yet.
    pub fn is_untracked(&self) -> bool {
        self.index == '?'
    }

    /// Tells whether the file has a conflict that is not settled.
    pub fn is_unmerged(&self) -> bool {
        self.index == 'U'
            || self.worktree == 'U'
            || matches!((self.index, self.worktree), ('A', 'A') | ('D', 'D'))
    }
}

/// Lists uncommitted files of the checkout at `dir`; a rename gives both names.
pub fn dirty_files(dir: &Path) -> Result<Vec<DirtyFile>, GitError> {
    dirty_files_by(git(dir))
}

/// The same for a checkout that others than the user may write to.
pub fn dirty_files_in(checkout: &Pinned) -> Result<Vec<DirtyFile>, GitError> {
    dirty_files_by(checkout.git_within())
}

/// Lists what a prepared call says about its checkout. Git gives up when a folder goes while it looks, as scratch
/// checkouts do that are not ignored; it is asked again then.
pub fn dirty_files_by(call: GitCall) -> Result<Vec<DirtyFile>, GitError> {
    let call = call.args([
        "status",
        "--porcelain=v1",
        "-z",
        "--untracked-files=all",
        "--ignore-submodules=dirty",
    ]);
    let mut looks = 1;
    loop {
        match call.clone().run() {
            Ok(output) => return Ok(parse(&output.stdout)),
            Err(GitError::Failed { stderr, .. })
                if looks < MOST_LOOKS && stderr.contains("Invalid path") =>
            {
                looks += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

fn parse(bytes: &[u8]) -> Vec<DirtyFile> {
    let mut fields = bytes.split(|byte| *byte == 0);
    let mut files = Vec::new();
    while let Some(field) = fields.next() {
        let [index, worktree, b' ', path @ ..] = field else {
            continue;
        };
        let (index, worktree) = (char::from(*index), char::from(*worktree));
        let mut push = |path: &[u8]| {
            files.push(DirtyFile {
                path: path.to_vec(),
                index,
                worktree,
            });
        };
        push(path);
        // Renames and copies are followed by the old name.
        if (matches!(index, 'R' | 'C') || matches!(worktree, 'R' | 'C'))
            && let Some(old) = fields.next()
        {
            push(old);
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_status_is_read_with_renames_and_odd_names() {
        let files = parse(b" M src/a b.rs\0R  new.rs\0old.rs\0?? weird\nname\0?? \xe9\0");
        let seen: Vec<(char, char, String)> = files
            .iter()
            .map(|f| (f.index, f.worktree, f.name()))
            .collect();
        let seen: Vec<(char, char, &str)> =
            seen.iter().map(|(i, w, name)| (*i, *w, &**name)).collect();
        assert_eq!(
            seen,
            [
                (' ', 'M', "src/a b.rs"),
                ('R', ' ', "new.rs"),
                ('R', ' ', "old.rs"),
                ('?', '?', r#""weird\nname""#),
                ('?', '?', r#""\351""#),
            ]
        );
        assert!(files[3].is_untracked());
    }
}
