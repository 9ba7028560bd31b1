//! Writing the merge commit in the user's own name, through git itself: identity, signing and
//! encoding follow the user's configuration. Moves no ref.

use crate::git::{GitError, Identity, Oid, Repo, git, hooks_present};
use crate::platform::env;
use crate::process::shell::Cancel;

use crate::merge::error::MergeError;

/// Hooks of `git merge` and `git commit` that git does not run for a commit made without a checkout.
const SILENT_HOOKS: [&str; 3] = ["pre-merge-commit", "prepare-commit-msg", "commit-msg"];
/// Those of `git revert`.
const SILENT_AT_REVERTS: [&str; 2] = ["prepare-commit-msg", "post-commit"];

/// Says which of the user's hooks are not run.
pub(crate) fn hooks_not_run(repo: &Repo) -> Result<Option<String>, GitError> {
    let present = hooks_present(repo, &SILENT_HOOKS)?;
    Ok((!present.is_empty()).then(|| {
        format!(
            "not run: {}; the merge commit is made without a checkout, so make what it checks a \
             quality gate",
            present.join(", ")
        )
    }))
}

/// The same of a revert.
pub(crate) fn revert_hooks_not_run(repo: &Repo) -> Result<Option<String>, GitError> {
    let present = hooks_present(repo, &SILENT_AT_REVERTS)?;
    Ok((!present.is_empty()).then(|| {
        format!(
            "not run: {}; the revert is committed without a checkout",
            present.join(", ")
        )
    }))
}

/// Says that the hook for what follows a merge was not run, where no checkout moved along.
pub(crate) fn post_merge_not_run(repo: &Repo, target: &str) -> Result<Option<String>, GitError> {
    let present = hooks_present(repo, &["post-merge"])?;
    Ok((!present.is_empty())
        .then(|| format!("not run: post-merge; {target} is checked out nowhere")))
}

/// Returns the subject of a merge commit.
pub(crate) fn merge_message(branch: &str, target: &str) -> String {
    format!("Merge branch '{branch}' into {target}")
}

/// Commits a tree with the given parents and returns the new commit. Whoever is to sign it is ended when the merge is
/// cancelled.
pub(crate) fn write_commit(
    repo: &Repo,
    tree: Oid,
    parents: &[Oid],
    message: &str,
    cancel: Option<&Cancel>,
) -> Result<Oid, MergeError> {
    // `commit-tree` is plumbing and does not look at this setting by itself.
    let is_signed = wants_signature(repo)?;
    if !is_signed && let Some((author, committer)) = plain_identity(repo)? {
        return Ok(repo.commit_as(tree, parents, message, &author, &committer)?);
    }
    let mut call = git(repo.path()).arg("commit-tree");
    if is_signed {
        // Who is to sign may be asked for a password, and nobody is there to answer.
        call = call.arg("-S").changing_within(repo.driver_limit());
    }
    for parent in parents {
        call = call.args(["-p", &parent.to_string()]);
    }
    let call = call.arg(tree.to_string()).stdin(format!("{message}\n"));
    let output = call.run_unless(cancel).map_err(|source| {
        if source.stderr().is_some_and(is_identity_problem) {
            MergeError::NoIdentity { source }
        } else if is_signed && source.stderr().is_some_and(is_signing_problem) {
            MergeError::NotSigned { source }
        } else {
            MergeError::Git(source)
        }
    })?;
    let text = String::from_utf8_lossy(&output.stdout);
    Oid::from_str(text.trim()).map_err(|_| {
        MergeError::Git(GitError::Unexpected {
            command: "commit-tree".to_owned(),
            detail: text.into_owned(),
        })
    })
}

/// Returns a commit that was made before with the signature that the user asks for now: itself, or made anew.
pub(crate) fn signed_as_asked(repo: &Repo, commit: Oid) -> Result<Oid, MergeError> {
    let is_signed = repo.raw().extract_signature(&commit, None).is_ok();
    if is_signed || !wants_signature(repo)? {
        return Ok(commit);
    }
    let made = repo.raw().find_commit(commit);
    let made = made.map_err(repo.failed("read a commit"))?;
    let message = String::from_utf8_lossy(made.message_bytes()).into_owned();
    let parents: Vec<Oid> = made.parent_ids().collect();
    write_commit(repo, made.tree_id(), &parents, message.trim_end(), None)
}

/// Who makes the commit, where that is plain to see: the usual variables or the user's settings, and no
/// setting that changes what a commit looks like. In doubt `None`, and git itself finds out.
fn plain_identity(repo: &Repo) -> Result<Option<(Identity, Identity)>, GitError> {
    let unusual = |name: &str| {
        name.ends_with("_DATE") && name.starts_with("GIT_") || name.starts_with("GIT_CONFIG")
    };
    if env::all().iter().any(|(name, _)| unusual(name)) {
        return Ok(None);
    }
    let read = repo.raw().config().and_then(|mut config| config.snapshot());
    let config = read.map_err(repo.failed("read the configuration"))?;
    let is_set = |key: &str| config.get_entry(key).is_ok();
    let changes_commits = [
        "i18n.commitEncoding",
        "author.name",
        "author.email",
        "committer.name",
        "committer.email",
    ];
    if changes_commits.into_iter().any(is_set) {
        return Ok(None);
    }
    let one = |role: &str| {
        let given = |variable: &str, key: &str| {
            let value = env::var(&format!("GIT_{role}_{variable}"));
            value.or_else(|| config.get_string(key).ok())
        };
        let (name, email) = (given("NAME", "user.name")?, given("EMAIL", "user.email")?);
        (is_plain(&name) && is_plain(&email)).then_some(Identity { name, email })
    };
    Ok(one("AUTHOR").zip(one("COMMITTER")))
}

/// Nothing in it that git would take out.
fn is_plain(text: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || !c.is_ascii();
    text.starts_with(is_inner)
        && text.ends_with(is_inner)
        && !text.chars().any(|c| c.is_control() || "<>".contains(c))
}

pub(super) fn wants_signature(repo: &Repo) -> Result<bool, GitError> {
    let read = repo.raw().config().and_then(|mut config| config.snapshot());
    let config = read.map_err(repo.failed("read the configuration"))?;
    Ok(config.get_bool("commit.gpgSign").unwrap_or(false))
}

/// git names gpg whatever program it was told to start, and ssh for that format.
fn is_signing_problem(stderr: &str) -> bool {
    ["sign", "gpg", "ssh", "public key", "private key"]
        .iter()
        .any(|sign| stderr.contains(sign))
}

fn is_identity_problem(stderr: &str) -> bool {
    ["tell me who you are", "empty ident", "auto-detect email"]
        .iter()
        .any(|sign| stderr.contains(sign))
}
