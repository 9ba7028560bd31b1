//! A pull request for a branch: what it says, made from the task, the commits and the receipts, and
//! opening it through `gh`. Only on a person's word; the callers see to that.

use super::decisions::AllDecided;
use super::{CoordinatorError, landing, receipts};
use crate::config::Config;
use crate::git::{GitError, Repo, git, hooks_present};
use crate::logging::storable;
use crate::merge::{self, Ahead, MergeError, MergeOutcome, OnDisplaced};
use crate::platform::{FsError, ProjectPaths, fs};
use crate::process;
use crate::text::sanitize_line;
use crate::tracker::Tracker;
use crate::types::merge::{DisplacedHunk, MergeReceipt};
use crate::worktree::agent_of_branch;

/// How many of the places that would be displaced are told.
const HUNKS_TOLD: usize = 20;

/// What `gh` says of a branch that has an open request.
const ALREADY: &str = "already exists";

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
    #[error("{said}; {}", pushed(branch, remote))]
    Gh {
        branch: String,
        target: String,
        remote: String,
        said: String,
    },
    #[error("{branch} could not be pushed to {remote}: {source}")]
    Push {
        branch: String,
        remote: String,
        source: Box<GitError>,
        /// What to do about it.
        hint: &'static str,
    },
    #[error("'gh' was given {branch} and named no request{}", quoted(said))]
    NoAddress { branch: String, said: String },
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
    config: &Config,
    branch: &str,
    target: &str,
) -> Result<PullRequest, PullRequestError> {
    let repo = landing::repository(paths, config)?;
    let tip = repo.branch_tip(branch)?;
    let base = repo.branch_tip(target)?;
    let (agent, task) = agent_of_branch(branch).unwrap_or_default();
    let spec = fs::read_optional(&paths.file(&format!("specs/{task}.md")))?.unwrap_or_default();
    let (name, description) = task_text(paths, config, task);
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
    let headed = heading(&spec);
    let mut body = Vec::new();
    if headed.is_none() && !description.is_empty() {
        body.push(description);
    }
    if !spec.trim().is_empty() {
        body.push(spec.trim().to_owned());
    }
    let title = headed
        .or(name)
        .or(first_commit)
        .unwrap_or_else(|| branch.to_owned());
    let list: Vec<String> = commits.iter().map(|c| format!("- {}", c.summary)).collect();
    body.push(format!("## Commits\n\n{}", list.join("\n")));
    let ahead = Ahead::of(&repo, &paths.root);
    let decided = AllDecided::open(paths)?.of(branch)?;
    let prediction = merge::predict(&ahead, (target, branch), &decided, &|_, _| false)?;
    let planned = merge::plan(ahead.repo(), target, branch)?;
    drop(ahead);
    body.push(format!(
        "## Merging\n\nInto `{target}`: {} ({}).",
        prediction.predicted_tier, prediction.reason
    ));
    body.extend(
        prediction
            .held
            .map(|held| format!("Held: {}", sanitize_line(&held))),
    );
    if let MergeOutcome::ContentDisplaced(plan) = planned {
        body.push(held_text(&plan.displaced, config));
    }
    for merge in receipts::list(paths)? {
        // What was taken back since is not there any more.
        let receipts = merge.receipts().into_iter();
        let mut standing =
            receipts.filter(|(receipt, is_undone)| receipt.branch == branch && !is_undone);
        body.extend(standing.next().map(|(receipt, _)| receipt_text(&receipt)));
    }
    if !agent.is_empty() {
        body.push(format!("Work of agent `{agent}` on task `{task}`."));
    }
    // Others will read it.
    let body = body.join("\n\n") + "\n";
    Ok(PullRequest {
        branch: branch.to_owned(),
        target: target.to_owned(),
        title: storable(&title).into_owned(),
        body: storable(&body).into_owned(),
    })
}

/// What has been done when `gh` fails.
fn pushed(branch: &str, remote: &str) -> String {
    format!("{branch} is pushed to {remote}, and no request is open for it as far as is known")
}

