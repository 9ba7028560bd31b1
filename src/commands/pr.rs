//! `pr`: open a pull request for a branch through `gh`. A person's explicit act.

use serde::Serialize;

use super::interrupts;
use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::coordinator::landing;
use crate::coordinator::pull_request::{self, Opened, PullRequest, PullRequestError};
use crate::merge::CallOff;
use crate::platform::env;

/// Open a pull request for an agent's branch, through `gh`
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove pr overstory/ann/t-1 --dry-run")]
pub struct Args {
    /// The branch
    branch: String,
    /// Branch the request is for; the session branch, else the canonical branch when left out
    #[arg(long, value_name = "branch")]
    into: Option<String>,
    /// Title instead of that of the spec or the task
    #[arg(long, value_name = "text")]
    title: Option<String>,
    /// Remote the branch is pushed to
    #[arg(long, value_name = "name", default_value = "origin")]
    remote: String,
    /// Open it as a draft
    #[arg(long)]
    draft: bool,
    /// Show title and body; push nothing and open nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PrJson<'a> {
    branch_name: &'a str,
    target: &'a str,
    title: &'a str,
    body: &'a str,
    url: Option<&'a str>,
}

impl From<PullRequestError> for CliError {
    fn from(error: PullRequestError) -> Self {
        let shown = Self::coded("MERGE_ERROR", error.to_string());
        match error {
            PullRequestError::NoGh => shown
                .hint("install it (https://cli.github.com), or use --dry-run and open it by hand"),
            PullRequestError::Gh { branch, target, .. } => shown.hint(format!(
                "see `gh auth status` and `gh pr list --head {branch}`; then the same command again, or `gh pr create \
                 --head {branch} --base {target}`"
            )),
            PullRequestError::NoAddress { branch, .. } => shown.hint(format!(
                "see `gh pr list --head {branch}` whether it is open"
            )),
            PullRequestError::Push { hint, .. } => shown.hint(hint),
            PullRequestError::Coordinator(error) => error.into(),
            PullRequestError::Git(error) => error.into(),
            PullRequestError::File(error) => error.into(),
            PullRequestError::NothingToOffer { .. } | PullRequestError::Merge(_) => shown,
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    interrupts::during(&CallOff::default(), || run_until(ctx, args))
}

fn run_until(ctx: &Context, args: Args) -> CliResult {
    let inside = ctx.acting_agent().or_else(|| env::var(env::AGENT_NAME));
    if let Some(agent) = inside {
        return Err(CliError::validation(format!(
            "{agent} is an agent: only a person opens pull requests"
        ))
        .hint("report worker_done; the work lands through the merge queue"));
    }
    let project = ctx.project()?;
    let target = landing::target(&project.paths, &project.config, args.into.as_deref())?;
    let mut request =
        pull_request::compose(&project.paths, &project.config, &args.branch, &target)?;
    if let Some(title) = args.title {
        request.title = title;
    }
    interrupts::go_on()?;
    if args.dry_run {
        return told(ctx, &request, None);
    }
    let opened = pull_request::open(
        (&project.paths, &project.config),
        &request,
        &args.remote,
        args.draft,
    )?;
    told(ctx, &request, Some(&opened))
}

fn told(ctx: &Context, request: &PullRequest, opened: Option<&Opened>) -> CliResult {
    let url = opened.map(|opened| match opened {
        Opened::Now(url) | Opened::Before(url) => url.as_str(),
    });
    if ctx.is_json() {
        let data = PrJson {
            branch_name: &request.branch,
            target: &request.target,
            title: &request.title,
            body: &request.body,
            url,
        };
        ctx.out.json("pr", &data)?;
        return Ok(Outcome::Done);
    }
    match opened {
        Some(Opened::Now(url)) => ctx.out.success(format!("Opened {url}"))?,
        Some(Opened::Before(url)) => ctx.out.success(format!(
            "{url} is open already, and has the branch as it is now"
        ))?,
        None => {
            ctx.out
                .line(format!("{} → {}", request.branch, request.target))?;
            ctx.out.line(&request.title)?;
            ctx.out.line("")?;
            ctx.out.line(request.body.trim_end())?;
        }
    }
    Ok(Outcome::Done)
}
