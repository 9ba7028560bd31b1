//! Submodules of a scratch checkout: filled from the repositories of them that are here, each with one of its own, so
//! that nothing done there reaches those. Nothing is fetched.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::git::{GitError, Oid, Repo, git, path_name, submodule_here, submodules_of};
use crate::merge::MergeError;
use crate::platform::{env, fs};
use crate::sandbox::{self, GitPaths, Rules};
use crate::worktree::WorktreeError;

use super::apart::furnish;

/// Submodules of submodules; deeper than any real project.
const DEPTH: usize = 6;

/// Fills the submodules of `commit` in its checkout, as far as their commits are here; says which could not be filled.
pub(super) fn fill_submodules(
    repo: &Repo,
    checkout: &Path,
    hosts: &Path,
    commit: Oid,
) -> Vec<String> {
    let mut rules = sandbox::git_rules(&GitPaths::default(), hosts, env::home().as_deref());
    rules.write.push(checkout.to_path_buf());
    let mut filling = Filling {
        top: checkout.canonicalize().unwrap_or(checkout.to_path_buf()),
        rules,
        limit: repo.driver_limit(),
        missing: Vec::new(),
    };
    filling.all(repo, checkout, commit, 0);
    filling.missing
}

struct Filling {
    top: PathBuf,
    /// What agents have written may bring filters that git runs for it: they can do no more than write the files.
    rules: Rules,
    /// How long filters may take.
    limit: Duration,
    missing: Vec<String>,
}

impl Filling {
    fn all(&mut self, repo: &Repo, below: &Path, commit: Oid, depth: usize) {
        let found = match submodules_of(repo, commit) {
            Ok(found) => found,
            Err(error) => {
                let said = format!("the submodules of {commit} are not known: {error}");
                return self.missing.push(said);
            }
        };
        for submodule in found {
            let (place, id) = (below.join(&submodule.path), submodule.commit);
            let name = path_name(submodule.path.as_os_str().as_encoded_bytes());
            let Some(from) = submodule_here(repo, &submodule) else {
                self.missing.push(format!(
                    "submodule {name} is empty here: its commit {id} is not in your checkout, where `git submodule \
                     update --init` fetches it"
                ));
                continue;
            };
            match self.one(&from, &place, id) {
                Ok(()) if depth < DEPTH => self.all(&from, &place, id, depth + 1),
                Ok(()) => {}
                Err(error) => self
                    .missing
                    .push(format!("submodule {name} could not be filled: {error}")),
            }
        }
    }

    fn one(&self, from: &Repo, place: &Path, commit: Oid) -> Result<(), MergeError> {
        let from = from.path().to_path_buf();
        let fill = |words: &[String]| -> Result<(), MergeError> {
            // A filter may have put a link there.
            if !place
                .canonicalize()
                .is_ok_and(|real| real.starts_with(&self.top))
            {
                let path = place.to_path_buf();
                return Err(GitError::NotListed { path }.into());
            }
            let own = place.join(".git");
            fs::create_dir_all(&own)?;
            furnish(&Repo::open(&from)?, &own)?;
            fs::write_atomic(&own.join("HEAD"), format!("{commit}\n"))?;
            let call = git(place).within(self.limit).through(words).global("-c");
            let call = call.global("core.hooksPath=/nonexistent/hooks");
            call.args(["reset", "-q", "--hard", &commit.to_string()])
                .run()?;
            Ok(())
        };
        if !sandbox::support().is_some() {
            return fill(&[]);
        }
        sandbox::within(&self.rules, fill).map_err(|error| WorktreeError::Sandbox {
            path: place.to_path_buf(),
            message: error.to_string(),
        })?
    }
}