fn quoted(said: &str) -> String {
    if said.is_empty() {
        String::new()
    } else {
        format!(": {said}")
    }
}

/// Title and description of a task, as far as a tracker knows it.
fn task_text(paths: &ProjectPaths, config: &Config, task: &str) -> (Option<String>, String) {
    if task.is_empty() {
        return (None, String::new());
    }
    match Tracker::of(&paths.root, &config.task_tracker).get(task) {
        Ok(issue) => {
            let title = sanitize_line(issue.title()).trim().to_owned();
            let description = issue.text("description").trim().to_owned();
            (Some(title).filter(|title| !title.is_empty()), description)
        }
        Err(error) => {
            tracing::debug!(%error, task, "nothing is known of the task");
            (None, String::new())
        }
    }
}

/// The first heading of a spec.
fn heading(spec: &str) -> Option<String> {
    spec.lines()
        .find_map(|line| line.strip_prefix("# "))
        .map(|title| title.trim().to_owned())
        .filter(|title| !title.is_empty())
}

/// What the branch would take from the target, and who decides about that.
fn held_text(displaced: &[DisplacedHunk], config: &Config) -> String {
    let settings = &config.merge;
    let asks = settings.ai_resolve_enabled || settings.reimagine_enabled;
    let then = match settings.on_displaced {
        OnDisplaced::Commit => "it lands all the same, and its receipt says so",
        OnDisplaced::Escalate if asks => {
            "a model is asked, and what it cannot combine is held for a person"
        }
        OnDisplaced::Escalate | OnDisplaced::Hold => "it is held for a person",
    };
    let amount = merge::amount(displaced);
    let mut lines = vec![format!(
        "{amount} of the target would be displaced: {then}.\n"
    )];
    let told = displaced.iter().take(HUNKS_TOLD);
    lines.extend(told.map(|hunk| {
        let place = sanitize_line(&hunk.place()).into_owned();
        format!(
            "- `{place}`: {}{}",
            merge::size(hunk),
            merge::by_driver(hunk)
        )
    }));
    let more = displaced.len().saturating_sub(HUNKS_TOLD);
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    lines.join("\n")
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
        merge::gone(&receipt.displaced)
    )
}

/// A request that is open now, by its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    Now(String),
    /// It was open already, and has the commits of the branch as they are now.
    Before(String),
}

/// Pushes the branch and opens the request. Hooks of the push and `gh` may each take as long as hooks of a merge.
pub fn open(
    (paths, config): (&ProjectPaths, &Config),
    request: &PullRequest,
    remote: &str,
    draft: bool,
) -> Result<Opened, PullRequestError> {
    if process::find_program("gh", None).is_none() {
        return Err(PullRequestError::NoGh);
    }
    let limit = landing::driver_limit(config);
    let refspec = format!("refs/heads/{0}:refs/heads/{0}", request.branch);
    git(&paths.root)
        .asking_within(limit)
        .args(["push", "--quiet", remote, &refspec])
        .run()
        .map_err(|source| PullRequestError::Push {
            branch: request.branch.clone(),
            remote: remote.to_owned(),
            hint: hint_on(&source, has_push_hook(paths)),
            source: Box::new(source),
        })?;
    let mut args = vec!["pr", "create", "--head", &request.branch];
    args.extend(["--base", &request.target, "--title", &request.title]);
    args.extend(["--body-file", "-"]);
    if draft {
        args.push("--draft");
    }
    let gh = |args: &[&str], body| merge::run_tool("gh", args, &paths.root, body, limit);
    let answer = match gh(&args, &request.body) {
        Ok(answer) => answer,
        Err(said) => {
            let of_branch = [
                "pr",
                "view",
                &request.branch,
                "--json",
                "url",
                "--jq",
                ".url",
            ];
            let is_there = said.contains(ALREADY);
            let before = is_there.then(|| address_in(&said)).flatten().or_else(|| {
                let answer = is_there.then(|| gh(&of_branch, ""))?;
                address_in(&answer.ok()?)
            });
            return before
                .map(Opened::Before)
                .ok_or_else(|| PullRequestError::Gh {
                    branch: request.branch.clone(),
                    target: request.target.clone(),
                    remote: remote.to_owned(),
                    said: sanitize_line(&said).into_owned(),
                });
        }
    };
    let address = address_in(&answer).map(Opened::Now);
    address.ok_or_else(|| PullRequestError::NoAddress {
        branch: request.branch.clone(),
        said: sanitize_line(answer.trim()).into_owned(),
    })
}

