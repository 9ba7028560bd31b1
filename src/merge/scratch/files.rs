//! The files of a scratch checkout: written, put back after a gate, and rid of what a gate has left.

use std::path::PathBuf;

use crate::git::{GitCall, GitError, GitOutput, Oid, Pinned, Repo, path_name};
use crate::merge::MergeError;
use crate::platform::env;
use crate::sandbox;
use crate::worktree::WorktreeError;

use super::checkout::open_up;

/// The files of a checkout as git's own administration of it knows them, which nothing inside of it can change.
#[derive(Debug)]
pub(super) struct Files {
    there: Pinned,
    commit: Oid,
    common: PathBuf,
    hosts: PathBuf,
}

impl Files {
    pub(super) fn of(repo: &Repo, there: Pinned, commit: Oid, hosts: PathBuf) -> Self {
        let common = repo.common_dir().to_path_buf();
        Self {
            there,
            commit,
            common,
            hosts,
        }
    }

    /// Makes every file of the commit what it is there; other files stay.
    pub(super) fn write(&self) -> Result<(), MergeError> {
        let commit = self.commit.to_string();
        self.confined(|call| call.args(["reset", "-q", "--hard", &commit]))?;
        Ok(())
    }

    /// Undoes what was done to files of the commit, and names them.
    pub(super) fn put_back(&self) -> Result<Vec<String>, MergeError> {
        let mut changed = self.changed()?;
        if !changed.is_empty() {
            self.write()?;
            // What differs from the commit as soon as it is written is nobody's change: line ends, say.
            let always = self.changed()?;
            changed.retain(|path| !always.contains(path));
        }
        Ok(changed)
    }

    /// Removes what the commit does not have and git does not ignore, and names it; a folder with nothing else by its
    /// own name. Call it after `put_back`, for what is ignored is said by files too.
    pub(super) fn clear(&self) -> Result<Vec<String>, MergeError> {
        let call = self.there.git().args(["ls-files", "--others", "-z"]);
        let call = call.args(["--exclude-standard", "--directory", "--no-empty-directory"]);
        let left = names(&call.run()?);
        if !left.is_empty() {
            // Twice, for repositories among them.
            let clean = || self.confined(|call| call.args(["clean", "-q", "-d", "-f", "-f"]));
            if clean().is_err() {
                // A folder may have been left without the permission to empty it.
                open_up(self.there.path(), 0);
                clean()?;
            }
        }
        Ok(left)
    }

    /// The commit's files that are not as they are there.
    fn changed(&self) -> Result<Vec<String>, GitError> {
        let call = self.there.git_asking_within();
        let call = call.args(["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff"]);
        let call = call.args(["--no-textconv", "--ignore-submodules=all"]);
        let output = call.arg(self.commit.to_string()).arg("--").run()?;
        Ok(names(&output))
    }

    /// Runs git where it can write nothing but the checkout: it starts filters, and what they run lies there.
    fn confined(&self, words: impl Fn(GitCall) -> GitCall + Sync) -> Result<GitOutput, MergeError> {
        let run = |through: &[String]| -> Result<GitOutput, GitError> {
            // Hooks of the user look after checkouts that stay.
            let call = self.there.git_asking_within().through(through).global("-c");
            words(call.global("core.hooksPath=/nonexistent/hooks")).run()
        };
        if !sandbox::support().is_some() {
            return Ok(run(&[])?);
        }
        let path = self.there.path();
        let git = sandbox::saving_git(&self.common, path)?.unwrap_or_default();
        let mut rules = sandbox::git_rules(&git, &self.hosts, env::home().as_deref());
        rules.write.push(path.to_path_buf());
        let ran = sandbox::within(&rules, run).map_err(|e| WorktreeError::Sandbox {
            path: path.to_path_buf(),
            message: e.to_string(),
        })?;
        Ok(ran?)
    }
}

/// The names that git lists with an end of their own.
fn names(output: &GitOutput) -> Vec<String> {
    let names = output.stdout.split(|byte| *byte == 0);
    let names = names.filter(|name| !name.is_empty());
    names.map(path_name).collect()
}
