//! Writing the merge commit in the user's own name, through git itself: identity, signing and
//! encoding follow the user's configuration. Moves no ref.

use crate::git::{GitError, Oid, Repo, git};

use super::error::MergeError;

/// Returns the subject of a merge commit.
pub(crate) fn merge_message(branch: &str, target: &str) -> String {
    format!("Merge branch '{branch}' into {target}")
}

/// Commits a tree with the given parents and returns the new commit.
pub(crate) fn write_commit(
    repo: &Repo,
    tree: Oid,
    parents: &[Oid],
    message: &str,
) -> Result<Oid, MergeError> {
    let mut call = git(repo.path()).arg("commit-tree");
    // `commit-tree` is plumbing and does not look at this setting by itself.
    if wants_signature(repo)? {
        call = call.arg("-S");
    }
    for parent in parents {
        call = call.args(["-p", &parent.to_string()]);
    }
    let text = call
        .arg(tree.to_string())
        .stdin(format!("{message}\n"))
        .text()
        .map_err(|source| {
            if source.stderr().is_some_and(is_identity_problem) {
                MergeError::NoIdentity { source }
            } else {
                MergeError::Git(source)
            }
        })?;
    Oid::from_str(&text).map_err(|_| {
        MergeError::Git(GitError::Unexpected {
            command: "commit-tree".to_owned(),
            detail: text,
        })
    })
}

fn wants_signature(repo: &Repo) -> Result<bool, GitError> {
    let read = repo.raw().config().and_then(|mut config| config.snapshot());
    let config = read.map_err(repo.failed("read the configuration"))?;
    Ok(config.get_bool("commit.gpgSign").unwrap_or(false))
}

fn is_identity_problem(stderr: &str) -> bool {
    ["tell me who you are", "empty ident", "auto-detect email"]
        .iter()
        .any(|sign| stderr.contains(sign))
}
