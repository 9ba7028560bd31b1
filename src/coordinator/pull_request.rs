//! A pull request for a branch: what it says, made from the task, the commits and the receipts, and
//! opening it through `gh`. Only on a person's word; the callers see to that.

use super::{CoordinatorError, receipts};
use crate::git::{GitError, Repo, git};
use crate::merge::{self, Ahead, MergeError};
use crate::platform::{FsError, ProjectPaths, fs};
use crate::process;
use crate::types::merge::MergeReceipt;
use crate::worktree::agent_of_branch;
use std::time::Duration;

/// How long `gh` may take.
const LIMIT: Duration = Duration::from_secs(120);

/// What is to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    pub branch: String,
    pub target: String,
    pub title: String,
    pub body: String,
}

/// Why no request was opened.
#[derive(Debug, thiserror::Error)]
pub enum PullRequestError {
    #[error("{branch} has nothing that {target} has not: there is nothing to open a request for")]
    NothingToOffer { branch: String, target: String },
    #[error("'gh' is not installed or not on PATH")]
    NoGh,
    #[error("{0}")]
    Gh(String),
    #[error("{branch} could not be pushed to {remote}: {source}")]
    Push {
        branch: String,
        remote: String,
        source: GitError,
    },
    #[error(transparent)]
    Coordinator(#[from] CoordinatorError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error(transparent)]
    File(#[from] FsError),
}

/// Writes title and body for a branch.
pub fn compose(
    paths: &ProjectPaths,
    branch: &str,
    target: &str,
) -> Result<PullRequest, PullRequestError> {
    let repo = Repo::discover(&paths.root)?;
    let tip = repo.branch_tip(branch)?;
    let base = repo.branch_tip(target)?;
    let (agent, task) = agent_of_branch(branch).unwrap_or_default();
    let spec = fs::read_optional(&paths.file(&format!("specs/{task}.md")))?.unwrap_or_default();
    let mut commits = repo.commits_between(base, tip, 100)?;
    commits.retain(|commit| commit.parents.len() < 2);
    commits.reverse();
    if commits.is_empty() {
        return Err(PullRequestError::NothingToOffer {
            branch: branch.to_owned(),
            target: target.to_owned(),
        });
    }
    let first_commit = commits.first().map(|commit| commit.summary.clone());
    let title = heading(&spec)
        .or(first_commit)
        .unwrap_or_else(|| branch.to_owned());
    let mut body = Vec::new();
    if !spec.trim().is_empty() {
        body.push(spec.trim().to_owned());
    }
    let list: Vec<String> = commits.iter().map(|c| format!("- {}", c.summary)).collect();
    body.push(format!("## Commits\n\n{}", list.join("\n")));
    let ahead = Ahead::of(&repo, &paths.root);
    let prediction = merge::predict(ahead.repo(), target, branch, &|_, _| false)?;
    drop(ahead);
    body.push(format!(
        "## Merging\n\nInto `{target}`: {} ({}).",
        prediction.predicted_tier, prediction.reason
    ));
    for merge in receipts::list(paths)? {
        let receipt = merge.receipt();
        if let Some(receipt) = receipt.filter(|receipt| receipt.branch == branch) {
            body.push(receipt_text(&receipt));
        }
    }
    if !agent.is_empty() {
        body.push(format!("Work of agent `{agent}` on task `{task}`."));
    }
    Ok(PullRequest {
        branch: branch.to_owned(),
        target: target.to_owned(),
        title,
        body: body.join("\n\n") + "\n",
    })
}

/// The first heading of a spec.
fn heading(spec: &str) -> Option<String> {
    spec.lines()
        .find_map(|line| line.strip_prefix("# "))
        .map(|title| title.trim().to_owned())
        .filter(|title| !title.is_empty())
}

fn receipt_text(receipt: &MergeReceipt) -> String {
    let gates: Vec<&str> = receipt
        .gates
        .iter()
        .map(|gate| gate.name.as_str())
        .collect();
    let gates = if gates.is_empty() {
        String::new()
    } else {
        format!(" Green gates: {}.", gates.join(", "))
    };
    format!(
        "Merged locally into `{}` ({}): {} kept, {} displaced.{gates}",
        receipt.target,
        receipt.tier,
        crate::text::counted(receipt.account.kept, "line"),
        receipt.account.displaced
    )
}

/// Pushes the branch and opens the request; returns its address.
pub fn open(
    paths: &ProjectPaths,
    request: &PullRequest,
    remote: &str,
    draft: bool,
) -> Result<String, PullRequestError> {
    if process::find_program("gh", None).is_none() {
        return Err(PullRequestError::NoGh);
    }
    let refspec = format!("refs/heads/{0}:refs/heads/{0}", request.branch);
    git(&paths.root)
        .args(["push", "--quiet", remote, &refspec])
        .run()
        .map_err(|source| PullRequestError::Push {
            branch: request.branch.clone(),
            remote: remote.to_owned(),
            source,
        })?;
    let mut args = vec!["pr", "create", "--head", &request.branch];
    args.extend(["--base", &request.target, "--title", &request.title]);
    args.extend(["--body-file", "-"]);
    if draft {
        args.push("--draft");
    }
    let answer = merge::run_tool("gh", &args, &paths.root, &request.body, LIMIT)
        .map_err(PullRequestError::Gh)?;
    let url = answer
        .lines()
        .rev()
        .find(|line| line.contains("://"))
        .unwrap_or_else(|| answer.trim());
    Ok(url.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::heading;

    #[test]
    fn a_title_comes_from_the_first_heading() {
        let spec = "---\nx: y\n---\n# Add the door\n\n# More\n";
        assert_eq!(heading(spec).as_deref(), Some("Add the door"));
        assert_eq!(heading("no heading"), None);
    }
}