fn has_push_hook(paths: &ProjectPaths) -> bool {
    let present = Repo::discover(&paths.root).and_then(|repo| {
        let present = hooks_present(&repo, &["pre-push"])?;
        Ok(!present.is_empty())
    });
    present.unwrap_or(false)
}

/// What to do about a push that failed, by what git said.
fn hint_on(error: &GitError, has_hook: bool) -> &'static str {
    if error.was_ended() {
        return if has_hook {
            "your hook pre-push may be what it waited for"
        } else {
            "see whether the remote answers: `git ls-remote`"
        };
    }
    let said = error.stderr().unwrap_or_default();
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if says(&["[remote rejected]"]) {
        "the remote does not take it: what it says is above"
    } else if says(&["[rejected]"]) {
        "the remote's branch has commits that are not here: `git fetch` shows them"
    } else if says(&[
        "does not appear to be a git repository",
        "Could not read from remote repository",
        "unable to access",
        "not found",
    ]) {
        "see `git remote -v`, or name another remote with --remote"
    } else if has_hook {
        "your hook pre-push refused it, or see what git says above"
    } else {
        "see what git says above"
    }
}

/// The last address that a program names, without what a terminal would do with it.
fn address_in(answer: &str) -> Option<String> {
    let mut words = answer.split_whitespace().rev();
    let address = words.find(|word| word.contains("://"))?;
    Some(sanitize_line(address).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{address_in, heading, hint_on};
    use crate::git::GitError;

    #[test]
    fn only_a_remote_that_cannot_be_reached_is_a_reason_to_name_another() {
        let hint = |stderr: &str| {
            let stderr = stderr.to_owned();
            let command = "push".to_owned();
            let code = Some(1);
            hint_on(
                &GitError::Failed {
                    command,
                    code,
                    stderr,
                },
                true,
            )
        };
        let hooked = hint("tests are red\nerror: failed to push some refs to 'x'\n");
        assert!(hooked.contains("pre-push"), "{hooked}");
        let gone = hint("fatal: 'x' does not appear to be a git repository\n");
        assert!(gone.contains("--remote"), "{gone}");
        let behind = hint(" ! [rejected]  a -> a (fetch first)\nerror: failed to push some refs\n");
        assert!(behind.contains("git fetch"), "{behind}");
        let refused = hint(" ! [remote rejected] a -> a (pre-receive hook declined)\n");
        assert!(refused.contains("does not take it"), "{refused}");
    }

    #[test]
    fn the_address_is_the_last_one_named_and_does_nothing_to_a_terminal() {
        let said = "Creating request for a into main\nhttps://example.org/new\nsee https://example.org/pull/7 \n";
        assert_eq!(
            address_in(said).as_deref(),
            Some("https://example.org/pull/7")
        );
        let coloured = address_in("\u{1b}[31mhttps://x/1\u{1b}]0;t\u{7}").unwrap();
        assert!(!coloured.contains(char::is_control), "{coloured:?}");
        assert_eq!(address_in("done"), None);
    }

    #[test]
    fn a_title_comes_from_the_first_heading() {
        let spec = "---\nx: y\n---\n# Add the door\n\n# More\n";
        assert_eq!(heading(spec).as_deref(), Some("Add the door"));
        assert_eq!(heading("no heading"), None);
    }
}
