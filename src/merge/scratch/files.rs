//! The files of a scratch checkout: written, put back after a gate, and rid of what a gate has left.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::git::{GitCall, GitError, GitOutput, Oid, Pinned, Repo, os_path, path_bytes, path_name};
use crate::merge::MergeError;
use crate::platform::env;
use crate::sandbox;
use crate::worktree::WorktreeError;

use super::apart;
use super::checkout::open_up;

const IGNORE_FILE: &[u8] = b".gitignore";
/// How git lists a folder; a submodule is none.
const FOLDER_MODE: &[u8] = b"040000 ";

/// How often a folder is looked at again when what hid more of it is gone; then all of it goes.
const ROUNDS: usize = 8;

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

    /// The same where somebody may have committed or switched to a branch, which stays what it is.
    pub(super) fn write_again(&self) -> Result<(), MergeError> {
        let commit = self.commit.to_string();
        self.confined(|call| call.args(["update-ref", "--no-deref", "HEAD", &commit]))?;
        self.write()
    }

    /// Gives it a repository of its own, and a new one each time.
    pub(super) fn set_apart(&self, repo: &Repo) -> Result<(), MergeError> {
        apart::set_apart(repo, &self.there, self.commit)
    }

    /// Undoes what was done to files of the commit, and names them.
    pub(super) fn put_back(&self) -> Result<Vec<String>, MergeError> {
        let mut changed = self.changed()?;
        if !changed.is_empty() {
            self.write_again()?;
            // What differs from the commit as soon as it is written is nobody's change: line ends, say.
            let always = self.changed()?;
            changed.retain(|path| !always.contains(path));
        }
        Ok(changed)
    }

    /// Removes what the commit does not have and git does not ignore, and names it; a folder with nothing else by its
    /// own name. Call it after `put_back`, for what is ignored is said by files too.
    pub(super) fn clear(&self) -> Result<Vec<String>, MergeError> {
        let mut left = Vec::new();
        let ignores = self.foreign_ignores()?;
        if !ignores.is_empty() {
            let paths = || ignores.iter().map(|path| os_path(path));
            self.clean(|call| call.args(["-x", "--"]).args(paths()))?;
            left.extend(ignores.iter().map(|path| path_name(path)));
        }
        // A folder may have hidden more of itself by an ignore file that went with the rest of it.
        for round in 0..=ROUNDS {
            let call = self.there.git().args(["ls-files", "--others", "-z"]);
            let call = call.args(["--exclude-standard", "--directory", "--no-empty-directory"]);
            let more = names(&call.run()?);
            if more.is_empty() {
                break;
            }
            if round < ROUNDS {
                self.clean(|call| call.arg("-d"))?;
            } else {
                let paths = || more.iter().map(|name| os_path(&path_bytes(name)));
                self.clean(|call| call.args(["-d", "-x", "--"]).args(paths()))?;
            }
            left.extend(more);
        }
        left.sort();
        left.dedup();
        Ok(left)
    }

    /// Ignore files that the commit does not have in folders that it has: what they hide is not ignored in what lands.
    /// Those in other folders go with these, or keep a tool's own folder out of git, as caches do.
    fn foreign_ignores(&self) -> Result<Vec<Vec<u8>>, MergeError> {
        let call = self.there.git().args(["ls-tree", "-r", "-t", "-z"]);
        let listed = call.arg(self.commit.to_string()).run()?.stdout;
        let mut own = HashSet::new();
        let mut possible = vec![IGNORE_FILE.to_vec()];
        for entry in listed.split(|byte| *byte == 0) {
            let tab = entry.iter().position(|byte| *byte == b'\t');
            let Some(path) = tab.and_then(|tab| entry.get(tab + 1..)) else {
                continue;
            };
            if entry.starts_with(FOLDER_MODE) {
                possible.push([path, b"/", IGNORE_FILE].concat());
            } else if path.ends_with(IGNORE_FILE) {
                own.insert(path);
            }
        }
        possible.retain(|path| {
            let there = self.there.path().join(os_path(path));
            let is_there = there.symlink_metadata().is_ok_and(|file| !file.is_dir());
            is_there && !own.contains(path.as_slice())
        });
        Ok(possible)
    }

    fn clean(&self, words: impl Fn(GitCall) -> GitCall + Sync) -> Result<(), MergeError> {
        // Twice, for repositories among what goes.
        let clean = || {
            self.confined(|call| {
                let call = call.env("GIT_LITERAL_PATHSPECS", "1");
                words(call.args(["clean", "-q", "-f", "-f"]))
            })
        };
        if clean().is_err() {
            // A folder may have been left without the permission to empty it.
            open_up(self.there.path(), 0);
            clean()?;
        }
        Ok(())
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
