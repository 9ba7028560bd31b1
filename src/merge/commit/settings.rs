//! What the user's git settings ask of a merge: that the branch is signed (`merge.verifySignatures`), and options for
//! merges into one branch (`branch.<name>.mergeOptions`). The first is followed, what is left of the others is told.

use std::path::Path;

use crate::git::{GitError, Oid, Repo, git};
use crate::merge::error::MergeError;

use super::write::{hooks_not_run, post_merge_not_run, wants_signature};

/// Options of `git merge` that every merge here has, whoever asks for them.
const FOLLOWED: [&str; 8] = [
    "--no-ff",
    "--commit",
    "--no-edit",
    "--no-squash",
    "--verify-signatures",
    "--no-verify-signatures",
    "-q",
    "--quiet",
];

/// Fails when the user has git merge signed branches only and the last commit of this one is not signed by somebody
/// whom git trusts.
pub(crate) fn require_verified(
    repo: &Repo,
    (target, branch): (&str, &str),
    tip: Oid,
) -> Result<(), MergeError> {
    let Some(setting) = asks_for_signatures(repo, target)? else {
        return Ok(());
    };
    match mistrusted(repo, tip)? {
        None => Ok(()),
        Some(said) => Err(MergeError::NotVerified {
            branch: branch.to_owned(),
            setting,
            said,
        }),
    }
}

/// The hooks that did not run at a landing, and the options that the user has set for nothing. `checkout` is what moved
/// along.
pub(crate) fn not_followed(repo: &Repo, target: &str, checkout: Option<&Path>) -> Vec<String> {
    let after = match checkout {
        Some(_) => Ok(None),
        None => post_merge_not_run(repo, target),
    };
    let found = [
        hooks_not_run(repo),
        after,
        options_not_followed(repo, target),
    ];
    let known = |found: Result<Option<String>, GitError>| {
        found.unwrap_or_else(|error| {
            tracing::warn!(%error, "hooks and settings not looked for");
            None
        })
    };
    found.into_iter().filter_map(known).collect()
}

/// Says which of the options that the user has set for merges into this branch are not followed.
fn options_not_followed(repo: &Repo, target: &str) -> Result<Option<String>, GitError> {
    let Some(options) = merge_options(repo, target)? else {
        return Ok(None);
    };
    let signed = wants_signature(repo)?;
    let is_followed = |option: &&str| {
        FOLLOWED.contains(option) || signed && ["-S", "--gpg-sign"].contains(option)
    };
    let rest: Vec<&str> = options
        .split_whitespace()
        .filter(|option| !is_followed(option))
        .collect();
    Ok((!rest.is_empty()).then(|| {
        format!(
            "not followed: {} of branch.{target}.mergeOptions, which is for merges that git makes in a checkout",
            rest.join(" ")
        )
    }))
}

/// The setting by which the user asks for signed branches, if any does.
fn asks_for_signatures(repo: &Repo, target: &str) -> Result<Option<String>, GitError> {
    let options = merge_options(repo, target)?.unwrap_or_default();
    let mut words = options.split_whitespace().rev();
    let last = words.find_map(|word| match word {
        "--verify-signatures" => Some(true),
        "--no-verify-signatures" => Some(false),
        _ => None,
    });
    Ok(match last {
        Some(true) => Some(format!("branch.{target}.mergeOptions")),
        Some(false) => None,
        None => {
            let read = repo.raw().config().and_then(|mut config| config.snapshot());
            let config = read.map_err(repo.failed("read the configuration"))?;
            let asks = config.get_bool("merge.verifySignatures");
            asks.unwrap_or(false)
                .then(|| "merge.verifySignatures".to_owned())
        }
    })
}

fn merge_options(repo: &Repo, target: &str) -> Result<Option<String>, GitError> {
    let read = repo.raw().config().and_then(|mut config| config.snapshot());
    let config = read.map_err(repo.failed("read the configuration"))?;
    Ok(config
        .get_string(&format!("branch.{target}.mergeOptions"))
        .ok())
}

/// Why `git merge` would not take a commit whose signature it was asked to verify, in its words.
fn mistrusted(repo: &Repo, commit: Oid) -> Result<Option<String>, GitError> {
    let id = commit.to_string();
    let call = git(repo.path()).within(repo.driver_limit()).args([
        "log",
        "-1",
        "--no-show-signature",
        "--format=%G?%n%GS",
        &id,
    ]);
    let output = call.run()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines();
    let (verdict, signer) = (
        lines.next().unwrap_or_default(),
        lines.next().unwrap_or_default().trim(),
    );
    let short = id.get(..7).unwrap_or(&id);
    let by = |what: &str| format!("Commit {short} {what}, allegedly by {signer}.");
    let said = match verdict {
        "G" | "U" if is_trusted(repo, &id, verdict)? => return Ok(None),
        "G" | "U" => by("has an untrusted GPG signature"),
        "B" => by("has a bad GPG signature"),
        "X" => by("has an expired GPG signature"),
        "Y" => by("has a GPG signature of an expired key"),
        "R" => by("has a GPG signature of a revoked key"),
        "E" => format!("Commit {short} has a GPG signature that cannot be checked."),
        _ => format!("Commit {short} does not have a GPG signature."),
    };
    // Why it could not be checked is there: a setting that is missing, say.
    let why = output
        .stderr
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty());
    Ok(Some(match why {
        Some(why) => format!("{said} ({why})"),
        None => said,
    }))
}

/// Whether a good signature is trusted enough: by `gpg.minTrustLevel`, or as `git merge` has it without that.
fn is_trusted(repo: &Repo, id: &str, verdict: &str) -> Result<bool, GitError> {
    let read = repo.raw().config().and_then(|mut config| config.snapshot());
    let config = read.map_err(repo.failed("read the configuration"))?;
    if config.get_entry("gpg.minTrustLevel").is_err() {
        return Ok(verdict == "G");
    }
    let checked = git(repo.path())
        .within(repo.driver_limit())
        .args(["verify-commit", id])
        .also(1);
    Ok(checked.run()?.code == 0)
}
